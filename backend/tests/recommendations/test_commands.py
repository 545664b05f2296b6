# SPDX-License-Identifier: Apache-2.0
"""The block for each driver, run on a host whose driver takes what the table of drivers says."""

import subprocess
from pathlib import Path

import pytest
from coalescope.errors import CoalescopeError
from coalescope.experiments.records import Factors
from coalescope.recommendations.commands import Commands, commands_for
from coalescope.recommendations.target import target_for
from coalescope_host.drivers import DRIVERS, driver_named

from .emulated_host import EmulatedHost

SETTING: Factors = {"mtu_bytes": 9000, "delay_us": 120, "workload": "tcp"}
BY_MODULE = {"e1000"}
"""Its delay is a parameter of the module."""


def commands(setting: Factors, driver: str | None, interface: str = "eth0") -> Commands:
    return commands_for(target_for(setting, interface, driver))


@pytest.mark.parametrize("driver", sorted(set(DRIVERS) - BY_MODULE))
def test_the_block_sets_what_it_says_and_the_way_back_undoes_it(
    driver: str, tmp_path: Path
) -> None:
    known = driver_named(driver)
    assert known is not None
    found = commands(SETTING, driver)
    assert not found.refused
    host = EmulatedHost.of(tmp_path, driver)  # adaptive-rx on, where there is any
    before = host.state
    done = host.run(found.apply)
    assert done.returncode == 0, done.stderr
    after = host.state
    assert after["mtu"] == 9000
    assert not after["adaptive"]
    assert after["rx-usecs"] == pytest.approx(120 / known.unit_us)
    if (frames := known.value("frames_for_delay")) is not None:
        assert after["rx-frames"] == frames
    assert done.stdout.index(" mtu 1500") < done.stdout.index("read back"), "the way back is first"
    undone = host.run(found.back)
    assert undone.returncode == 0, undone.stderr
    if known.value("way_back") == "reload":
        assert "modprobe -r atlantic" in done.stdout
        assert host.state["mtu"] == before["mtu"]
    else:
        assert host.state == before
    assert not list((tmp_path / "run").iterdir())


def test_a_second_block_does_not_take_the_first_for_the_way_back(tmp_path: Path) -> None:
    host = EmulatedHost.of(tmp_path, "ice", adaptive=False)
    before = host.state
    assert host.run(commands(SETTING, "ice").apply).returncode == 0
    after = host.state
    again = host.run(commands({"delay_us": 50}, "ice").apply)
    assert again.returncode == 1
    assert "first run sh" in again.stderr
    assert host.state == after
    assert host.run(commands(SETTING, "ice").back).returncode == 0
    assert host.state == before


@pytest.mark.fault("P4")
@pytest.mark.parametrize("driver", sorted(DRIVERS))
@pytest.mark.parametrize("delay_us", [1, 5120, 100_000, 10_000_000])
def test_what_a_driver_does_not_take_is_refused_with_nothing_to_run(
    driver: str, delay_us: int
) -> None:
    """Whatever is not refused sets the delay to within a tenth."""
    target = target_for({"mtu_bytes": 9000, "delay_us": delay_us}, "eth0", driver)
    found = commands_for(target)
    if found.refused:
        assert not (found.apply or found.back or found.forms)
        assert "cannot be set" in found.refused[0]
    elif driver not in BY_MODULE:
        assert target.driver is not None
        usecs = target.coalescing["rx-usecs"]
        assert target.driver.delays(usecs) * target.driver.unit_us == pytest.approx(
            delay_us, rel=0.1
        )


@pytest.mark.parametrize(
    ("driver", "delay_us", "nearest"),
    [
        ("ixgbe", 1311, "1022 µs"),
        ("ixgbe", 5120, "1022 µs"),
        ("mlx5_core", 5120, "4095 µs"),
        ("igb", 10_000, "8191 µs"),
        ("igb", 3, "0 µs or 10 µs"),
        ("r8152", 5120, "524.28 µs"),
        ("tg3", 0, "1 µs"),
    ],
)
def test_the_nearest_that_it_takes_is_named(driver: str, delay_us: int, nearest: str) -> None:
    (reason,) = commands({"delay_us": delay_us}, driver).refused
    assert f"The nearest that it takes: {nearest}." in reason


def test_a_step_that_hardly_matters_is_taken_and_said() -> None:
    found = commands({"delay_us": 655}, "i40e")
    assert "ethtool -C eth0 rx-usecs 654" in found.apply
    assert any(note.startswith("654 in place of 655") for note in found.notes)
    assert commands({"delay_us": 100}, "r8169").refused, "80 or 120 is another delay"


def test_the_commands_of_before_leave_a_host_half_set(tmp_path: Path) -> None:
    """Negative control: what the page printed for these drivers until now."""
    ixgbe = EmulatedHost.of(tmp_path / "ixgbe", "ixgbe")
    ixgbe.run(["ethtool -C eth0 rx-usecs 1311", "ip link set dev eth0 mtu 9000"])
    assert (ixgbe.state["rx-usecs"], ixgbe.state["mtu"]) == (1, 9000)
    for driver in ("mlx5_core", "bnxt_en"):
        host = EmulatedHost.of(tmp_path / driver, driver, adaptive=True)
        assert host.run(["ethtool -C eth0 adaptive-rx off rx-usecs 655"]).returncode == 0
        assert host.state["rx-usecs"] != 655
    unlisted = EmulatedHost.of(tmp_path / "ice", "ice")
    assert unlisted.run(["ethtool -C eth0 rx-usecs 120"]).returncode == 1


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"driver": "igc"}, "its driver is not igb"),
        ({"maxmtu": 1500}, "takes an MTU of 1500 at most"),
        ({"rx-usecs": None}, "rx-usecs cannot be read"),
    ],
)
def test_the_block_refuses_before_it_sets_anything(
    changed: dict[str, object], words: str, tmp_path: Path
) -> None:
    host = EmulatedHost.of(tmp_path, "igb", **changed)
    before = host.state
    done = host.run(commands(SETTING, "igb").apply)
    assert done.returncode == 1
    assert words in done.stderr
    assert host.state == before
    assert not list((tmp_path / "run").iterdir())


def test_what_the_device_makes_of_it_is_compared_and_put_back(tmp_path: Path) -> None:
    """A device that counts otherwise than its driver's sources."""
    host = EmulatedHost.of(tmp_path, "igb")
    before = host.state
    block = [line.replace("rx-usecs 120", "rx-usecs 130", 1) if line.startswith("ethtool -C") else
             line for line in commands(SETTING, "igb").apply]  # fmt: skip
    done = host.run(block)
    assert done.returncode == 1
    assert "took 130 for rx-usecs 120" in done.stderr
    assert host.state == before, "put back"


@pytest.mark.fault("P4")
def test_it_stops_at_the_first_failure_and_puts_back(tmp_path: Path) -> None:
    host = EmulatedHost.of(tmp_path, "igb")
    before = host.state
    block = commands(SETTING, "igb").apply
    at = block.index("ethtool -C eth0 rx-usecs 120")
    done = host.run([*block[:at], "ethtool -C eth0 rx-usecs 20000", *block[at + 1 :]])
    assert done.returncode == 1
    assert "Invalid argument" in done.stderr
    assert "read back" not in done.stdout
    assert host.state == before


@pytest.mark.parametrize("driver", ["e1000", "e1000e"])
def test_the_absolute_timer_is_a_parameter_of_the_module(driver: str, tmp_path: Path) -> None:
    found = commands({"mtu_bytes": 3000, "delay_ticks": 40}, driver)
    options = "RxAbsIntDelay=40 RxIntDelay=1200 InterruptThrottleRate=0"
    host = EmulatedHost.of(tmp_path, driver)
    done = host.run(found.apply)
    assert done.returncode == 0, done.stderr
    assert (host.state["module"], host.state["mtu"]) == (options, 3000)
    kept = found.forms[0].files[0]
    assert kept.path == f"/etc/modprobe.d/coalescope-{driver}.conf"
    assert kept.text == f"options {driver} {options}\n"
    assert host.run(found.back).returncode == 0
    assert (host.state["module"], host.state["mtu"]) == ("", 1500)
    assert any("lose their link" in note for note in found.notes)


def test_e1000_takes_microseconds_as_ticks() -> None:
    assert "RxAbsIntDelay=40 " in "\n".join(commands({"delay_us": 41}, "e1000").apply)
    timer: Factors = {"delay_us": 41, "delay_control": "rx-abs-int-delay"}
    assert "RxAbsIntDelay=40 " in "\n".join(commands(timer, "e1000e").apply)
    (reason,) = commands({"delay_ticks": 70_000}, "e1000").refused
    assert "65535" in reason


def test_a_rate_is_a_throttle() -> None:
    rate: Factors = {"moderation_rate_hz": 8000}
    assert "modprobe e1000 InterruptThrottleRate=8000" in commands(rate, "e1000").apply
    assert "ethtool -C eth0 rx-usecs 125" in commands(rate, "igb").apply
    assert commands({"moderation_rate_hz": 50}, "e1000").refused


SHIPPED = "1,256,n_8,256,n_64,256,n_128,256,n_256,256,n"
SHORT = "1,256,n_2,256,n_4,256,n_8,256,n_16,256,n"
WITH_PROFILE: Factors = {"factor.adaptive_rx": "on", "factor.dim_profile_rx": SHORT}


def test_a_profile_is_set_and_read_back_and_the_way_back_undoes_it(tmp_path: Path) -> None:
    found = commands(WITH_PROFILE, "virtio_net")
    host = EmulatedHost.of(tmp_path, "virtio_net", adaptive=False, profile=SHIPPED)
    before = host.state
    done = host.run(found.apply)
    assert done.returncode == 0, done.stderr
    assert (host.state["adaptive"], host.state["profile"]) == (True, SHORT)
    assert done.stdout.index(f"rx-profile {SHIPPED}") < done.stdout.index("read back")
    assert host.run(found.back).returncode == 0
    assert host.state == before
    for form in found.forms:
        assert any(f"rx-profile {SHORT}" in file.text for file in form.files), form.name


def test_a_profile_that_cannot_be_read_or_is_not_taken_changes_nothing(tmp_path: Path) -> None:
    apply = commands(WITH_PROFILE, "virtio_net").apply
    host = EmulatedHost.of(tmp_path / "none", "virtio_net", adaptive=False)
    before = host.state
    done = host.run(apply)
    assert done.returncode == 1
    assert "rx-profile cannot be read" in done.stderr
    assert host.state == before
    other = EmulatedHost.of(tmp_path / "other", "virtio_net", adaptive=False, profile=SHIPPED)
    before = other.state
    step = f"ethtool -C eth0 rx-profile {SHORT}"
    assert step in apply
    done = other.run([line.replace(SHORT, SHIPPED) if line == step else line for line in apply])
    assert done.returncode == 1
    assert "its rx-profile is" in done.stderr
    assert other.state == before, "put back"


def test_what_is_no_profile_is_refused() -> None:
    wrong = commands({**WITH_PROFILE, "factor.dim_profile_rx": "1,2; reboot"}, "virtio_net")
    assert not wrong.apply
    assert "is no profile" in wrong.refused[0]
    off = commands({**WITH_PROFILE, "factor.adaptive_rx": "off", "delay_us": 20}, "virtio_net")
    assert "rx-profile" not in "\n".join(off.apply), "it is not used"


def test_adaptive_modes(tmp_path: Path) -> None:
    adaptive: Factors = {"delay_control": "adaptive"}
    assert "ethtool -C eth0 adaptive-rx on" in commands(adaptive, "ice").apply
    assert "ethtool -C eth0 rx-usecs 3" in commands(adaptive, "igb").apply
    assert "ethtool -C eth0 rx-usecs 1" in commands(adaptive, "ixgbe").apply
    assert "modprobe e1000 InterruptThrottleRate=3" in commands(adaptive, "e1000").apply
    assert commands(adaptive, "tg3").refused
    assert "ethtool -C eth0 adaptive-rx on" in commands({"factor.adaptive_rx": "on"}, "ice").apply
    host = EmulatedHost.of(tmp_path, "ice", adaptive=False)
    assert host.run(commands(adaptive, "ice").apply).returncode == 0
    assert host.state["adaptive"] is True


def test_adaptive_moderation_is_switched_off_without_a_delay_beside_it(tmp_path: Path) -> None:
    off: Factors = {"factor.adaptive_rx": "off"}
    host = EmulatedHost.of(tmp_path, "ice", adaptive=True)
    assert host.run(commands(off, "ice").apply).returncode == 0
    assert host.state["adaptive"] is False
    assert commands(off, "tg3").apply == [], "which has none"


def test_what_else_a_sweep_sets_has_its_command_beside_the_block() -> None:
    def notes(setting: Factors) -> str:
        return " ".join(commands({"delay_us": 50, **setting}, "ice").notes)

    assert "`ethtool -K eth0 rx-gro-hw on`" in notes({"factor.offload_rx_gro_hw": "on"})
    assert "`ethtool -G eth0 rx 1024`" in notes({"factor.ring_rx": 1024})
    assert "`ethtool -C eth0 rx-frames 16`" in " ".join(
        commands({"factor.adaptive_rx": "on", "factor.rx_frames": 16}, "mlx5_core").notes
    )
    assert "no command is known" in notes({"factor.ring_rx": "1; reboot"})


@pytest.mark.fault("P4")
def test_frames_that_were_measured_are_set_beside_the_delay() -> None:
    both: Factors = {"delay_us": 120, "factor.rx_frames": 16}
    assert "ethtool -C eth0 rx-usecs 120 rx-frames 16" in commands(both, "mlx5_core").apply
    assert commands(both, "igb").refused == ["igb counts no packets: rx-frames cannot be set."]
    assert commands({"delay_us": 120, "factor.rx_frames": 100}, "bnxt_en").refused


@pytest.mark.fault("P4")
def test_a_driver_that_is_not_known(tmp_path: Path) -> None:
    """Adaptive moderation is switched off where it is on; nothing is promised for restarts."""
    found = commands(SETTING, None)
    assert not found.forms
    for driver, adaptive in (("ice", True), ("igb", None), ("ice", False)):
        host = EmulatedHost.of(tmp_path / f"{driver}-{adaptive}", driver, adaptive=adaptive)
        before = host.state
        done = host.run(found.apply)
        assert done.returncode == 0, done.stderr
        assert (host.state["rx-usecs"], host.state["mtu"]) == (120, 9000)
        assert host.state["adaptive"] is not True
        assert host.run(found.back).returncode == 0
        assert host.state == before
    assert any("depends on the driver" in note for note in found.notes)
    assert any("What natsemi takes" in note for note in commands(SETTING, "natsemi").notes)


def test_an_older_kernel_is_asked_about_itself() -> None:
    target = target_for({"delay_us": 50}, "eth0", "mana", "6.12.1")
    assert "cannot set rx-usecs" in target.refused[0]
    assert not target_for({"delay_us": 50}, "eth0", "mana", "7.3.4").refused


def test_what_cannot_be_set_is_said() -> None:
    found = commands({"mtu_bytes": 1500, "factor.governor": "performance"}, None)
    assert "ip link set dev eth0 mtu 1500" in found.apply
    assert any("factor.governor performance is yours" in note for note in found.notes)
    assert commands({"factor.governor": "performance"}, None).apply == []


@pytest.mark.parametrize("name", ["eth0; reboot", "$(reboot)", "", "a" * 16, "-f", "../x", "a b"])
def test_nothing_but_a_name_gets_into_a_command(name: str) -> None:
    with pytest.raises(CoalescopeError, match="cannot be the name"):
        target_for(SETTING, name)
    if name and len(name) < 16:
        with pytest.raises(CoalescopeError):
            target_for(SETTING, "eth0", name)
        with pytest.raises(CoalescopeError):
            target_for(SETTING, "eth0", "igb", name)


@pytest.mark.parametrize("driver", [*DRIVERS, None])
@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_shell_can_read_them(driver: str | None, shell: str) -> None:
    for setting in (SETTING, {"delay_ticks": 40}, {"delay_control": "adaptive"}):
        found = commands(setting, driver)
        script = "\n".join([*found.apply, *found.back])
        subprocess.run([shell, "-n"], input=script, text=True, check=True)
