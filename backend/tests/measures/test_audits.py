# SPDX-License-Identifier: Apache-2.0
"""Warnings at upload, each with a control that does not have it."""

import io
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from coalescope_host.run_log import Writer, make_header, standard_field

Make = Callable[..., bytes]
_SECOND = 1_000_000_000
AUDITS = {
    "faster_than_link", "more_interrupts_than_packets", "cpu_above_all", "clock_jump",
    "pause_frames", "delay_not_effective",
}  # fmt: skip


def warned(client: Any, log: bytes) -> set[str]:
    receipt = client.upload(log, "a.runlog").json()
    return {warning["code"] for warning in receipt["warnings"]} & AUDITS


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        # 125 MB/s in 1000-byte packets: 1020 Mb/s on the wire with check sequence counted
        ({"speed_mbps": 1000, "driver": "igb"}, {"faster_than_link"}),
        ({"speed_mbps": 2500, "driver": "igb"}, set()),
        ({"speed_mbps": 1000, "driver": "veth"}, set()),
        ({"speed_mbps": -1, "driver": "igb"}, set()),
        ({"speed_mbps": True}, set()),
        ({}, set()),
    ],
)
def test_faster_than_the_link(
    client: Any, make_log: Make, environment: dict[str, Any], expected: set[str]
) -> None:
    assert warned(client, make_log(environment=environment)) == expected


@pytest.mark.parametrize(("interrupts", "expected"), [(1.2, True), (1.0, False)])
def test_more_interrupts_than_packets(
    client: Any, make_log: Make, interrupts: float, expected: bool
) -> None:
    rows = [
        (i * _SECOND, i * _SECOND, i * 1_000_000, i * 1000, int(i * 1000 * interrupts))
        for i in range(1, 11)
    ]
    assert warned(client, make_log(rows=rows)) == (
        {"more_interrupts_than_packets"} if expected else set()
    )


@pytest.mark.parametrize(("jump_ns", "expected"), [(10**9, True), (-(10**9), True), (10**6, False)])
def test_a_clock_that_jumps(client: Any, make_log: Make, jump_ns: int, expected: bool) -> None:
    epoch = 1_700_000_000 * _SECOND
    rows = [
        (i * _SECOND, epoch + i * _SECOND + (jump_ns if i > 5 else 0), i * 10**6, i * 1000, i * 100)
        for i in range(1, 11)
    ]
    assert warned(client, make_log(rows=rows)) == ({"clock_jump"} if expected else set())


@pytest.mark.parametrize(("cpus", "expected"), [(1, set()), (None, set())])
def test_cpu_within_all(
    client: Any, make_module_log: Make, cpus: int | None, expected: set[str]
) -> None:
    environment = {} if cpus is None else {"cpus": cpus}
    assert warned(client, make_module_log(environment=environment)) == expected


def test_more_cpu_than_there_is(client: Any, make_module_log: Make) -> None:
    cycles = {"task_cycles": 900_000_000, "softirq_cycles": 900_000_000}
    log = make_module_log(cycles, environment={"cpus": 1, "network_namespace": "other"})
    assert warned(client, log) == {"cpu_above_all"}
    assert warned(client, make_module_log(cycles, environment={"cpus": 2})) == set()


@pytest.mark.parametrize(
    ("name", "end", "expected"),
    [
        ("rx_flow_control_xoff", 7, True),
        ("tx_pause", 7, True),
        ("tx_pause", 3, False),
        ("rx_global_pause_duration", 7, False),
        ("rx_packets", 7, False),
    ],
)
def test_pause_frames(client: Any, name: str, end: int, expected: bool) -> None:
    fields = [standard_field(n) for n in ("t_monotonic_ns", "rx_bytes", "rx_packets")]
    header = make_header(
        run_id="4b2f5d0e-6b0a-4d55-9f1c-0f0f5d0e6b0a", experiment="lab", kind="measured",
        replicate=1, factors={"mtu_bytes": {"requested": 1500, "read_back": 1500}}, fields=fields,
        sources=[{"name": "sysfs", "atomic": False}, {"name": "proc", "atomic": False}],
        environment={},
    )  # fmt: skip
    file = io.BytesIO()
    log = Writer(file, header, (1, 0))
    for i in range(1, 6):
        log.sample(i * _SECOND, i * 10**6, i * 1000)
    for label, value in (("start", 3), ("end", end)):
        log.result(
            json.dumps({name: value, "other": "text"}).encode(),
            name=f"ethtool_statistics_{label}", media_type="application/json",
        )  # fmt: skip
    log.finish()
    assert warned(client, file.getvalue()) == ({"pause_frames"} if expected else set())


@pytest.mark.parametrize("name", ["pause" * 40_000 + "storm", "tx_pause" + "x" * 1000])
def test_a_long_name_of_a_statistic_takes_no_time_and_is_not_shown(client: Any, name: str) -> None:
    began = time.process_time()
    test_pause_frames(client, name, 7, expected=False)
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize(
    ("factors", "expected"),
    [
        ({"delay_us": {"requested": 10, "read_back": 10, "effective": 128.0}}, True),
        ({"delay_us": {"requested": 100, "read_back": 100, "effective": 96.0}}, False),
        # 125,000 packets a second: known to 4 µs
        ({"delay_us": {"requested": 10, "read_back": 10, "effective": 15.5}}, False),
        # a device that pins what was asked for, and says so
        ({"delay_us": {"requested": 64, "read_back": 50, "effective": 50.0}}, False),
    ],
)
def test_a_delay_that_is_not_the_one_set(
    client: Any, make_log: Make, factors: dict[str, Any], expected: bool
) -> None:
    log = make_log(factors={"mtu_bytes": 1500, **factors})
    assert warned(client, log) == ({"delay_not_effective"} if expected else set())
