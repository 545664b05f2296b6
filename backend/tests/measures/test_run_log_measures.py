# SPDX-License-Identifier: Apache-2.0
"""Run logs to measures: over the window, wraps and resets included, absent where not counted."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from coalescope.errors import CoalescopeError
from coalescope.measures import counters, run_log_measures
from coalescope.measures.derived import derive
from coalescope.measures.run_log_measures import RunMeasures, measure_run
from coalescope_host import run_log
from coalescope_host.run_log import standard_field
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

MakeLog = Callable[..., bytes]
SECOND = 10**9


def field(name: str, **more: Any) -> dict[str, Any]:
    return dict(standard_field(name, **more))


def columns(*names: str | dict[str, Any]) -> list[dict[str, Any]]:
    first = [field("t_monotonic_ns")]
    return first + [field(name) if isinstance(name, str) else name for name in names]


def counted(values: Sequence[int], *more: Sequence[int]) -> list[list[int]]:
    """Records one second apart."""
    return [[(i + 1) * SECOND, *row] for i, row in enumerate(zip(values, *more, strict=True))]


def measure(content: bytes) -> RunMeasures:
    return measure_run(run_log.read(content))


def test_measures_span_the_marked_window(make_log: MakeLog) -> None:
    values = measure(make_log(window=(2, 8))).values
    assert values == pytest.approx(
        {
            "elapsed_s": 6,
            "rx_bytes": 6 * 125e6,
            "rx_packets": 6 * 125e3,
            "rx_interrupts": 6 * 31250,
            "rx_interrupt_rate_hz": 31250,
            "packets_per_interrupt": 4,
            "mean_packet_bytes": 1000,
            "throughput_mbps": 8 * (125e6 + 4 * 125e3) / 1e6,
            "rx_interrupts_per_gb": 250_000,
            "rx_packets_per_gb": 1_000_000,
        }
    )


def test_another_window_gives_other_counts(make_log: MakeLog) -> None:
    """Negative control: the marks matter."""
    assert measure(make_log(window=(0, 9))).values["rx_bytes"] == 9 * 125e6
    unmarked = measure(make_log(window=(None, None)))
    assert unmarked.values["rx_bytes"] == 9 * 125e6
    assert [warning.code for warning in unmarked.warnings] == ["window_not_marked"]


def test_marks_between_records_take_the_records_inside(make_log: MakeLog) -> None:
    stream = run_log.read(make_log()).streams[0]
    window = counters.window_records(stream, 2 * SECOND + 1, 9 * SECOND - 1)
    assert window == counters.Window(2, 7, 3 * SECOND, 8 * SECOND)
    assert counters.window_records(stream, 2 * SECOND + 1, 3 * SECOND + 1) is None
    assert counters.window_records(stream, 99 * SECOND, None) is None
    assert counters.window_records(stream, None, 1) is None


def test_a_window_without_two_records_is_refused(make_log: MakeLog) -> None:
    with pytest.raises(CoalescopeError, match="fewer than two records"):
        measure(make_log(window=(4, 4)))
    assert measure(make_log(window=(4, 5))).values["elapsed_s"] == 1


# --- absent, never zero


def test_what_is_not_counted_is_absent(make_log: MakeLog) -> None:
    content = make_log(
        fields=columns("rx_bytes", "rx_packets"),
        rows=counted([0, 1500, 3000], [0, 1, 2]),
        window=(0, 2),
    )
    values = measure(content).values
    absent = {"rx_interrupts", "packets_per_interrupt", "rx_interrupt_rate_hz", "system_cpu_s"}
    assert not absent & values.keys()
    assert not {"drops", "idle_cpu_percent", "goodput_mbps", "cycles_per_packet"} & values.keys()


def test_what_is_counted_and_did_not_move_is_zero(make_log: MakeLog) -> None:
    """The twin: a counter that stands still is a zero; ratios to it are absent, not infinite.

    Of receive interrupts, where those of the interface's lines stand still, too.
    """
    names = ("rx_bytes", "rx_packets", "rx_interrupts", "rx_line_interrupts", "rx_dropped")
    content = make_log(
        fields=columns(*names),
        rows=counted([0, 1500, 3000], [0, 1, 2], [7, 7, 7], [9, 9, 9], [3, 3, 3]),
        window=(0, 2),
    )
    values = measure(content).values
    assert (values["rx_interrupts"], values["drops"]) == (0, 0)
    assert values["rx_interrupt_rate_hz"] == 0
    assert "packets_per_interrupt" not in values


@pytest.mark.fault("I11")
@pytest.mark.parametrize(
    ("names", "ends"),
    [
        (("rx_interrupts",), (0,)),
        (("rx_interrupts", "schedules", "rx_polls"), (0, 5, 5)),
        (("rx_interrupts", "rx_line_interrupts"), (0, 5)),
        (("rx_interrupts", "interrupts", "rx_line_interrupts"), (2, 2, 9)),
    ],
)
def test_interrupts_that_were_not_seen_are_not_few(
    make_log: MakeLog, names: tuple[str, ...], ends: tuple[int, ...]
) -> None:
    """Five packets came: the kernel hid interrupts, or nothing tells that they were polled."""
    fields = columns("rx_packets", "rx_interrupts")
    fields += [field("rx_interrupts") | {"name": name} for name in names[1:]]
    rows = counted([0, 5], *([0, end] for end in ends))
    found = measure(make_log(fields=fields, rows=rows, window=(0, 1)))
    assert "rx_interrupts" not in found.values
    assert "rx_interrupt_rate_hz" not in found.values
    assert "interrupts_not_seen" in {warning.code for warning in found.warnings}


@pytest.mark.parametrize(("packets", "of_lines"), [(0, 0), (0, 2), (5, 5), (5, 9)])
def test_interrupts_that_were_seen_are_known(
    make_log: MakeLog, packets: int, of_lines: int
) -> None:
    """Lines count spurious ones, too, and are read a moment later."""
    fields = columns("rx_packets", "rx_interrupts", "rx_line_interrupts")
    fields += [field("rx_interrupts") | {"name": "interrupts"}]
    rows = counted([0, packets], [0, packets], [0, of_lines], [0, packets])
    found = measure(make_log(fields=fields, rows=rows, window=(0, 1)))
    assert found.values["rx_interrupts"] == packets
    assert "interrupts_not_seen" not in {warning.code for warning in found.warnings}


# --- link level


@pytest.mark.parametrize(
    ("included", "bytes_per_packet"),
    [
        ([], 1500),
        (["link_header"], 1514),
        (["link_header", "fcs"], 1518),
        (["link_header", "fcs", "preamble_and_gap"], 1538),
    ],
)
def test_throughput_is_at_link_level_whatever_the_counter_counts(
    make_log: MakeLog, included: list[str], bytes_per_packet: int
) -> None:
    packets = [0, 1000, 2000]
    content = make_log(
        fields=columns(
            field("rx_bytes", bytes_include=included),
            "rx_packets",
            field("tx_bytes", bytes_include=included),
            "tx_packets",
        ),
        rows=counted([n * bytes_per_packet for n in packets], packets, packets, packets),
        window=(0, 2),
    )
    found = measure(content)
    assert found.values["throughput_mbps"] == pytest.approx(8e-6 * 1518 * 1000)
    assert found.values["rx_bytes"] == 2000 * bytes_per_packet
    assert found.values["tx_throughput_mbps"] == pytest.approx(
        8e-6 * 1000 * (1 + 1518 - bytes_per_packet)
    )


def test_bytes_that_are_not_described_give_no_throughput(make_log: MakeLog) -> None:
    described = field("rx_bytes")
    del described["bytes_include"]
    content = make_log(
        fields=columns(described, "rx_packets"),
        rows=counted([0, 1500], [0, 1]),
        window=(0, 1),
    )
    found = measure(content)
    assert "throughput_mbps" not in found.values
    assert [warning.code for warning in found.warnings] == ["bytes_not_described"]


# --- CPU


def test_system_time_includes_interrupts_and_idle_is_of_all_cpus(make_log: MakeLog) -> None:
    names = ("user", "system", "irq", "softirq", "idle", "iowait")
    step = (100, 200, 50, 250, 3000, 400)  # ms a second, on four CPUs
    rows = counted(*[[i * ms * 1_000_000 for i in range(5)] for ms in step])
    content = make_log(
        fields=columns(*[f"cpu_{name}_ns" for name in names]), rows=rows, window=(0, 4)
    )
    values = measure(content).values
    assert values["system_cpu_s"] == pytest.approx(4 * 0.5)
    assert values["system_cpu_percent"] == pytest.approx(50)  # of one CPU
    assert values["idle_cpu_percent"] == pytest.approx(75)  # of all four


@pytest.mark.parametrize(("back_ms", "known"), [(900, True), (5000, False)])
def test_idle_time_taken_back_is_no_reset(make_log: MakeLog, back_ms: int, known: bool) -> None:
    ms = 1_000_000
    idle = [6000 * ms, 7000 * ms, (7000 - back_ms) * ms, 10_000 * ms]
    rows = counted([0, ms, 2 * ms, 3 * ms], [0, ms, 2 * ms, 3 * ms], idle)
    content = make_log(
        fields=columns("cpu_user_ns", "cpu_system_ns", "cpu_idle_ns"), rows=rows, window=(0, 3)
    )
    found = measure(content)
    assert ("idle_cpu_percent" in found.values) is known
    assert [warning.code for warning in found.warnings] == ([] if known else ["counter_reset"])
    assert found.values["system_cpu_s"] == pytest.approx(0.003)


# --- wraps and resets


def wrapping(values: Sequence[int], bits: int = 32) -> dict[str, Any]:
    """A log of one counter of so many bits beside one that never wraps."""
    size = {8: "u8", 16: "u16", 24: "u32", 32: "u32", 64: "u64"}[bits]
    return {
        "fields": [
            field("t_monotonic_ns"),
            field("rx_bytes", type=size, wrap_bits=bits),
        ],
        "rows": counted(values),
        "window": (0, len(values) - 1),
    }


def check_wrap(make_log: MakeLog, bits: int) -> None:
    span = 2**bits
    step = span // 10
    values = [(span // 2 + i * step) % span for i in range(40)]
    found = measure(make_log(**wrapping(values, bits)))
    assert found.values["rx_bytes"] == 39 * step
    assert found.warnings == []


@pytest.mark.parametrize("bits", [8, 16, 24, 32])
def test_a_wrap_is_counted_through(make_log: MakeLog, bits: int) -> None:
    check_wrap(make_log, bits)


@pytest.mark.parametrize("bits", [32, 64])
def test_a_reset_leaves_the_measure_out(make_log: MakeLog, bits: int) -> None:
    values = [1_000_000_000 + i * 1000 for i in range(5)] + [i * 1000 for i in range(5)]
    found = measure(make_log(**wrapping(values, bits)))
    assert "rx_bytes" not in found.values
    assert [warning.code for warning in found.warnings] == ["counter_reset"]
    assert found.warnings[0].where == {
        "field": "rx_bytes",
        "record": 5,
        "t_monotonic_ns": 6 * SECOND,
    }


def test_a_reset_outside_the_window_does_no_harm(make_log: MakeLog) -> None:
    """The twin of the test above."""
    values = [1_000_000_000 + i * 1000 for i in range(5)] + [i * 1000 for i in range(5)]
    found = measure(make_log(**wrapping(values) | {"window": (5, 9)}))
    assert found.values["rx_bytes"] == 4000
    assert found.warnings == []


def test_a_wrap_beside_a_reset_of_its_source_is_a_reset(make_log: MakeLog) -> None:
    """A driver that starts anew resets all its counters, also one that might have wrapped."""
    span = 2**32
    near = [span - 6000 + i * 1000 for i in range(5)] + [i * 1000 for i in range(5)]
    reset = [10**9 + i for i in range(5)] + list(range(5))
    fields = [
        field("t_monotonic_ns"),
        field("rx_bytes", wrap_bits=32),
        field("rx_packets", wrap_bits=32),
    ]
    found = measure(make_log(fields=fields, rows=counted(near, reset), window=(0, 9)))
    assert not {"rx_bytes", "rx_packets"} & found.values.keys()
    fields[2] = field("rx_packets", wrap_bits=32, source="proc")
    found = measure(make_log(fields=fields, rows=counted(near, reset), window=(0, 9)))
    assert found.values["rx_bytes"] == 10_000
    assert "rx_packets" not in found.values


def test_lines_and_queues_are_summed(make_log: MakeLog) -> None:
    fields = [
        field("t_monotonic_ns"),
        *(field("rx_interrupts") | {"name": f"rx_interrupts.queue{i}"} for i in range(3)),
    ]
    rows = counted([0, 10], [5, 25], [100, 130])
    assert measure(make_log(fields=fields, rows=rows, window=(0, 1))).values["rx_interrupts"] == 60
    rows = counted([0, 10], [5, 25], [100, 30])  # one of them was reset
    assert "rx_interrupts" not in measure(make_log(fields=fields, rows=rows, window=(0, 1))).values


def test_queues_beside_their_own_total_are_not_counted_twice(make_log: MakeLog) -> None:
    fields = [
        field("t_monotonic_ns"),
        field("rx_packets"),
        *(field("rx_packets") | {"name": f"rx_packets.queue{i}"} for i in range(2)),
    ]
    rows = counted([0, 30], [0, 10], [0, 20])
    assert measure(make_log(fields=fields, rows=rows, window=(0, 1))).values["rx_packets"] == 30


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    data=st.data(),
    bits=st.sampled_from([16, 32]),
    blocks=st.integers(1, 300),
    joined=st.sampled_from([1, 7, 64]),
)
def test_any_steady_counter_is_counted_exactly(
    make_log: MakeLog, data: st.DataObject, bits: int, blocks: int, joined: int
) -> None:
    """Against plain integers: wraps, several blocks, any window."""
    span = 2**bits
    steps = data.draw(
        st.lists(st.integers(span // 64, span // 20), min_size=2, max_size=40), label="steps"
    )
    steps = (steps * (1 + blocks // 10))[:600]
    start = data.draw(st.integers(0, span - 1))
    totals = np.cumsum([start, *steps]).tolist()
    first = data.draw(st.integers(0, len(totals) - 2))
    last = data.draw(st.integers(first + 1, len(totals) - 1))
    log = wrapping([total % span for total in totals], bits) | {"window": (first, last)}
    with read_in_parts_of(joined):
        found = measure(make_log(**log))
    assert found.values["rx_bytes"] == totals[last] - totals[first]
    assert found.warnings == []


@contextmanager
def read_in_parts_of(records: int) -> Iterator[None]:
    """The logs of these tests have a block for each record: join that many, not all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_log_measures, "_SHORT_BYTES", 0)
        patch.setattr(counters, "_JOINED_BYTES", 1)
        patch.setattr(counters, "_JOINED_RECORDS", records)
        yield


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    values=st.lists(
        st.tuples(st.integers(0, 300), st.integers(0, 2**16), st.integers(0, 3)),
        min_size=2,
        max_size=30,
    ),
    joined=st.integers(1, 8),
)
def test_where_a_log_is_divided_changes_nothing(
    make_log: MakeLog, values: list[tuple[int, int, int]], joined: int
) -> None:
    """Counters that wrap, fall and exceed their width, as one part and as many."""
    fields = columns(
        field("rx_bytes", type="u16", wrap_bits=8),
        field("rx_packets", type="u32", wrap_bits=16),
        field("tx_packets", type="u8", wrap_bits=2, source="proc"),
    )
    # the widest first: each field is aligned to its size
    fields = [fields[0], fields[2], fields[1], fields[3]]
    rows = counted(*zip(*[(b, a, c) for a, b, c in values], strict=True))
    content = make_log(fields=fields, rows=rows, window=(0, len(rows) - 1))
    whole = measure(content)
    with read_in_parts_of(joined):
        assert measure(content) == whole


def test_a_value_beyond_the_declared_width_is_no_wrap(make_log: MakeLog) -> None:
    """A counter of 8 bits that says 1000 cannot have wrapped by falling to 0."""
    fields = columns(field("rx_bytes", type="u16", wrap_bits=8))
    rows = counted([900, 1000, 0, 10])
    found = measure(make_log(fields=fields, rows=rows, window=(0, 3)))
    assert "rx_bytes" not in found.values
    assert [warning.code for warning in found.warnings] == ["counter_reset"]


@pytest.mark.parametrize(("last", "known"), [(72, True), (73, False)])
def test_a_step_of_more_than_half_the_range_is_no_wrap(
    make_log: MakeLog, last: int, known: bool
) -> None:
    """From 200, 72 is 128 ahead modulo 256 and 73 is 129: as likely it fell by 127."""
    fields = columns(field("rx_bytes", type="u16", wrap_bits=8))
    rows = counted([0, 100, 200, last])
    found = measure(make_log(fields=fields, rows=rows, window=(0, 3)))
    assert ("rx_bytes" in found.values) is known


def test_many_small_blocks_are_read_together(make_log: MakeLog) -> None:
    """A log of a hundred thousand blocks must not cost a hundred thousand passes."""
    rows = counted(list(range(1000)), list(range(1000)), list(range(1000)), list(range(1000)))
    stream = run_log.read(make_log(rows=rows)).streams[0]
    assert len(stream.blocks) > 900
    parts = [(offset, len(part)) for offset, part in counters._blocks(stream)]
    assert parts == [(0, 1000)]
    with read_in_parts_of(300):
        parts = [(offset, len(part)) for offset, part in counters._blocks(stream)]
    assert parts == [(0, 300), (300, 300), (600, 300), (900, 100)]


@pytest.mark.parametrize("mutant", ["ignores wraps", "takes wraps for resets"])
def test_a_reader_that_gets_wraps_wrong_is_caught(
    make_log: MakeLog, monkeypatch: pytest.MonkeyPatch, mutant: str
) -> None:
    """Negative controls."""
    if mutant == "ignores wraps":
        monkeypatch.setattr(counters, "_wraps_and_resets", lambda *_: ({}, {}))
    else:
        monkeypatch.setattr(counters, "FASTEST_WRAP", 0.0)
    with pytest.raises((AssertionError, KeyError)):
        check_wrap(make_log, 32)


# --- what the workload said


def iperf(end: Mapping[str, Any]) -> bytes:
    return json.dumps({"start": {}, "end": end}).encode()


@pytest.mark.parametrize(
    ("result", "octets"),
    [
        (iperf({"sum_received": {"bytes": 9e8}}), 9e8),
        (iperf({"sum": {"bytes": 1e9, "lost_percent": 0.5}}), 9.95e8),
        (iperf({"sum_received": {"bytes": 0}, "sum": {"bytes": 1e9, "lost_percent": 1}}), 9.9e8),
        (iperf({}), None),
        (iperf({"sum_received": {"bytes": "many"}}), None),
        (iperf({"sum_received": {"bytes": -1}}), None),
        (iperf({"sum": {"bytes": 1e9}}), None),
        (b"[]", None),
        (b"{}", None),
        (None, None),
    ],
)
def test_goodput_is_what_the_receiver_reported(
    make_log: MakeLog, result: bytes | None, octets: float | None
) -> None:
    """The window's part of it, as the interface carried it."""
    values = measure(make_log(result=result, command=True)).values
    expected = None if octets is None else pytest.approx(8e-6 * octets / 9)
    assert values.get("goodput_mbps") == expected


def test_a_result_that_cannot_be_read_is_a_warning(make_log: MakeLog) -> None:
    found = measure(make_log(result=b"{"))
    assert [warning.code for warning in found.warnings] == ["result_json"]
    found = measure(make_log(result=b'{"error": "unable to connect"}'))
    assert [warning.code for warning in found.warnings] == ["workload_error"]
    assert "unable to connect" in found.warnings[0].message


# --- ratios


def test_ratios_keep_what_is_given() -> None:
    given = {"rx_packets": 10.0, "rx_interrupts": 4.0, "packets_per_interrupt": 99.0}
    assert derive(given) == given
    assert derive({"rx_packets": 10.0, "rx_interrupts": 4.0})["packets_per_interrupt"] == 2.5
    assert "packets_per_interrupt" not in derive({"rx_packets": 10.0, "rx_interrupts": 0.0})


# --- the logs that bind the C writer and the readers

GOLDEN = Path(__file__).parents[3] / "driver" / "testdata"


def golden(name: str) -> RunMeasures:
    return measure((GOLDEN / name).read_bytes())


def test_golden_small() -> None:
    found = golden("small.runlog")
    assert found.values["packets_per_interrupt"] == 10
    assert found.values["rx_interrupt_rate_hz"] == 2000
    assert found.values["throughput_mbps"] == pytest.approx(8e-6 * 1518 * 26000 / 1.3)
    assert [warning.code for warning in found.warnings] == ["not_of_window"]


def test_golden_wrapped() -> None:
    """Bytes go on across a wrap, but packets of the same source start anew halfway."""
    found = golden("wrapped.runlog")
    assert not {"rx_bytes", "rx_packets"} & found.values.keys()
    assert [(w.code, w.where["field"]) for w in found.warnings] == [("counter_reset", "rx_packets")]


def test_golden_several_sources() -> None:
    values = golden("several-sources.runlog").values
    assert values["mean_packet_bytes"] == 1518
    assert values["throughput_mbps"] == pytest.approx(8e-6 * 11 * 1518 / 0.55)
    assert values["cycles_per_packet"] == pytest.approx((5500 + 9900) / 11)


@pytest.mark.parametrize(("size", "warned"), [(1538, False), (1539, True)])
def test_packets_that_an_offload_merged_are_told(
    make_log: MakeLog, size: int, warned: bool
) -> None:
    content = make_log(
        fields=columns("rx_bytes", "rx_packets"),
        rows=counted([0, size * 10], [0, 10]),
        window=(0, 1),
        environment={"mtu_bytes": 1500},
    )
    codes = [warning.code for warning in measure(content).warnings]
    assert codes == (["packets_larger_than_mtu"] if warned else [])


def test_idle_time_is_a_share() -> None:
    names = ("cpu_idle_ns", "cpu_system_ns", "cpu_user_ns", "cpu_iowait_ns")
    fields = [cast(Any, SimpleNamespace(name=name, kind="counter")) for name in names]

    def idle(iowait: int) -> float:
        counts = dict(zip(names, (900, 60, 40, iowait), strict=True))
        return run_log_measures._system_cpu(fields, counts, 1.0)["idle_cpu_percent"]

    assert idle(0) == 90.0
    assert idle(-150) == 100.0  # kernels take back waiting time


def test_a_log_that_was_cut_off_lacks_what_was_not_read_for_its_last_record(
    make_log: MakeLog,
) -> None:
    """CPU times are read once a second: at the last record they may be older than it."""
    seldom = [field(name, read_every_ns=SECOND) for name in ("cpu_user_ns", "cpu_system_ns")]
    rows = counted(range(5), range(5), range(5))
    content = make_log(rows=rows, fields=columns("rx_packets", *seldom), window=(1, None))
    whole, cut_off = measure(content), measure(content[:-8])
    assert whole.values["host_cpu_s"] == pytest.approx(6e-9)
    assert "host_cpu_s" not in cut_off.values
    assert cut_off.values["rx_packets"] == 3
    codes = [warning.code for warning in cut_off.warnings]
    assert "not_read_at_the_end" in codes
    assert "not_read_at_the_end" not in [warning.code for warning in whole.warnings]
