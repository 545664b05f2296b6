# SPDX-License-Identifier: Apache-2.0
"""What is doubtful in a run's values; each with a control that is not."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest
from coalescope.measures.audits import date_doubts
from coalescope.measures.plausibility import doubts
from coalescope_models.vocabulary.quantity import QUANTITIES
from hypothesis import given
from hypothesis import strategies as st

MakeLog = Callable[..., bytes]
NONE: dict[str, Any] = {}


def codes(
    values: dict[str, float],
    environment: dict[str, Any] = NONE,
    factors: dict[str, Any] = NONE,
    kind: str = "measured",
) -> list[str]:
    return [doubt.code for doubt in doubts(values, environment, factors, kind)]


CASES: list[tuple[dict[str, float], dict[str, float], str]] = [
    ({"rx_packets": 0, "tx_packets": 0}, {"rx_packets": 0, "tx_packets": 9}, "no_packets"),
    (
        {"goodput_mbps": 7838, "throughput_mbps": 3509},
        {"goodput_mbps": 950, "throughput_mbps": 986},
        "goodput_above_throughput",
    ),
    (
        {"latency_p50_us": 90, "latency_p99_us": 80},
        {"latency_p50_us": 80, "latency_p99_us": 90},
        "percentiles_out_of_order",
    ),
    (
        {"latency_p90_us": 90, "latency_max_us": 80},
        {"latency_p90_us": 80, "latency_max_us": 80},
        "percentiles_out_of_order",
    ),
    ({"datagram_loss_percent": 33}, {"datagram_loss_percent": 0.05}, "datagrams_lost"),
    (
        {"socket_drops": 500, "rx_packets": 1000},
        {"socket_drops": 0, "rx_packets": 1000},
        "socket_drops",
    ),
    (
        {"probe_cpu_s": 0.5, "interface_cpu_s": 2},
        {"probe_cpu_s": 0.05, "interface_cpu_s": 2},
        "probes_cost_much",
    ),
    ({"other_cpu_percent": 195}, {"other_cpu_percent": 3}, "others_were_busy"),
]


def test_all_percentiles_of_the_glossary_have_an_order() -> None:
    names = [name for name in QUANTITIES if re.fullmatch(r"latency_(p\d+|max)_us", name)]
    assert len(names) > 2
    for less, more in pairwise(names):
        assert codes({less: 90, more: 80}) == ["percentiles_out_of_order"], (less, more)


@pytest.mark.fault("B14")
@pytest.mark.parametrize(("bad", "good", "code"), CASES)
def test_values_that_cannot_be_or_are_doubtful(
    bad: dict[str, float], good: dict[str, float], code: str
) -> None:
    assert codes(bad) == [code]
    assert codes(good) == []


@pytest.mark.fault("A10")
@pytest.mark.parametrize(
    ("factors", "environment", "expected"),
    [
        ({"delay_us": 40}, {"coalescing": {"rx_usecs": 0}}, ["not_in_force"]),
        ({"delay_us": 40}, {"coalescing": {"rx_usecs": 40}}, []),
        ({"delay_us": 40.96}, {"coalescing": {"rx_usecs": 40}}, []),
        ({"delay_us": 40}, {"coalescing": {"rx_usecs": 40, "adaptive_rx": True}}, ["not_in_force"]),
        ({"delay_us": 40}, {"coalescing": None}, []),
        (
            {"delay_us": 40, "delay_control": "rx-abs-int-delay"},
            {"coalescing": {"rx_usecs": 0}},
            [],
        ),
        ({"mtu_bytes": 9000}, {"mtu_bytes": 1500}, ["not_in_force"]),
        ({"mtu_bytes": 1500}, {"mtu_bytes": 1500}, []),
    ],
)
def test_levels_that_the_interface_did_not_have(
    factors: dict[str, Any], environment: dict[str, Any], expected: list[str]
) -> None:
    assert codes({}, environment, factors) == expected


def test_others_are_judged_against_what_they_took_before() -> None:
    busy = {"other_cpu_percent": 45.0}
    assert codes(busy, {"idle_baseline": {"other_cpu_percent": 40.0}}) == []
    assert codes(busy, {"idle_baseline": {"other_cpu_percent": 4.0}}) == ["others_were_busy"]
    assert codes(busy, kind="emulated") == []


@pytest.mark.fault("A1")
def test_others_in_user_mode_are_seen_where_owners_of_time_are_not() -> None:
    own = {"system_cpu_percent": 40.0, "workload_cpu_percent": 50.0}
    assert codes({**own, "host_cpu_percent": 200.0}) == ["others_were_busy"]
    assert codes({**own, "host_cpu_percent": 95.0}) == []
    assert codes({"system_cpu_percent": 40.0, "host_cpu_percent": 200.0}) == []


def test_emulation_is_not_measured() -> None:
    machine = {"virtual_machine": {"hypervisor": "qemu-tcg"}}
    assert codes({}, machine) == ["measured_under_emulation"]
    assert codes({}, machine, kind="emulated") == []
    assert codes({}, {"virtual_machine": {"hypervisor": "kvm"}}) == []


@pytest.mark.parametrize(
    ("at", "doubtful"),
    [
        ("1970-01-01T00:00:09Z", True),
        ("2027-01-01T00:00:00Z", True),
        ("2026-06-01T00:00:00Z", False),
    ],
)
def test_dates_that_cannot_be(at: str, *, doubtful: bool) -> None:
    now = datetime(2026, 11, 1, tzinfo=UTC)
    assert bool(list(date_doubts(at, now))) is doubtful


@given(
    st.dictionaries(
        st.sampled_from([name for bad, _, _ in CASES for name in bad]), st.floats(0, 1e12)
    )
)
def test_any_values_can_be_judged(values: dict[str, float]) -> None:
    assert all(doubt.message.endswith(".") for doubt in doubts(values, {}, {}, None))


def test_a_table_is_judged_alike(client: Any) -> None:
    rows = "mtu_bytes,replicate,goodput_mbps,throughput_mbps\n1500,1,7838,3509\n1500,2,900,980\n"
    (warning,) = client.upload(rows.encode(), "lab.csv").json()["warnings"]
    assert (warning["code"], warning["where"]["row"]) == ("goodput_above_throughput", 2)


@pytest.mark.fault("A10")
def test_a_log_of_another_delay_is_warned_of(client: Any, make_log: MakeLog) -> None:
    environment = {"coalescing": {"rx_usecs": 0}}
    log = make_log(factors={"mtu_bytes": 1500, "delay_us": 40}, environment=environment)
    assert "not_in_force" in {w["code"] for w in client.upload(log).json()["warnings"]}


@pytest.mark.fault("A10")
def test_a_log_of_other_frames_is_warned_of(client: Any, make_log: MakeLog) -> None:
    environment = {"coalescing": {"rx_frames": 1}}
    log = make_log(factors={"mtu_bytes": 1500, "factor.rx_frames": 8}, environment=environment)
    assert "not_in_force" in {w["code"] for w in client.upload(log).json()["warnings"]}
