# SPDX-License-Identifier: Apache-2.0
"""Impossible rows of tables, and impossible logs: each is flagged, and its good twin is not."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

Make = Callable[..., bytes]
_SECOND = 1_000_000_000

# a run of 10 s on a gigabit link, sound in all it says
SOUND: Mapping[str, object] = {
    "mtu_bytes": 1500,
    "delay_us": 100,
    "workload": "udp",
    "replicate": 1,
    "elapsed_s": 10,
    "rx_bytes": 1_200_000_000,
    "rx_packets": 800_000,
    "rx_interrupts": 400_000,
    "throughput_mbps": 972,
    "goodput_mbps": 940,
    "system_cpu_percent": 40,
    "system_cpu_s": 4,
    "latency_p50_us": 20,
    "latency_p99_us": 90,
    "request_rate_hz": 1000,
}
_FAST = {"rx_bytes": 125_000_000_000, "rx_packets": 84_000_000, "throughput_mbps": 100_000}

# what is impossible, its code, and what makes it possible
ROWS: list[tuple[str, dict[str, object], str, dict[str, object]]] = [
    ("100 Gb/s, no link", _FAST, "link_not_known", {**_FAST, "speed_mbps": 200_000}),
    ("100 Gb/s on a link of one", {**_FAST, "speed_mbps": 1000}, "faster_than_link", {}),
    ("interrupts 5 × packets", {"rx_interrupts": 4_000_000}, "more_interrupts_than_packets", {}),
    (
        "0.2 packets per interrupt, and no counts",
        {"rx_interrupts": "", "packets_per_interrupt": 0.2},
        "more_interrupts_than_packets",
        {"rx_interrupts": "", "packets_per_interrupt": 1.2},
    ),
    (
        "CPU 50,000 %",
        {"system_cpu_percent": 50_000, "system_cpu_s": ""},
        "cpus_not_known",
        {"system_cpu_percent": 5000, "system_cpu_s": "", "cpus": 512},
    ),
    (
        "5,000 s of CPU in 10 s",
        {"system_cpu_percent": "", "system_cpu_s": 5000},
        "cpus_not_known",
        {"system_cpu_percent": "", "system_cpu_s": 5000, "cpus": 512},
    ),
    ("more than there are", {"system_cpu_s": 40, "system_cpu_percent": 400, "cpus": 2},
     "cpu_above_all", {"system_cpu_s": 40, "system_cpu_percent": 400, "cpus": 4}),
    ("elapsed 0", {"elapsed_s": 0}, "no_time", {}),
    ("ratio 7, and 2 by its counts", {"packets_per_interrupt": 7}, "ratio_disagrees",
     {"packets_per_interrupt": 2}),
    ("goodput above throughput", {"goodput_mbps": 2000}, "goodput_above_throughput", {}),
    ("p50 above p99", {"latency_p50_us": 900, "latency_p99_us": 20}, "percentiles_out_of_order",
     {}),
    ("packets of 9000 at 1500", {"rx_packets": 133_333, "rx_interrupts": 100_000},
     "packets_above_mtu", {"rx_packets": 133_333, "rx_interrupts": 100_000, "mtu_bytes": 9000}),
    ("throughput 1, and 960 by bytes", {"throughput_mbps": 1, "goodput_mbps": ""},
     "rate_disagrees", {}),
    (
        "80 % system, 80 % idle, one CPU",
        {"system_cpu_percent": 80, "system_cpu_s": 8, "idle_cpu_percent": 80, "cpus": 1},
        "cpu_above_all",
        {"system_cpu_percent": 80, "system_cpu_s": 8, "idle_cpu_percent": 20, "cpus": 1},
    ),
    (
        "80 % system, 80 % idle, who knows of how many",
        {"system_cpu_percent": 80, "system_cpu_s": 8, "idle_cpu_percent": 80},
        "cpus_not_known",
        {"system_cpu_percent": 80, "system_cpu_s": 8, "idle_cpu_percent": 80, "cpus": 4},
    ),
    ("more requests than bytes", {"request_rate_hz": 5e11}, "more_requests_than_bytes", {}),
    ("packets of 12 bytes", {"rx_packets": 100_000_000}, "packets_below_frame", {}),
    (
        "packets of 12 bytes by their rate, no count of bytes",
        {"rx_bytes": "", "throughput_mbps": 1, "goodput_mbps": "", "rx_packets": 100_000},
        "packets_below_frame",
        {"rx_bytes": "", "throughput_mbps": 5, "goodput_mbps": "", "rx_packets": 100_000,
         "rx_interrupts": 90_000},
    ),
    ("packets of 12 bytes, sent", {"tx_packets": 100_000, "tx_bytes": 1_200_000},
     "packets_below_frame", {"tx_packets": 100_000, "tx_bytes": 5_400_000}),
    ("mean of 12 bytes, no counts",
     {"rx_bytes": "", "rx_packets": "", "rx_interrupts": "", "mean_packet_bytes": 12},
     "packets_below_frame",
     {"rx_bytes": "", "rx_packets": "", "rx_interrupts": "", "mean_packet_bytes": 54}),
    ("a request of 20 s in 10 s", {"latency_p99_us": 20_000_000}, "latency_above_elapsed",
     {"latency_p99_us": 9_000_000}),
    # what no number can be is not taken
    ("less than no packets", {"rx_packets": -1}, "refused: out_of_domain", {}),
    ("not a number", {"throughput_mbps": "nan"}, "refused: not_finite", {}),
    ("MTU 60", {"mtu_bytes": 60}, "refused: out_of_domain", {"mtu_bytes": 1500}),
    ("idle 120 %", {"idle_cpu_percent": 120}, "refused: out_of_domain", {"idle_cpu_percent": 60}),
]  # fmt: skip


def table(changed: Mapping[str, object]) -> bytes:
    row = {**SOUND, **changed}
    return f"{','.join(row)}\n{','.join(map(str, row.values()))}\n".encode()


def of_row(client: Any, changed: Mapping[str, object]) -> set[str]:
    """Why it is refused, or what the receipt warns of, which is what the run's own page does."""
    receipt = client.upload(table(changed), "row.csv").json()
    if "error" in receipt:
        assert receipt["error"]["where"]["row"] == 2
        return {f"refused: {receipt['error']['code']}"}
    run = client.get(f"/api/runs/{receipt['runs'][0]['id']}").json()
    codes = {warning["code"] for warning in receipt["warnings"]}
    assert {warning["code"] for warning in run["warnings"]} == codes
    assert all(warning["where"]["row"] == 2 for warning in receipt["warnings"])
    return codes


def test_each_row_is_impossible_in_its_own_way_of_impossible_rows() -> None:
    assert len({name for name, *_ in ROWS}) == len(ROWS) >= 20
    assert len({str(table(changed)) for _, changed, *_ in ROWS}) == len(ROWS)


@pytest.mark.parametrize(("_name", "changed", "code", "twin"), ROWS, ids=[row[0] for row in ROWS])
def test_an_impossible_row_is_flagged_and_its_good_twin_is_not(
    client: Any, _name: str, changed: dict[str, object], code: str, twin: dict[str, object]
) -> None:
    assert code in of_row(client, changed)
    assert of_row(client, {"replicate": 2, **twin}) == set()


def samples(
    *, bytes_each: int = 96_000_000, packets: int = 66_000, interrupts: int = 16_000
) -> dict[str, Any]:
    """Ten records, one a second, of a gigabit link that is not quite full."""
    return {
        "rows": [
            (i * _SECOND, i * _SECOND, i * bytes_each, i * packets, i * interrupts)
            for i in range(1, 11)
        ]
    }


def of_log(client: Any, log: bytes) -> set[str]:
    receipt = client.upload(log, "a.runlog").json()
    if "error" in receipt:
        return {receipt["error"]["code"]}
    return {warning["code"] for warning in receipt["warnings"]}


def payload(goodput_mbps: float) -> bytes:
    """The report of a receiver, of the log's window: from 3 s to 9 s."""
    return report(role="sink", bytes=goodput_mbps * 6e6 / 8)


def requests(*, p50: float = 20, p99: float = 90, per_s: float = 1000) -> bytes:
    """The report of a client that asks and waits, of the same window."""
    latencies = {"p50": p50, "p99": p99}
    return report(role="client", operations=6 * per_s, latency_us=latencies)


def report(**members: object) -> bytes:
    span = {"t_start_monotonic_ns": 3 * _SECOND, "t_end_monotonic_ns": 9 * _SECOND, "seconds": 6}
    return json.dumps({"tool": "coalescope-traffic", **span, **members}).encode()


_IN_2056_NS = 2_730_000_000 * _SECOND
_GIGABIT = {"speed_mbps": 1000, "driver": "igb", "mtu_bytes": 1500}
_OVER = {"bytes_each": 150_000_000, "packets": 104_000}
_TEN_TIMES = {"bytes_each": 20_000_000_000, "packets": 13_900_000}
LOGS: list[tuple[str, dict[str, Any], str, dict[str, Any]]] = [
    ("1.2 Gb/s on 1", {**samples(**_OVER), "environment": _GIGABIT}, "faster_than_link",
     {**samples(), "environment": _GIGABIT}),
    ("PPI 0.14", samples(interrupts=470_000), "more_interrupts_than_packets", samples()),
    ("160 Gb/s, speed not recorded", samples(**_TEN_TIMES), "link_not_known",
     {**samples(**_TEN_TIMES), "environment": {"speed_mbps": 200_000}}),
    ("packets above the MTU", {**samples(packets=10_000, interrupts=5_000),
     "environment": _GIGABIT}, "packets_larger_than_mtu",
     {**samples(), "environment": _GIGABIT}),
    ("MTU 9000 said, 1500 had", {**samples(), "environment": _GIGABIT,
     "factors": {"mtu_bytes": 9000}}, "not_in_force", {**samples(), "environment": _GIGABIT}),
    ("9000 asked for, 1500 read back",
     {**samples(), "factors": {"mtu_bytes": {"requested": 9000, "read_back": 1500}}},
     "not_as_requested", samples()),
    ("measured, and emulated",
     {**samples(), "environment": {"virtual_machine": {"hypervisor": "qemu-tcg"}}},
     "measured_under_emulation",
     {**samples(), "environment": {"virtual_machine": {"hypervisor": "kvm"}}}),
    ("goodput 97 × throughput", {**samples(), "result": payload(74_500)},
     "goodput_above_throughput", {**samples(), "result": payload(740)}),
    ("p50 above p99", {**samples(), "result": requests(p50=900, p99=20)},
     "percentiles_out_of_order", {**samples(), "result": requests()}),
    ("5e11 requests/s", {**samples(), "result": requests(per_s=5e11)},
     "more_requests_than_bytes", {**samples(), "result": requests()}),
    ("packets of 12 bytes", samples(bytes_each=60 * 16_000, packets=80_000),
     "packets_below_frame", samples(bytes_each=60 * 80_000, packets=80_000)),
    ("packets of 12 bytes, of a link without Ethernet's header",
     samples(bytes_each=60 * 16_000, packets=80_000), "packets_below_frame",
     {**samples(bytes_each=60 * 16_000, packets=80_000), "environment": {"driver": "tun"}}),
    ("a request of 20 s in 6 s", {**samples(), "result": requests(p99=2e7)},
     "latency_above_elapsed", {**samples(), "result": requests(p99=2e6)}),
    ("recorded in 2056", {**samples(), "wall_ns": _IN_2056_NS}, "date_impossible", samples()),
]  # fmt: skip


@pytest.mark.parametrize(("_name", "made", "code", "twin"), LOGS, ids=[case[0] for case in LOGS])
def test_logs(
    client: Any, make_log: Make, _name: str, made: dict[str, Any], code: str, twin: dict[str, Any]
) -> None:
    assert code in of_log(client, make_log(**made))
    assert code not in of_log(client, make_log(**twin))


@pytest.mark.parametrize("cpus", [None, 1])
@pytest.mark.parametrize(
    ("changed", "is_doubted"),
    [
        ({}, False),
        ({"idle_cycles": 1_800_000_000}, True),
        ({"t_tsc": 10_000_000_000}, True),
        ({"idle_cycles": 607_000_000}, False),
    ],
)
def test_cycles_of_all_owners_are_the_clocks(
    client: Any, make_module_log: Make, cpus: int | None, changed: dict[str, int], is_doubted: bool
) -> None:
    environment = {} if cpus is None else {"cpus": cpus}
    found = of_log(client, make_module_log(changed, environment=environment))
    assert ("cycles_disagree" in found) == is_doubted


def test_two_cpus_have_twice_the_cycles(client: Any, make_module_log: Make) -> None:
    twice = {"idle_cycles": 1_600_000_000}
    for cpus, is_doubted in ((2, False), (1, True)):
        log = make_module_log(twice, environment={"cpus": cpus})
        assert ("cycles_disagree" in of_log(client, log)) == is_doubted
