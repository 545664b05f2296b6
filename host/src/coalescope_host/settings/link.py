# SPDX-License-Identifier: Apache-2.0
"""What hangs on an interface beside its settings: addresses, routes, neighbours, its state.

A driver that is loaded anew, or an MTU below 1280, takes some of it away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypedDict

from .device import Device
from .errors import SettingError

PERMANENT_NEIGHBOUR = 0x80
ROUTE_BY_KERNEL = 2
LOCAL_TABLE = 255
UNICAST = 1
LINK_SCOPE = 253
ROOT = 0xFFFFFFFF
IPV6 = 10
PERMANENT_ADDRESS = 0x80
GIVEN_ADDRESS_FLAGS = 0x002 | 0x010 | 0x100 | 0x200 | 0x400
"""Flags of an address that somebody gave it: nodad, home, mngtmpaddr, noprefixroute, autojoin."""

Attributes = dict[str, Any]


class LinkState(TypedDict):
    """One interface's surroundings, as JSON."""

    up: bool
    carrier: bool
    mac: str | None
    master: int | None
    qdisc: str | None
    addresses: list[Attributes]
    routes: list[Attributes]
    neighbours: list[Attributes]


def save_link(device: Device) -> LinkState:
    """All that hangs on the interface now."""
    link = device.link()
    index = link["index"]
    return LinkState(
        up=link["state"] == "up",
        carrier=link.get_attr("IFLA_CARRIER") == 1,
        mac=link.get_attr("IFLA_ADDRESS"),
        master=link.get_attr("IFLA_MASTER"),
        qdisc=_root_qdisc(device, index),
        addresses=_addresses(device, index),
        routes=_routes(device, index),
        neighbours=_neighbours(device, index),
    )


def restore_link(device: Device, saved: LinkState) -> list[str]:
    """Put back what is missing, and bring the link up or down; what could not be put back."""
    failures: list[str] = []
    link = device.link()
    index = link["index"]

    def attempt(what: str, request: Callable[[Any], Any], command: str) -> None:
        try:
            device.routing(request, what)
        except SettingError as error:
            failures.append(f"{error}. By hand: {command}")

    if saved["mac"] and link.get_attr("IFLA_ADDRESS") != saved["mac"]:
        mac = saved["mac"]
        attempt(
            f"MAC address {mac} cannot be put back",
            lambda ip: ip.link("set", index=index, address=mac),
            device.command("ip", "link", "set", device.name, "address", mac),
        )
    if saved["master"] and link.get_attr("IFLA_MASTER") != saved["master"]:
        attempt(
            "its master cannot be put back",
            lambda ip: ip.link("set", index=index, master=saved["master"]),
            device.command("ip", "link", "set", device.name, "master", "…"),
        )
    state = "up" if saved["up"] else "down"
    if (link["state"] == "up") != saved["up"]:
        attempt(
            f"cannot be set {state}",
            lambda ip: ip.link("set", index=index, state=state),
            device.command("ip", "link", "set", device.name, state),
        )
    for address in _missing(saved["addresses"], lambda: _addresses(device, index)):
        text = f"{address['address']}/{address['prefixlen']}"
        attempt(
            f"address {text} cannot be put back",
            lambda ip, address=address: ip.addr("replace", index=index, **address),  # type: ignore[misc]
            device.command("ip", "address", "add", text, "dev", device.name),
        )
    if saved["up"]:  # a link that is down has neither
        for route in _missing(saved["routes"], lambda: _routes(device, index)):
            attempt(
                f"route to {route['dst']} cannot be put back",
                lambda ip, route=route: ip.route("replace", oif=index, **route),  # type: ignore[misc]
                device.command("ip", "route", "add", *_route_words(route), "dev", device.name),
            )
    for neighbour in _missing(saved["neighbours"], lambda: _neighbours(device, index)):
        to, mac = neighbour["dst"], neighbour["lladdr"]
        attempt(
            f"neighbour {to} cannot be put back",
            lambda ip, to=to, mac=mac: ip.neigh(  # type: ignore[misc]
                "replace", dst=to, lladdr=mac, ifindex=index, state="permanent"
            ),
            device.command("ip", "neighbour", "replace", to, "lladdr", mac, "dev", device.name),
        )
    qdisc = _root_qdisc(device, index)
    if saved["qdisc"] not in (None, qdisc) and saved["up"]:
        failures.append(
            f"{device}: its queueing discipline was {saved['qdisc']} and is {qdisc}. By hand: "
            + device.command("tc", "qdisc", "replace", "dev", device.name, "root", saved["qdisc"])
        )
    return failures


def _missing(
    saved: Sequence[Attributes], read_now: Callable[[], Sequence[Attributes]]
) -> list[Attributes]:
    """What was saved and is not there; where nothing was, the kernel need not list anything."""
    now = read_now() if saved else []
    return [entry for entry in saved if entry not in now]


def _route_words(route: Attributes) -> list[str]:
    via = ["via", str(route["gateway"])] if "gateway" in route else []
    return [str(route["dst"]), *via, "table", str(route["table"])]


def _given(**attributes: object) -> Attributes:
    return {name: value for name, value in attributes.items() if value is not None}


def _root_qdisc(device: Device, index: int) -> str | None:
    listed = device.routing(lambda ip: list(ip.get_qdiscs(index)), "queueing cannot be read")
    kinds = [q.get_attr("TCA_KIND") for q in listed if q["parent"] == ROOT and q["index"] == index]
    return str(kinds[0]) if kinds else None


def _addresses(device: Device, index: int) -> list[Attributes]:
    """Without those that the kernel makes itself for the link."""
    listed = device.routing(lambda ip: list(ip.get_addr(index=index)), "addresses cannot be read")
    found = []
    for entry in listed:
        flags = entry.get_attr("IFA_FLAGS") or entry["flags"]
        by_router = not flags & PERMANENT_ADDRESS
        if entry["family"] == IPV6 and (entry["scope"] == LINK_SCOPE or by_router):
            continue
        address, local = entry.get_attr("IFA_ADDRESS"), entry.get_attr("IFA_LOCAL")
        found.append(
            _given(
                family=entry["family"],
                address=address,
                local=local if local != address else None,
                prefixlen=entry["prefixlen"],
                scope=entry["scope"] or None,
                broadcast=entry.get_attr("IFA_BROADCAST"),
                label=entry.get_attr("IFA_LABEL"),
                IFA_FLAGS=flags & GIVEN_ADDRESS_FLAGS or None,
            )
        )
    return found


def _routes(device: Device, index: int) -> list[Attributes]:
    """Without those that come with an address; those with a gateway last, as they need others."""
    listed = device.routing(lambda ip: list(ip.get_routes(oif=index)), "routes cannot be read")
    found = []
    for entry in listed:
        table = entry.get_attr("RTA_TABLE") or entry["table"]
        if entry.get_attr("RTA_OIF") != index or entry["type"] != UNICAST:
            continue
        if entry["proto"] == ROUTE_BY_KERNEL or table == LOCAL_TABLE:
            continue
        anywhere = "::" if entry["family"] == IPV6 else "0.0.0.0"  # noqa: S104  # a destination
        found.append(
            _given(
                family=entry["family"],
                dst=f"{entry.get_attr('RTA_DST') or anywhere}/{entry['dst_len']}",
                gateway=entry.get_attr("RTA_GATEWAY"),
                prefsrc=entry.get_attr("RTA_PREFSRC"),
                priority=entry.get_attr("RTA_PRIORITY"),
                table=table,
                proto=entry["proto"],
                scope=entry["scope"] or None,
            )
        )
    return sorted(found, key=lambda route: "gateway" in route)


def _neighbours(device: Device, index: int) -> list[Attributes]:
    """Those that somebody entered for good."""
    listed = device.routing(
        lambda ip: [*ip.get_neighbours(family=2), *ip.get_neighbours(family=IPV6)],
        "neighbours cannot be read",
    )
    return [
        {"dst": entry.get_attr("NDA_DST"), "lladdr": entry.get_attr("NDA_LLADDR")}
        for entry in listed
        if entry["ifindex"] == index
        and entry["state"] & PERMANENT_NEIGHBOUR
        and entry.get_attr("NDA_LLADDR")
    ]
