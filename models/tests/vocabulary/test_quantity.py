# SPDX-License-Identifier: Apache-2.0
import json
import re
from dataclasses import asdict
from typing import get_args

import pytest
from coalescope_models.vocabulary.quantity import (
    ACROSS,
    QUANTITIES,
    ROLES,
    UPWARD,
    Axis,
)

FACTORS = [
    "mtu_bytes",
    "delay_us",
    "delay_ticks",
    "moderation_rate_hz",
    "workload",
    "delay_control",
    "frame_bytes",
    "napi_weight",
    "streams",
    "packet_rate_hz",
    "driver_version",
    "kernel_version",
    "host",
    "speed_mbps",
    "cpus",
]
PARTIES = ("interface", "workload", "traffic", "system")
MEASURES = [
    "elapsed_s",
    "rx_bytes",
    "rx_packets",
    "tx_bytes",
    "tx_packets",
    "rx_interrupts",
    "rx_interrupt_rate_hz",
    "packets_per_interrupt",
    "rx_line_interrupts",
    "rx_line_interrupt_rate_hz",
    "packets_per_line_interrupt",
    "throughput_mbps",
    "tx_throughput_mbps",
    "goodput_mbps",
    *(f"{who}_cpu_{unit}" for who in PARTIES for unit in ("s", "jiffies", "percent")),
    *(f"{who}_cpu_{unit}_per_gb" for who in PARTIES for unit in ("s", "jiffies")),
    "host_cpu_s",
    "host_cpu_percent",
    "other_cpu_percent",
    "idle_cpu_percent",
    "probe_cpu_s",
    "cycles_per_packet",
    "latency_us",
    *(f"latency_{name}_us" for name in ("p50", "p90", "p95", "p99", "p999", "max")),
    "request_rate_hz",
    "datagrams_lost",
    "datagram_loss_percent",
    "retransmitted_segments",
    "host_retransmitted_segments",
    *(f"{place}_drops" for place in ("ring", "interface", "backlog", "socket")),
    "drops",
    "effective_delay_us",
    "rx_interrupts_per_gb",
    "rx_packets_per_gb",
    "mean_packet_bytes",
    "package_energy_j",
    "package_power_w",
    "energy_j_per_gb",
]


def with_role(role):
    return {name for name, quantity in QUANTITIES.items() if quantity.role == role}


def test_the_vocabulary_is_complete_and_closed():
    assert with_role("factor") == set(FACTORS)
    assert with_role("measure") == set(MEASURES)
    assert {quantity.role for quantity in QUANTITIES.values()} == set(ROLES)


@pytest.mark.parametrize("quantity", QUANTITIES.values(), ids=QUANTITIES)
def test_each_quantity_is_well_formed(quantity):
    assert QUANTITIES[quantity.name] is quantity
    assert re.fullmatch(r"[a-z][a-z0-9_]*", quantity.name)
    assert quantity.label[0].isupper()
    assert quantity.description.endswith((".", "…"))
    assert "|" not in quantity.description  # it stands in a table
    lo, hi = quantity.domain
    assert lo is None or hi is None or lo < hi
    if quantity.typical is not None:
        assert quantity.typical[0] < quantity.typical[1]
        assert all(map(quantity.contains, quantity.typical))
    if quantity.text:
        assert (quantity.unit, quantity.domain, quantity.typical) == ("", (None, None), None)


@pytest.mark.parametrize(
    ("suffix", "unit"),
    [
        ("_bytes", "bytes"),
        ("_us", "µs"),
        ("_s", "s"),
        ("_mbps", "Mb/s"),
        ("_percent", "%"),
        ("_ticks", "ticks"),
        ("_jiffies", "jiffies"),
    ],
)
def test_the_unit_in_a_name_is_its_unit(suffix, unit):
    found = [q for name, q in QUANTITIES.items() if name.endswith(suffix)]
    assert found
    assert {quantity.unit for quantity in found} == {unit}


def test_json_form_is_plain_json():
    data = [quantity.to_json() for quantity in QUANTITIES.values()]
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    of_readers = {"aliases"}  # what tables of other tools are read by
    assert data[0].keys() == asdict(QUANTITIES["alpha"]).keys() - of_readers


def test_a_domain_is_closed_and_lets_unknown_through():
    mtu = QUANTITIES["mtu_bytes"]
    assert mtu.contains(68.0)
    assert mtu.contains(65536.0)
    assert mtu.contains(float("nan"))
    assert not mtu.contains(67.9)
    assert not mtu.contains(65537.0)
    assert QUANTITIES["alpha"].contains(-1e300)


def test_what_is_better_is_known_of_what_people_aim_at():
    assert QUANTITIES["throughput_mbps"].better == "more"
    assert QUANTITIES["idle_cpu_percent"].better == "more"
    assert QUANTITIES["latency_us"].better == "less"
    assert QUANTITIES["system_cpu_s_per_gb"].better == "less"
    assert all(q.better is None for q in QUANTITIES.values() if q.role in ("factor", "parameter"))


def test_of_each_aim_at_most_one_is_guarded_before_the_first():
    guarded = {q.name: q.aim for q in QUANTITIES.values() if q.guarded}
    assert guarded == {"goodput_mbps": "throughput", "latency_p99_us": "latency"}


def test_cpu_time_of_the_whole_host_can_be_aimed_at():
    assert QUANTITIES["host_cpu_percent"].aim == "cpu"


def test_axes_are_taken_by_factors_that_are_numbers():
    taken = {q.name: q for q in QUANTITIES.values() if q.axis is not None}
    assert {q.axis for q in taken.values()} == set(get_args(Axis))
    assert taken.keys() == {*ACROSS, *UPWARD}
    assert all(q.role == "factor" and not q.text for q in taken.values())
    assert (ACROSS[0], UPWARD[0]) == ("delay_us", "mtu_bytes")
