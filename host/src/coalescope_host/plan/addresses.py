# SPDX-License-Identifier: Apache-2.0
"""Addresses of the link: which version of IP, and which cannot be used. Pure."""

from __future__ import annotations

import ipaddress

LEAST_IPV6_MTU = 1280


def version_of(address: str) -> int | None:
    """4 or 6; None if it is no address."""
    try:
        return ipaddress.ip_address(address).version
    except ValueError:
        return None


def refusal_of_address(address: str) -> str | None:
    """Why traffic cannot go to an address, None if it can."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return "must be the IPv4 or IPv6 address of the peer on the link."
    if parsed.version == 6 and parsed.is_link_local:
        return (
            "is an address of one link, which each host writes with an interface of its own: give "
            "both ends others, such as fd00::1/64 and fd00::2/64."
        )
    if parsed.is_unspecified or parsed.is_multicast:
        return "is the address of no single host."
    return None
