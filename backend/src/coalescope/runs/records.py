# SPDX-License-Identifier: Apache-2.0
"""Runs as they are handed in and out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from coalescope.experiments.records import Factors, SummaryRecord

Content = Literal["run_log", "csv", "dataset", "foreign"]
Status = Literal["current", "retracted"]
# what of a run counts: all, what a cut-off log holds, nothing; current: one of the first two
State = Literal["current", "whole", "partial", "retracted"]


class MeasuredValue(NamedTuple):
    """A run's value of one measure; or, for a row that is a mean of n, with its deviation."""

    value: float
    sd: float | None = None
    n: int = 1


@dataclass(frozen=True)
class RunWarning:
    """Something worth knowing that did not keep the run out."""

    code: str
    message: str
    where: Mapping[str, str | int | float | None] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"code": self.code, "message": self.message, "where": dict(self.where)}


@dataclass(frozen=True)  # slots would make it three times as slow to pickle
class NewRun:
    """A run to be stored."""

    uid: str
    factors: Factors
    replicate: int | None
    content: Content
    measures: Mapping[str, MeasuredValue]
    # row id of the file it came in
    upload_id: int | None = None
    csv_row: int | None = None
    partial: bool = False
    requested: Factors | None = None
    environment: Mapping[str, Any] | None = None
    warnings: Sequence[RunWarning] = ()
    # start of the window, place in the sweep, and what it was recorded together with
    recorded_at: str | None = None
    order: int | None = None
    block: str | None = None


@dataclass(frozen=True)
class RunRecord:
    """A stored run."""

    id: int
    uid: str
    experiment_id: int
    experiment: str
    cell_id: int
    factors: Factors
    replicate: int | None
    status: Status
    content: Content
    sha256: str | None
    filename: str | None
    csv_row: int | None
    partial: bool
    requested: Factors | None
    environment: Mapping[str, Any] | None
    warnings: Sequence[Mapping[str, Any]]
    recorded_at: str | None
    order: int | None
    block: str | None
    created_at: str


@dataclass(frozen=True)
class Listing:
    """Which of an experiment's runs are listed, and in which order.

    Attributes:
        experiment_id: row id of the experiment.
        state: only those in this state.
        warned: only those with, or without, warnings.
        places: of which cells, by row id, and in which order a list by a factor puts them; all of
            them wherever anything else is asked for.
        by: what the order follows: stored, recorded, replicate, place, or a measure's name.
        falling: the largest first. What lacks the value comes last either way, and what is alike
            in the order it was stored.

    """

    experiment_id: int
    state: State | None = None
    warned: bool | None = None
    places: Mapping[int, int] | None = None
    by: str = "stored"
    falling: bool = False


class When(NamedTuple):
    """When a run was recorded, as far as it is known: replicates may depend on it."""

    replicate: int | None = None
    order: int | None = None
    block: str | None = None
    recorded_at: str | None = None


NOT_KNOWN = When()


@dataclass(frozen=True)
class RunValues:
    """A current run (or a row of means), its cell, and its values of the measures asked for.

    `means` holds those of the values that are means of several runs with a known deviation; `n` is
    how many runs the values are means of, where they are, with a deviation or without.
    """

    cell_id: int
    factors: Factors
    values: Mapping[str, float]
    when: When = NOT_KNOWN
    means: Mapping[str, MeasuredValue] = field(default_factory=dict)
    n: int = 1


class ReplicateRecord(NamedTuple):
    """A current run in its cell, with its value of one measure."""

    uid: str
    cell_id: int
    measured: MeasuredValue
    when: When = NOT_KNOWN

    @property
    def replicate(self) -> int | None:
        """Its number within the cell."""
        return self.when.replicate


@dataclass(frozen=True)
class RemovedRuns:
    """Row ids of the cells that runs were taken out of, and of the files that they came in."""

    cell_ids: set[int]
    upload_ids: Sequence[int]


@dataclass(frozen=True)
class HistoryRecord:
    """One change of a run."""

    at: str
    action: str
    reason: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None


@dataclass(frozen=True)
class CountedCell:
    """A cell's numbers of current runs and of those cut off: as kept, and as counted anew."""

    id: int
    factors: Factors
    kept: tuple[int, int]
    counted: tuple[int, int]


class SummedMeasure(NamedTuple):
    """A cell's measure, as its summary is kept and as a database sums up its values.

    Attributes:
        values: how many runs have it; None where sums do not say what follows from them.
        off: sum of how far values are from the mean that is kept.
        squares: the same of the squares.

    """

    cell_id: int
    values: int | None
    off: float
    squares: float
    kept: SummaryRecord | None


@dataclass(frozen=True)
class RecomputedCell:
    """A cell's counts and summaries: as kept, and as they follow from its runs."""

    factors: Factors
    kept_counts: tuple[int, int]
    counts: tuple[int, int]
    kept: Mapping[str, SummaryRecord]
    recomputed: Mapping[str, SummaryRecord]
