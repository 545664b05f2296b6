# SPDX-License-Identifier: Apache-2.0
"""Programs that see an interface's packets before the stack does, or after it: each costs time."""

import ctypes
import platform
import struct
from collections.abc import Iterator
from typing import Any

from .device import Device
from .errors import SettingError

_MODES = {
    "xdp": "native",
    "xdpgeneric": "generic",
    "xdpoffload": "offload",
    "xdpmulti": "several",
}
"""pyroute2's word, which is `ip link`'s → that of a run log."""
_PARENTS = {"ingress": 0xFFFFFFF2, "egress": 0xFFFFFFF3}
"""Of clsact: TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS), and so on."""
_TCX = {"ingress": 46, "egress": 47}
"""BPF_TCX_INGRESS and BPF_TCX_EGRESS."""
_BPF = {"x86_64": 321, "aarch64": 280}
"""The number of bpf(2)."""
_PROG_QUERY = 16
_QUERY = struct.Struct("=IIIIQIIQQQQ")
_MOST_PROGRAMS = 64


def xdp(device: Device) -> dict[str, Any]:
    """The attached XDP program: `mode` and `program_id`; empty where there is none."""
    attached = device.link().get_attr("IFLA_XDP")
    mode = None if attached is None else _MODES.get(attached.get_attr("IFLA_XDP_ATTACHED"))
    if mode is None:
        return {}
    program = attached.get_attr("IFLA_XDP_PROG_ID")
    return {"mode": mode, "program_id": program} if program else {"mode": mode}


def tc_programs(device: Device) -> list[dict[str, Any]]:
    """Filters of clsact and programs of tcx: `direction`, `kind`, of the latter `program_id`."""
    index = device.index()
    return [
        {"direction": direction, **program}
        for direction in _PARENTS
        for program in (*_filters(device, index, direction), *_tcx(device, index, direction))
    ]


def _filters(device: Device, index: int, direction: str) -> Iterator[dict[str, Any]]:
    parent = _PARENTS[direction]
    try:
        listed = device.routing(
            lambda ip: list(ip.get_filters(index=index, parent=parent)), "filters cannot be read"
        )
    except SettingError:
        return  # a kernel without traffic control
    for entry in listed:
        if entry.get_attr("TCA_OPTIONS") is not None:  # else it is only the head of some
            yield {"kind": str(entry.get_attr("TCA_KIND"))}


def _tcx(device: Device, index: int, direction: str) -> Iterator[dict[str, Any]]:
    """What is attached without a qdisc (Linux 6.6 or newer). Root is told, and in its namespace."""
    number = _BPF.get(platform.machine())
    if number is None or device.netns is not None:
        return
    programs = (ctypes.c_uint32 * _MOST_PROGRAMS)()
    asked = (index, _TCX[direction], 0, 0, ctypes.addressof(programs), _MOST_PROGRAMS)
    query = ctypes.create_string_buffer(_QUERY.pack(*asked, 0, 0, 0, 0, 0), _QUERY.size)
    if ctypes.CDLL(None).syscall(number, _PROG_QUERY, query, _QUERY.size):
        return
    count = _QUERY.unpack(query.raw)[5]
    yield from ({"kind": "tcx", "program_id": programs[place]} for place in range(count))
