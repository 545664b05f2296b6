# SPDX-License-Identifier: Apache-2.0
"""Which cells to measure again, and how often, for intervals of a wanted width.

Standard library only: a copy without a server plans with this too (copies).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from coalescope_models.inference.statistics import Plan, plan_replicates
from coalescope_models.vocabulary.quantity import Quantity

from coalescope.errors import CoalescopeError, sentence
from coalescope.experiments.levels import Where, factor_levels, in_words, matches, parse_where
from coalescope.experiments.records import CellRecord, Choice, ExperimentRecord
from coalescope.glossary.quantities import require_measure


@dataclass(frozen=True)
class PlannedCell:
    """A cell, what is known of it, and what it needs."""

    cell: CellRecord
    plan: Plan


@dataclass(frozen=True)
class ReplicationPlan:
    """Replicates to add; the most needy cell first."""

    experiment: ExperimentRecord
    measure: Quantity
    where: Choice
    width_percent: float
    cells: Sequence[PlannedCell]
    without: Sequence[str]

    @property
    def runs_to_add(self) -> int:
        """Over all cells."""
        return sum(planned.plan.more for planned in self.cells)


def plan_cells(
    experiment: ExperimentRecord,
    every: Sequence[CellRecord],
    remaining: Sequence[CellRecord],
    measure: str,
    width_percent: float,
    where: Where,
    left_out: Sequence[str] = (),
) -> ReplicationPlan:
    """Plan replicates so that each mean is known to ± `width_percent` of it, with 95 %.

    `remaining` are the cells as if the runs in `left_out` did not count, `every` as they are.

    Errors: 422 for a measure that is not there, and where nothing is known of the spread.
    """
    quantity = require_measure(measure, experiment.source)
    chosen_by = parse_where(where, factor_levels(cell.factors for cell in every))
    cells = {
        cell.id: cell
        for cell in remaining
        if matches(cell.factors, chosen_by) and measure in cell.measures
    }
    if not cells:
        raise CoalescopeError(
            "no_such_cells",
            f"No cell with these levels has {measure}.",
            where={"measure": measure, **in_words(chosen_by)},
            advice="See the experiment's factors and measures.",
        )
    try:
        plans: Mapping[object, Plan] = plan_replicates(
            {key: cell.summary(measure) for key, cell in cells.items()}, width_percent / 100.0
        )
    except ValueError as error:
        raise CoalescopeError(
            "no_plan",
            sentence(str(error)),
            where={"measure": measure},
            advice="Store the single runs, or each mean with its deviation."
            if any(cell.summary(measure).n > 1 for cell in cells.values())
            else "Measure a few settings three times first.",
        ) from None
    planned = [PlannedCell(cells[key], needs) for key, needs in plans.items() if key in cells]
    return ReplicationPlan(experiment, quantity, chosen_by, width_percent, planned, left_out)


def describe_plan(plan: ReplicationPlan) -> dict[str, Any]:
    """The plan as the API shows it (ReplicationPlanOut)."""
    return {
        "experiment": plan.experiment.slug,
        "data_version": plan.experiment.data_version,
        "measure": plan.measure.name,
        "where": dict(plan.where),
        "width_percent": plan.width_percent,
        "runs_to_add": plan.runs_to_add,
        "without": list(plan.without),
        "cells": [
            {
                "cell": planned.cell.id,
                "factors": dict(planned.cell.factors),
                "n": planned.cell.measures[plan.measure.name].n,
                "width_percent": None
                if planned.plan.relative_half_width is None
                else 100.0 * planned.plan.relative_half_width,
                "needed": planned.plan.needed,
                "more": planned.plan.more,
                "borrowed": planned.plan.borrowed,
            }
            for planned in plan.cells
        ],
    }
