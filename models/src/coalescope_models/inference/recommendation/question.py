# SPDX-License-Identifier: Apache-2.0
"""What is wanted of a setting, and the runs that it is asked of."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .trade_off import Floats

Sense = Literal["more", "less"]
Limit = Literal["at most", "at least", "within", "within current"]
#: Of several aims: their weighed sum, or the knee of the trade-off curve between two.
Goal = Literal["trade", "balance"]


class RecommendationError(ValueError):
    """What was asked cannot be answered from this data. `name` is the measure or argument."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.name, str(self)))


@dataclass(frozen=True)
class Aim:
    """One measure of a goal.

    Attributes:
        measure: its name.
        sense: whether more or less of it is wanted.
        weight: what a relative change of it is worth; positive.
    """

    measure: str
    sense: Sense
    weight: float = 1.0


@dataclass(frozen=True)
class Constraint:
    """A bound that the setting must keep.

    Attributes:
        measure: its name.
        limit: "at most", "at least"; "within": no further than so many percent from the best;
            "within current": no more than so many percent worse than what is set now.
        value: in the measure's unit; percent where the limit is "within" something.
        sense: whether more or less of it is better; of the last two only.
    """

    measure: str
    limit: Limit
    value: float
    sense: Sense = "more"


def check(aims: Sequence[Aim], settings: Sized, goal: Goal) -> None:
    """Refuse a question that has no answer."""
    if not aims:
        raise RecommendationError("aims", "say what is wanted: at least one measure")
    for aim in aims:
        if not (aim.weight > 0.0 and math.isfinite(aim.weight)):
            raise RecommendationError("weight", f"the weight of {aim.measure} must be positive")
    names = [aim.measure for aim in aims]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise RecommendationError("aims", f"{twice} is wanted twice: name it once, with a weight")
    if goal == "balance" and len(aims) != 2:
        raise RecommendationError(
            "goal", f"a balance is between two aims, not {len(aims)}: make the others bounds"
        )
    if goal == "balance" and any(aim.weight != 1.0 for aim in aims):
        raise RecommendationError("goal", "a balance takes no weights: ask for a trade to weigh")
    if len(settings) < 2:
        raise RecommendationError("cells", "one setting leaves no choice")


def logs_of(table: Mapping[str, ArrayLike], names: Sequence[str], count: int) -> Floats:
    """Return logarithms of the measures of all runs, [runs, measures]."""
    columns = []
    for name in names:
        if name not in table:
            raise RecommendationError(name, f"no run has {name}: measure it, or ask for another")
        column = np.asarray(table[name], dtype=np.float64)
        if column.shape != (count,):
            raise RecommendationError(name, f"{name} has not one value for each run")
        known = np.isfinite(column) & (column > 0.0)
        if not known.all():
            where = "at some settings" if known.any() else "everywhere"
            raise RecommendationError(name, f"{name} is missing, zero or negative {where}")
        columns.append(np.log(column))
    return np.stack(columns, axis=1) if columns else np.empty((count, 0))


def rows_of(cells: Sequence[Hashable]) -> list[NDArray[np.intp]]:
    """Return the rows of each cell, in the order in which the cells first appear."""
    found: dict[Hashable, list[int]] = {}
    for index, cell in enumerate(cells):
        found.setdefault(cell, []).append(index)
    return [np.array(own, dtype=np.intp) for own in found.values()]
