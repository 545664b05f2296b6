# SPDX-License-Identifier: Apache-2.0
"""What the kernel module counts, in the time of the log and in the time that it stands for."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from coalescope.measures.run_log_measures import RunMeasures, measure_run
from coalescope_host import run_log
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

MakeLog = Callable[..., bytes]
TRAFFIC = {
    "tool": "coalescope-traffic",
    "version": "0.1.0",
    "role": "request-response client",
    "seconds": 10.0,
    "bytes": 40_000_000,
    "operations": 9_000,
    "timeouts": 0,
    "latency_us": {"mean": 1100.5, "min": 800.0, "p50": 1000.0, "p99": 4000.0, "max": 5000.0},
}


def measure(content: bytes) -> RunMeasures:
    return measure_run(run_log.read(content))


def codes(found: RunMeasures) -> list[str]:
    return [warning.code for warning in found.warnings]


def result(**members: Any) -> bytes:
    return json.dumps({**TRAFFIC, **members}).encode()


def test_the_cost_of_receiving_alone(make_module_log: MakeLog) -> None:
    """Tasks of the namespace, hard interrupts and softirq, of cycles that are nanoseconds here."""
    found = measure(make_module_log())
    expected = {
        "receiver_cpu_s": 6 * 0.34,
        "receiver_cpu_jiffies": 600 * 0.34,
        "receiver_cpu_percent": 34,
        "receiver_cpu_s_per_gb": 0.34 / (8000 * 1518 / 1e9),
        "receiver_cpu_jiffies_per_gb": 34 / (8000 * 1518 / 1e9),
        "cycles_per_packet": 240_000_000 / 8000,
        "packets_per_interrupt": 4,
        "throughput_mbps": 8e-6 * 8000 * 1518,
        "drops": 0,
    }
    assert {name: found.values[name] for name in expected} == pytest.approx(expected)
    assert found.warnings == []


def test_cycles_become_seconds_by_the_clock_that_counted_them(make_module_log: MakeLog) -> None:
    """Negative control: a clock of twice the rate halves the cost."""
    assert measure(make_module_log({"t_tsc": 2_000_000_000})).values[
        "receiver_cpu_s"
    ] == pytest.approx(3 * 0.34)


def test_a_source_that_counts_nanoseconds_says_the_same(make_module_log: MakeLog) -> None:
    in_ns = {"task_ns": 100_000_000, "irq_ns": 40_000_000, "softirq_ns": 200_000_000}
    without = {"t_tsc": 0}
    assert "receiver_cpu_s" not in measure(make_module_log(without)).values
    values = measure(make_module_log(without | in_ns)).values
    assert values["receiver_cpu_s"] == pytest.approx(6 * 0.34)


@pytest.mark.parametrize("missing", ["task_cycles", "irq_cycles", "softirq_cycles", "t_tsc"])
def test_a_part_that_is_not_counted_leaves_the_cost_out(
    make_log: MakeLog, make_module_log: MakeLog, missing: str
) -> None:
    header = run_log.read(make_module_log()).header
    fields = [f for f in header["fields"] if f["name"] != missing]  # type: ignore[attr-defined]
    rows = [[i * 10**9, *[i] * (len(fields) - 1)] for i in range(1, 4)]
    log = make_log(fields=fields, rows=rows, window=(0, 2), sources=header["sources"])
    assert not {"receiver_cpu_s", "receiver_cpu_percent"} & measure(log).values.keys()


# --- time dilation

TIMES = {"elapsed_s", "receiver_cpu_s", "receiver_cpu_jiffies", "latency_us", "latency_p50_us"}
TIMES |= {"latency_p99_us", "receiver_cpu_s_per_gb", "receiver_cpu_jiffies_per_gb"}
RATES = {"throughput_mbps", "tx_throughput_mbps", "goodput_mbps", "rx_interrupt_rate_hz"}
RATES |= {"request_rate_hz"}


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(dilation=st.floats(1, 1000))
def test_a_dilated_log_is_measured_in_the_time_it_stands_for(
    make_module_log: MakeLog, dilation: float
) -> None:
    """Times are divided, rates multiplied, and counts and their ratios stay what they are."""
    plain = measure(make_module_log(kind="emulated", result=result())).values
    found = measure(
        make_module_log(kind="emulated", time_dilation=dilation, result=result())
    ).values
    assert found.keys() == plain.keys()
    assert found.keys() >= TIMES | RATES | {"packets_per_interrupt", "cycles_per_packet"}
    for name, value in plain.items():
        scale = 1 / dilation if name in TIMES else dilation if name in RATES else 1.0
        assert found[name] == pytest.approx(value * scale, rel=1e-12), name


def test_the_goodput_of_iperf_and_cpu_times_are_dilated_too(make_log: MakeLog) -> None:
    names = ("t_monotonic_ns", "cpu_user_ns", "cpu_system_ns", "cpu_idle_ns")
    iperf = json.dumps({"end": {"sum_received": {"bits_per_second": 8e7}}}).encode()
    content = make_log(
        fields=[run_log.standard_field(name) for name in names],
        rows=[[i * 10**9, 0, i * 5 * 10**8, i * 5 * 10**8] for i in range(1, 4)],
        window=(0, 2),
        kind="emulated",
        time_dilation=12.5,
        result=iperf,
    )
    values = measure(content).values
    assert values["goodput_mbps"] == pytest.approx(1000)
    assert values["system_cpu_s"] == pytest.approx(1 / 12.5)
    assert values["system_cpu_percent"] == values["idle_cpu_percent"] == pytest.approx(50)


# --- the workload's own tool


def test_requests_have_latencies_and_a_rate(make_module_log: MakeLog) -> None:
    found = measure(make_module_log(result=result()))
    expected = {
        "latency_us": 1100.5,
        "latency_p50_us": 1000,
        "latency_p99_us": 4000,
        "request_rate_hz": 900,
        "goodput_mbps": 32,
    }
    assert {name: found.values[name] for name in expected} == pytest.approx(expected)
    assert found.warnings == []


def test_requests_that_were_not_answered_are_told(make_module_log: MakeLog) -> None:
    assert codes(measure(make_module_log(result=result(timeouts=3)))) == ["workload_timeouts"]


@pytest.mark.parametrize(
    ("role", "known"), [("udp sink", True), ("tcp sink", True), ("udp source", False)]
)
def test_only_who_receives_has_goodput(make_module_log: MakeLog, role: str, known: bool) -> None:
    members = {name: TRAFFIC[name] for name in ("tool", "version", "seconds", "bytes")}
    found = measure(make_module_log(result=json.dumps({**members, "role": role}).encode()))
    assert ("goodput_mbps" in found.values) is known
    assert not {"latency_us", "request_rate_hz"} & found.values.keys()


@pytest.mark.parametrize(
    "odd",
    [
        {"seconds": 0},
        {"seconds": "ten", "latency_us": []},
        {"bytes": None, "operations": -1, "latency_us": {"mean": "fast", "p50": None}},
    ],
)
def test_an_odd_result_gives_fewer_measures_and_no_error(
    make_module_log: MakeLog, odd: dict[str, Any]
) -> None:
    values = measure(make_module_log(result=result(**odd))).values
    assert not {"goodput_mbps", "request_rate_hz"} & values.keys()


# --- cross-checks


@pytest.mark.parametrize(
    ("other", "codes_"),
    [
        ({"driver_rx_packets": 8_003}, []),  # 18 frames of 48,000; 24 are allowed
        ({"driver_rx_packets": 8_005}, ["frames_disagree"]),
        ({"driver_rx_packets": 7_995}, ["frames_disagree"]),
        ({"poll_work": 64 * 2_001}, []),  # drivers that return their budget
        ({"poll_work": 7_990}, ["frames_disagree"]),
        ({"poll_work": 0}, ["frames_disagree"]),
        ({"poll_work": 0, "polls": 0, "rx_polls": 0}, []),  # veth: the backlog delivers
        ({"rx_missed_errors": 1}, ["drops"]),
        ({"rx_dropped": 1}, ["drops"]),
    ],
)
def test_what_is_counted_twice_is_compared(
    make_module_log: MakeLog, other: dict[str, int], codes_: list[str]
) -> None:
    assert codes(measure(make_module_log(other))) == codes_


def test_snapshots_that_were_not_of_one_instant_are_counted(make_module_log: MakeLog) -> None:
    """Those of the window alone (records 2 to 8), by the first bit alone."""
    found = measure(make_module_log(flags=[1, 1, 3, 2, 0, 1, 0, 4, 0, 1]))
    assert codes(found) == ["snapshots_not_atomic"]
    assert found.warnings[0].where["snapshots"] == 2
    assert measure(make_module_log(flags=[1, 1, 2, 4])).warnings == []


# --- resets


def with_reset(
    make_log: MakeLog, make_module_log: MakeLog, name: str, after: Sequence[int] = range(5)
) -> RunMeasures:
    log = run_log.read(make_module_log())
    names = [field.name for field in log.fields]
    columns = {name: log.streams[0].column(name) for name in names}
    columns[name] = [*columns[name][:5], *after]
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    header = log.header
    return measure(make_log(fields=header["fields"], rows=rows, sources=header["sources"]))


def test_a_counter_that_starts_anew_takes_its_source_along(
    make_log: MakeLog, make_module_log: MakeLog
) -> None:
    found = with_reset(make_log, make_module_log, "polls")
    assert codes(found) == ["counter_reset"]
    assert found.values.keys() == {"elapsed_s", "drops"}  # the driver's own are another source


def test_other_sources_stay_known(make_log: MakeLog, make_module_log: MakeLog) -> None:
    """The twin: the module goes on counting when the driver's statistics start anew."""
    found = with_reset(make_log, make_module_log, "driver_rx_packets")
    assert codes(found) == ["counter_reset"]
    assert "drops" not in found.values
    assert found.values["packets_per_interrupt"] == 4


@pytest.mark.parametrize(
    ("back", "codes_"), [(900_000_000, []), (1_100_000_000, ["counter_reset"])]
)
def test_cycles_that_step_back_a_little_are_no_reset(
    make_log: MakeLog, make_module_log: MakeLog, back: int, codes_: list[str]
) -> None:
    """Sums over CPUs that are not of one instant may do so; what was recorded later is right."""
    idle = 600_000_000
    after = [5 * idle - back, *(i * idle for i in range(7, 11))]
    found = with_reset(make_log, make_module_log, "idle_cycles", after)
    assert codes(found) == codes_
    assert ("receiver_cpu_s" in found.values) is not bool(codes_)
