# SPDX-License-Identifier: Apache-2.0
"""Rates at link level from what the kernel counts of an interface. Pure.

The kernel's convention for Ethernet counts the link header and not the frame check sequence; `lo`
and tunnels have neither, so of them no rate at link level is known (docs/run-log-format.md).
"""

from collections.abc import Iterator

from coalescope.foreign.records import Kind, Record, Window, measure

_FCS_BYTES = 4
_WITHOUT_LINK = ("lo", "tun", "wg", "ppp")


def link_records(
    quantity: str,
    bytes_per_s: float,
    packets_per_s: float,
    field: str,
    window: Window | None,
    host: str | None,
    interface: str,
    kind: Kind,
) -> Iterator[Record]:
    """The rate, and for receiving the mean size of a packet."""
    if not interface.startswith(_WITHOUT_LINK):
        rate = 8e-6 * (bytes_per_s + _FCS_BYTES * packets_per_s)
        yield measure(quantity, rate, field, window, host, kind, interface)
    if quantity == "throughput_mbps" and kind == "whole" and packets_per_s > 0:
        size = bytes_per_s / packets_per_s
        yield measure("mean_packet_bytes", size, field, window, host, kind, interface)
