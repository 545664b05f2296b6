# SPDX-License-Identifier: Apache-2.0
"""Dynamic interrupt moderation, as Linux' lib/dim documents it: hill climbing over five profiles.

Every 64 interrupts the rates of bytes, packets and interrupts are compared with those of the
measurement before; what differs by 10 % counts, in this order, and of interrupts fewer are better.
While it gets better it steps on in the same direction, else it turns; where one step back is
better, or at the last profile, it stays until something differs from what it was then. What steps
too often rests for a while.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from .events import Interrupt

#: Microseconds of the receive profiles that count from events, and from completions.
DIM_RX_EVENTS = (1.0, 8.0, 64.0, 128.0, 256.0)
DIM_RX_COMPLETIONS = (2.0, 8.0, 16.0, 32.0, 64.0)

_EVENTS = 64
_SIGNIFICANT = 0.10
_FIRST_PROFILE = 1
_MOST_STEPS = 10  # then it is tired, and rests for as many measurements

Outcome = Literal["better", "same", "worse"]


class Rates(NamedTuple):
    """Of one measurement, per µs."""

    size_bytes: float
    packets: float
    interrupts: float


@dataclass
class Dim:
    """Steps through profiles.

    Source:
        Linux, lib/dim/net_dim.c, “net_dim” [linux_dim].

    Attributes:
        profiles: intervals [µs], rising.
    """

    profiles: Sequence[float] = DIM_RX_EVENTS
    _profile: int = field(default=_FIRST_PROFILE, init=False)
    _direction: int = field(default=1, init=False)
    _steps: dict[int, int] = field(default_factory=lambda: {1: 0, -1: 0}, init=False)
    _parked: bool = field(default=True, init=False)  # the first packets set it out
    _rests: bool = field(default=False, init=False)
    _tired: int = field(default=0, init=False)
    _before: Rates = field(default=Rates(0.0, 0.0, 0.0), init=False)
    _seen: list[Interrupt] = field(default_factory=list, init=False)

    def start_us(self) -> float:
        """Return the interval of the first profile."""
        return self.profiles[self._profile]

    def after(self, interrupt: Interrupt) -> float:
        """Return the interval; it changes at the end of a measurement only."""
        self._seen.append(interrupt)
        if len(self._seen) > _EVENTS:
            rates = _rates(self._seen)
            stayed = self._parked
            self._decide(compare(rates, self._before))
            if not (stayed and self._parked):  # slow changes add up
                self._before = rates
            self._seen = self._seen[-1:]
        return self.profiles[self._profile]

    def _decide(self, outcome: Outcome) -> None:
        if self._rests:
            self._tired -= 1
            if self._tired == 0:
                self._rests = False
                self._set_out()
        elif self._parked:
            if outcome != "same":
                self._set_out()
        else:
            self._climb(outcome)

    def _climb(self, outcome: Outcome) -> None:
        if outcome != "better":
            self._direction = -self._direction
            self._steps[self._direction] = 0
        if self._on_top():
            self._park()
        else:
            self._step()

    def _on_top(self) -> bool:
        """Whether it had gone on too far, and one step back was better."""
        return self._steps[-self._direction] > 1 and self._steps[self._direction] == 1

    def _set_out(self) -> None:
        self._parked = False
        self._direction = -1 if self._profile else 1
        self._step()

    def _step(self) -> None:
        target = self._profile + self._direction
        if self._tired == _MOST_STEPS:
            self._rests = True
            self._steps = {1: 0, -1: 0}
        elif not 0 <= target < len(self.profiles):
            self._park()
        else:
            self._tired += 1
            self._profile = target
            self._steps[self._direction] += 1

    def _park(self) -> None:
        self._parked = True
        self._tired = 0
        self._steps = {1: 0, -1: 0}


def compare(now: Rates, before: Rates) -> Outcome:
    """Return whether a measurement is better than the one before it.

    Source:
        Linux, lib/dim/net_dim.c, “net_dim_stats_compare” [linux_dim].
    """
    for name, more_is_better in (("size_bytes", True), ("packets", True), ("interrupts", False)):
        a, b = getattr(now, name), getattr(before, name)
        if b == 0.0:
            if a:
                return "better" if more_is_better else "worse"
            continue
        if abs(a - b) > _SIGNIFICANT * b:
            return "better" if (a > b) == more_is_better else "worse"
    return "same"


def _rates(seen: Sequence[Interrupt]) -> Rates:
    elapsed_us = max(seen[-1].t_us - seen[0].t_us, 1.0)
    counted = seen[1:]
    return Rates(
        sum(i.size_bytes for i in counted) / elapsed_us,
        sum(i.packets for i in counted) / elapsed_us,
        len(counted) / elapsed_us,
    )
