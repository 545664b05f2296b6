# SPDX-License-Identifier: Apache-2.0
"""The addresses of a host's interfaces, and which two lie on one link."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Sequence

from ..settings.netlink import IPRoute

Address = tuple[str, str, int]
"""Interface, address, length of the prefix."""

LINK_SCOPE = 253


def addresses() -> list[Address]:
    """Those of this host that other hosts can use without naming an interface."""
    with IPRoute() as ip:
        names = {link["index"]: str(link.get_attr("IFLA_IFNAME")) for link in ip.get_links()}
        return [
            (names[entry["index"]], str(entry.get_attr("IFA_ADDRESS")), int(entry["prefixlen"]))
            for entry in ip.get_addr()
            if entry["scope"] < LINK_SCOPE and entry["index"] in names
        ]


def on_one_link(
    interface: str, here: Iterable[Address], there: Sequence[Address]
) -> Address | None:
    """The peer's interface and address in a network that this interface is in, too."""
    for name, address, length in here:
        if name != interface:
            continue
        network = ipaddress.ip_network(f"{address}/{length}", strict=False)
        for peer in there:
            if ipaddress.ip_address(peer[1]) in network and peer[1] != address:
                return peer
    return None
