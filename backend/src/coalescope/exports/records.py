# SPDX-License-Identifier: Apache-2.0
"""What an export is made of. Standard library only."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from coalescope.experiments.records import Choice, Factors
from coalescope.runs.records import MeasuredValue


@dataclass(frozen=True)
class ExportedRun:
    """A current run with its measures."""

    uid: str
    cell_id: int
    factors: Factors
    replicate: int | None
    partial: bool
    content: str
    recorded_at: str | None
    order: int | None
    block: str | None
    measures: Mapping[str, MeasuredValue]


@dataclass(frozen=True)
class ChosenRuns:
    """The current runs with these levels, but for those that are left out.

    Attributes:
        where: levels that they were chosen by.
        without: identities of runs to leave out.
        cells: their cells; None for all.
    """

    where: Choice = field(default_factory=dict)
    without: Sequence[str] = ()
    cells: Collection[int] | None = None

    def has(self, cell_id: int) -> bool:
        """Whether they are in that cell."""
        return self.cells is None or cell_id in self.cells


ALL_RUNS = ChosenRuns()
