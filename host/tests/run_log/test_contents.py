# SPDX-License-Identifier: Apache-2.0
"""What a log shows of its run, from the golden logs and from made ones."""

import io
import json
import math
from pathlib import Path
from typing import Any

import pytest
from coalescope_host import run_log
from coalescope_host.run_log import contents, make_header, standard_field, steps

GOLDEN = Path(__file__).resolve().parents[3] / "driver" / "testdata"
SECOND = 1_000_000_000


def lines(found: dict[str, Any]) -> dict[str, Any]:
    return {line["name"]: line for line in found["series"]}


def golden(name: str, points: int = 400) -> dict[str, Any]:
    return contents(run_log.read(GOLDEN / f"{name}.runlog"), points)


def made(rows: list[tuple[int, ...]], fields: list[Any], results: Any = (), **header: Any) -> bytes:
    file = io.BytesIO()
    sources = [{"name": "netlink", "atomic": False}, {"name": "clock", "atomic": False}]
    described = make_header(
        run_id="3f0c2a52-6f0b-4a58-9a3e-0f6a8f7f0c11",
        experiment="lab",
        kind="emulated",
        replicate=1,
        factors={},
        fields=fields,
        sources=sources,
        environment={},
        **header,
    )
    log = run_log.Writer(file, described)
    for row in rows:
        log.sample(*row)
    for name, body in results:
        log.result(json.dumps(body).encode(), name=name)
    log.finish()
    return file.getvalue()


FIELDS = [
    standard_field("t_monotonic_ns", source="clock"),
    standard_field("rx_packets", source="netlink"),
    standard_field("rx_interrupts", source="netlink"),
]


def test_a_golden_log() -> None:
    found = golden("small", 4)
    assert found["window_s"] == [0.1, 1.4]
    assert lines(found)["throughput_mbps"]["mean"] == pytest.approx([242.88] * 4)
    assert lines(found)["packets_per_interrupt"]["mean"] == [10] * 4
    assert json.loads(json.dumps(found)) == found


def test_queues_stand_beside_totals() -> None:
    counters = golden("module")["counters"]
    packets = {c["instance"]: c["advance"] for c in counters if c["name"] == "rx_packets"}
    assert set(packets) == {None, "q0", "q1"}
    assert all(isinstance(value, int) for value in packets.values())


def test_the_classes_of_the_cpu_add_up() -> None:
    cpu = [line["mean"] for line in golden("module", 5)["series"] if line["group"] == "cpu"]
    assert len(cpu) > 4
    assert [sum(values) for values in zip(*cpu, strict=True)] == pytest.approx([100] * 5)


def test_a_wrap_is_counted_and_a_reset_is_a_gap() -> None:
    found = golden("wrapped")
    advances = {c["name"]: c["advance"] for c in found["counters"]}
    assert advances == {"rx_bytes": 19 * 200_000, "rx_packets": None}
    gaps = [value is None for value in lines(found)["packet_rate_hz"]["mean"]]
    assert sum(gaps) == 1


@pytest.mark.parametrize("points", [2, 7, 1000])
def test_points_hold_the_mean_and_what_it_hides(points: int) -> None:
    total, rows = 0, []
    for k in range(101):
        rows.append((k * SECOND, total, k))
        total += 1000 if k == 50 else 10
    found = contents(run_log.read(made(rows, FIELDS)), points)
    line = lines(found)["packet_rate_hz"]
    widths = [b - a for a, b in zip(found["edges_s"], found["edges_s"][1:], strict=False)]
    assert len(line["mean"]) == min(points, 100)
    assert max(line["most"]) == 1000
    assert min(line["least"]) == 10
    whole = sum(w * m for w, m in zip(widths, line["mean"], strict=True))
    assert whole == pytest.approx(rows[-1][1])


def test_a_long_log_is_read_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(k * SECOND, 10 * k, k) for k in range(1001)]
    log = run_log.read(made(rows, FIELDS))
    whole = contents(log, 10)
    monkeypatch.setattr(steps, "MOST_STEPS", 100)
    part = contents(log, 10)
    assert part["samples_per_step"] == 10
    assert part["series"] == whole["series"]


def test_times_are_those_that_the_log_stands_for() -> None:
    rows = [(k * SECOND, 10 * k, k) for k in range(11)]
    body = {
        "latency_us": {"mean": 250.0},
        "histogram": {"lower_ns": [0, 1000], "upper_ns": [1000, 5000], "counts": [3, 1]},
    }
    log = made(rows, FIELDS, [("workload", body)], time_dilation=2.0)
    found = contents(run_log.read(log), 2)
    assert found["span_s"] == 5
    assert lines(found)["packet_rate_hz"]["mean"] == [20, 20]
    assert found["latency"]["latency_us"] == {"mean": 125}
    assert found["latency"]["histogram"]["upper_us"] == [0.5, 2.5]


@pytest.mark.parametrize(
    ("buckets", "count"), [(3000, 1e308), (1, 1.5), (1, True), (1, "1")], ids=str
)
def test_a_histogram_without_whole_counts_is_not_shown(buckets: int, count: Any) -> None:
    """Sums of the largest numbers are none, which is no answer."""
    histogram = {"lower_ns": [0], "upper_ns": [1], "counts": [count]}
    body = {
        "latency_us": {"mean": 250.0},
        "histogram": {name: column * buckets for name, column in histogram.items()},
    }
    rows = [(k * SECOND, 10 * k, k) for k in range(3)]
    latency = contents(run_log.read(made(rows, FIELDS, [("workload", body)])))["latency"]
    assert latency == {"latency_us": {"mean": 250.0}, "histogram": None}


def test_the_interfaces_statistics_at_both_ends() -> None:
    rows = [(k * SECOND, 10 * k, k) for k in range(3)]
    ends = [
        ("ethtool_statistics_start", {"rx_missed": 1, "rx_ok": 5, "same": 2}),
        ("ethtool_statistics_end", {"rx_missed": 4, "rx_ok": 5, "same": 2, "new": 1}),
    ]
    found = contents(run_log.read(made(rows, FIELDS, ends)))["statistics"]
    assert [(c["name"], c["difference"]) for c in found["changed"]] == [
        ("rx_missed", 3),
        ("new", None),
    ]
    assert found["unchanged"] == 2
    alone = contents(run_log.read(made(rows, FIELDS, ends[1:])))["statistics"]
    assert alone["missing"] == "ethtool_statistics_start"


def test_a_log_without_records_shows_none() -> None:
    found = contents(run_log.read(made([], FIELDS)))
    assert found["edges_s"] == []
    assert found["counters"] == []
    assert all(line["mean"] == [] for line in found["series"])
    assert not any(math.isnan(v) for line in found["series"] for v in line["mean"])


def test_what_is_read_seldom_went_on_evenly_in_between() -> None:
    """CPU times read every fifth record: a share for each step, not a gap and a peak."""
    classes = ("cpu_user_ns", "cpu_system_ns", "cpu_idle_ns")
    described = {"source": "clock", "read_every_ns": 5 * SECOND}
    fields = [*FIELDS[:2], *(standard_field(name, **described) for name in classes)]
    read_at = [5 * (k // 5) * SECOND for k in range(12)]
    rows = [(k * SECOND, k, t // 4, t // 4, t // 2) for k, t in enumerate(read_at)]
    found = lines(contents(run_log.read(made(rows, fields))))
    assert found["cpu_idle_percent"]["mean"] == [pytest.approx(50)] * 10 + [None]
    assert found["cpu_user_percent"]["most"][:10] == [pytest.approx(25)] * 10


def test_what_is_read_with_frames_stays_with_them() -> None:
    """Lines of interrupts: ten came with the frames of the last second, not in the silence."""
    described = {"source": "netlink", "read_every_ns": 5 * SECOND, "read_with_frames": True}
    fields = [*FIELDS[:2], standard_field("rx_line_interrupts", **described)]
    rows = [(k * SECOND, 40 if k == 4 else 0, 10 if k == 4 else 0) for k in range(5)]
    taken = steps.Steps(run_log.read(made(rows, fields)).streams[0])
    assert list(taken.spread("rx_line_interrupts")) == [0, 0, 0, 10]


@pytest.mark.parametrize(("last_packets", "behind"), [(4, False), (3, True)])
def test_what_is_read_with_frames_is_known_at_a_sudden_end_if_they_came(
    last_packets: int, behind: bool
) -> None:
    described = {"source": "netlink", "read_every_ns": 5 * SECOND, "read_with_frames": True}
    fields = [*FIELDS[:2], standard_field("rx_line_interrupts", **described)]
    rows = [*((k * SECOND, k, k) for k in range(4)), (4 * SECOND, last_packets, 3)]
    whole = made(rows, fields)
    assert not run_log.read(whole).behind
    cut_off = run_log.read(whole[:-8])
    assert not cut_off.complete
    assert cut_off.behind == ({"rx_line_interrupts"} if behind else set())


def test_what_was_not_read_at_the_end_is_not_known() -> None:
    described = standard_field("cpu_steal_ns", source="clock", read_every_ns=SECOND)
    log = made([(k * SECOND, k, k) for k in range(4)], [*FIELDS[:2], described])
    for bytes_of, known in ((log, 3), (log[:-8], None)):
        read = run_log.read(bytes_of)
        assert read.complete is (known is not None)
        advances = {c["name"]: c["advance"] for c in contents(read)["counters"]}
        assert advances == {"rx_packets": 3, "cpu_steal_ns": known}
