# SPDX-License-Identifier: Apache-2.0
"""Intervals of cells' means in view of when their runs were recorded.

A drift over blocks or sessions is taken out as fits do: what counts is how they scatter about its
line, with one degree of freedom less. Where each had the settings in the same order it stays in
their scatter, for what a setting's place in it does would be in no interval else.

Standard library only: the page's Python needs it too.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from .cluster_drift import WIDER, ClusterDrift, drift_over_clusters
from .independence import Independence, independence
from .summary import interval_by_cluster
from .timeline import Timeline

Interval = tuple[float, float] | None


@dataclass(frozen=True)
class CellIntervals:
    """What the sequence of the runs makes of the cells' intervals in one measure.

    Attributes:
        independence: what it says about the replicates; None where no cell has two.
        instead: 95 % interval of each cell's mean in the place of that of independent replicates,
            None where there is none; empty where those hold.
    """

    independence: Independence | None
    instead: Mapping[Hashable, Interval]


def cell_intervals(
    values: Sequence[float], cells: Sequence[Hashable], when: Timeline
) -> CellIntervals:
    """Judge the runs of all cells together, and give the intervals that they carry.

    Args:
        values: of each run, finite, [n].
        cells: label of each, [n].
        when: each was recorded, of all n.
    """
    found = independence(values, cells, when)
    if found is None or not found.dependent:
        return CellIntervals(found, {})
    rows: dict[Hashable, list[int]] = defaultdict(list)
    for row, cell in enumerate(cells):
        rows[cell].append(row)
    labels = when.clusters
    if found.verdict == "refused" or labels is None:
        return CellIntervals(found, dict.fromkeys(rows))
    drift = drift_over_clusters(values, cells, when)
    said = replace(found, reason=" ".join(filter(None, (found.reason, _words(drift)))))
    places = None
    if drift.shown and not drift.same_order and when.positions is not None:
        places = _mean_places(labels, when.positions)
    return CellIntervals(
        said,
        {
            cell: _by_cluster([values[k] for k in own], [labels[k] for k in own], places)
            for cell, own in rows.items()
        },
    )


def _words(drift: ClusterDrift) -> str | None:
    if drift.sentence is None or not (drift.shown and drift.same_order):
        return drift.sentence
    drifts = drift.sentence.partition(":")[0]
    return f"{drifts}, and each had the settings in the same order: the intervals {WIDER}."


def _mean_places(labels: Sequence[Hashable], positions: Sequence[int]) -> dict[Hashable, float]:
    places: dict[Hashable, list[int]] = defaultdict(list)
    for label, position in zip(labels, positions, strict=True):
        places[label].append(position)
    return {label: fmean(own) for label, own in places.items()}


def _by_cluster(
    values: Sequence[float], labels: Sequence[Hashable], places: Mapping[Hashable, float] | None
) -> Interval:
    """Interval of a cell's mean; where places of clusters are given, about its own line over them.

    A cell of two clusters keeps the drift in their scatter.
    """
    if places is None or len(set(labels)) < 3:
        return interval_by_cluster(values, labels)
    mean, middle = fmean(values), fmean(places[label] for label in labels)
    off = [places[label] - middle for label in labels]
    products = math.fsum(x * (v - mean) for x, v in zip(off, values, strict=True))
    slope = products / math.fsum(x * x for x in off)
    level = [v - slope * x for x, v in zip(off, values, strict=True)]
    return interval_by_cluster(level, labels, about_a_line=True)
