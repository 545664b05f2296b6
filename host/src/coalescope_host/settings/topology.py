# SPDX-License-Identifier: Apache-2.0
"""What stands on an interface: VLANs, macvlans, a bond or a bridge that it is a part of.

The kernel makes them smaller with it, and takes IPv6 away from those that get below 1280 bytes; it
gives nothing back. What cannot be put back afterwards is told beforehand.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypedDict

from .attached import xdp
from .device import NAMED_NAMESPACES, Device
from .errors import SettingError
from .link import LinkState, restore_link, save_link
from .netlink import IPRoute, NetlinkError

STACKED = frozenset({"vlan", "macvlan", "macvtap", "ipvlan", "ipvtap", "macsec", "gtp"})
"""Kinds of interfaces that have their lower one in IFLA_LINK."""
NO_LARGER = frozenset({"vlan", "macvlan", "macvtap"})
"""Those of them that the kernel lets have no larger MTU (net/8021q, drivers/net/macvlan.c)."""


class UpperState(TypedDict):
    """One interface that stands on another, as JSON."""

    interface: str
    mtu_bytes: int
    link: LinkState


def upper_indices(index: int, links: Sequence[Any]) -> list[int]:
    """The interface itself and all that stand on it, each after what it stands on."""
    found: list[int] = []
    waiting = [index]
    while waiting:
        lower = waiting.pop(0)
        if lower in found:
            continue
        found.append(lower)
        waiting += [link["index"] for link in links if _stands_on(link, lower)]
        waiting += [
            link.get_attr("IFLA_MASTER")
            for link in links
            if link["index"] == lower and link.get_attr("IFLA_MASTER")
        ]
    return found


def uppers(device: Device) -> list[Device]:
    """The interfaces that stand on it in its own namespace, the lower ones first."""
    links = device.routing(lambda ip: list(ip.get_links()), "interfaces cannot be listed")
    names = {link["index"]: str(link.get_attr("IFLA_IFNAME")) for link in links}
    found = upper_indices(device.index(), links)[1:]
    return [Device(names[index], device.netns) for index in found]


def below(device: Device) -> Any | None:
    """The interface that a VLAN or a macvlan stands on, in its own namespace; else None.

    These take no MTU above that of what they stand on.
    """
    links = device.routing(lambda ip: list(ip.get_links()), "interfaces cannot be listed")
    own = next(link for link in links if link.get_attr("IFLA_IFNAME") == device.name)
    if _kind(own) not in NO_LARGER:
        return None
    return next((link for link in links if _stands_on(own, link["index"])), None)


def stacked(device: Device) -> list[str]:
    """Those that vanish with it, by name; a bond or a bridge stays."""
    index = device.index()
    links = device.routing(lambda ip: list(ip.get_links()), "interfaces cannot be listed")
    return [str(link.get_attr("IFLA_IFNAME")) for link in links if _stands_on(link, index)]


def save_uppers(device: Device) -> list[UpperState]:
    """How those that stand on it are now."""
    return [
        UpperState(
            interface=upper.name,
            mtu_bytes=int(upper.link().get_attr("IFLA_MTU")),
            link=save_link(upper),
        )
        for upper in uppers(device)
    ]


def restore_uppers(netns: str | None, saved: Sequence[UpperState]) -> list[str]:
    """Put back their MTU and what hung on them; what could not be put back."""
    failures: list[str] = []
    for state in saved:
        upper = Device(state["interface"], netns)
        try:
            failures += _restore_upper(upper, state)
        except SettingError as error:
            failures.append(f"{error}. It stood on the interface, with MTU {state['mtu_bytes']}")
    return failures


def _restore_upper(upper: Device, state: UpperState) -> list[str]:
    mtu_bytes = state["mtu_bytes"]
    if upper.link().get_attr("IFLA_MTU") != mtu_bytes:
        upper.change_link(f"MTU {mtu_bytes} cannot be put back", mtu=mtu_bytes)
    return restore_link(upper, state["link"])


def strangers(device: Device) -> list[str]:
    """Interfaces of other namespaces, a container's macvlan say, that stand on it.

    They shrink with it, and are out of sight for the restore.
    """
    index = device.index()
    found = []
    with _opened(device.namespace) as here:
        for path in _namespaces(os.fstat(here).st_ino):
            with (
                suppress(OSError, NetlinkError),
                _opened(path) as held,
                closing(IPRoute(netns=f"/proc/{os.getpid()}/fd/{held}", flags=0)) as there,
            ):
                # the number by which it knows this namespace; in others the index is another link's
                known_as = there.get_netnsid(fd=here)["nsid"]
                found += [
                    f"{link.get_attr('IFLA_IFNAME')} of namespace {path}"
                    for link in there.get_links()
                    if link.get_attr("IFLA_LINK") == index
                    and link.get_attr("IFLA_LINK_NETNSID") == known_as
                    and _kind(link) in STACKED
                ]
    return found


@contextmanager
def _opened(path: str | Path) -> Iterator[int]:
    """A namespace, which stays when the process that it was found by ends."""
    opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield opened
    finally:
        os.close(opened)


def _namespaces(own: int) -> Iterator[str]:
    """A path of each network namespace but the interface's own."""
    seen = {own}
    named = sorted(NAMED_NAMESPACES.iterdir()) if NAMED_NAMESPACES.is_dir() else []
    processes = (entry / "ns" / "net" for entry in Path("/proc").glob("[0-9]*"))
    for path in (*named, *processes):
        with suppress(OSError):
            if (inode := path.stat().st_ino) not in seen:
                seen.add(inode)
                yield str(path)


def _stands_on(link: Any, lower: int) -> bool:
    if link.get_attr("IFLA_LINK") != lower or link.get_attr("IFLA_LINK_NETNSID") is not None:
        return False
    return _kind(link) != "veth"  # its IFLA_LINK is its other end


def _kind(link: Any) -> str | None:
    information = link.get_attr("IFLA_LINKINFO")
    return None if information is None else information.get_attr("IFLA_INFO_KIND")


def attached_programs(device: Device) -> list[str]:
    """XDP and tc programs, and queueing disciplines that somebody chose: a reload loses them."""
    found = ["an XDP program"] if xdp(device) else []
    index = device.index()
    listed = device.routing(lambda ip: list(ip.get_qdiscs(index)), "queueing cannot be read")
    found += [
        f"a queueing discipline ({qdisc.get_attr('TCA_KIND')})"
        for qdisc in listed
        if qdisc["index"] == index and qdisc["handle"]  # the kernel's own have the handle 0
    ]
    return found
