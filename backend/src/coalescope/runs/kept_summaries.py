# SPDX-License-Identifier: Apache-2.0
"""The summaries that are kept of cells: they follow from current runs, exactly.

Whatever changes runs refreshes their cells here, so here is the bound of an experiment, too.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from math import sqrt

from coalescope_models.inference.statistics import from_moments
from sqlalchemy.engine import Connection

from coalescope.errors import Problem, conflict
from coalescope.experiments.records import ExperimentRecord, SummaryRecord
from coalescope.experiments.service import list_experiments
from coalescope.runs import summary_repository
from coalescope.runs.records import RecomputedCell, SummedMeasure
from coalescope.runs.summaries import summarise_values
from coalescope.untrusted.bounds import (
    EXPERIMENT_CELLS,
    EXPERIMENT_SETTINGS_CHARACTERS,
    EXPERIMENT_SUMMARIES,
)

Same = Callable[[SummaryRecord, SummaryRecord], bool]

_CELLS_AT_ONCE = 50
_RECOMPUTED_AT_ONCE = 1000


def refresh(connection: Connection, cell_ids: Iterable[int]) -> None:
    """Recompute the summaries of these cells from their current runs, all of them, exactly.

    Errors: 409 if that takes an experiment beyond what readers can receive. What makes a larger
    one smaller is taken: it can have been stored before there was a bound.
    """
    touched = set(cell_ids)
    of = summary_repository.experiments_of(connection, sorted(touched))
    before = {id_: summary_repository.extent(connection, id_) for id_ in of}
    recompute(connection, touched)
    for id_, slug in of.items():
        _refuse_growth(slug, before[id_], summary_repository.extent(connection, id_))


def recompute(connection: Connection, cell_ids: Iterable[int]) -> None:
    """The same whatever an experiment becomes: for what nobody sent or asked for."""
    every = sorted(set(cell_ids))
    for start in range(0, len(every), _CELLS_AT_ONCE):  # not all their values in memory
        touched = every[start : start + _CELLS_AT_ONCE]
        values = summary_repository.current_values(connection, touched)
        found = {place: summarise_values(at_place) for place, at_place in values.items()}
        summary_repository.replace_summaries(connection, touched, found)
        summary_repository.count_current_runs(connection, touched)


def too_large(connection: Connection) -> Iterator[Problem]:
    """The experiments that are larger than one can become, unless deleted.

    They can be of a time before there was a bound, or of somebody who wrote to the database.
    """
    for experiment in list_experiments(connection):
        extent = summary_repository.extent(connection, experiment.id)
        for (what, bound), now in zip(_bounds().items(), extent, strict=True):
            if now > bound:
                yield Problem(
                    "experiment_too_large",
                    f"{experiment.slug!r} has {now:,} {what}; an experiment can have {bound:,}.",
                    {"experiment": experiment.slug},
                    "Every reader receives all cells: retract runs, or delete it. Of a backup: "
                    "copy its files into a new folder, serve that and do so there.",
                )


def _bounds() -> dict[str, int]:
    """Of each part of an extent."""
    return {
        "cells": EXPERIMENT_CELLS,
        "characters of their settings": EXPERIMENT_SETTINGS_CHARACTERS,
        "summaries of measures": EXPERIMENT_SUMMARIES,
    }


def _refuse_growth(slug: str, before: tuple[int, ...], after: tuple[int, ...]) -> None:
    for (what, bound), was, now in zip(_bounds().items(), before, after, strict=True):
        if now > max(bound, was):
            raise conflict(
                "experiment_too_large",
                f"{slug!r} would have {now:,} {what}; it can have {bound:,}.",
                where={"experiment": slug},
                advice="Send it to an experiment of its own: every reader receives all cells.",
            )


def recomputed_cells(
    connection: Connection, experiment: ExperimentRecord, same: Same | None = None
) -> Iterator[RecomputedCell]:
    """Every cell as it is kept beside what follows from its runs. Nothing is changed.

    Cells whose summaries are the `same` as the database's own sums say come without summaries:
    their runs are not read.
    """
    cells = summary_repository.counted_cells(connection, experiment.id)
    for start in range(0, len(cells), _RECOMPUTED_AT_ONCE):
        batch = cells[start : start + _RECOMPUTED_AT_ONCE]
        ids = [cell.id for cell in batch]
        if same is not None:
            ids = _unconfirmed(connection, ids, same)
        kept: dict[int, dict[str, SummaryRecord]] = {cell_id: {} for cell_id in ids}
        recomputed: dict[int, dict[str, SummaryRecord]] = {cell_id: {} for cell_id in ids}
        for (cell_id, measure), summary in summary_repository.stored_summaries(
            connection, ids
        ).items():
            kept[cell_id][measure] = summary
        for (cell_id, measure), values in summary_repository.current_values(
            connection, ids
        ).items():
            # values that no program stored may have no summary
            with suppress(ArithmeticError, ValueError):
                recomputed[cell_id][measure] = summarise_values(values)
        for cell in batch:
            yield RecomputedCell(
                cell.factors,
                cell.kept,
                cell.counted,
                kept.get(cell.id, {}),
                recomputed.get(cell.id, {}),
            )


def _unconfirmed(connection: Connection, cell_ids: list[int], same: Same) -> list[int]:
    """The cells of which a database's sums do not say that their summaries are right."""
    wrong, measures = set[int](), Counter[int]()
    for summed in summary_repository.summed(connection, cell_ids):
        measures[summed.cell_id] += 1
        if not _confirms(summed, same):
            wrong.add(summed.cell_id)
    kept = summary_repository.kept_counts(connection, cell_ids)
    return [id_ for id_ in cell_ids if id_ in wrong or kept.get(id_, 0) != measures[id_]]


def _confirms(summed: SummedMeasure, same: Same) -> bool:
    kept, n = summed.kept, summed.values
    if kept is None or n is None:
        return False
    try:
        squares = max(summed.squares - summed.off**2 / n, 0.0)
        sd = sqrt(squares / (n - 1)) if n > 1 else None
        found = from_moments(n, kept.mean + summed.off / n, sd)
    except (ArithmeticError, ValueError):
        return False
    return same(kept, SummaryRecord(found.n, found.mean, found.sd, found.ci95))
