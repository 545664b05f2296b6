# SPDX-License-Identifier: Apache-2.0
"""The current runs that a question is about: chosen by level, with the measures it needs."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, Field
from sqlalchemy.engine import Connection

from coalescope.errors import CoalescopeError
from coalescope.experiments.levels import Where, factor_levels
from coalescope.experiments.records import Choice, ExperimentRecord
from coalescope.runs import repository, value_repository
from coalescope.runs.chosen import (
    IDENTITY,
    MOST_LEFT_OUT,
    RunSelection,
    chosen_among,
    identity,
    settings_of,
)
from coalescope.runs.records import RunValues

LEFT_OUT_AS_TEXT: dict[str, Any] = {
    "max_length": 16_000,
    "pattern": "^[ -~]*$",
    # a link outlives runs: one that was retracted, or went with its data set, spoils no view
    "description": "Runs to leave out of this answer: ID,ID,… What is no identity is refused. "
    "A run that does not count, or is not here any more, is passed over: the answer says which "
    "were left out",
    "json_schema_extra": {"pattern": f"^ *({IDENTITY}( *, *{IDENTITY})*)? *$"},
}
LeftOut = Annotated[
    list[
        Annotated[
            str,
            Field(max_length=64, json_schema_extra={"pattern": f"^{IDENTITY}$"}),
            AfterValidator(identity),
        ]
    ],
    Field(max_length=MOST_LEFT_OUT),
]


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
    runs = value_repository.values_of_runs(connection, experiment.id, measures, without)
    return chosen_among(runs, where, current_among(connection, experiment, without))


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
        raise no_run_to_leave_out(stranger, experiment.slug)


def no_run_to_leave_out(uid: str, slug: str) -> CoalescopeError:
    """What is to be left out is no run of that experiment."""
    return CoalescopeError(
        "not_found",
        f"There is no run {uid!r} in {slug} to leave out.",
        status=404,
        where={"field": "without"},
        advice="Give whole identities, as the page of a run shows them.",
    )


def levels_by_factor(pairs: Where) -> dict[str, list[str]]:
    """Levels as the API takes them from a body: the opposite of `where_pairs`."""
    levels: dict[str, list[str]] = {}
    for name, level in pairs:
        levels.setdefault(name, []).append(level)
    return levels


def where_pairs(where: Choice) -> tuple[tuple[str, str], ...]:
    """Return levels as the services take them: a pair for each of several."""
    several = {n: level if isinstance(level, list) else [level] for n, level in where.items()}
    return tuple(sorted((name, str(level)) for name, all_ in several.items() for level in all_))
