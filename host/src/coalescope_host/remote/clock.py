# SPDX-License-Identifier: Apache-2.0
"""How far two monotonic clocks are apart, from round trips."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class ClockOffset:
    """The peer's clock minus ours, in ns, and how far that may be off."""

    offset_ns: int
    uncertainty_ns: int


def estimate(round_trips: Iterable[tuple[int, int, int]]) -> ClockOffset:
    """From (sent, the peer's clock, received) in ns: the quickest round trip says it best.

    The peer read its clock somewhere between sending and receiving, so half the round trip bounds
    the error (Cristian 1989).
    """
    sent, theirs, received = min(round_trips, key=lambda trip: trip[2] - trip[0])
    return ClockOffset(theirs - (sent + received) // 2, (received - sent + 1) // 2)


def measure(ask: Callable[[], int], now: Callable[[], int], trips: int = 15) -> ClockOffset:
    """Ask the peer for its clock several times."""
    return estimate([(now(), ask(), now()) for _ in range(trips)])
