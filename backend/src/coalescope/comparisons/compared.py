# SPDX-License-Identifier: Apache-2.0
"""Two sides that were compared: what differs, by how much, and whether that is more than chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from coalescope_models.inference.statistics import CellSummary, Comparison, Difference
from coalescope_models.vocabulary.quantity import Better, Quantity

from coalescope.experiments.records import Choice, ExperimentRecord, Factors, FactorValue

Verdict = Literal["better", "worse", "unresolved"]

LEVEL = 0.05
"""Probability of calling anything of all that is compared at once better or worse by chance."""


@dataclass(frozen=True)
class Side:
    """One of the two: an experiment, and the levels that its cells were chosen by."""

    experiment: ExperimentRecord
    where: Choice


@dataclass(frozen=True)
class ComparedCell:
    """A setting that both sides have."""

    factors: Factors
    a: CellSummary
    b: CellSummary
    difference: Difference


@dataclass(frozen=True)
class Compared:
    """B against A.

    Attributes:
        a: what is compared with.
        b: what is compared.
        measure: whose means are compared.
        better: whether more or less of it is better; None where neither is.
        differing: factors in which the sides differ throughout, with the level of each.
        cells: settings that both have.
        result: ratios over all cells.
        only_a: settings that only A has with this measure.
        only_b: the same for B.
        dependence: what the sequence of the runs does to the intervals, or that it is not known;
            None where nothing.
        hidden: what their sequence may have put into the ratios, intervals or not; None where
            nothing.
        timed: whether it is known of every run when it was recorded, so that two sessions would be
            told.
        level: at which something is called better or worse; less than 5 % beside other measures.

    """

    a: Side
    b: Side
    measure: Quantity
    better: Better | None
    differing: Mapping[str, tuple[FactorValue | None, FactorValue | None]]
    cells: Sequence[ComparedCell]
    result: Comparison
    only_a: Sequence[Factors]
    only_b: Sequence[Factors]
    dependence: str | None
    timed: bool
    level: float = LEVEL
    hidden: str | None = None

    @property
    def p_value(self) -> float:
        """That something is called better or worse though nothing is: the smallest. 1 if none is.

        Overall, or of the cells together (Holm).
        """
        known = [self.result.overall_p_value, *(d.p_value for d in self.result.cells.values())]
        return min((p for p in known if p is not None), default=1.0)

    def resolved(self, cell: ComparedCell) -> bool:
        """Whether a cell's ratio is more than chance."""
        p_value = cell.difference.p_value
        return p_value is not None and p_value < self.level

    def verdict(self, ratio: float, *, resolved: bool) -> Verdict | None:
        """What a ratio means; None where neither direction is better."""
        if self.better is None:
            return None
        if not resolved or ratio == 1.0:
            return "unresolved"
        return "better" if (ratio > 1.0) == (self.better == "more") else "worse"

    @property
    def overall_resolved(self) -> bool:
        """Whether the overall ratio is more than chance."""
        p_value = self.result.overall_p_value
        return p_value is not None and p_value < self.level


def why_no_interval(compared: Compared) -> str:
    """What is missing of settings without an interval, and what to do."""
    sides = [side for cell in compared.cells for side in (cell.a, cell.b)]
    lacking = [side for side in sides if side.sd is None]
    if lacking and all(side.n > 1 for side in lacking):
        return (
            "Means of several runs came without their deviation, so any difference may be chance. "
            "Store the single runs, or each mean with its deviation."
        )
    return (
        "Not every setting has replicates on both sides, so any difference may be chance. "
        "Measure each setting at least three times."
    )
