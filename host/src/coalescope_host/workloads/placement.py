# SPDX-License-Identifier: Apache-2.0
"""On which processors the command of a run works."""

from dataclasses import replace
from pathlib import Path

from coalescope_host.plan.factor_rule import cpus_of

from .traffic import Traffic, WorkloadError

ONLINE = Path("/sys/devices/system/cpu/online")


def pinned(traffic: Traffic, cpus: str) -> Traffic:
    """The same traffic, its command on these processors only.

    Raises:
        WorkloadError: if one of them is not online: the kernel would leave it out without a word.
    """
    online = ONLINE.read_text(encoding="ascii").strip()
    if not cpus_of(cpus) <= cpus_of(online):
        raise WorkloadError(f"the workload cannot run on CPUs {cpus}: those online are {online}.")
    command = ["taskset", "--cpu-list", cpus, *traffic.command]
    return replace(traffic, command=command, programs=["taskset", *traffic.programs], cpus=cpus)
