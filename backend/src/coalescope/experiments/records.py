# SPDX-License-Identifier: Apache-2.0
"""Experiments and cells as the features hand them to each other."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from coalescope_models.inference.statistics import CellSummary

Kind = Literal["published", "measured", "emulated", "simulated"]
KINDS: tuple[Kind, ...] = get_args(Kind)

FactorValue = float | int | str
Factors = Mapping[str, FactorValue]
# the levels that a question is about: of each factor one, or any of several
Choice = Mapping[str, FactorValue | list[FactorValue]]


@dataclass(frozen=True)
class ExperimentRecord:
    """A row of experiments. `source` holds what a data set's source.toml says beyond the title.

    `dataset_sha256` is the digest of the data set that it was loaded from, if it was.
    """

    id: int
    slug: str
    title: str
    subtitle: str
    kind: Kind
    source: Mapping[str, Any]
    data_version: int
    created_at: str
    updated_at: str
    deleted_at: str | None = None
    dataset_sha256: str | None = None


@dataclass(frozen=True)
class DeletedExperiment:
    """An experiment that was deleted, and how many runs would count if it were restored."""

    slug: str
    title: str
    kind: Kind
    runs: int
    deleted_at: str


@dataclass(frozen=True, slots=True)  # of an experiment up to 300,000 at once
class SummaryRecord:
    """One measure in one cell: count, mean, and (where known) deviation and 95 % t interval."""

    n: int
    mean: float
    sd: float | None
    ci95: tuple[float, float] | None


@dataclass(frozen=True)
class CellRecord:
    """One setting of the factors with the summaries of its current runs."""

    id: int
    factors: Factors
    runs: int
    partial_runs: int
    measures: Mapping[str, SummaryRecord]

    def summary(self, measure: str) -> CellSummary:
        """What the statistics take."""
        found = self.measures[measure]
        return CellSummary(found.n, found.mean, found.sd, found.ci95)
