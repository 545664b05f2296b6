# SPDX-License-Identifier: Apache-2.0
"""What groups of settings know without a device."""

import pytest
from coalescope_host.plan.factors import FACTORS
from coalescope_host.settings.coalescing import COALESCING
from coalescope_host.settings.groups import GROUPS, group_of
from coalescope_host.settings.level import as_switch, as_whole_number
from coalescope_host.settings.pause import PAUSE


def test_a_delay_switches_adaptive_moderation_off() -> None:
    now = {"adaptive_rx": True, "adaptive_tx": True, "delay_us": 10}
    assert COALESCING.implied({"delay_us": 50}, now) == {"adaptive_rx": False}
    assert COALESCING.implied({"tx_delay_us": 50}, now) == {"adaptive_tx": False}
    assert COALESCING.implied({"delay_us": 50, "adaptive_rx": True}, now) == {}, "it was asked for"
    assert COALESCING.implied({"delay_us": 50}, {"delay_us": 10}) == {}, "the device has none"


def test_pause_frames_that_are_asked_for_are_not_negotiated() -> None:
    assert PAUSE.implied({"pause_rx": True}, {"pause_autoneg": True}) == {"pause_autoneg": False}


def test_every_setting_belongs_to_one_group() -> None:
    names = ["mtu_bytes", "delay_us", "ring_rx", "pause_tx", "offload.gro", "gro_flush_timeout_ns"]
    for name in names:
        assert [group.name for group in GROUPS if group.owns(name)] == [group_of(name).name]  # type: ignore[union-attr]
    for name in ("workload", "streams", "packet_rate_hz", "factor.day", "offload."):
        assert group_of(name) is None
    settable = {name for name in FACTORS if group_of(name)}
    assert {*names[:1], "delay_us", "ring_rx", "ring_tx", "pause_rx", "pause_tx"} <= settable


@pytest.mark.parametrize(("level", "switch"), [(True, True), ("off", False), (1, True), (0, False)])
def test_switches(level: object, switch: bool) -> None:
    assert as_switch(level) is switch  # type: ignore[arg-type]


@pytest.mark.parametrize("level", [2, "yes please", -1, 0.5])
def test_no_switches(level: object) -> None:
    with pytest.raises(ValueError, match="true or false"):
        as_switch(level)  # type: ignore[arg-type]


@pytest.mark.parametrize("level", [-1, 1.5, "many", True, 1 << 40])
def test_no_whole_numbers(level: object) -> None:
    with pytest.raises(ValueError, match="whole number"):
        as_whole_number(level)  # type: ignore[arg-type]
    assert as_whole_number(50.0) == 50
