# SPDX-License-Identifier: Apache-2.0
"""Runs as they are read: one, an upload's, those of a cell, and all with what their order tells."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from coalescope_models.inference.statistics import CellIntervals, outliers
from sqlalchemy.engine import Connection

from coalescope.errors import not_found
from coalescope.experiments.levels import factor_levels, matches, parse_where
from coalescope.experiments.records import CellRecord, ExperimentRecord
from coalescope.experiments.service import get_experiment, list_cells
from coalescope.glossary.quantities import glossary_order
from coalescope.runs import repository, summary_repository, value_repository
from coalescope.runs.intervals import (
    INDEPENDENT,
    JudgedCells,
    judge_each,
    judge_replicates,
    judged_cells,
)
from coalescope.runs.records import MeasuredValue, ReplicateRecord, RunRecord
from coalescope.runs.summaries import cells_after


def find_run(connection: Connection, uid: str) -> RunRecord | None:
    """The run of that identity, if it is stored, whether or not its experiment was deleted."""
    return repository.get(connection, uid)


def cells_excluding_runs(
    connection: Connection,
    experiment: ExperimentRecord,
    cells: Sequence[CellRecord],
    without: Sequence[str],
) -> tuple[list[str], list[CellRecord]]:
    """Which of these runs counted, and the cells as if they did not.

    Nothing is changed in the store. A cell of which nothing is left is left out.
    """
    if not without:
        return [], list(cells)
    places = repository.current_places(connection, experiment.id, without)
    left_out = [uid for uid, _, _ in places]
    touched = {cell_id for _, cell_id, _ in places}
    values = summary_repository.current_values(connection, sorted(touched), left_out)
    remaining = cells_after(cells, places, values)
    return left_out, remaining


def cells_in_sequence(
    connection: Connection,
    experiment: ExperimentRecord,
    without: Sequence[str] = (),
    measure: str | None = None,
) -> JudgedCells:
    """All cells, with the intervals that their runs carry in view of when they were recorded.

    Runs in `without` do not count; a cell of which nothing is left is left out. Where a measure is
    named, the others' intervals are those of independent runs.
    """
    left_out, cells = cells_excluding_runs(
        connection, experiment, list_cells(connection, experiment), without
    )
    if not says_when(connection, experiment):
        return judged_cells(cells, {}, left_out)
    found = value_repository.replicates_by_measure(connection, experiment.id, measure, without)
    return judged_cells(cells, judge_each(found), left_out)


def says_when(connection: Connection, experiment: ExperimentRecord) -> bool:
    """Whether anything is known of when the experiment's runs were recorded."""
    return repository.says_when(connection, experiment.id)


def intervals_in_sequence(
    connection: Connection,
    experiment: ExperimentRecord,
    measure: str,
    without: Sequence[str] = (),
) -> CellIntervals:
    """What the sequence of all runs makes of the cells' intervals in one measure."""
    found = value_repository.replicates_by_measure(connection, experiment.id, measure, without)
    return judge_replicates(found[measure]) if measure in found else INDEPENDENT


def own_measures(connection: Connection, experiment: ExperimentRecord) -> list[str]:
    """Measures of one's own that any current run of the experiment has, in their order."""
    return value_repository.own_measures(connection, experiment.id)


def environments_of(
    connection: Connection, experiment: ExperimentRecord, where: Iterable[tuple[str, str]]
) -> list[tuple[Mapping[str, Any] | None, int]]:
    """Distinct environments of the current runs with these levels, and of how many runs.

    Errors: 422 for an unknown factor.
    """
    found = repository.environments_of(connection, experiment.id)
    chosen_by = parse_where(where, factor_levels(factors for factors, _, _ in found))
    return [
        (environment, count) for factors, environment, count in found if matches(factors, chosen_by)
    ]


def replicates_of(
    connection: Connection, in_cells: Sequence[int], measure: str, without: Sequence[str] = ()
) -> dict[int, list[ReplicateRecord]]:
    """One measure of the current runs of these cells, by cell."""
    found: dict[int, list[ReplicateRecord]] = {}
    for record in value_repository.replicates_of(connection, in_cells, measure, without):
        found.setdefault(record.cell_id, []).append(record)
    return found


def count_replicates(connection: Connection, in_cells: Sequence[int], measure: str) -> int:
    """How many runs replicates_of reads where none is left out."""
    return value_repository.count_replicates(connection, in_cells, measure)


def get_run(connection: Connection, uid: str) -> RunRecord:
    """The run of that identity. Errors: 404, for those of deleted experiments too."""
    record = find_run(connection, uid)
    if record is None:
        raise not_found("run", uid, "GET /api/experiments/{slug}/runs lists an experiment's runs.")
    get_experiment(connection, record.experiment)
    return record


def list_upload_runs(connection: Connection, upload_id: int, limit: int) -> list[RunRecord]:
    """The first runs of an upload, in the file's order."""
    return repository.list_upload_runs(connection, upload_id, limit)


def measures_of(
    connection: Connection, records: Sequence[RunRecord]
) -> dict[int, dict[str, MeasuredValue]]:
    """Measures of these runs, by row id."""
    return value_repository.measures_of(connection, [record.id for record in records])


def outlying(connection: Connection, cell_id: int) -> dict[int, list[str]]:
    """Measures in which current runs of a cell are outliers among them, by row id.

    Runs that stand for several replicates have no part in it.
    """
    found: dict[int, list[str]] = {}
    for measure, values in value_repository.replicates_in(connection, cell_id).items():
        run_ids = list(values)
        for index in outliers(list(values.values())):
            found.setdefault(run_ids[index], []).append(measure)
    return {run_id: sorted(names, key=glossary_order) for run_id, names in found.items()}
