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


STEADY = {"network_namespace": "other", "workload_steady": True}
ALONE = {"network_namespace": "other"}  # nothing but the workload is in it


@pytest.mark.fault("A1")
@pytest.mark.fault("I1")
def test_tasks_of_the_hosts_namespace_are_not_receiving(make_module_log: MakeLog) -> None:
    """Nor are they where the log does not say which namespace it was."""
    for environment in ({}, {"network_namespace": "initial"}):
        values = measure(make_module_log(environment=environment)).values
        assert values["interface_cpu_s"] == pytest.approx(6 * 0.24)
        assert not {"workload_cpu_s", "traffic_cpu_s", "other_cpu_percent"} & values.keys()
        assert not [name for name in values if name.startswith("receiver_")]
        assert values["host_cpu_s"] == pytest.approx(6 * 0.4)


def test_the_cost_of_the_traffic_alone(make_module_log: MakeLog) -> None:
    """Tasks of a namespace of its own, hard interrupts and softirq; cycles are nanoseconds here."""
    found = measure(make_module_log(environment=ALONE))
    expected = {
        "workload_cpu_s": 6 * 0.1,
        "interface_cpu_percent": 24,
        "traffic_cpu_s": 6 * 0.34,
        "traffic_cpu_jiffies": 600 * 0.34,
        "traffic_cpu_percent": 34,
        "traffic_cpu_s_per_gb": 0.34 / (8000 * 1518 / 1e9),
        "traffic_cpu_jiffies_per_gb": 34 / (8000 * 1518 / 1e9),
        "other_cpu_percent": 5,
        "cycles_per_packet": 240_000_000 / 8000,
        "packets_per_interrupt": 4,
        "throughput_mbps": 8e-6 * 8000 * 1518,
        "drops": 0,
    }
    assert {name: found.values[name] for name in expected} == pytest.approx(expected)
    assert found.warnings == []


def test_cycles_become_seconds_by_the_clock_that_counted_them(make_module_log: MakeLog) -> None:
    """Negative control: a clock of twice the rate halves the cost."""
    log = make_module_log({"t_tsc": 2_000_000_000}, environment=ALONE)
    assert measure(log).values["traffic_cpu_s"] == pytest.approx(3 * 0.34)


IN_NS = {"t_tsc": 0, "task_ns": 100_000_000, "irq_ns": 40_000_000, "softirq_ns": 200_000_000}


def test_a_source_that_counts_nanoseconds_says_the_same(make_module_log: MakeLog) -> None:
    assert "traffic_cpu_s" not in measure(make_module_log({"t_tsc": 0}, environment=ALONE)).values
    values = measure(make_module_log(IN_NS, environment=ALONE)).values
    assert values["traffic_cpu_s"] == pytest.approx(6 * 0.34)


@pytest.mark.fault("A1")
@pytest.mark.fault("I1")
def test_a_command_is_told_from_the_other_tasks_of_its_namespace(make_module_log: MakeLog) -> None:
    hogs = {"idle_ns": 0, "other_task_ns": 1_900_000_000, "other_irq_ns": 0, "workload_ns": 10**8}
    values = measure(make_module_log(IN_NS | hogs | {"task_ns": 10**9})).values
    assert values["workload_cpu_percent"] == pytest.approx(10)
    assert values["traffic_cpu_percent"] == pytest.approx(34)
    assert values["other_cpu_percent"] == pytest.approx(290)


def test_what_is_received_in_the_backlog_has_no_cost_of_its_own(make_module_log: MakeLog) -> None:
    """Frames without a poll of the interface: its time was not seen, and is not 0."""
    unseen = {"polls": 0, "rx_polls": 0, "irq_ns": 0, "softirq_ns": 0, "interrupts": 0}
    others = {"idle_ns": 0, "other_task_ns": 1_900_000_000, "other_irq_ns": 0, "workload_ns": 10**8}
    values = measure(make_module_log(IN_NS | others | unseen)).values
    assert not {"interface_cpu_s", "traffic_cpu_s", "cycles_per_packet"} & values.keys()
    assert values["workload_cpu_percent"] == pytest.approx(10)
    assert values["other_cpu_percent"] == pytest.approx(200)


def test_time_that_holds_interrupts_is_not_added_to_theirs(make_module_log: MakeLog) -> None:
    """The kernel accounts interrupts to the task that they came in."""
    values = measure(make_module_log({"workload_cpu_ns": 250_000_000})).values
    assert values["workload_cpu_s"] == pytest.approx(6 * 0.25)
    assert not {"traffic_cpu_s", "other_cpu_percent"} & values.keys()


def test_time_without_interrupts_is_added_to_theirs(make_module_log: MakeLog) -> None:
    """In whichever namespace: the command is told from other tasks there, too."""
    for namespace in ("initial", "other"):
        told = {"irq_time_accounting": True, "network_namespace": namespace}
        values = measure(make_module_log({"workload_cpu_ns": 50_000_000}, environment=told)).values
        assert values["workload_cpu_s"] == pytest.approx(6 * 0.05)
        assert values["traffic_cpu_s"] == pytest.approx(6 * (0.05 + 0.24))
        assert values["other_cpu_percent"] == pytest.approx(10)


@pytest.mark.parametrize("known", [False, None])
def test_only_a_kernel_known_to_account_interrupts_apart_has_it(
    make_module_log: MakeLog, known: bool | None
) -> None:
    told = {} if known is None else {"irq_time_accounting": known}
    values = measure(make_module_log({"workload_cpu_ns": 50_000_000}, environment=told)).values
    assert "traffic_cpu_s" not in values


@pytest.mark.parametrize("missing", ["task_cycles", "irq_cycles", "softirq_cycles", "t_tsc"])
def test_a_part_that_is_not_counted_leaves_the_cost_out(
    make_log: MakeLog, make_module_log: MakeLog, missing: str
) -> None:
    header = run_log.read(make_module_log()).header
    fields = [f for f in header["fields"] if f["name"] != missing]  # type: ignore[attr-defined]
    rows = [[i * 10**9, *[i] * (len(fields) - 1)] for i in range(1, 4)]
    sources = header["sources"]
    log = make_log(fields=fields, rows=rows, window=(0, 2), sources=sources, environment=ALONE)
    assert not {"traffic_cpu_s", "traffic_cpu_percent"} & measure(log).values.keys()


def test_what_the_probes_cost_is_estimated(make_module_log: MakeLog) -> None:
    cost = {"irq_ns": 1000, "poll_ns": 500, "frame_ns": 100}
    values = measure(make_module_log(environment={"probe_cost": cost})).values
    a_second = 1e-9 * (2001 * 1000 + 2001 * 500 + 8001 * 100)
    assert values["probe_cpu_s"] == pytest.approx(6 * a_second)


# --- time dilation

TIMES = {"elapsed_s", "host_cpu_s", "latency_us", "latency_max_us"}
TIMES |= {"latency_p50_us", "latency_p99_us"}
TIMES |= {
    f"{who}_cpu_{unit}{per}"
    for who in ("interface", "workload", "traffic")
    for unit in ("s", "jiffies")
    for per in ("", "_per_gb")
}
RATES = {"throughput_mbps", "tx_throughput_mbps", "goodput_mbps", "rx_interrupt_rate_hz"}
RATES |= {"request_rate_hz"}


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(dilation=st.floats(1, 1000))
def test_a_dilated_log_is_measured_in_the_time_it_stands_for(
    make_module_log: MakeLog, dilation: float
) -> None:
    """Times are divided, rates multiplied, and counts and their ratios stay what they are."""
    plain = measure(make_module_log(kind="emulated", environment=STEADY, result=result())).values
    found = measure(
        make_module_log(
            kind="emulated", environment=STEADY, time_dilation=dilation, result=result()
        )
    ).values
    assert found.keys() == plain.keys()
    assert found.keys() >= TIMES | RATES | {"packets_per_interrupt", "cycles_per_packet"}
    for name, value in plain.items():
        scale = 1 / dilation if name in TIMES else dilation if name in RATES else 1.0
        assert found[name] == pytest.approx(value * scale, rel=1e-12), name


def test_the_goodput_of_iperf_and_cpu_times_are_dilated_too(make_log: MakeLog) -> None:
    names = ("t_monotonic_ns", "cpu_user_ns", "cpu_system_ns", "cpu_idle_ns")
    iperf = json.dumps({"end": {"sum_received": {"bytes": 10**7, "seconds": 1.0}}}).encode()
    content = make_log(
        fields=[run_log.standard_field(name) for name in names],
        rows=[[i * 10**9, 0, i * 5 * 10**8, i * 5 * 10**8] for i in range(1, 4)],
        window=(0, 2),
        kind="emulated",
        time_dilation=12.5,
        environment=STEADY,
        result=iperf,
    )
    values = measure(content).values
    assert values["goodput_mbps"] == pytest.approx(1000)
    assert values["system_cpu_s"] == pytest.approx(1 / 12.5)
    assert values["system_cpu_percent"] == values["idle_cpu_percent"] == pytest.approx(50)


# --- the workload's own tool


def test_requests_have_latencies_and_a_rate(make_module_log: MakeLog) -> None:
    found = measure(make_module_log(environment=STEADY, result=result()))
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
    assert codes(measure(make_module_log(environment=STEADY, result=result(timeouts=3)))) == [
        "workload_timeouts"
    ]


@pytest.mark.parametrize(
    ("role", "known"), [("udp sink", True), ("tcp sink", True), ("udp source", False)]
)
def test_only_who_receives_has_goodput(make_module_log: MakeLog, role: str, known: bool) -> None:
    members = {name: TRAFFIC[name] for name in ("tool", "version", "seconds", "bytes")}
    said = json.dumps({**members, "role": role}).encode()
    found = measure(make_module_log(environment=STEADY, result=said))
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
    values = measure(make_module_log(environment=STEADY, result=result(**odd))).values
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
        ({"poll_work": 0, "polls": 0, "rx_polls": 0}, ["received_in_backlog"]),  # veth
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


def test_cycles_of_a_clock_that_is_not_stable_are_left_out(make_module_log: MakeLog) -> None:
    """Once the kernel has found out, each snapshot says so."""
    sound, found = measure(make_module_log()), measure(make_module_log(flags=[0, 0, 0, 0, 0, 8]))
    assert codes(found) == ["clock_not_stable"]
    lost = sound.values.keys() - found.values.keys()
    assert {"interface_cpu_s", "host_cpu_s", "cycles_per_packet"} <= lost
    assert found.values.items() <= sound.values.items()


def test_interrupts_that_nest_too_deep_are_told(make_module_log: MakeLog) -> None:
    assert codes(measure(make_module_log(flags=[0, 0, 32, 32]))) == ["interrupts_too_deep"]


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
    of_the_driver = {"drops", "interface_drops", "ring_drops"}  # another source
    assert found.values.keys() == {"elapsed_s"} | of_the_driver


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
    assert ("interface_cpu_s" in found.values) is not bool(codes_)


@pytest.mark.parametrize(("each", "total"), [(0, 0), (2, 12)])
def test_what_the_host_retransmitted_is_not_said_of_the_workload(
    make_module_log: MakeLog, each: int, total: int
) -> None:
    """A receiver retransmits little: its peer's segments are counted there."""
    values = measure(make_module_log({"tcp_retransmitted_segments": each})).values
    assert values["host_retransmitted_segments"] == total
    assert "retransmitted_segments" not in values
