# SPDX-License-Identifier: Apache-2.0
"""Intervals of cells in view of when their runs were recorded. Pure.

Standard library only: a copy without a server works them out with this too (copies).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from coalescope_models.inference.statistics import (
    NOT_KNOWN,
    CellIntervals,
    Independence,
    Timeline,
    cell_intervals,
)

from coalescope.experiments.records import CellRecord, SummaryRecord
from coalescope.runs.records import ReplicateRecord
from coalescope.runs.sequence import sequence_of

#: Where nothing is known of the sequence, or nothing was measured twice.
INDEPENDENT = CellIntervals(None, {})


@dataclass(frozen=True)
class JudgedCells:
    """Cells with the intervals that their runs carry.

    Attributes:
        cells: all of them.
        independence: by measure, what the sequence of the runs says, where it says anything.
        left_out: current runs that were left out as asked.

    """

    cells: Sequence[CellRecord]
    independence: Mapping[str, Independence]
    left_out: Sequence[str] = ()


def judge_replicates(
    replicates: Sequence[ReplicateRecord], when: Timeline | None = None
) -> CellIntervals:
    """Judge all runs of an experiment in one measure together.

    A row that is a mean of several replicates has no place in the sequence, and its cell keeps the
    interval that it has. `when` is the sequence of the runs that are single ones, where it is known
    already.
    """
    single = [run for run in replicates if run.measured.n == 1]
    found = cell_intervals(
        [run.measured.value for run in single],
        [run.cell_id for run in single],
        when or sequence_of([run.when for run in single]),
    )
    of_means = {run.cell_id for run in replicates if run.measured.n > 1}
    kept = {cell: ends for cell, ends in found.instead.items() if cell not in of_means}
    return replace(found, instead=kept)


def judge_each(replicates: Mapping[str, Sequence[ReplicateRecord]]) -> dict[str, CellIntervals]:
    """The same for each of several measures, of runs that are mostly the same.

    A measure of which there are means alone is not judged, and not in what is returned.
    """
    sequences: dict[tuple[str, ...], Timeline] = {}
    found = {}
    for measure, runs in replicates.items():
        single = [run for run in runs if run.measured.n == 1]
        if not single:
            continue
        key = tuple(run.uid for run in single)
        if key not in sequences:
            sequences[key] = sequence_of([run.when for run in single])
        found[measure] = judge_replicates(runs, sequences[key])
    return found


def of_unknown_sequence(summaries: Iterable[SummaryRecord]) -> CellIntervals:
    """What there is to say of intervals in one measure whose runs do not say when they ran."""
    some = any(summary.ci95 is not None for summary in summaries)
    return CellIntervals(NOT_KNOWN if some else None, {})


def in_view_of(summary: SummaryRecord, cell_id: int, judged: CellIntervals) -> SummaryRecord:
    """The summary with the interval that the cell's runs carry; without one where they do not."""
    if summary.ci95 is None or cell_id not in judged.instead:
        return summary
    return replace(summary, ci95=judged.instead[cell_id])


def judged_cells(
    cells: Sequence[CellRecord],
    judged: Mapping[str, CellIntervals],
    left_out: Sequence[str] = (),
) -> JudgedCells:
    """The cells in view of what was found by measure.

    Of means that came with their deviation, and where nothing was judged, the sequence is not
    known.
    """
    with_intervals = {name for cell in cells for name, own in cell.measures.items() if own.ci95}
    said = dict.fromkeys(sorted(with_intervals - judged.keys()), NOT_KNOWN)
    for name, own in judged.items():
        if own.independence is not None:
            said[name] = own.independence
    return JudgedCells(
        cells=cells
        if not judged
        else [
            replace(
                cell,
                measures={
                    name: in_view_of(summary, cell.id, judged.get(name, INDEPENDENT))
                    for name, summary in cell.measures.items()
                },
            )
            for cell in cells
        ],
        independence={name: found for name, found in said.items() if found.reason is not None},
        left_out=left_out,
    )
