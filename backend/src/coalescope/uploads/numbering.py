# SPDX-License-Identifier: Apache-2.0
"""Replicate numbers of runs that come in, beside those that are stored."""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy.engine import Connection

from coalescope.errors import Problem, refused
from coalescope.experiments.levels import factor_key
from coalescope.experiments.records import ExperimentRecord, Factors
from coalescope.runs import recording
from coalescope.runs.records import NewRun, RunWarning
from coalescope.uploads.csv_faults import MAX_PROBLEMS


def numbered(
    connection: Connection, experiment: ExperimentRecord, new: Sequence[NewRun]
) -> list[NewRun]:
    """Runs with replicate numbers beside those stored, as if one had come after the other."""
    taken = recording.replicates_taken(connection, experiment, [run.factors for run in new])
    found = []
    for run in new:
        own = taken[factor_key(run.factors)]
        found.append(_numbered(run, own))
        own.setdefault(found[-1].replicate, run.uid)
    return found


def _numbered(run: NewRun, taken: dict[int | None, str]) -> NewRun:
    """Another recording is another run, even under a number that is in use."""
    if run.replicate is None:
        return replace(run, replicate=max((n for n in taken if n is not None), default=0) + 1)
    if run.replicate not in taken:
        return run
    warning = RunWarning(
        "replicate_repeated",
        f"Replicate {run.replicate} of this cell is there already (run {taken[run.replicate]}); "
        "both count. Retract one if it should not.",
        {"run": taken[run.replicate]},
    )
    return replace(run, warnings=[*run.warnings, warning])


def refuse_repeats(
    connection: Connection,
    experiment: ExperimentRecord,
    rows: Sequence[NewRun],
    settings: Sequence[Factors],
    *,
    per_cell: bool,
) -> None:
    """Errors: 409 for rows of a table that repeat what is stored; `per_cell` means a whole cell.

    `settings` are those of the rows, each once.
    """
    taken = recording.replicates_taken(connection, experiment, settings)
    if not any(taken.values()):
        return
    problems = [
        problem
        for row in rows
        if (problem := _repeats(row, taken[factor_key(row.factors)], per_cell))
    ]
    if problems:
        error = refused(problems[:MAX_PROBLEMS])
        error.status = 409
        raise error


def _repeats(run: NewRun, taken: dict[int | None, str], per_cell: bool) -> Problem | None:
    """A row has no identity but its cell and number: what is there already is not stored twice."""
    if per_cell and taken:
        other = next(iter(taken.values()))
        return Problem(
            code="cell_exists",
            message=f"The cell of row {run.csv_row} has data already.",
            where={"row": run.csv_row, "run": other},
            advice="Retract the stored runs first, or use another experiment.",
        )
    if run.replicate in taken:
        return Problem(
            code="replicate_exists",
            message=f"Replicate {run.replicate} of row {run.csv_row}'s cell is stored already.",
            where={"row": run.csv_row, "run": taken[run.replicate]},
            advice="Leave the row out, give it another number, or retract the stored run first.",
        )
    return None
