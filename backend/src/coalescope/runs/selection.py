# SPDX-License-Identifier: Apache-2.0
"""The current runs that a question is about: chosen by level, with the measures it needs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field
from sqlalchemy.engine import Connection

from coalescope.errors import CoalescopeError
from coalescope.experiments.levels import Where, factor_levels, matches, parse_where
from coalescope.experiments.records import ExperimentRecord, Factors
from coalescope.runs import repository
from coalescope.runs.records import RunValues

MOST_LEFT_OUT = 200
LEFT_OUT_AS_TEXT: dict[str, Any] = {
    "max_length": 16_000,
    "pattern": "^[ -~]*$",
    # a link outlives runs: those that were retracted since, and what else is none, spoil no view
    "description": "Runs to leave out of this answer: ID,ID,… What is no current run of the "
    "experiment is passed over; the answer says what was left out",
}
LeftOut = Annotated[list[Annotated[str, Field(max_length=64)]], Field(max_length=MOST_LEFT_OUT)]


@dataclass(frozen=True)
class RunSelection:
    """Runs in storing order, never none; their levels; the current runs that were left out."""

    where: Factors
    runs: Sequence[RunValues]
    without: Sequence[str] = ()


def settings_of(runs: Iterable[RunValues]) -> dict[int, Factors]:
    """Each cell's setting, once: of 100,000 runs there are few cells."""
    return {run.cell_id: run.factors for run in runs}


def select_runs(
    connection: Connection,
    experiment: ExperimentRecord,
    measures: Sequence[str],
    where: Where,
    without: Sequence[str] = (),
) -> RunSelection:
    """The current runs with these levels and their values of these measures, where they have them.

    `where` holds FACTOR, VALUE pairs as text; `without` the identities of runs to leave out.
    Errors: 422 for an unknown factor, or no run.
    """
    runs = repository.values_of_runs(connection, experiment.id, measures, without)
    settings = settings_of(runs)
    chosen_by = parse_where(where, factor_levels(settings.values()))
    cells = {cell for cell, factors in settings.items() if matches(factors, chosen_by)}
    chosen = [run for run in runs if run.cell_id in cells]
    if not chosen:
        raise CoalescopeError(
            "no_such_cells",
            "No run has these levels." if runs else "The experiment has no runs yet.",
            where=dict(chosen_by),
            advice="See the experiment's factors and their levels.",
        )
    return RunSelection(chosen_by, chosen, current_among(connection, experiment, without))


def refuse_mixed(runs: Iterable[RunValues], traffic: Sequence[str], why: str) -> None:
    """Errors: 422 where runs differ in a factor of the traffic; `why` says what that matters."""
    levels = factor_levels(settings_of(runs).values())
    varying = [name for name in traffic if len(levels.get(name, ())) > 1]
    if varying:
        shown = "; ".join(f"{n}: {', '.join(map(str, levels[n][:12]))}" for n in varying)
        raise CoalescopeError(
            "traffic_varies",
            f"The runs differ in {', '.join(varying)}{why}.",
            where={"field": varying[0]},
            advice=f"Choose one level of each ({shown}).",
        )


def current_among(
    connection: Connection, experiment: ExperimentRecord, uids: Sequence[str]
) -> list[str]:
    """Those of these identities that are current runs of the experiment."""
    if not uids:
        return []
    return sorted(uid for uid, _, _ in repository.current_places(connection, experiment.id, uids))


def require_stored(
    connection: Connection, experiment: ExperimentRecord, uids: Sequence[str]
) -> None:
    """Refuse an identity that is no run of the experiment: it may be mistyped or cut short.

    Errors: 404 with the identity.
    """
    if not uids:
        return
    stored = repository.stored_among(connection, experiment.id, uids)
    stranger = next((uid for uid in uids if uid not in stored), None)
    if stranger is not None:
        raise CoalescopeError(
            "not_found",
            f"There is no run {stranger!r} in {experiment.slug} to leave out.",
            status=404,
            where={"field": "without"},
            advice="Give whole identities, as the page of a run shows them.",
        )


def left_out(text: str) -> tuple[str, ...]:
    """Identities of runs from a list with commas. Errors: 422 where there are too many."""
    uids = tuple(dict.fromkeys(uid for each in text.split(",") if (uid := each.strip())))
    if len(uids) > MOST_LEFT_OUT:
        raise CoalescopeError(
            "too_many_left_out",
            f"{len(uids)} runs are to be left out; at most {MOST_LEFT_OUT} can be.",
            where={"field": "without"},
            advice="Retract runs that must not count at all: retractions are kept with a reason.",
        )
    return uids


def where_pairs(where: Factors) -> tuple[tuple[str, str], ...]:
    """Return levels as the services take them."""
    return tuple(sorted((name, str(value)) for name, value in where.items()))
