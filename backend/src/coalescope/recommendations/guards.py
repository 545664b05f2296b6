# SPDX-License-Identifier: Apache-2.0
"""What a setting must not break, and what is asked where nothing guards it. Pure."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass

from coalescope_models.inference.recommendation import Aim, Constraint
from coalescope_models.vocabulary.quantity import QUANTITIES

from coalescope.experiments.records import Factors

#: How far the throughput may lie below its best where the question does not say.
THROUGHPUT_WITHIN_PERCENT = 1.0
#: What a delay changes besides a cost; the first that was measured stands for all.
_DELAYS = ("delay_us", "delay_ticks")
_OPTIONS = 3


@dataclass(frozen=True)
class Limited:
    """A limit on the delay that could be asked for, and what it would leave to set.

    Attributes:
        factor: the delay's name.
        at_most: the limit, a level that was measured.
        answer: the setting that would be the answer; None where there would be none.
        loss_percent: how much more it costs than the cheapest without the limit.
    """

    factor: str
    at_most: float
    answer: Hashable | None
    loss_percent: float | None


def is_cost(measure: str) -> bool:
    """Whether a measure says what traffic costs, and not what it achieves."""
    quantity = QUANTITIES.get(measure)
    if quantity is None:  # one's own: nothing says that it is more than a cost
        return True
    return quantity.better == "less" and quantity.aim not in ("throughput", "latency")


def is_benefit(measure: str) -> bool:
    """Whether a measure says what traffic achieves."""
    return measure in QUANTITIES and QUANTITIES[measure].aim in ("throughput", "latency")


def default_guards(
    aims: Sequence[Aim], constraints: Sequence[Constraint], measured: Sequence[str]
) -> list[Constraint]:
    """Return the guard on the throughput: within one percent of its best.

    None where the question says itself what it wants of a throughput, where no cost is aimed at,
    and where none was measured.
    """
    named = {*(a.measure for a in aims), *(c.measure for c in constraints)}
    throughputs = [n for n in QUANTITIES if n in measured and QUANTITIES[n].aim == "throughput"]
    if not throughputs or named & set(throughputs) or not any(is_cost(a.measure) for a in aims):
        return []
    return [Constraint(throughputs[0], "within", THROUGHPUT_WITHIN_PERCENT, "more")]


def is_unguarded(
    aims: Sequence[Aim], constraints: Sequence[Constraint], settings: Collection[Factors]
) -> bool:
    """Whether a longer delay is free to cost what nobody measured."""
    named = [*(a.measure for a in aims), *(c.measure for c in constraints)]
    varied = any(len({setting.get(delay) for setting in settings}) > 1 for delay in _DELAYS)
    return varied and all(map(is_cost, named))


def limits_to_offer(settings: Mapping[Hashable, Factors]) -> list[tuple[str, float]]:
    """Return limits on the delay to choose from, from the shortest on: a few of its levels."""
    for delay in _DELAYS:
        found = {level for s in settings.values() if isinstance(level := s.get(delay), int | float)}
        levels = sorted(found)
        if len(levels) > 1:
            count = min(_OPTIONS, len(levels) - 1)
            places = [round((k + 1) * (len(levels) - 1) / (count + 1)) for k in range(count)]
            return [(delay, levels[place]) for place in sorted(set(places))]
    return []


def keeps_limits(setting: Factors, limits: Sequence[Constraint]) -> bool:
    """Whether a setting's levels keep limits on factors."""
    for limit in limits:
        level = setting.get(limit.measure)
        if not isinstance(level, int | float):
            return False
        if level > limit.value if limit.limit == "at most" else level < limit.value:
            return False
    return True
