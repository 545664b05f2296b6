# SPDX-License-Identifier: Apache-2.0
"""What of kernel and machine explains why two hosts differ, by the names of a run log.

The logger records the same of the host under test (docs/run-log-format.md, Environment).
"""

from __future__ import annotations

import os
import platform
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coalescope_host.settings.cpus import parse_list
from coalescope_host.settings.program import output

_SYSTEM = Path("/sys/devices/system")
_CPUS = _SYSTEM / "cpu"
_FIRMWARE = Path("/sys/class/dmi/id")
_OF_FIRMWARE = {
    "vendor": "sys_vendor",
    "machine": "product_name",
    "machine_version": "product_version",
    "firmware_version": "bios_version",
}
_HYPERVISORS = {"microsoft": "hyper-v", "qemu": "qemu-tcg", "oracle": "virtualbox"}
"""lscpu's names → those of a run log, where they differ."""
_PREEMPTION = re.compile(r"PREEMPT_RT|PREEMPT_DYNAMIC|PREEMPT_LAZY|PREEMPT")


def machine_facts() -> Mapping[str, Any]:
    """What can be found out; what cannot is left out."""
    found = {
        "kernel_version": platform.release(),
        "architecture": platform.machine(),
        "operating_system": _operating_system(),
        "cpu_model": _cpu_model(),
        "cpus": _cpus_online(),
        "hardware": _line(_FIRMWARE / "product_name"),
        "clock_source": _line(_SYSTEM / "clocksource/clocksource0/current_clocksource"),
        "idle_driver": _line(_CPUS / "cpuidle/current_driver"),
        "kernel_command_line": _line(Path("/proc/cmdline")),
        "mitigations": _mitigations(),
        "preemption": _preemption(),
        "aspm_policy": _bracketed(Path("/sys/module/pcie_aspm/parameters/policy"), "[]"),
        "governors": _governors(),
        "virtual_machine": _virtual_machine(),
    }
    return {name: value for name, value in found.items() if value not in (None, {}, "")}


def boot_id() -> str | None:
    """One for all that shares this machine's processors, until it is started again."""
    return _line(Path("/proc/sys/kernel/random/boot_id"))


def _line(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip().partition("\n")[0]
    except OSError:
        return None


def _values(path: Path, name: str, separator: str) -> list[str]:
    """The values of a name in a file of lines NAME SEPARATOR VALUE."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    lines = (line.partition(separator) for line in text.splitlines())
    return [value.strip() for key, _, value in lines if key.strip() == name]


def _operating_system() -> str | None:
    found = _values(Path("/etc/os-release"), "PRETTY_NAME", "=")
    return found[0].strip('"') if found else None


def _cpu_model() -> str | None:
    return next(iter(_values(Path("/proc/cpuinfo"), "model name", ":")), None)


def _cpus_online() -> int | None:
    text = _line(_CPUS / "online")
    return len(parse_list(text)) if text else None


def _mitigations() -> dict[str, str]:
    """By weakness, as the kernel words it."""
    lines = {path.name: _line(path) for path in sorted((_CPUS / "vulnerabilities").glob("*"))}
    return {name: line for name, line in lines.items() if line}


def _preemption() -> str | None:
    """The model in force where root may see it, else the word in the kernel's version."""
    in_force = _bracketed(Path("/sys/kernel/debug/sched/preempt"), "()")
    word = _PREEMPTION.search(os.uname().version)
    return in_force or (word[0] if word else None)


def _bracketed(path: Path, brackets: str) -> str | None:
    """The word in brackets, which is how the kernel shows a choice."""
    first, last = map(re.escape, brackets)
    found = re.search(f"{first}([^{last}]*){last}", _line(path) or "")
    return found[1] if found else None


def _governors() -> dict[str, int]:
    """How many processors have which governor; none where their frequency is not the kernel's."""
    lines = map(_line, _CPUS.glob("cpu[0-9]*/cpufreq/scaling_governor"))
    return dict(Counter(filter(None, lines)))


def _virtual_machine() -> dict[str, str]:
    """What the processor, which lscpu asks, and the firmware say where a hypervisor is."""
    lines = (
        line.partition(":") for line in (output(["env", "LC_ALL=C", "lscpu"]) or "").splitlines()
    )
    named = [value.strip().lower() for name, _, value in lines if name == "Hypervisor vendor"]
    if not named:
        return {}
    told = {name: _line(_FIRMWARE / file) for name, file in _OF_FIRMWARE.items()}
    found = {"hypervisor": _HYPERVISORS.get(named[0], named[0]), **told}
    return {name: line for name, line in found.items() if line}
