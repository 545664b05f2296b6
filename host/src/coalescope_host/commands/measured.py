# SPDX-License-Identifier: Apache-2.0
"""The measured cells of a sweep, as part of a command's answer."""

from collections.abc import Callable, Sequence

from coalescope_host.plan.factors import log_name
from coalescope_host.plan.plan import Plan
from coalescope_host.run.closing import Cell, Values, table
from coalescope_host.run.interval import interval_of

from .answer import Answer


def measured_in(answer: Answer) -> Callable[[Plan, Sequence[Cell]], None]:
    """Tells a table of cells to people, and all of their measures to programs."""

    def tell(plan: Plan, cells: Sequence[Cell]) -> None:
        answer.tell(table(plan, cells), cells=[_listed(cell) for cell in cells])

    return tell


def _listed(cell: Cell) -> dict[str, object]:
    levels, runs = cell
    names = dict.fromkeys(name for values in runs for name in values)
    return {
        "levels": {log_name(name): level for name, level in levels.items()},
        "replicates": len(runs),
        "measures": {name: _measure(name, runs) for name in names},
    }


def _measure(name: str, runs: Sequence[Values]) -> dict[str, object]:
    """Its mean, and the 95 % interval where there is more than one replicate."""
    found = interval_of([values[name] for values in runs if name in values])
    half = found.half
    return {
        "mean": found.mean,
        "ci95": None if half is None else [found.mean - half, found.mean + half],
    }
