# SPDX-License-Identifier: Apache-2.0
"""What the workload says is of the log's window, or absent."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from coalescope.measures.counters import Window
from coalescope.measures.in_window import Carried, amount_in_window, workload_measures
from coalescope.measures.run_log_measures import RunMeasures, measure_run
from coalescope.measures.workload_result import Intervals, Reported, reported
from coalescope_host import run_log
from hypothesis import given
from hypothesis import strategies as st

MakeLog = Callable[..., bytes]
REPOSITORY = Path(__file__).parents[3]
SECOND = 10**9


def measure(content: bytes) -> RunMeasures:
    return measure_run(run_log.read(content))


def iperf(**end: Any) -> bytes:
    return json.dumps({"end": end}).encode()


def own(**members: Any) -> bytes:
    return json.dumps({"tool": "coalescope-traffic", "role": "tcp sink", **members}).encode()


def uneven(seconds: list[int]) -> list[tuple[int, ...]]:
    """Records of a second each, with so many seconds' worth of traffic in them."""
    rows, total = [], 0
    for i, share in enumerate([0, *seconds], start=1):
        total += share
        rows.append((i * SECOND, i * SECOND, total * 125_000_000, total * 125_000, total * 31_250))
    return rows


@pytest.mark.fault("A2")
@pytest.mark.fault("A3")
def test_goodput_is_not_above_the_rate_on_the_link(make_log: MakeLog) -> None:
    """A client that is late: iperf3 divides by its own three seconds, the window has nine."""
    said = iperf(sum_received={"bytes": 3 * 120_000_000, "seconds": 3.0, "bits_per_second": 9.6e8})
    rows = uneven([0, 0, 0, 0, 0, 0, 1, 1, 1])
    values = measure(make_log(rows=rows, window=(0, 9), result=said, command=True)).values
    assert values["goodput_mbps"] == pytest.approx(8e-6 * 3 * 120_000_000 / 9)
    assert values["goodput_mbps"] < values["throughput_mbps"]


@pytest.mark.fault("A3")
def test_a_part_of_the_transfer_has_its_part_of_the_bytes(make_log: MakeLog) -> None:
    said = iperf(sum_received={"bytes": 600_000_000, "seconds": 2.0, "bits_per_second": 2.4e9})
    rows = uneven([1, 1, 1, 0, 1, 1])
    values = measure(make_log(rows=rows, window=(2, 5), result=said, command=True)).values
    assert values["goodput_mbps"] == pytest.approx(8e-6 * 600_000_000 * 2 / 5 / 3)


def test_a_log_that_lacks_some_of_the_workload_has_no_goodput(make_log: MakeLog) -> None:
    said = iperf(sum_received={"bytes": 600_000_000, "seconds": 2.0})
    found = measure(make_log(result=said))
    assert "goodput_mbps" not in found.values
    assert [warning.code for warning in found.warnings] == ["not_of_window"]


def test_traffic_of_another_interface_is_not_of_this_one(make_log: MakeLog) -> None:
    said = iperf(sum_received={"bytes": 10 * 125_000_000, "seconds": 9.0})
    found = measure(make_log(result=said, command=True))
    assert "goodput_mbps" not in found.values
    assert [warning.code for warning in found.warnings] == ["goodput_not_of_interface"]


def test_losses_that_need_not_be_even_leave_goodput_out(make_log: MakeLog) -> None:
    """Datagrams lost behind the interface: which of them came in the window is not known."""
    said = iperf(sum={"bytes": 1e9, "lost_percent": 40, "lost_packets": 400, "packets": 1000})
    part = measure(make_log(result=said, command=True))
    assert not {"goodput_mbps", "datagrams_lost", "datagram_loss_percent"} & part.values.keys()
    assert [warning.code for warning in part.warnings] == ["not_of_window"]
    whole = measure(make_log(window=(0, 9), result=said, command=True))
    assert whole.values["goodput_mbps"] == pytest.approx(8e-6 * 6e8 / 9)


@pytest.mark.fault("A4")
def test_lost_datagrams_and_segments_are_measures(make_log: MakeLog) -> None:
    said = iperf(sum={"bytes": 1e9, "lost_percent": 33, "lost_packets": 330, "packets": 1000})
    values = measure(make_log(window=(0, 9), result=said, command=True)).values
    assert (values["datagrams_lost"], values["datagram_loss_percent"]) == (330, 33)
    said = iperf(sum_received={"bytes": 10}, sum_sent={"retransmits": 7})
    values = measure(make_log(window=(0, 9), result=said, command=True)).values
    assert values["retransmitted_segments"] == 7


def test_what_was_never_lost_was_not_lost_in_the_window(make_log: MakeLog) -> None:
    said = iperf(sum={"bytes": 1e9, "lost_percent": 0, "lost_packets": 0, "packets": 1000})
    values = measure(make_log(result=said, command=True)).values
    assert (values["datagrams_lost"], values["datagram_loss_percent"]) == (0, 0)


def test_what_a_sender_sent_is_compared_with_what_the_interface_sent(make_log: MakeLog) -> None:
    """It received nothing but acknowledgements: its traffic is the interface's all the same."""
    sums = [
        {"start": i, "end": i + 1, "bytes": 1e8, "retransmits": 5 * i, "sender": True}
        for i in range(9)
    ]
    end = {"sum_received": {"bytes": 9e8, "seconds": 9.0}, "sum_sent": {"retransmits": 180}}
    said = json.dumps({"intervals": [{"sum": one} for one in sums], "end": end}).encode()
    names = ("t_monotonic_ns", "rx_bytes", "tx_bytes", "tx_packets")
    fields = [run_log.standard_field(name) for name in names]
    rows = [((i + 1) * SECOND, i * 1000, i * 105_000_000, i * 70_000) for i in range(10)]

    def found(window: tuple[int, int]) -> RunMeasures:
        log = make_log(rows=rows, fields=fields, window=window, result=said, command=True)
        return measure(log)

    whole, part = found((0, 9)), found((3, 6))
    assert not {warning.code for warning in whole.warnings} & {"goodput_not_of_interface"}
    assert whole.values["goodput_mbps"] == pytest.approx(800)
    assert part.values["goodput_mbps"] == pytest.approx(800)
    assert whole.values["retransmitted_segments"] == 180
    assert "retransmitted_segments" not in part.values  # began somewhen in a second


BY_SECOND = {"t_start_monotonic_ns": SECOND, "interval_ns": SECOND}


def test_intervals_of_the_own_tool_are_cut_to_the_window(make_log: MakeLog) -> None:
    intervals = {**BY_SECOND, "bytes": [1, 2, 30e6, 40e6, 50e6, 60e6, 70e6, 80e6, 9]}
    span = {"t_start_monotonic_ns": SECOND, "t_end_monotonic_ns": 10 * SECOND, "seconds": 9}
    said = own(bytes=330_000_012, intervals=intervals, **span)
    values = measure(make_log(result=said, window=(2, 8))).values
    assert values["goodput_mbps"] == pytest.approx(8 * 330 / 6)


def test_intervals_of_another_machine_s_clock_are_not_of_the_window(make_log: MakeLog) -> None:
    """A sink that the recorded command started over ssh: what it received is not 0."""
    other = {"t_start_monotonic_ns": 10**15, "interval_ns": SECOND, "bytes": [60_000_000] * 9}
    said = own(bytes=540_000_000, seconds=9.0, intervals=other)
    found = measure(make_log(rows=uneven([1] * 9), result=said, command=True))
    assert "goodput_mbps" not in found.values
    assert [warning.code for warning in found.warnings] == ["not_of_window"]


def test_latencies_are_of_the_window_or_absent(make_log: MakeLog) -> None:
    latency = {"mean": 50, "p50": 40, "p90": 70, "p95": 80, "p99": 90, "p999": 99, "max": 120}
    client = {"role": "client", "seconds": 5, "bytes": 500, "operations": 10}

    def found(start: int, end: int) -> RunMeasures:
        span = {"t_start_monotonic_ns": start * SECOND, "t_end_monotonic_ns": end * SECOND}
        return measure(make_log(result=own(**client, **span, latency_us=latency), window=(2, 8)))

    inside = found(4, 8)  # the window is from second 3 to second 9
    assert inside.values["latency_p999_us"] == 99
    assert inside.values["request_rate_hz"] == pytest.approx(10 / 6)
    beyond = found(1, 9)
    assert not [name for name in beyond.values if name.startswith("latency")]
    assert "request_rate_hz" not in beyond.values
    assert [warning.code for warning in beyond.warnings] == ["not_of_window"]


@pytest.mark.parametrize(
    ("end", "held"),
    [
        (9.001, {"p50", "p99", "p999"}),
        (9.01, {"p50", "p99"}),
        (9.02, {"p50"}),
        (9.6, {"p50"}),
        (9.8, set()),
    ],
)
def test_check_and_store_know_latencies_of_the_same_runs(
    make_log: MakeLog, end: float, held: set[str]
) -> None:
    """The window is from second 3 to second 9; what lies outside may be the slowest.

    6 of 6.6 s are nine tenths, 6 of 6.8 s are not; of 6.01 s, 0.17 % are outside.
    """
    span = {"t_start_monotonic_ns": 3 * SECOND, "t_end_monotonic_ns": int(end * SECOND)}
    client = {"role": "client", "seconds": 6, "bytes": 500, "operations": 10}
    said = own(**client, **span, latency_us={"p50": 40, "p99": 90, "p999": 99})
    content = make_log(result=said, window=(2, 8))
    shown = run_log.run_values(run_log.read(content)), measure(content).values
    for name in ("p50", "p99", "p999"):
        expected = name in held
        assert [f"latency_{name}_us" in values for values in shown] == [expected, expected]


def sliced(slow: list[int]) -> dict[str, object]:
    """A client of 10 s from second 1 on: in each half 100 requests of 0.1 ms, of 5 ms in some."""
    counts = [[100] for _ in range(20)]
    slices = {
        "t_start_monotonic_ns": SECOND,
        "interval_ns": SECOND // 2,
        "sum_ns": [100 * (5e6 if each in slow else 1e5) for each in range(20)],
        "max_ns": [5_000_000 if each in slow else 100_000 for each in range(20)],
        "buckets": [[int(each in slow)] for each in range(20)],
        "counts": counts,
    }
    return own(
        **{"role": "client", "seconds": 10, "bytes": 500, "operations": 2000},
        **{"t_start_monotonic_ns": SECOND, "t_end_monotonic_ns": 11 * SECOND},
        latency_us={"mean": 345, "p50": 100, "p99": 5000, "p999": 5000, "max": 5000},
        histogram={"lower_ns": [99_000, 4_990_000], "upper_ns": [101_000, 5_010_000]},
        latency_slices=slices,
    )


def test_the_slowest_requests_of_other_times_are_not_of_the_window(make_log: MakeLog) -> None:
    """The window is from second 3 to second 9; one half second on its edge is in it in part."""
    content = make_log(result=sliced([0, 3, 17]), window=(2, 8))
    shown = run_log.run_values(run_log.read(content)), measure(content).values
    for values in shown:
        assert values["latency_p50_us"] == values["latency_p999_us"] == 100
    assert shown[1]["latency_max_us"] == shown[1]["latency_us"] == 100
    inside = measure(make_log(result=sliced([8]), window=(2, 8))).values
    assert inside["latency_p50_us"] == 100
    assert inside["latency_p99_us"] == inside["latency_max_us"] == 5000


@pytest.mark.parametrize(
    "broken",
    [
        {"buckets": [[9]] * 20},
        {"counts": [[-1]] * 20},
        {"sum_ns": [1]},
        {"interval_ns": 0},
        {"max_ns": "x"},
        {"counts": [[1, 2]] * 20},
    ],
)
def test_slices_that_the_tool_does_not_write_say_nothing(
    make_log: MakeLog, broken: dict[str, object]
) -> None:
    said = json.loads(sliced([0]))
    said["latency_slices"] |= broken
    content = make_log(result=json.dumps(said).encode(), window=(2, 8))
    for values in (run_log.run_values(run_log.read(content)), measure(content).values):
        assert not [name for name in values if name.startswith("latency")]


def test_percentiles_that_are_not_of_the_window_are_named(make_log: MakeLog) -> None:
    span = {"t_start_monotonic_ns": 3 * SECOND, "t_end_monotonic_ns": int(9.1 * SECOND)}
    client = {"role": "client", "seconds": 6}
    said = own(**client, **span, latency_us={"p50": 40, "p99": 90, "max": 99})
    found = measure(make_log(result=said, window=(2, 8)))
    (warning,) = [each for each in found.warnings if each.code == "not_of_window"]
    assert warning.message.startswith(
        "The workload says latency_p99_us and latency_max_us of its whole time"
    )
    assert warning.message.endswith("that of a sweep leaves the ends of it out.")


def test_every_quantile_that_the_tool_reports_is_a_measure(make_log: MakeLog) -> None:
    source = (REPOSITORY / "driver/traffic/report.c").read_text(encoding="utf-8")
    names = re.findall(r'\{"(p\d+)", 0\.\d+\}', source)
    assert len(names) > 2
    client = {"role": "client", "seconds": 4, "bytes": 500, "operations": 10}
    span = {"t_start_monotonic_ns": 4 * SECOND, "t_end_monotonic_ns": 8 * SECOND}
    latency = {name: 10 * number for number, name in enumerate(names, 1)}
    said = own(**client, **span, latency_us=latency)
    values = measure(make_log(result=said, window=(2, 8))).values
    assert {name: values[f"latency_{name}_us"] for name in names} == latency


COUNTS = st.lists(st.integers(0, 10**9), min_size=1, max_size=30)
TIMES = st.integers(0, 40 * SECOND)


@given(COUNTS, st.lists(TIMES, min_size=3, max_size=3, unique=True))
def test_parts_of_a_window_add_up(counts: list[int], times: list[int]) -> None:
    first, between, last = sorted(times)
    intervals = Intervals(5 * SECOND, SECOND, {"bytes": counts})

    def amount(start: int, end: int) -> float:
        found = amount_in_window(intervals, "bytes", Window(0, 1, start, end))
        touched = start < (5 + len(counts)) * SECOND and end > 5 * SECOND
        assert (found is not None) == touched
        return found or 0.0

    assert amount(first, between) + amount(between, last) == pytest.approx(amount(first, last))
    assert 0 <= amount(first, last) <= sum(counts) * (1 + 1e-12)
    assert amount(0, 41 * SECOND) == pytest.approx(sum(counts))


@given(
    octets=st.integers(1, 10**12),
    in_all=st.integers(1, 10**12),
    share=st.floats(0, 1),
    seconds=st.floats(0.1, 100),
)
def test_goodput_never_exceeds_what_the_interface_carried(
    octets: int, in_all: int, share: float, seconds: float
) -> None:
    in_window = int(share * in_all)
    window = Window(0, 1, 0, max(int(seconds * SECOND), 1))
    said = Reported(octets=float(octets), seconds=seconds)
    found, warnings = workload_measures(said, window, Carried(in_all, in_window), 1.0, steady=False)
    if "goodput_mbps" in found:
        carried_mbps = 8e-6 * in_window / window.elapsed_s
        assert found["goodput_mbps"] <= 1.02 * carried_mbps + 1e-9
    else:
        assert warnings


GOLDEN = Path(__file__).parents[3] / "driver" / "testdata" / "workloads"
TENTH = SECOND // 10


def lossy(make_log: MakeLog, window: tuple[int, int]) -> dict[str, float]:
    """A transfer of 5 s that begins 37 ms after a record; from its third second on, half of what
    the interface receives is lost behind it."""
    octets = [10_000_000 if i < 20 else 5_000_000 for i in range(50)]
    came = [
        {"start": i / 10, "end": (i + 1) / 10, "bytes": count, "sender": False}
        | {"packets": 1000, "lost_packets": (10_000_000 - count) // 10_000}
        for i, count in enumerate(octets)
    ]
    end = {"bytes": sum(octets), "seconds": 5.0, "lost_packets": 15_000, "packets": 50_000}
    said = {"intervals": [{"sum": one} for one in came], "end": {"sum_received": end}}
    rows = []
    for i in range(62):
        carried = int(np.interp(i / 10 - 0.537, [0, 5], [0, 520_000_000]))
        rows.append((SECOND + i * TENTH, SECOND, carried, carried // 1000, i))
    log = make_log(rows=rows, window=window, result=json.dumps(said).encode(), command=True)
    return dict(measure(log).values)


@pytest.mark.fault("A3")
def test_goodput_of_a_lossy_transfer_is_that_of_its_own_intervals(make_log: MakeLog) -> None:
    """Records 36 to 56 are all of the half that loses: bytes of the interface would say more."""
    assert lossy(make_log, (36, 53))["goodput_mbps"] == pytest.approx(8 * 50, rel=0.01)
    assert lossy(make_log, (8, 23))["goodput_mbps"] == pytest.approx(8 * 100, rel=0.01)


def test_where_the_beginning_makes_a_difference_goodput_is_absent(make_log: MakeLog) -> None:
    """A window that begins before the transfer: what came in it depends on when that began."""
    found = lossy(make_log, (3, 9))
    assert not {"goodput_mbps", "datagram_loss_percent"} & found.keys()


def test_losses_are_of_the_window_by_the_transfer_s_own_intervals(make_log: MakeLog) -> None:
    """Of the whole transfer, 30 % were lost: nothing in its first seconds, then half."""
    lossless, half = lossy(make_log, (8, 23)), lossy(make_log, (36, 53))
    assert (lossless["datagrams_lost"], lossless["datagram_loss_percent"]) == (0, 0)
    assert half["datagram_loss_percent"] == pytest.approx(50)
    assert half["datagrams_lost"] == pytest.approx(0.5 * 17 * 1000)


@pytest.mark.parametrize("window", [(5, 55), (6, 56), (6, 55), (5, 56)])
def test_a_window_that_nearly_is_the_transfer_has_its_losses(
    make_log: MakeLog, window: tuple[int, int]
) -> None:
    """5 s, which begin between two records of 0.1 s: as the logger places the window, it begins or
    ends at a record beside the transfer. Some datagrams are lost at once, as on a busy machine."""
    lost = [0, 0, 0, 53, 0]
    sums = [
        {"start": i, "end": i + 1, "bytes": 5 * 10**6, "packets": 5000, "sender": False}
        | {"lost_packets": count}
        for i, count in enumerate(lost)
    ]
    end = {"bytes": 25 * 10**6, "seconds": 5.0, "lost_packets": 53, "packets": 25_000}
    said = json.dumps({"intervals": [{"sum": one} for one in sums], "end": {"sum": end}})
    rows = []
    for i in range(62):
        carried = int(np.interp(i / 10 - 0.537, [0, 5], [0, 26_150_000]))
        rows.append((SECOND + i * TENTH, SECOND, carried, carried // 1000, i))
    found = measure(make_log(rows=rows, window=window, result=said.encode(), command=True))
    assert "not_of_window" not in {warning.code for warning in found.warnings}
    assert found.values["datagrams_lost"] == pytest.approx(53)
    assert found.values["datagram_loss_percent"] == pytest.approx(100 * 53 / 25_000, rel=0.03)


@pytest.mark.fault("A4")
@pytest.mark.parametrize(
    ("lost", "end", "between", "said"),
    [
        ([0, 200, 58, 0, 40], 52, (258, 298), {"losses_roughly_of_window"}),
        ([0, 200, 94, 0, 4], 52, (294, 298), set()),
        ([0, 200, 58, 0, 400], 52, None, {"not_of_window"}),
        # a factor of three from one to the next is not even
        ([50, 150], 20, None, {"not_of_window"}),
        ([60, 140, 140], 30, None, {"not_of_window"}),
        # a buffer that overflows all the time
        ([2000, 2100, 1900, 2050, 1950], 52, (9280, 9380), set()),
    ],
)
def test_a_burst_in_an_interval_that_the_window_cuts_is_told(
    make_log: MakeLog,
    lost: Sequence[int],
    end: int,
    between: tuple[int, int] | None,
    said: set[str],
) -> None:
    """It ends within the last interval: none, or all that was lost in that may be of it."""
    seconds = len(lost)
    sums = [
        {"start": i, "end": i + 1, "bytes": 5 * 10**6, "packets": 5000, "sender": False}
        | {"lost_packets": count}
        for i, count in enumerate(lost)
    ]
    whole = {"bytes": seconds * 5 * 10**6, "seconds": seconds, "packets": seconds * 5000}
    whole |= {"lost_packets": sum(lost)}
    report = json.dumps({"intervals": [{"sum": one} for one in sums], "end": {"sum": whole}})
    rows = []
    for i in range(62):
        share = np.interp(i / 10 - 0.537, [0, seconds], [0, 1])
        carried = int(share * seconds * 5_230_000)
        rows.append((SECOND + i * TENTH, SECOND, carried, carried // 1000, i))
    found = measure(make_log(rows=rows, window=(5, end), result=report.encode(), command=True))
    codes = {warning.code for warning in found.warnings}
    assert codes & {"losses_roughly_of_window", "not_of_window"} == said
    told = [one.message for one in found.warnings if one.code == "losses_roughly_of_window"]
    assert all("A longer run" in text for text in told), "the recording began before the traffic"
    if between is None:
        assert "datagrams_lost" not in found.values
    else:
        assert between[0] <= found.values["datagrams_lost"] <= between[1]


def test_datagrams_that_came_after_all_are_taken_back(make_log: MakeLog) -> None:
    """On two CPUs one may overtake others: iperf3 counts these as lost, and in its next interval
    as come late, which then has less than none."""
    lost = [0, 40, -30, 0, 0]

    def found(*window: int) -> Mapping[str, float]:
        sums = [
            {"start": i, "end": i + 1, "bytes": 10**8, "packets": 10**5, "sender": False}
            | {"lost_packets": count}
            for i, count in enumerate(lost)
        ]
        end = {"bytes": 5 * 10**8, "seconds": 5.0, "lost_packets": 10, "packets": 5 * 10**5}
        said = json.dumps({"intervals": [{"sum": one} for one in sums], "end": {"sum": end}})
        rows = [
            (SECOND + i * TENTH, SECOND, min(max(i - 5, 0), 50) * 10_500_000, i, i)
            for i in range(62)
        ]
        log = make_log(rows=rows, window=window, result=said.encode(), command=True)
        return measure(log).values

    assert found(10, 50)["datagrams_lost"] == pytest.approx(10, abs=1)
    assert found(10, 50)["datagram_loss_percent"] == pytest.approx(0.0025, rel=0.1)
    assert found(25, 35)["datagrams_lost"] == 0


@pytest.mark.parametrize("name", ["tcp-reverse", "udp-reverse", "tcp-server", "udp-server"])
def test_intervals_of_iperf3_add_up_to_what_it_received(make_log: MakeLog, name: str) -> None:
    content = (GOLDEN / f"iperf3-{name}.json").read_bytes()
    log = run_log.read(make_log(result=content))
    said, _ = reported(log.result)
    assert said.unplaced is not None
    assert said.octets is not None
    assert sum(said.unplaced.counts["octets"]) == pytest.approx(said.octets, rel=0.03)
    assert said.unplaced.edges_s[-1] == pytest.approx(said.seconds, abs=0.15)


@pytest.mark.fault("A4")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("iperf3-tcp-reverse", {"retransmitted_segments": 5742}),
        ("iperf3-udp-reverse", {"datagrams_lost": 21, "datagram_loss_percent": 0.077}),
        ("iperf3-udp-server", {"datagrams_lost": 3985, "datagram_loss_percent": 9.166}),
    ],
)
def test_losses_of_real_results(
    make_log: MakeLog, name: str, expected: Mapping[str, float]
) -> None:
    content = (GOLDEN / f"{name}.json").read_bytes()
    values = measure(make_log(window=(0, 9), result=content, command=True)).values
    assert {one: values[one] for one in expected} == pytest.approx(expected, rel=0.01)
