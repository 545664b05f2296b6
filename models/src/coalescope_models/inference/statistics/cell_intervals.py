# SPDX-License-Identifier: Apache-2.0
"""Intervals of cells' means in view of when their runs were recorded.

Standard library only: the page's Python needs it too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

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
    return CellIntervals(
        found,
        {
            cell: interval_by_cluster([values[k] for k in own], [labels[k] for k in own])
            for cell, own in rows.items()
        },
    )
