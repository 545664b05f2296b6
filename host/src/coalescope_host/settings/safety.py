# SPDX-License-Identifier: Apache-2.0
"""Which interfaces are not to be touched: changing them may cut off whoever does it."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..plan.plan import PeerSpec
from .device import Device
from .errors import SettingError
from .program import output
from .topology import strangers, upper_indices

IFF_LOOPBACK = 0x8
UNICAST = 1
MOST_JUMPS = 8
HALF = 1
"""A prefix this short is a default route, or one of the two halves that VPNs make of it."""


def refusals(interface: str, netns: str | None = None, peers: Sequence[PeerSpec] = ()) -> list[str]:
    """Why the interface should not be swept; empty if nothing speaks against it.

    An interface that others stand on (bond, bridge, VLAN) is refused where they are needed, or
    cannot be put back. `peers`: whom ssh leads to from here.
    """
    device = Device(interface, netns)
    if not device.exists():
        return []  # that is told as a problem
    links = device.routing(lambda ip: list(ip.get_links()), "interfaces cannot be listed")
    by_index = {link["index"]: str(link.get_attr("IFLA_IFNAME")) for link in links}
    own = device.link()
    if own["flags"] & IFF_LOOPBACK:
        return [f"{device} is the loopback interface: it has no interrupts and no driver"]
    concerned = set(upper_indices(own["index"], links))
    found = []
    for index in _default_routes(device):
        if index in concerned:
            found.append(f"the default route goes through {_named(device, by_index[index])}")
    for index, why in _ssh_interfaces(device):
        if index in concerned:
            found.append(f"{why} {_named(device, by_index[index])}: come in over another link")
    for peer in peers:
        for index in _ways_to(device, peer):
            if index in concerned:
                way = f"ssh to {peer.ssh} goes through {_named(device, by_index[index])}"
                found.append(f"{way}: reach it over another link")
    found += [
        f"{stranger} stands on {device}: its MTU would shrink, and could not be put back"
        for stranger in strangers(device)
    ]
    return list(dict.fromkeys(found))


def _named(device: Device, name: str) -> str:
    return str(device) if name == device.name else f"{name}, which stands on {device}"


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
    for index in _ways_out(device, client):
        yield index, "this ssh session goes out through"


def _ways_to(device: Device, peer: PeerSpec) -> Iterable[int]:
    """The interfaces that ssh to a peer goes out through, as ssh's own configuration has it."""
    name = _first_hop([*peer.ssh_options, peer.ssh])
    try:
        addresses = {str(found[4][0]) for found in socket.getaddrinfo(name, None)}
    except OSError:
        return  # it cannot be reached, which is told by whoever connects
    for address in sorted(addresses):
        yield from _ways_out(device, _plain(address))


def _first_hop(words: Sequence[str], jumps: int = MOST_JUMPS) -> str:
    """The host that ssh connects to first: the one that it is asked for, or where it jumps."""
    settings = output(["ssh", "-G", *words]) or ""
    said = dict(line.split(" ", 1) for line in settings.splitlines() if " " in line)
    jump = said.get("proxyjump", "none").split(",")[0]
    if jump != "none" and jumps:
        return _first_hop([jump if "://" in jump else f"ssh://{jump}"], jumps - 1)
    return said.get("hostname", words[-1].rpartition("@")[2])


def _ways_out(device: Device, address: str) -> Iterable[int]:
    """The interface that packets to an address leave by; none where there is no route."""
    try:
        routes = device.routing(lambda ip: list(ip.route("get", dst=address)), "no route")
    except SettingError:
        return
    yield from (index for route in routes if (index := route.get_attr("RTA_OIF")))


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
