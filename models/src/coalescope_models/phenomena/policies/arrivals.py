# SPDX-License-Identifier: Apache-2.0
"""Packets to replay, from rates that change over time."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .events import Arrival


@dataclass(frozen=True)
class Phase:
    """A time of one rate and one size.

    Attributes:
        duration_us: how long.
        packet_rate_hz: packets per second; positive.
        size_bytes: of each packet.
        random: whether packets come at random (Poisson) and not evenly spaced.
    """

    duration_us: float
    packet_rate_hz: float
    size_bytes: int
    random: bool = False

    @property
    def packets(self) -> float:
        """How many are expected."""
        return 1e-6 * self.duration_us * self.packet_rate_hz


def arrivals(phases: Sequence[Phase], rng: random.Random) -> Iterator[Arrival]:
    """Yield the packets of one phase after the other, by rising time."""
    start_us = 0.0
    for phase in phases:
        end_us = start_us + phase.duration_us
        gap_us = 1e6 / phase.packet_rate_hz
        t_us = start_us + (rng.expovariate(1.0) * gap_us if phase.random else gap_us)
        while t_us <= end_us:
            yield Arrival(t_us, phase.size_bytes)
            t_us += rng.expovariate(1.0) * gap_us if phase.random else gap_us
        start_us = end_us
