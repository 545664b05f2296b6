# SPDX-License-Identifier: Apache-2.0
"""What surrounds a measurement at a peer: half of a round trip is its."""

import platform
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..settings import Host

_GOVERNORS = "/sys/devices/system/cpu"


def environment(host: Host | None) -> Mapping[str, Any]:
    """This host's kernel and processors and, where an interface is known, its driver and settings.

    Without the MTU, which the sweep sets for each run.
    """
    found: dict[str, Any] = {
        "kernel_version": platform.release(),
        "architecture": platform.machine(),
        "cpu_model": _cpu_model(),
        "governors": _governors(),
    }
    if host is not None:
        settings = dict(host.save()["settings"])
        settings.pop("mtu", None)
        found |= {**host.facts(), **settings}
    return {name: value for name, value in found.items() if value not in (None, {}, "")}


def _cpu_model() -> str | None:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    lines = (line.partition(":") for line in text.splitlines())
    return next((value.strip() for name, _, value in lines if name.strip() == "model name"), None)


def _governors() -> dict[str, int]:
    """How many processors have which governor; none where their frequency is not the kernel's."""
    counted: Counter[str] = Counter()
    for path in Path(_GOVERNORS).glob("cpu[0-9]*/cpufreq/scaling_governor"):
        try:
            counted[path.read_text(encoding="ascii").strip()] += 1
        except OSError:
            continue
    return dict(counted)
