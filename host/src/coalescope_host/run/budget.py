# SPDX-License-Identifier: Apache-2.0
"""How much a tuning may measure: runs, or minutes. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BUDGET = re.compile(r"(\d+)\s*(s|m|min|h)?")
_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600}


@dataclass(frozen=True)
class Budget:
    """At most so many runs, and so many seconds; None: the other one counts."""

    runs: int | None = None
    seconds: float | None = None

    def runs_left(self, done: int, spent_s: float, each_s: float) -> int:
        """How many runs there may be yet, by what one takes."""
        left = [] if self.runs is None else [self.runs - done]
        if self.seconds is not None:
            left.append(int((self.seconds - spent_s) / each_s))
        return max(min(left), 0)


def budget_from(text: str | None, usual_runs: int) -> Budget:
    """Read `40` or `20m`; without one, what is usual.

    Raises:
        ValueError: with what it must be.
    """
    if text is None:
        return Budget(runs=usual_runs)
    parts = _BUDGET.fullmatch(text.strip())
    if parts is None or not int(parts[1]):
        raise ValueError("must be a number of runs, such as 40, or a time, such as 20m")
    number, unit = int(parts[1]), parts[2]
    return Budget(runs=number) if unit is None else Budget(seconds=float(number * _SECONDS[unit]))
