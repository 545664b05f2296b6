# SPDX-License-Identifier: Apache-2.0
"""A factor that names a setting which the environment records is compared with it: every one."""

import re
from pathlib import Path
from typing import Any

import pytest
from coalescope_host.drivers import DRIVERS, driver_named
from coalescope_host.plan.factors import log_name
from coalescope_host.plan.registry import MEANINGS, OFFLOAD_FAMILIES, OFFLOADS, SETTINGS
from coalescope_host.run_log import check, implausible
from coalescope_host.run_log.in_force import changed_meanwhile, not_in_force
from coalescope_host.run_log.recorded_settings import (
    NOT_RECORDED,
    RECORDED,
    USECS_MODES,
    Form,
    is_of_time,
)

from .conftest import a_header, a_log

LOGGER = Path(__file__).resolve().parents[3] / "driver" / "logger"
pytestmark = pytest.mark.fault("A10")

# a level, how the environment writes it, and how it writes another
LEVELS: dict[Form, tuple[object, object, object]] = {
    Form.PLAIN: (8, 8, 9),
    Form.SPLIT: ("off", 1, 2),
    Form.CPU_LIST: ("0-1,3", "0,1,3", "0-3"),
    Form.CPU_MASK: ("0-1,32", "00000001,00000003", "3"),
    Form.PROFILE: (
        "1,64,n_8,64,n",
        [{"usecs": 1, "packets": 64}, {"usecs": 8, "packets": 64}],
        [{"usecs": 1, "packets": 64}, {"usecs": 9, "packets": 64}],
    ),
    Form.SPREAD: (2, {"0": 64, "1": 64}, {"0": 64, "1": 63, "2": 1}),
    Form.COUNTED: ("performance", {"performance": 4}, {"performance": 3, "powersave": 1}),
    Form.IDLE_STATES: (
        1,
        [{"disabled": False}, {"disabled": False}, {"disabled": True}],
        [{"disabled": False}, {"disabled": False}, {"disabled": False}],
    ),
}


def environment(path: str, value: object) -> dict[str, Any]:
    """An environment with one value, at a path."""
    for name in reversed(path.split("/")):
        value = [value] if name == "*" and "napi" in path else {"0" if name == "*" else name: value}
    assert isinstance(value, dict)
    return value


def codes(
    environment: dict[str, Any], factors: dict[str, Any], kind: str = "measured"
) -> list[str]:
    return [doubt.code for doubt in not_in_force(environment, factors, kind)]


@pytest.mark.parametrize("name", RECORDED)
def test_each_is_compared(name: str) -> None:
    row = RECORDED[name]
    level, same, other = LEVELS[row.form]
    for path in row.paths:
        assert codes(environment(path, same), {name: level}) == []
        assert codes(environment(path, other), {name: level}) == ["not_in_force"]
        assert codes(environment(path, None), {name: level}) == []
        emulated = [] if is_of_time(name) else ["not_in_force"]
        assert codes(environment(path, other), {name: level}, "emulated") == emulated
    assert codes({}, {name: level}) == []


def test_the_registry_and_this_table_have_the_same_settings() -> None:
    """A setting that can be a factor is compared, or stands in NOT_RECORDED with a reason."""
    names = {log_name(row.name) for row in SETTINGS if row.name not in NOT_RECORDED}
    words = {f"factor.{word}": means for word, means in MEANINGS.items() if len(means) == 1}
    offloads = {name for name in RECORDED if name.startswith("factor.offload_")}
    assert names <= RECORDED.keys()
    assert NOT_RECORDED.keys() <= {row.name for row in SETTINGS}
    assert {f"factor.offload_{word}" for word in (*OFFLOADS, *OFFLOAD_FAMILIES)} == offloads
    for name in RECORDED.keys() - names - offloads:  # the field's words, where they mean one thing
        (meant,) = words[name]
        assert RECORDED[name] == RECORDED[log_name(meant)]


def test_what_overrides_is_what_the_registry_says() -> None:
    for row in SETTINGS:
        if log_name(row.name) in RECORDED:
            other = RECORDED[log_name(row.name)].overridden_by
            assert other == (row.overridden_by and log_name(row.overridden_by))


def names_of(file: str, table: str) -> set[str]:
    """The names in a table of the logger's source."""
    source = (LOGGER / file).read_text(encoding="utf-8")
    found = re.search(rf"\b{table}\[\][^{{]*(\{{.*?\}};)", source, re.DOTALL)
    assert found, table
    return set(re.findall(r'"([^"]+)"', found[1]))


def test_what_the_logger_records_and_this_table_are_the_same() -> None:
    """Members of settings, as the logger's source has them, both ways."""
    recorded = {f"coalescing/{name}" for name in names_of("ethtool_netlink.c", "COALESCING")}
    recorded |= {f"ring/{name}" for name in names_of("ethtool_netlink.c", "RING")}
    recorded |= {f"queues/{name}" for name in names_of("ethtool_netlink.c", "QUEUES")}
    recorded |= {f"pause/{name}" for name in names_of("ethtool_netlink.c", "PAUSE")}
    recorded |= {f"napi/*/{name}" for name in names_of("netdev_napi.c", "NAMES")}
    recorded.add("napi/*/cpus")  # of the thread, which netdev does not tell
    sysctls = names_of("environment_network.c", r"names")
    recorded |= {f"sysctls/net.core.{name}" for name in sysctls}
    limits = {"ring/rx_max", "ring/tx_max"}
    facts = {f"napi/*/{name}" for name in ("id", "irq", "pid")}
    groups = {path.partition("/")[0] for path in recorded}
    compared = {path for row in RECORDED.values() for path in row.paths}
    assert recorded - limits - facts == {p for p in compared if p.partition("/")[0] in groups} - {
        path for path in compared if "/" not in path
    }


@pytest.mark.parametrize(("group", "facts"), [("sysctls", set()), ("napi", {"id", "irq", "pid"})])
def test_the_document_of_the_format_names_the_same(group: str, facts: set[str]) -> None:
    text = (LOGGER.parents[1] / "docs" / "run-log-format.md").read_text(encoding="utf-8")
    row = text.partition(f"\n| `{group}` | ")[2].partition("\n")[0]
    named = set(re.findall(r"`(?:net\.core\.)?(\w+)`", re.sub(r"\([^()]*\)", "", row)))
    paths = [path.rpartition("/") for row in RECORDED.values() for path in row.paths]
    recorded = {name for at, _, name in paths if at.partition("/")[0] == group}
    assert named - facts == {name.removeprefix("net.core.") for name in recorded}


def test_an_offload_is_the_same_feature_for_the_logger_and_for_the_settings() -> None:
    source = (LOGGER / "ethtool_netlink.c").read_text(encoding="utf-8")
    table = source.partition("} OFFLOADS[] = {")[2].partition("};")[0]
    rows = re.findall(r'\{"(\w+)", "([a-z-]+)", (true|false)\}', table)
    features = {**OFFLOADS, **OFFLOAD_FAMILIES}
    assert {(f"offloads/{name}", feature, family == "true") for name, feature, family in rows} == {
        (RECORDED[f"factor.offload_{word}"].paths[0], feature, word in OFFLOAD_FAMILIES)
        for word, feature in features.items()
    }


@pytest.mark.parametrize(
    ("factors", "environment", "expected"),
    [
        ({"factor.rx_frames": 8}, {"coalescing": {"rx_frames": 8, "adaptive_rx": True}}, True),
        (
            {"factor.rx_frames": 8, "factor.adaptive_rx": "on"},
            {"coalescing": {"rx_frames": 8, "adaptive_rx": True}},
            False,
        ),
        ({"factor.tx_frames": 8}, {"coalescing": {"tx_frames": 8, "adaptive_rx": True}}, False),
        ({"factor.pause_rx": "on"}, {"pause": {"rx": True, "autoneg": True}}, True),
        ({"factor.adaptive_rx": "off"}, {"coalescing": {"adaptive_rx": False}}, False),
        ({"factor.adaptive_rx": "false"}, {"coalescing": {"adaptive_rx": True}}, True),
        ({"factor.offload_gro": "on"}, {"offloads": {"gro": False}}, True),
        ({"factor.offload_rx_gro_list": "on"}, {"offloads": {"rx_gro_list": False}}, True),
        ({"factor.offload_rx_gro_list": "on"}, {"offloads": {"rx_gro_list": True}}, False),
        ({"factor.offload_rx_gro_list": "on"}, {"offloads": {}}, False),
        ({"factor.napi_threaded": "off"}, {"napi": [{"threaded": "disabled"}]}, False),
        (
            {"factor.napi_threaded": "on"},
            {"napi": [{"threaded": "enabled"}, {"threaded": "busy-poll"}]},
            True,
        ),
        ({"factor.napi_threaded": "on"}, {"napi_threaded": 1}, False),
        ({"factor.rps_cpus": "none"}, {"rps_cpus": {"0": "0"}}, False),
        ({"delay_us": 3}, {"driver": "e1000e", "coalescing": {"rx_usecs": 3}}, True),
        ({"delay_us": 3}, {"driver": "virtio_net", "coalescing": {"rx_usecs": 3}}, False),
        ({"factor.tx_usecs": 3}, {"coalescing": {"tx_usecs": 30}}, True),
        (
            {"factor.deepest_idle_state": 0},
            {
                "idle_state_sets": [
                    {"cpus": 3, "states": [{"disabled": False}, {"disabled": True}]},
                    {"cpus": 1, "states": [{"disabled": False}, {"disabled": False}]},
                ]
            },
            True,
        ),
        (
            {"factor.deepest_idle_state": 0},
            {
                "idle_state_sets": [
                    {"cpus": 3, "states": [{"name": "WFI", "disabled": False}]},
                    {"cpus": 1, "states": [{"disabled": False}, {"disabled": True}]},
                ]
            },
            False,
        ),
        ({"factor.of_my_own": 3}, {"coalescing": {"tx_usecs": 30}}, False),
    ],
)
def test_levels(factors: dict[str, Any], environment: dict[str, Any], *, expected: bool) -> None:
    assert codes(environment, factors) == ["not_in_force"] * expected


@pytest.mark.parametrize("form", LEVELS)
@pytest.mark.parametrize("value", [None, 10**400, -1, "x", "0-99999999", [], [[]], {}, {"0": "x"}])
def test_what_cannot_be_understood_is_not_judged_or_differs(form: Form, value: object) -> None:
    name = next(name for name, row in RECORDED.items() if row.form is form)
    found = environment(RECORDED[name].paths[0], value)
    assert set(codes(found, {name: LEVELS[form][0]})) <= {"not_in_force"}
    assert set(codes(found, {name: value})) <= {"not_in_force"}


def test_the_levels_that_are_modes_are_those_of_the_table_of_drivers() -> None:
    known = {name: driver_named(name, None) for name in DRIVERS}
    modes = {name: driver and driver.value("usecs_modes") for name, driver in known.items()}
    found = {name: tuple(sorted(map(int, each))) for name, each in modes.items() if each}
    assert found == USECS_MODES


def test_a_log_recorded_by_hand_is_doubted(tmp_path: Path) -> None:
    path = tmp_path / "a.runlog"
    factors = {"factor.rx_frames": {"requested": 8, "read_back": None}}
    found = {"coalescing": {"rx_frames": 1}}
    path.write_bytes(a_log(header=a_header(factors=factors, environment=found)))
    (doubt,) = (doubt for doubt in check(path).doubts if doubt.code == "not_in_force")
    assert doubt.message == (
        "The run is said to have factor.rx_frames 8; the host had coalescing/rx_frames 1. "
        "Set it, or name what was in force."
    )
    assert [p.code for p in implausible({}, found, {"factor.rx_frames": 1}, "measured")] == []


@pytest.mark.parametrize(
    ("after", "fields"),
    [
        ({"mtu_bytes": 1500, "coalescing": {"rx_usecs": 40, "tx_usecs": 10}}, []),
        ({"mtu_bytes": 1400}, ["mtu_bytes"]),
        ({"coalescing": {"rx_usecs": 40, "tx_usecs": 20}}, ["factor.tx_delay_us"]),
        ({"coalescing": {"rx_usecs": 80}}, ["delay_us"]),
        ({}, []),
    ],
)
@pytest.mark.parametrize("adaptive", [False, True])
def test_what_changed_while_it_was_recorded_is_doubted(
    after: dict[str, Any], fields: list[str], *, adaptive: bool
) -> None:
    """Not what adaptive moderation changes."""
    coalescing = {"rx_usecs": 40, "tx_usecs": 10, "adaptive_rx": adaptive}
    found = list(changed_meanwhile({"mtu_bytes": 1500, "coalescing": coalescing}, after))
    assert {doubt.code for doubt in found} <= {"changed_meanwhile"}
    moved = {"delay_us"} if adaptive else set()
    assert [doubt.details["field"] for doubt in found] == [f for f in fields if f not in moved]
    if "mtu_bytes" in fields:
        assert found[0].message == (
            "The host had mtu_bytes 1500 when recording began and 1400 when it ended: the run is "
            "of both. Record it again."
        )
