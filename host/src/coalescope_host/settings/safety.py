# SPDX-License-Identifier: Apache-2.0
"""Which interfaces are not to be touched: changing them may cut off whoever does it."""

import ipaddress
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from .device import Device
from .errors import SettingError

IFF_LOOPBACK = 0x8
UNICAST = 1
HALF = 1
"""A prefix this short is a default route, or one of the two halves that VPNs make of it."""


def refusals(interface: str, netns: str | None = None) -> list[str]:
    """Why the interface should not be swept; empty if nothing speaks against it.

    An interface that others stand on (bond, bridge, VLAN) is refused for their sake.
    """
    device = Device(interface, netns)
    if not device.exists():
        return []  # that is told as a problem
    links = device.routing(lambda ip: list(ip.get_links()), "interfaces cannot be listed")
    by_index = {link["index"]: str(link.get_attr("IFLA_IFNAME")) for link in links}
    own = device.link()
    if own["flags"] & IFF_LOOPBACK:
        return [f"{device} is the loopback interface: it has no interrupts and no driver"]
    concerned = _with_uppers(own["index"], links)
    found = []
    for index in _default_routes(device):
        if index in concerned:
            found.append(f"the default route goes through {_named(device, by_index[index])}")
    for index, why in _ssh_interfaces(device):
        if index in concerned:
            found.append(f"{why} {_named(device, by_index[index])}")
    return list(dict.fromkeys(found))


def _named(device: Device, name: str) -> str:
    return str(device) if name == device.name else f"{name}, which stands on {device}"


def _with_uppers(index: int, links: Sequence[Any]) -> set[int]:
    """The interface and all that stand on it."""
    found, waiting = set[int](), [index]
    while waiting:
        lower = waiting.pop()
        if lower in found:
            continue
        found.add(lower)
        waiting += [link["index"] for link in links if _stands_on(link, lower)]
        waiting += [
            link.get_attr("IFLA_MASTER")
            for link in links
            if link["index"] == lower and link.get_attr("IFLA_MASTER")
        ]
    return found


def _stands_on(link: Any, lower: int) -> bool:
    if link.get_attr("IFLA_LINK") != lower or link.get_attr("IFLA_LINK_NETNSID") is not None:
        return False
    information = link.get_attr("IFLA_LINKINFO")
    kind = None if information is None else information.get_attr("IFLA_INFO_KIND")
    return kind != "veth"  # its IFLA_LINK is its other end


def _default_routes(device: Device) -> set[int]:
    """The interfaces of all default routes, of both families and every table."""
    routes = device.routing(lambda ip: list(ip.get_routes()), "routes cannot be read")
    found = set[int]()
    for route in routes:
        if route["dst_len"] > HALF or route["type"] != UNICAST:
            continue
        hops = [hop["oif"] for hop in route.get_attr("RTA_MULTIPATH") or ()]
        found |= {index for index in [route.get_attr("RTA_OIF"), *hops] if index}
    return found


def _ssh_interfaces(device: Device) -> Iterable[tuple[int, str]]:
    """The interfaces that the ssh session uses which this process runs in."""
    session = _ssh_connection()
    if session is None:
        return
    client, server = session
    for entry in device.routing(lambda ip: list(ip.get_addr()), "addresses cannot be read"):
        if _same(entry.get_attr("IFA_LOCAL") or entry.get_attr("IFA_ADDRESS"), server):
            yield entry["index"], "this ssh session came in on"
    try:
        routes = device.routing(lambda ip: list(ip.route("get", dst=client)), "no route")
    except SettingError:
        return
    for route in routes:
        if index := route.get_attr("RTA_OIF"):
            yield index, "this ssh session goes out through"


def _ssh_connection() -> tuple[str, str] | None:
    """Addresses of client and server of the ssh session; sudo hides them from us, not from root."""
    environments = [os.environ.get("SSH_CONNECTION")]
    environments += [_environment(pid).get("SSH_CONNECTION") for pid in _ancestors()]
    for text in environments:
        words = (text or "").split()
        if len(words) == 4:
            return _plain(words[0]), _plain(words[2])
    return None


def _ancestors() -> list[int]:
    found: list[int] = []
    pid = os.getppid()
    while pid > 1 and pid not in found:
        found.append(pid)
        try:
            status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            break
        pid = int(status.rpartition(")")[2].split()[1])
    return found


def _environment(pid: int) -> dict[str, str]:
    try:
        content = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return {}
    entries = (entry.partition("=") for entry in content.decode("utf-8", "replace").split("\0"))
    return {name: value for name, _, value in entries if name}


def _plain(address: str) -> str:
    """Without zone, and an IPv4 address as such where sshd wrote it as IPv6."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    mapped = getattr(parsed, "ipv4_mapped", None)
    return str(mapped or parsed)


def _same(one: object, other: str) -> bool:
    return isinstance(one, str) and _plain(one) == other
