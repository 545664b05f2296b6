# SPDX-License-Identifier: Apache-2.0
"""What surrounds a measurement at a peer: half of a round trip is its."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..settings import Host
from ..settings.attached import tc_programs, xdp
from ..settings.device import Device
from ..settings.driver_versions import driver_versions
from ..settings.groups import GROUPS, OF_THE_MACHINE
from .machine_facts import machine_facts

OF_THE_LINK = {
    "numa_node": "device/numa_node",
    "tx_queue_length": "tx_queue_len",
    "duplex": "duplex",
}


def environment(host: Host | None) -> Mapping[str, Any]:
    """This host's kernel, machine and what is set of it as a whole (sysctls, turbo, idle states,
    irqbalance) and, where an interface is known, its driver and settings.

    Without the MTU, which the sweep sets for each run. The settings are by group, as a restore has
    them: RPS and XPS are `steering`, rings `rings`, and so on.
    """
    if host is not None:
        return {**machine_facts(), **_of_interface(host)}
    anyone = Device("lo")  # these are the same of each interface
    whole = {g.name: g.saved(anyone) for g in GROUPS if g.name in OF_THE_MACHINE}
    return {**machine_facts(), **{name: levels for name, levels in whole.items() if levels}}


def _of_interface(host: Host) -> Mapping[str, Any]:
    settings = dict(host.save()["settings"])
    settings.pop("mtu", None)
    link = {name: _number_or_text(host.device.sysfs(file)) for name, file in OF_THE_LINK.items()}
    if link["numa_node"] == -1:  # the firmware does not say
        del link["numa_node"]
    attached = {"xdp": xdp(host.device), "tc_programs": tc_programs(host.device)}
    found = {**host.facts(), **driver_versions(host.device), **settings, **link, **attached}
    return {name: value for name, value in found.items() if value not in (None, {}, [], "")}


def _number_or_text(text: str | None) -> int | str | None:
    return int(text) if text is not None and text.lstrip("-").isdecimal() else text
