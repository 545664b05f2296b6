# SPDX-License-Identifier: Apache-2.0
"""What a table of means may say of their spread. Pure.

A mean has no place in the sequence of the runs. Where that sequence refuses the intervals of
independent replicates, or makes others, their number and deviation alone would give those very
intervals to whoever reads the table: the deviation is left out then, and a note says why.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from coalescope_models.inference.statistics import SEQUENCE_NOT_KNOWN

from coalescope.experiments.records import CellRecord, ExperimentRecord


def told_of_means(
    experiment: ExperimentRecord, cells: Iterable[CellRecord], intervals: Mapping[str, str]
) -> tuple[ExperimentRecord, list[CellRecord]]:
    """Return both as a table of means tells them.

    Args:
        experiment: whose cells they are.
        cells: all of them.
        intervals: by measure, why its intervals are not those of independent replicates, or that
            nothing is known of the sequence.
    """
    reasons = {name: why for name, why in intervals.items() if why != SEQUENCE_NOT_KNOWN}
    known = {name for cell in cells for name, found in cell.measures.items() if found.sd}
    notes = [
        f"{name} has no deviation here, as its means alone would promise too narrow intervals. "
        f"{reasons[name]}"
        for name in sorted(known & reasons.keys())
    ]
    if not notes:
        return experiment, list(cells)
    source = {**experiment.source, "notes": [*experiment.source.get("notes", []), *notes]}
    bare = [
        replace(
            cell,
            measures={
                name: replace(found, sd=None) if name in reasons else found
                for name, found in cell.measures.items()
            },
        )
        for cell in cells
    ]
    return replace(experiment, source=source), bare
