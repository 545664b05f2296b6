# SPDX-License-Identifier: Apache-2.0
"""The runs that a question is about, chosen by level among those that were read.

Standard library only: a copy without a server chooses with this too (copies).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from coalescope.errors import CoalescopeError
from coalescope.experiments.levels import (
    Where,
    factor_levels,
    matches,
    no_such_cells,
    parse_where,
)
from coalescope.experiments.records import Choice, Factors
from coalescope.runs.records import RunValues

MOST_LEFT_OUT = 200
IDENTITY = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"


@dataclass(frozen=True)
class RunSelection:
    """Runs in storing order, never none; their levels; the current runs that were left out."""

    where: Choice
    runs: Sequence[RunValues]
    without: Sequence[str] = ()


def settings_of(runs: Iterable[RunValues]) -> dict[int, Factors]:
    """Each cell's setting, once: of 100,000 runs there are few cells."""
    return {run.cell_id: run.factors for run in runs}


def chosen_among(runs: Sequence[RunValues], where: Where, without: Sequence[str]) -> RunSelection:
    """Those of the runs that have these levels.

    `where` holds FACTOR, VALUE pairs as text; `without` the identities of runs that were left out.
    Errors: 422 for an unknown factor, or no run.
    """
    settings = settings_of(runs)
    levels = factor_levels(settings.values())
    chosen_by = parse_where(where, levels)
    cells = {cell for cell, factors in settings.items() if matches(factors, chosen_by)}
    chosen = [run for run in runs if run.cell_id in cells]
    if not chosen and chosen_by:
        raise no_such_cells(chosen_by, levels)
    if not chosen:
        raise CoalescopeError(
            "no_such_cells",
            "The experiment has no runs yet.",
            advice="Add runs to it first.",
        )
    return RunSelection(chosen_by, chosen, without)


def identities(text: str) -> tuple[str, ...]:
    """Identities of runs from a list with commas. Errors: 422 for what is none, and too many."""
    given = text.split(",") if text.strip() else []
    uids = tuple(dict.fromkeys(identity(each.strip()) for each in given))
    if len(uids) > MOST_LEFT_OUT:
        raise CoalescopeError(
            "too_many_left_out",
            f"{len(uids)} runs are to be left out; at most {MOST_LEFT_OUT} can be.",
            where={"field": "without"},
            advice="Retract runs that must not count at all: retractions are kept with a reason.",
        )
    return uids


def identity(uid: str) -> str:
    """A run's identity as it was given. Errors: 422 for what no run can have."""
    if re.fullmatch(IDENTITY, uid) is None:
        raise CoalescopeError(
            "no_identity",
            f"{uid[:80]!r} is no run's identity.",
            where={"field": "without"},
            advice="Give whole identities, as the experiment's list of runs shows them.",
        )
    return uid
