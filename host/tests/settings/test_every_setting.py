# SPDX-License-Identifier: Apache-2.0
"""Every setting that a device has is set, read back and put back; those that it lacks are told."""

import importlib.util
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from coalescope_host.plan.registry import SETTINGS, WORKLOAD_CPUS
from coalescope_host.settings import SettingError, machine, open_saved, places
from coalescope_host.settings.cpus import list_text, mask_text, parse_list, parse_mask
from coalescope_host.settings.device import Device
from coalescope_host.settings.groups import GROUPS, group_of
from coalescope_host.settings.machine import MACHINE
from coalescope_host.settings.places import IdleStates, Irqbalance, KernelFile, NoTurbo
from coalescope_host.settings.places_group import PlacesGroup, idle_state, switch, word
from coalescope_host.settings.rss_table import Rss

PATH = Path(__file__).with_name("other_levels.py")
spec = importlib.util.spec_from_file_location("other_levels", PATH)
assert spec is not None
assert spec.loader is not None
other_levels = importlib.util.module_from_spec(spec)
spec.loader.exec_module(other_levels)


def test_each_row_has_a_group_that_sets_it() -> None:
    for row in SETTINGS:
        group = group_of(row.name)
        if row.name == WORKLOAD_CPUS:
            assert group is None
        else:
            assert group is not None, row.name
            assert group.name == row.group


def is_machines(name: str) -> bool:
    """Whether it concerns all that runs here: set in a guest only."""
    group = group_of(name)
    return group is not None and group.name in ("sysctl", "machine")


def set_and_restore(host: Any, name: str, now: Any) -> str | None:
    """Try another level and put all back; what was wrong."""
    before = json.loads(json.dumps(host.save()))
    refused = []
    for level in other_levels.candidates(name, now):
        try:
            took = host.apply({name: level})
        except SettingError as error:
            refused.append(str(error))
            continue
        finally:
            open_saved(before).restore(before)
            after = json.loads(json.dumps(host.save()))
            assert after == before, f"{name} = {level} was not put back"
        if took == {name: level}:
            return None
        refused.append(f"took {took}")
    return f"{name}: {refused}"


@pytest.mark.network
@pytest.mark.fault("I3")
def test_all_settings_of_a_virtual_interface(namespace: Any) -> None:
    namespace.run("ethtool", "-K", "veth0", "gro", "on")  # with GRO it has NAPIs
    host = namespace.host()
    now = other_levels.settable(host)
    expected = {"mtu_bytes", "queues_rx", "queues_tx", "napi_defer_hard_irqs", "rps_cpus"}
    assert expected <= set(now), sorted(now)
    names = [name for name in now if not name.startswith("offload.") and not is_machines(name)]
    wrong = {name: fault for name in names if (fault := set_and_restore(host, name, now[name]))}
    assert not wrong, json.dumps(wrong, indent=1)


@pytest.mark.network
@pytest.mark.fault("I2")
def test_each_napi_gets_its_own_values_back(namespace: Any) -> None:
    """Writing the interface's value in sysfs overwrites that of each NAPI."""
    namespace.run("ip", "link", "del", "veth0")
    pair = "link add veth0 numrxqueues 2 numtxqueues 2 type veth peer name veth1"
    namespace.run("ip", *pair.split())
    namespace.run("ethtool", "-K", "veth0", "gro", "on")
    namespace.run("ip", "link", "set", "veth0", "up")
    host = namespace.host()
    group = group_of("napi_defer_hard_irqs")
    assert group is not None
    if "napi_defer_hard_irqs[1]" not in group.saved(host.device):
        pytest.skip("this kernel has no napi-set (Linux 6.13)")
    own = {
        "napi_defer_hard_irqs[0]": 3,
        "napi_defer_hard_irqs[1]": 5,
        "gro_flush_timeout_ns[1]": 1 << 33,
        "irq_suspend_timeout_ns[0]": 9000,
        "napi_threaded[1]": True,
    }
    group.write(host.device, own)
    state = json.loads(json.dumps(host.save()))
    assert own.items() <= state["settings"]["napi"].items()
    assert "napi_defer_hard_irqs" not in group.read(host.device), "they differ"
    levels = {
        "napi_defer_hard_irqs": 7,
        "gro_flush_timeout_ns": 20_000,
        "irq_suspend_timeout_ns": 50,
        "napi_threaded": True,
        "napi_cpus": "0",
    }
    assert host.problems(levels) == []
    assert host.apply(levels) == levels
    open_saved(state).restore(state)
    assert json.loads(json.dumps(host.save())) == state


@pytest.mark.network
def test_a_level_that_this_kernel_does_not_know_is_told_before(namespace: Any) -> None:
    namespace.run("ethtool", "-K", "veth0", "gro", "on")
    host = namespace.host()
    problems = host.problems({"napi_threaded": "busy-poll"})
    try:
        took = host.apply({"napi_threaded": "busy-poll"})
    except SettingError:
        assert "this kernel cannot set threaded = busy-poll of a NAPI" in problems[0]
    else:
        assert not problems
        assert took == {"napi_threaded": "busy-poll"}


@pytest.mark.network
def test_what_the_same_cell_brings_about_need_not_be_there(namespace: Any) -> None:
    namespace.run("ethtool", "-K", "veth0", "gro", "on")
    host = namespace.host()
    levels = {"napi_threaded": True, "napi_cpus": "0"}
    assert "there is no NAPI thread" in host.problems({"napi_cpus": "0"})[0]
    assert host.problems(levels) == []
    if "napi_defer_hard_irqs[0]" not in group_of("napi_threaded").saved(host.device):  # type: ignore[union-attr]
        pytest.skip("this kernel has no napi-set (Linux 6.13)")
    assert host.apply(levels) == levels


@pytest.mark.network
def test_what_a_virtual_interface_lacks_is_told(namespace: Any) -> None:
    host = namespace.host("tap0")
    for levels, words in (
        ({"irq_cpus": "0"}, "there is no interrupt of its hardware"),
        ({"rss_queues": 2}, "no indirection table"),
        ({"napi_cpus": "0"}, "there is no NAPI thread"),
        ({"workload_cpus": "4000"}, "CPU 4000 is not online"),
        ({"rps_cpus": "4000"}, "CPU 4000 is not online"),
        ({"rps_cpus": "0;reboot"}, 'must be CPUs such as "0" or "0-3,8"'),
        ({"dim_profile_rx": "_".join(5 * ["1,2,3"])}, "its driver has no rx-profile"),
        ({"offload.hw-tc-offload": True}, "its driver fixes hw-tc-offload at false"),
        ({"offload.rx_udp_tunnel_port_offload": True}, "fixes rx-udp_tunnel-port-offload at false"),
        ({"offload.rx-gro-lst": True}, "lists them. Did you mean rx-gro-list"),
    ):
        problems = host.problems(levels)
        assert len(problems) == 1
        assert words in problems[0], problems


@pytest.mark.network
def test_what_a_driver_shows_and_cannot_set_is_told_before(namespace: Any) -> None:
    """A run would find it; the dry run does, too."""
    host = namespace.host()
    shown = next(g for g in GROUPS if g.name == "rings").read(host.device)
    for name, level in shown.items():
        problems = host.problems({name: level})
        try:
            host.apply({name: other_levels.candidates(name, level)[0]})
        except SettingError as error:
            if "not supported" in str(error):
                assert problems


def test_idle_states_are_left_up_to_one(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / "cpu0" / "cpuidle" / f"state{number}").mkdir(parents=True)
        (tmp_path / "cpu0" / "cpuidle" / f"state{number}" / "disable").write_text("0\n")
    place = IdleStates(tmp_path / "cpu0")
    group = PlacesGroup("machine", {"deepest_idle_state": idle_state(lambda _: [place], "states")})
    device: Any = "eth1"
    assert group.read(device) == {"deepest_idle_state": 3}
    saved = group.saved(device)
    group.write(device, {"deepest_idle_state": 1})
    assert place.read() == "0,0,1,1"
    assert group.read(device) == {"deepest_idle_state": 1}
    place.write("1,0,1,0", "")
    assert group.read(device) == {}, "that is no level"
    group.write(device, saved)
    assert place.read() == "0,0,0,0"


def test_turbo_is_the_opposite_of_no_turbo(tmp_path: Path) -> None:
    (tmp_path / "no_turbo").write_text("0\n")
    (tmp_path / "boost").write_text("1\n")
    places = [NoTurbo(tmp_path / "no_turbo"), KernelFile(tmp_path / "boost")]
    group = PlacesGroup("machine", {"turbo": switch(lambda _: places, "turbo")})
    device: Any = "eth1"
    assert group.read(device) == {"turbo": True}
    saved = group.saved(device)
    group.write(device, {"turbo": False})
    assert (tmp_path / "no_turbo").read_text() == "1"
    assert (tmp_path / "boost").read_text() == "0"
    (tmp_path / "boost").write_text("1\n")
    assert group.read(device) == {}, "they differ"
    group.write(device, saved)
    assert [(tmp_path / name).read_text() for name in ("no_turbo", "boost")] == ["0", "1"]


def test_each_processor_gets_its_own_governor_back(tmp_path: Path) -> None:
    files = [tmp_path / policy / "scaling_governor" for policy in ("policy0", "policy1")]
    for file, governor in zip(files, ("powersave", "schedutil"), strict=True):
        file.parent.mkdir()
        file.write_text(f"{governor}\n")
        file.with_name("scaling_available_governors").write_text(
            "performance powersave schedutil\n"
        )
    places = [KernelFile(file) for file in files]
    governor = word("governor", lambda _: places, "governors", machine._unknown_governor)
    group = PlacesGroup("machine", {"governor": governor})
    device: Any = "eth1"
    assert group.read(device) == {}, "they differ"
    saved = group.saved(device)
    assert group.problem(device, "governor", "performance") is None
    assert "there are performance, powersave, schedutil" in (
        group.problem(device, "governor", "fastest") or ""
    )
    group.write(device, {"governor": "performance"})
    assert group.read(device) == {"governor": "performance"}
    group.write(device, saved)
    assert [file.read_text() for file in files] == ["powersave", "schedutil"]


@pytest.mark.skipif(os.geteuid() != 0, reason="pauses a process of another session")
def test_irqbalance_is_paused_and_goes_on(tmp_path: Path) -> None:
    if "T" in [state for _, state in Irqbalance()._processes()] or Irqbalance().read() == "1":
        pytest.skip("an irqbalance runs here")
    device: Any = "eth1"
    program = tmp_path / "irqbalance"
    program.symlink_to("/bin/sleep")
    process = subprocess.Popen([program, "60"])
    try:
        deadline = time.monotonic() + 10
        while Irqbalance().read() != "1" and time.monotonic() < deadline:
            time.sleep(0.02)
        saved = MACHINE.saved(device)
        MACHINE.write(device, {"irqbalance": False})
        assert MACHINE.read(device)["irqbalance"] is False
        MACHINE.write(device, {"irqbalance[0]": saved["irqbalance[0]"]})
        assert MACHINE.read(device)["irqbalance"] is True
    finally:
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait()
    assert MACHINE.read(device)["irqbalance"] is False
    assert "does not run" in (MACHINE.problem(device, "irqbalance", True) or "")


@pytest.mark.parametrize(
    ("text", "cpus", "mask"),
    [
        ("0", [0], "00000001"),
        ("0-3,8", [0, 1, 2, 3, 8], "0000010f"),
        ("none", [], "00000000"),
        ("1,40", [1, 40], "00000100,00000002"),
    ],
)
def test_sets_of_cpus(text: str, cpus: list[int], mask: str) -> None:
    assert parse_list(text) == cpus
    assert list_text(cpus) == text
    assert mask_text(cpus) == mask
    assert parse_mask(mask) == cpus


def test_a_range_that_runs_backwards_is_no_set_of_cpus() -> None:
    with pytest.raises(ValueError, match="3-1"):
        parse_list("0,3-1")


def test_an_irqbalance_that_ends_meanwhile_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is listed under its name, and gone when its state is read."""
    names = {"comm": "irqbalance", "stat": None}
    monkeypatch.setattr(places, "_read", lambda path: names[path.name])
    assert Irqbalance().read() == "0"
    assert Irqbalance().refusal() is not None


def test_an_irqbalance_is_paused_once_it_has_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that waits for a busy CPU heeds the signal later."""
    states = iter("SRRRT")
    sent = []
    monkeypatch.setattr(os, "kill", lambda _, number: sent.append(number))
    monkeypatch.setattr(Irqbalance, "_processes", lambda _: [(1, next(states, "T"))])
    Irqbalance().write("0", "irqbalance")
    assert sent == [signal.SIGSTOP]
    assert Irqbalance().read() == "0"


def test_an_uneven_table_is_no_number_of_queues() -> None:
    assert Rss((0, 1, 2, 0, 1, 2), b"", 1, 0).queues == 3
    assert Rss((0, 0, 0), b"", 1, 0).queues == 1
    assert Rss((0, 0, 0, 1, 1), b"", 1, 0).queues == 2, "in blocks, as igb fills it"
    assert Rss((0, 0, 0, 1), b"", 1, 0).queues is None
    assert Rss((1, 1, 2, 2), b"", 1, 0).queues is None
    assert Rss((), b"", 1, 0).queues is None


HANDLERS = """\
           CPU0       CPU1
 11:         10          0   IO-APIC  11-fasteoi   virtio1, eth4
 24:          0         10   PCI-MSI 65536-edge      virtio10-input.0
 25:          0         10   PCI-MSI 81920-edge      eth40
NMI:          0          0   Non-maskable interrupts
"""


@pytest.mark.parametrize(
    ("bus", "folder", "files", "expected"),
    [
        ("pci", "0000:00:04.0", {"msi_irqs/27": "", "msi_irqs/26": "", "irq": "10"}, [26, 27]),
        ("pci", "0000:00:04.0", {"irq": "11", "../msi_irqs/24": ""}, [11]),  # the bridge's is not
        ("pci", "0000:00:04.0", {"irq": "0"}, []),
        ("virtio", "virtio1", {"../msi_irqs/26": "", "../irq": "10"}, [26]),
        ("virtio", "virtio1", {"../irq": "10"}, [10, 11]),
        ("virtio", "virtio1", {}, [11]),  # as on no PCI
    ],
)
def test_interrupts_of_a_card(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    bus: str,
    folder: str,
    files: dict[str, str],
    expected: list[int],
) -> None:
    """Message-signalled, or INTx, or by the name of their handler."""
    hardware = tmp_path / "devices" / folder
    hardware.mkdir(parents=True)
    (tmp_path / bus).mkdir()
    (hardware / "subsystem").symlink_to(tmp_path / bus)
    for name, content in files.items():
        path = (hardware / name).resolve()
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
    (tmp_path / "interrupts").write_text(HANDLERS)
    monkeypatch.setattr(machine, "HANDLERS", tmp_path / "interrupts")
    monkeypatch.setattr(Device, "hardware", lambda _: hardware)
    assert machine.interrupt_numbers(Device("eth9")) == expected
