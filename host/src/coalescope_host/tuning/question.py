# SPDX-License-Identifier: Apache-2.0
"""What is asked of a setting: a goal, and limits that it must keep."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from coalescope_host.plan.factors import Level, Levels
from coalescope_host.plan.waits import ROWS, free_waits, side_of
from coalescope_host.spelling import suggestion

from . import losses

Sense = Literal["more", "less"]


class QuestionError(ValueError):
    """A goal or a limit is not one."""


@dataclass(frozen=True)
class Quantity:
    """What can be aimed at or limited, by the word for it.

    Attributes:
        aims: measures that say it, the best first: which one a host has depends on its counters.
        limits: the same of a limit, in `unit`; none where it cannot be limited.
        sense: whether more or less is better.
        unit: of a limit.
        factors: other units that people write → what one of them is.
    """

    aims: tuple[str, ...]
    limits: tuple[str, ...]
    sense: Sense
    unit: str
    factors: Mapping[str, float]


_US = {"us": 1.0, "µs": 1.0, "ms": 1000.0, "s": 1e6}
_MBPS = {"Mb/s": 1.0, "mbps": 1.0, "Gb/s": 1000.0, "gbps": 1000.0}


def _latency(percentile: str) -> Quantity:
    measure = (f"latency_{percentile}_us",)
    return Quantity(measure, measure, "less", "us", _US)


_WHOSE_CPU = ("traffic", "interface", "system")

QUANTITIES: Mapping[str, Quantity] = MappingProxyType(
    {
        "cpu": Quantity(
            tuple(f"{who}_cpu_s_per_gb" for who in _WHOSE_CPU),
            ("traffic_cpu_percent", "host_cpu_percent"),
            "less",
            "%",
            {"%": 1.0},
        ),
        "throughput": Quantity(("throughput_mbps",), ("throughput_mbps",), "more", "Mb/s", _MBPS),
        "p50": _latency("p50"),
        "p99": _latency("p99"),
        "p99.9": _latency("p999"),
        "energy": Quantity(("energy_j_per_gb",), (), "less", "", {}),
    }
)

THROUGHPUT = "throughput"
#: The slow replies stand for latency where they are known.
LATENCIES = ("p99", "p50", "p99.9")
#: Goals that say what traffic costs, and not what it achieves.
COSTS = ("cpu", "energy")
#: How much worse latency may be than now where nothing else is said.
LATENCY_WITHIN_PERCENT = 10.0
WITHIN_PERCENT = 1.0
TOLERANCE_PERCENT = 2.0
_LIMIT = re.compile(r"(?P<word>[a-z0-9._]+)\s*=\s*(?P<number>[0-9.]+)\s*(?P<unit>\S*)")


@dataclass(frozen=True)
class Limit:
    """A bound on a quantity: at most its value where less is better, at least where more is."""

    word: str
    value: float

    @property
    def quantity(self) -> Quantity:
        """What is limited."""
        return QUANTITIES[self.word]

    def __str__(self) -> str:
        """As it was asked."""
        bound = "at most" if self.quantity.sense == "less" else "at least"
        return f"{self.word} {bound} {self.value:g} {self.quantity.unit}"


@dataclass(frozen=True)
class Question:
    """What is asked.

    Attributes:
        goal: a word of `QUANTITIES`.
        limits: what the setting must keep.
        within_percent: how far the throughput may lie below its best; None: as far as it likes.
        waits: limits on factors by which packets wait: at most, of a rate at least.
        any_wait: whether packets may wait as long as it takes.
        loss_percent: how much more than now may be lost, chance aside; None: as much as it likes.
        tolerance_percent: a loss that does not matter.
    """

    goal: str
    limits: tuple[Limit, ...] = ()
    within_percent: float | None = WITHIN_PERCENT
    loss_percent: float | None = losses.WITHIN_PERCENT
    tolerance_percent: float = TOLERANCE_PERCENT
    waits: tuple[tuple[str, float], ...] = ()
    any_wait: bool = False

    @property
    def guards_latency(self) -> bool:
        """Whether latency must be near what it is now, where runs tell it: the server's rule."""
        return not (self.any_wait or self.waits or self._names_latency)

    @property
    def _names_latency(self) -> bool:
        return bool({self.goal, *(limit.word for limit in self.limits)} & set(LATENCIES))

    def free_waits(self, cells: Sequence[Levels]) -> list[str]:
        """By what packets may wait as long as it takes, where only a cost is aimed at."""
        if self.goal not in COSTS or self.any_wait or self._names_latency:
            return []
        limited = {(name, side_of(name)) for name, _ in self.waits}
        return [name for row in free_waits(limited, cells) for name in row]

    def keeps_waits(self, cell: Levels) -> bool:
        """Whether a setting's levels keep the limits on waits."""
        return all(_keeps(cell.get(name), name, value) for name, value in self.waits)

    @property
    def guards_throughput(self) -> bool:
        """Whether the throughput must be near its best although it is not the goal."""
        return self.within_percent is not None and self.goal != THROUGHPUT


def question_of(
    goal: str,
    limits: Sequence[str],
    within_percent: float | None = WITHIN_PERCENT,
    loss_percent: float | None = losses.WITHIN_PERCENT,
    *,
    any_wait: bool = False,
) -> Question:
    """Read what was typed.

    Raises:
        QuestionError: saying what is wrong, and what could be written.
    """
    if goal not in QUANTITIES:
        near = suggestion(goal, QUANTITIES)
        raise QuestionError(f"--goal {goal}: must be one of {', '.join(QUANTITIES)}.{near}")
    waits = tuple(wait for text in limits if (wait := _wait(text)) is not None)
    measured = tuple(_limit(text) for text in limits if _wait(text) is None)
    return Question(goal, measured, within_percent, loss_percent, waits=waits, any_wait=any_wait)


def _wait(text: str) -> tuple[str, float] | None:
    """A limit on a factor by which packets wait; None for a limit on a measure."""
    parts = _LIMIT.fullmatch(text.strip())
    word = parts["word"] if parts else ""
    name = "delay_us" if word == "delay" else word
    if parts is None or name not in {wait for row in ROWS for wait in row}:
        return None
    unit, units = parts["unit"], _US if name.endswith("_us") else {}
    if unit and unit not in units:
        known = f"in {', '.join(units)}" if units else "a bare number"
        raise QuestionError(f"--under {text}: {word} is {known}.")
    try:
        return name, float(parts["number"]) * units.get(unit, 1.0)
    except ValueError:
        raise QuestionError(f"--under {text}: {parts['number']} is no number.") from None


def _keeps(level: Level | None, name: str, value: float) -> bool:
    if level is None or isinstance(level, str):
        return False
    return level <= value if side_of(name) == "at most" else level >= value


def _limit(text: str) -> Limit:
    parts = _LIMIT.fullmatch(text.strip())
    if parts is None:
        raise QuestionError(f"--under {text}: must be like cpu=30% or p99=200us.")
    word, unit = parts["word"], parts["unit"]
    quantity = QUANTITIES.get(word)
    if quantity is None or not quantity.limits:
        limited = [*(name for name, q in QUANTITIES.items() if q.limits), "delay"]
        raise QuestionError(
            f"--under {text}: only {', '.join(limited)} can be limited.{suggestion(word, limited)}"
        )
    if unit and unit not in quantity.factors:
        units = ", ".join(quantity.factors)
        near = suggestion(unit, quantity.factors)
        raise QuestionError(f"--under {text}: {word} is in {units}.{near}")
    try:
        value = float(parts["number"]) * quantity.factors.get(unit, 1.0)
    except ValueError:
        raise QuestionError(f"--under {text}: {parts['number']} is no number.") from None
    if not value > 0.0:
        raise QuestionError(f"--under {text}: must be more than 0.")
    return Limit(word, value)
