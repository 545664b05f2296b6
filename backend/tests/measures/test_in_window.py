# SPDX-License-Identifier: Apache-2.0
"""What the workload says is of the log's window, or absent."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from coalescope.measures.counters import Window
from coalescope.measures.in_window import Carried, amount_in_window, workload_measures
from coalescope.measures.run_log_measures import RunMeasures, measure_run
from coalescope.measures.workload_result import Intervals, Reported
from coalescope_host import run_log
from hypothesis import given
from hypothesis import strategies as st

MakeLog = Callable[..., bytes]
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
    assert "goodput_mbps" not in part.values
    assert part.values["datagram_loss_percent"] == 40
    whole = measure(make_log(window=(0, 9), result=said, command=True))
    assert whole.values["goodput_mbps"] == pytest.approx(8e-6 * 6e8 / 9)


@pytest.mark.fault("A4")
def test_lost_datagrams_and_segments_are_measures(make_log: MakeLog) -> None:
    said = iperf(sum={"bytes": 1e9, "lost_percent": 33, "lost_packets": 330, "packets": 1000})
    values = measure(make_log(result=said, command=True)).values
    assert (values["datagrams_lost"], values["datagram_loss_percent"]) == (330, 33)
    said = iperf(sum_received={"bytes": 10}, sum_sent={"retransmits": 7})
    assert measure(make_log(result=said)).values["retransmitted_segments"] == 7


BY_SECOND = {"t_start_monotonic_ns": SECOND, "interval_ns": SECOND}


def test_intervals_of_the_own_tool_are_cut_to_the_window(make_log: MakeLog) -> None:
    intervals = {**BY_SECOND, "bytes": [1, 2, 30e6, 40e6, 50e6, 60e6, 70e6, 80e6, 9]}
    span = {"t_start_monotonic_ns": SECOND, "t_end_monotonic_ns": 10 * SECOND, "seconds": 9}
    said = own(bytes=330_000_012, intervals=intervals, **span)
    values = measure(make_log(result=said, window=(2, 8))).values
    assert values["goodput_mbps"] == pytest.approx(8 * 330 / 6)


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


COUNTS = st.lists(st.integers(0, 10**9), min_size=1, max_size=30)
TIMES = st.integers(0, 40 * SECOND)


@given(COUNTS, st.lists(TIMES, min_size=3, max_size=3, unique=True))
def test_parts_of_a_window_add_up(counts: list[int], times: list[int]) -> None:
    first, between, last = sorted(times)
    intervals = Intervals(5 * SECOND, SECOND, {"bytes": counts})

    def amount(start: int, end: int) -> float:
        found = amount_in_window(intervals, "bytes", Window(0, 1, start, end))
        assert found is not None
        return found

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
