# SPDX-License-Identifier: Apache-2.0
"""What beside the interface decides how a run goes: who works on which CPU, and how fast those are.

Steering of packets (RPS, XPS, RFS), limits of the network stack (sysctl), the CPUs of interrupts
and of NAPI threads, and frequency and sleep of the processors. All of it is the whole machine's,
save steering and interrupts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ..plan.registry import SETTINGS
from .device import Device
from .level import Level
from .napi import answers
from .places import DeviceFile, IdleStates, Irqbalance, KernelFile, NoTurbo, Place, ThreadAffinity
from .places_group import (
    PlacesGroup,
    Spread,
    cpu_list,
    cpu_mask,
    idle_state,
    number,
    switch,
    word,
)

CPUS = Path("/sys/devices/system/cpu")
CORE = Path("/proc/sys/net/core")
INTERRUPTS = Path("/proc/irq")
HANDLERS = Path("/proc/interrupts")


def _queue_files(attribute: str, device: Device) -> Sequence[Place]:
    kind = "tx-" if attribute.startswith("xps") else "rx-"
    queues = [name for name in device.sysfs_names("queues") if name.startswith(kind)]
    queues.sort(key=lambda name: int(name.removeprefix(kind)))
    files = (DeviceFile(device, f"queues/{queue}/{attribute}") for queue in queues)
    return [file for file in files if file.read() is not None]


def _files(folder: Path, pattern: str, _: Device) -> Sequence[Place]:
    return [KernelFile(path) for path in sorted(folder.glob(pattern))]


def interrupt_numbers(device: Device) -> list[int]:
    """The interrupts of the interface's hardware; a virtio device has those of what it is on."""
    hardware = device.hardware()
    if hardware is None:
        return []
    on_pci = (hardware / "subsystem").resolve().name == "pci"
    folder = hardware if on_pci else hardware.parent
    if messages := list((folder / "msi_irqs").glob("[0-9]*")):
        return sorted(int(entry.name) for entry in messages)
    line = KernelFile(folder / "irq").read()
    numbers = {int(line)} if line is not None and line.isdecimal() and line != "0" else set()
    names = [device.name] if on_pci else [device.name, hardware.name]
    return sorted(numbers | _handled(names))


def _handled(names: Sequence[str]) -> set[int]:
    """The interrupts whose handlers have such a name."""
    found = set()
    for line in (KernelFile(HANDLERS).read() or "").splitlines():
        number, _, rest = line.strip().partition(":")
        handlers = rest.rpartition("  ")[2]
        if number.isdecimal() and any(
            re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", handlers) for name in names
        ):
            found.add(int(number))
    return found


def _interrupts(device: Device) -> Sequence[Place]:
    files = (
        KernelFile(INTERRUPTS / str(number) / "smp_affinity_list")
        for number in interrupt_numbers(device)
    )
    return [file for file in files if file.path.exists()]


def _napi_threads(device: Device) -> Sequence[Place]:
    pids = [answer.get_attr("NETDEV_A_NAPI_PID") for answer in answers(device)]
    return [ThreadAffinity(int(pid)) for pid in pids if pid]


def _turbo(_: Device) -> Sequence[Place]:
    if (CPUS / "intel_pstate" / "no_turbo").exists():
        return [NoTurbo(CPUS / "intel_pstate" / "no_turbo")]
    whole = [CPUS / "cpufreq" / "boost"]
    each = sorted((CPUS / "cpufreq").glob("policy*/boost"))
    return [KernelFile(path) for path in (whole if whole[0].exists() else each)]


def _idle_states(_: Device) -> Sequence[Place]:
    cpus = [path for path in CPUS.glob("cpu[0-9]*") if (path / "cpuidle" / "state0").exists()]
    return [IdleStates(path) for path in sorted(cpus, key=lambda path: int(path.name[3:]))]


def _unknown_governor(level: Level, places: Sequence[Place]) -> str | None:
    for place in places:
        assert isinstance(place, KernelFile)
        known = KernelFile(place.path.with_name("scaling_available_governors")).read()
        if known is not None and level not in known.split():
            return f"there are {', '.join(known.split())}"
    return None


def _not_balancing(level: Level, _: Sequence[Place]) -> str | None:
    return Irqbalance().refusal() if level else None


def _sysctls() -> dict[str, Spread]:
    return {
        row.name: number(
            partial(_files, CORE, row.attribute),
            f"{row.word} in this kernel, or in this network namespace",
        )
        for row in SETTINGS
        if row.group == "sysctl"
    }


STEERING = PlacesGroup(
    "steering",
    {
        "rps_cpus": cpu_mask(partial(_queue_files, "rps_cpus"), "receive queue with rps_cpus"),
        "xps_cpus": cpu_mask(
            partial(_queue_files, "xps_cpus"), "transmit queue with xps_cpus: one queue has none"
        ),
        "rps_flows": number(
            partial(_queue_files, "rps_flow_cnt"), "receive queue with rps_flow_cnt"
        ),
    },
)
SYSCTL = PlacesGroup("sysctl", _sysctls())
AFFINITY = PlacesGroup(
    "interrupts",
    {
        "irq_cpus": cpu_list(_interrupts, "interrupt of its hardware in /proc/irq"),
        "napi_cpus": cpu_list(
            _napi_threads, "NAPI thread of it: it needs napi_threaded = true, and Linux 6.13"
        ),
    },
)
MACHINE = PlacesGroup(
    "machine",
    {
        "governor": word(
            "governor",
            partial(_files, CPUS / "cpufreq", "policy*/scaling_governor"),
            "scaling_governor: the firmware or the hypervisor sets the frequency",
            _unknown_governor,
        ),
        "turbo": switch(_turbo, "switch for turbo in /sys/devices/system/cpu"),
        "deepest_idle_state": idle_state(_idle_states, "idle state in /sys/devices/system/cpu"),
        "irqbalance": switch(lambda _: [Irqbalance()], "/proc", _not_balancing),
    },
)
