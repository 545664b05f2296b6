# SPDX-License-Identifier: Apache-2.0
"""The commands for each driver, and the way back."""

import subprocess

import pytest
from coalescope.errors import CoalescopeError
from coalescope.recommendations.commands import commands_for

SETTING = {"mtu_bytes": 9000, "delay_us": 120, "workload": "tcp"}


@pytest.mark.parametrize(
    ("driver", "command"),
    [
        ("igb", "ethtool -C eth0 rx-usecs 120"),
        ("igc", "ethtool -C eth0 rx-usecs 120"),
        ("e1000e", "ethtool -C eth0 rx-usecs 120"),
        ("ixgbe", "ethtool -C eth0 rx-usecs 120"),
        ("virtio_net", "ethtool -C eth0 rx-usecs 120"),
        ("i40e", "ethtool -C eth0 adaptive-rx off rx-usecs 120"),
        ("ice", "ethtool -C eth0 adaptive-rx off rx-usecs 120"),
        ("mlx5_core", "ethtool -C eth0 adaptive-rx off rx-usecs 120"),
        (None, "ethtool -C eth0 rx-usecs 120"),
    ],
)
def test_delays_through_ethtool(driver: str | None, command: str) -> None:
    found = commands_for(SETTING, "eth0", driver)
    assert found.apply == [command, "ip link set dev eth0 mtu 9000"]
    assert found.before[-1] == "old_mtu=$(cat /sys/class/net/eth0/mtu)"
    assert found.back[-1] == 'ip link set dev eth0 mtu "$old_mtu"'
    assert 'ethtool -C eth0 rx-usecs "$old_rx_usecs"' in found.back
    assert found.keep == []
    assert any("ethtool -c eth0" in note for note in found.notes)
    assert any("ping -M do -s 8972" in note for note in found.notes)


@pytest.mark.parametrize("driver", ["e1000", "e1000e"])
def test_the_absolute_timer_is_a_parameter_of_the_module(driver: str) -> None:
    found = commands_for({"mtu_bytes": 3000, "delay_ticks": 40}, "eth1", driver)
    options = "RxAbsIntDelay=40 RxIntDelay=1200 InterruptThrottleRate=0"
    assert found.apply == [
        f"modprobe -r {driver} && modprobe {driver} {options}",
        "ip link set dev eth1 mtu 3000",
    ]
    assert found.keep == [
        f"echo 'options {driver} {options}' > /etc/modprobe.d/coalescope-{driver}.conf"
    ]
    kept = f"/etc/modprobe.d/coalescope-{driver}.conf"
    assert found.back == [
        f"rm -f {kept}; modprobe -r {driver} && modprobe {driver}",
        'ip link set dev eth1 mtu "$old_mtu"',
    ], "loading it anew forgets the MTU"
    assert any("lose their link" in note for note in found.notes)


def test_e1000_takes_microseconds_as_ticks() -> None:
    found = commands_for({"delay_us": 41}, "eth0", "e1000")
    assert "RxAbsIntDelay=40 " in found.apply[0]
    timer = {"delay_us": 41, "delay_control": "rx-abs-int-delay"}
    assert "RxAbsIntDelay=40 " in commands_for(timer, "eth0", "e1000e").apply[0]


def test_a_rate_is_a_throttle() -> None:
    assert "InterruptThrottleRate=8000" in commands_for(
        {"moderation_rate_hz": 8000}, "eth0", "e1000"
    ).apply[0]  # fmt: skip
    assert commands_for({"moderation_rate_hz": 8000}, "eth0", "igb").apply == [
        "ethtool -C eth0 rx-usecs 125"
    ]


@pytest.mark.parametrize(("asked", "legal"), [(3, 10), (7, 10), (0, 0), (10, 10), (20_000, 10_000)])
def test_what_means_a_mode_is_no_delay(asked: int, legal: int) -> None:
    found = commands_for({"delay_us": asked}, "eth0", "e1000e")
    assert found.apply == [f"ethtool -C eth0 rx-usecs {legal}"]
    assert any("instead" in note for note in found.notes) == (asked != legal)


def test_adaptive_modes() -> None:
    adaptive = {"delay_control": "adaptive"}
    assert commands_for(adaptive, "eth0", "ice").apply == ["ethtool -C eth0 adaptive-rx on"]
    assert commands_for(adaptive, "eth0", "igb").apply == ["ethtool -C eth0 rx-usecs 3"]
    assert "InterruptThrottleRate=3" in commands_for(adaptive, "eth0", "e1000").apply[0]


def test_what_cannot_be_set_is_said() -> None:
    found = commands_for({"mtu_bytes": 1500, "factor.governor": "performance"}, "eth0")
    assert found.apply == ["ip link set dev eth0 mtu 1500"]
    assert any("factor.governor performance is yours" in note for note in found.notes)


@pytest.mark.parametrize("name", ["eth0; reboot", "$(reboot)", "", "a" * 16, "-f", "../x", "a b"])
def test_nothing_but_a_name_gets_into_a_command(name: str) -> None:
    with pytest.raises(CoalescopeError, match="cannot be the name"):
        commands_for(SETTING, name)
    if name and len(name) < 16:
        with pytest.raises(CoalescopeError):
            commands_for(SETTING, "eth0", name)


@pytest.mark.parametrize("driver", ["e1000", "e1000e", "ice", "virtio_net", None])
def test_a_shell_can_read_them(driver: str | None) -> None:
    for setting in (SETTING, {"delay_ticks": 40}, {"delay_control": "adaptive"}):
        found = commands_for(setting, "eth0", driver)
        script = "\n".join([*found.before, *found.apply, *found.keep, *found.back])
        subprocess.run(["sh", "-n"], input=script, text=True, check=True)
