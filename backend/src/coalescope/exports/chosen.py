# SPDX-License-Identifier: Apache-2.0
"""Which runs an export is of, and how it says so."""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy.engine import Connection

from coalescope.experiments.levels import (
    Where,
    factor_levels,
    listed,
    matches,
    no_such_cells,
    parse_where,
)
from coalescope.experiments.records import Choice, ExperimentRecord
from coalescope.exports import repository
from coalescope.exports.records import ChosenRuns


def choose_runs(
    connection: Connection,
    experiment: ExperimentRecord,
    where: Where = (),
    without: Sequence[str] = (),
) -> ChosenRuns:
    """The runs to export; `where` holds FACTOR, VALUE pairs as text.

    Errors: 422 for an unknown factor, what is no number where the levels are, and levels that no
    run has.
    """
    pairs, every = tuple(where), ChosenRuns(without=without)
    if not pairs:
        return every
    settings = dict(repository.factors_of_cells(connection, experiment.id, every))
    levels = factor_levels(settings.values())
    chosen_by = parse_where(pairs, levels)
    cells = frozenset(cell for cell, own in settings.items() if matches(own, chosen_by))
    if not cells:
        raise no_such_cells(chosen_by, levels)
    return ChosenRuns(chosen_by, without, cells)


def told_of_levels(experiment: ExperimentRecord, where: Choice) -> ExperimentRecord:
    """The experiment as a table of these levels tells it: a note names them."""
    if not where:
        return experiment
    levels = {n: level if isinstance(level, list) else [level] for n, level in where.items()}
    said = "; ".join(f"{name} {listed(several)}" for name, several in levels.items())
    note = f"Of {experiment.slug}, only the runs with these levels are here: {said}."
    notes = list(experiment.source.get("notes", []))
    added = [] if note in notes else [note]
    return replace(experiment, source={**experiment.source, "notes": [*notes, *added]})
