# SPDX-License-Identifier: Apache-2.0
"""`coalescope-host check` and the store name the same doubts about a log."""

import io
import runpy
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from coalescope_host.run_log import (
    STANDARD_FIELDS,
    Writer,
    check,
    make_header,
    read,
    standard_field,
)

from ..conftest import Client

MakeLog = Callable[..., bytes]
ROOT = Path(__file__).resolve().parents[3]
FUZZ = runpy.run_path(str(ROOT / "host" / "tests" / "run_log" / "fuzz_reader.py"))
#: What the store alone looks at: the link, clocks, statistics, what the workload reports, and
#: quantities that contradict each other.
OF_THE_STORE = {
    *("window_not_marked", "not_read_at_the_end", "counter_reset", "not_of_window"),
    *("bytes_not_described", "packets_larger_than_mtu", "losses_roughly_of_window"),
    *("faster_than_link", "clock_jump", "pause_frames", "delay_not_effective", "date_impossible"),
    *("goodput_not_of_interface", "goodput_above_throughput"),
    *("workload_error", "workload_timeouts", "snapshots_not_atomic", "interrupts_too_deep"),
    *("clock_not_stable", "bad_result", "no_time", "cpu_above_all", "cpus_not_known"),
    *("link_not_known", "rate_disagrees", "ratio_disagrees", "more_interrupts_than_packets"),
    *("more_requests_than_bytes", "packets_above_mtu", "packets_below_frame"),
    "latency_above_elapsed",
}

RX, TX = ("rx_packets", "rx_bytes"), ("tx_packets", "tx_bytes")
SECOND_NS = 10**9
BUSY: Mapping[str, int] = {"rx_packets": 10_000, "rx_bytes": 15_000_000, "tx_packets": 10}
HOST: Mapping[str, int] = {
    "cpu_user_ns": SECOND_NS,
    "cpu_system_ns": SECOND_NS // 2,
    "cpu_idle_ns": 0,
    "workload_cpu_ns": SECOND_NS,
}


def described(name: str) -> dict[str, object]:
    if name in STANDARD_FIELDS:
        return standard_field(name)
    unit = "ns" if name.endswith("_ns") else "packets"
    return {**standard_field("rx_packets"), "name": name, "unit": unit}


def log_of(
    advanced: Mapping[str, int],
    environment: Mapping[str, Any] | None = None,
    factors: Mapping[str, Any] | None = None,
    body: bytes = b"",
    after: Mapping[str, Any] | None = None,
    **result: Any,
) -> bytes:
    """A log of a second in which counters advance so far; before and after, they do by as much."""
    file = io.BytesIO()
    names = ("t_monotonic_ns", *advanced)
    header = make_header(
        run_id="3b7a0c14-b370-5099-8c24-22342d0fcf75",
        experiment="doubts",
        factors={name: {"requested": level} for name, level in (factors or {}).items()},
        fields=list(map(described, names)),
        sources=[{"name": "sysfs", "atomic": False, "description": ""}],
        kind="measured",
    )
    header["environment"] = dict(environment or {})
    log = Writer(file, header)
    for second in range(1, 5):
        log.sample(second * SECOND_NS, *(by * second for by in advanced.values()))
    log.mark("window_start", 2 * SECOND_NS)
    log.mark("window_end", 3 * SECOND_NS)
    if body:
        log.result(body, **{"exit_status": 0, **result})
    log.finish(**({} if after is None else {"after": after}))
    return file.getvalue()


DOUBTFUL = {
    "no_packets": log_of({"rx_packets": 0, "rx_bytes": 0, "tx_packets": 0}),
    "events_missed": log_of({**BUSY, "missed_events": 5, "missed_switches": 3}),
    "time_of_unknown_owner": log_of({**BUSY, "unknown_ns": SECOND_NS // 2}),
    "interrupts_not_seen": log_of({"rx_packets": 5, "rx_bytes": 300, "rx_interrupts": 0}),
    "no_interrupts": log_of({"rx_packets": 5, "rx_interrupts": 0, "rx_line_interrupts": 0}),
    "drops": log_of({**BUSY, "rx_dropped": 1}),
    "ring_drops": log_of({**BUSY, "rx_missed_errors": 100}),
    "backlog_drops": log_of({**BUSY, "backlog_drops": 100}),
    "socket_drops": log_of({**BUSY, "udp_rcvbuf_errors": 100}),
    "host_retransmitted_segments": log_of({**BUSY, "tcp_retransmitted_segments": 100}),
    "frames_disagree": log_of({**BUSY, "driver_rx_packets": 9000}),
    "others_were_busy": log_of({**BUSY, **HOST}),
    "coarse_source": log_of(
        BUSY, {"counter_source": "proc", "counter_sources_refused": {"ebpf": "no clang"}}
    ),
    "not_in_force": log_of(BUSY, {"mtu_bytes": 1500}, {"mtu_bytes": 9000}),
    "changed_meanwhile": log_of(BUSY, {"mtu_bytes": 1500}, after={"mtu_bytes": 1400}),
    "measured_under_emulation": log_of(BUSY, {"virtual_machine": {"hypervisor": "qemu-tcg"}}),
    "workload_failed": log_of(BUSY, body=b"{}", exit_status=1),
    "workload_ended": log_of(BUSY, body=b"{}", exit_status=None, signal=9),
    "datagrams_lost": log_of(
        BUSY, body=b'{"end":{"sum":{"lost_packets":52,"packets":100,"lost_percent":52.0}}}'
    ),
}


def of_check(data: bytes) -> set[str]:
    return {doubt.code for doubt in check(data).doubts}


def of_the_store(client: Client, data: bytes) -> set[str]:
    """Without what its reader says of the file."""
    sent = client.upload(data, experiment="doubts")
    assert sent.status_code == 201, sent.text
    problems = {problem.code for problem in read(data).problems}
    return {warning["code"] for warning in sent.json()["warnings"]} - problems


@pytest.mark.parametrize("code", DOUBTFUL)
def test_each_doubt_is_named_by_both(client: Client, code: str) -> None:
    data = DOUBTFUL[code]
    assert code in of_check(data)
    assert of_check(data) == of_the_store(client, data) - OF_THE_STORE


@pytest.mark.fault("I11")
@pytest.mark.parametrize(
    ("advanced", "environment", "expected"),
    [
        ({"rx_line_interrupts": 0}, {}, {"no_interrupts"}),
        ({"rx_line_interrupts": 1}, {}, set()),
        ({}, {"bus": "0000:00:03.0"}, {"interrupts_not_seen"}),
        ({}, {}, set()),
        ({"rx_interrupts": 0, "rx_line_interrupts": 5}, {}, {"interrupts_not_seen"}),
    ],
)
def test_a_few_packets_without_their_interrupts_are_told_by_both(
    client: Client,
    advanced: Mapping[str, int],
    environment: Mapping[str, str],
    expected: set[str],
) -> None:
    """A virtual interface has no bus, and no interrupt to be seen."""
    data = log_of({"rx_packets": 5, "rx_bytes": 300, **advanced}, environment)
    assert of_check(data) == of_the_store(client, data) - OF_THE_STORE == expected


def test_lines_that_other_devices_use_tell_nothing() -> None:
    names = ("t_monotonic_ns", "rx_packets", "interrupts", "rx_line_interrupts")
    fields = [*map(described, names), {**described("rx_packets"), "name": "interrupts.11"}]
    for shared, expected in ((False, {"interrupts_not_seen"}), (True, set())):
        fields[-1]["shared"] = shared
        file = io.BytesIO()
        header = make_header(
            run_id="3b7a0c14-b370-5099-8c24-22342d0fcf75",
            experiment="doubts",
            factors={},
            fields=fields,
            sources=[{"name": "sysfs", "atomic": False, "description": ""}],
            kind="measured",
        )
        log = Writer(file, header)
        log.sample(SECOND_NS, 0, 0, 0, 0)
        log.sample(2 * SECOND_NS, 5, 5, 50, 50)
        log.finish()
        assert of_check(file.getvalue()) == expected


def test_switches_that_the_kernel_hid_are_judged_by_the_time_without_an_owner(
    client: Client,
) -> None:
    hidden = {**BUSY, "missed_events": 5, "missed_switches": 5}
    data = log_of({**hidden, "unknown_ns": SECOND_NS // 1000})
    assert of_check(data) == of_the_store(client, data) - OF_THE_STORE == set()
    assert of_check(log_of({**hidden, "unknown_ns": SECOND_NS // 50})) == {"time_of_unknown_owner"}


def test_what_came_outside_of_the_window_is_doubted_by_neither(client: Client) -> None:
    data = log_of(BUSY)
    assert of_check(data) == of_the_store(client, data) - OF_THE_STORE == set()


@pytest.mark.parametrize("path", sorted((ROOT / "driver" / "testdata").glob("*.runlog")))
def test_recorded_logs_are_doubted_alike(client: Client, path: Path) -> None:
    data = path.read_bytes()
    sent = client.upload(data, experiment="doubts")
    if sent.status_code == 201:
        problems = {problem.code for problem in read(data).problems}
        stored = {warning["code"] for warning in sent.json()["warnings"]}
        assert of_check(data) == stored - problems - OF_THE_STORE


def test_the_corpus_is_doubted_alike(client: Client) -> None:
    """Of fuzzed logs, those that the store takes."""
    taken = 0
    for name, data in FUZZ["corpus"]().items():
        sent = client.upload(data, experiment="doubts")
        if sent.status_code not in {200, 201}:
            continue
        taken += 1
        problems = {problem.code for problem in read(data).problems}
        stored = {warning["code"] for warning in sent.json()["warnings"]}
        assert of_check(data) == stored - problems - OF_THE_STORE, name
    assert taken
