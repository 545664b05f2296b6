# SPDX-License-Identifier: Apache-2.0
"""Choose among settings, measured or predicted."""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from coalescope_host.tuning.losses import beyond, lossier
from coalescope_models.inference.recommendation import (
    Constraint,
    Recommendation,
    RecommendationError,
    recommend,
)
from coalescope_models.inference.statistics import Timeline

from coalescope.errors import CoalescopeError, sentence
from coalescope.experiments.records import Factors
from coalescope.recommendations.commands import Commands, commands_for
from coalescope.recommendations.effects import intrusion, levels_in_order, nearest, positions
from coalescope.recommendations.guards import keeps_limits
from coalescope.recommendations.question import Question
from coalescope.recommendations.target import target_for

_REMEDIES = {
    "aims": "Name a measure, and whether more or less of it is wanted.",
    "weight": "Give a number above zero, or no weight: then it is 1.",
    "goal": "Name the two measures to balance, or ask for a trade.",
    "cells": "Measure at least one other setting, three times or more, or loosen a limit.",
}
_MEASURE_IT = "Measure it in every setting, or ask for another."
_LEAVE_OUT = f"{_MEASURE_IT} Single runs can be left out (`without`)."
_SETTINGS_SAID = 3


def choose(
    table: Mapping[str, Sequence[float]],
    cells: Sequence[Hashable],
    settings: Mapping[Hashable, Factors],
    question: Question,
    when: Timeline | None = None,
    exact: bool = False,
) -> Recommendation:
    """Choose by the measures in `table`, whose rows are of these cells.

    Chosen are those of all `settings` that keep the question's limits; the others tell of them.

    Errors: 422 where they cannot carry an answer, saying what to measure.
    """
    percent = question.tolerance_percent
    now = compared_with(settings, question)
    within = within_limits(settings, question)
    lost = {c.measure: _by_setting(table[c.measure], cells) for c in question.on_losses}
    try:
        found = recommend(
            table,
            cells,
            question.aims,
            question.bounds,
            among=within,
            excluded=_breaking(question.on_losses, lost, now, within),
            goal=question.goal,
            tolerance=None if percent is None else percent / 100.0,
            exact=exact,
            when=when,
            current=now,
            intrusion=lambda cell: intrusion(settings[cell], question.current),
            position=positions(settings, within),
            rng=question.seed,
        )
    except RecommendationError as error:
        without = _settings_without(table.get(error.name, ()), cells, settings)
        said = f"{error}: {without}" if without else str(error)
        raise CoalescopeError(
            "no_recommendation",
            sentence(said, question.measures),
            where={"field": error.name},
            advice=_REMEDIES.get(error.name, _LEAVE_OUT if without else _MEASURE_IT),
        ) from None
    means = {name: {cell: fmean(own) for cell, own in runs.items()} for name, runs in lost.items()}
    candidates = [
        replace(c, means={**c.means, **{name: of[c.cell] for name, of in means.items()}})
        for c in found.candidates
    ]
    return replace(found, candidates=candidates)


def within_limits(
    settings: Mapping[Hashable, Factors], question: Question
) -> dict[Hashable, Factors]:
    """The settings that keep the question's limits on factors."""
    return {c: own for c, own in settings.items() if keeps_limits(own, question.limits)}


def compared_with(settings: Mapping[Hashable, Factors], question: Question) -> Hashable:
    """What is set now, whether it keeps the limits or not; else the least of those that do."""
    own = settings if question.current else within_limits(settings, question)
    return nearest(own, question.current)


def has_logarithms(values: Iterable[float]) -> bool:
    """Whether a setting beyond the limits tells anything of others: its measures are positive."""
    return all(0.0 < value < math.inf for value in values)


def _settings_without(
    values: Sequence[float], cells: Sequence[Hashable], settings: Mapping[Hashable, Factors]
) -> str:
    """Where some runs have no value above zero, if others have; the first few settings."""
    lacking = [
        cell for cell, value in zip(cells, values, strict=False) if not 0.0 < value < math.inf
    ]
    if len(lacking) == len(values):
        return ""
    named = [
        ", ".join(f"{name} {level}" for name, level in settings[cell].items())
        for cell in dict.fromkeys(lacking)
    ]
    more = len(named) - _SETTINGS_SAID
    return "; ".join(named[:_SETTINGS_SAID]) + (f"; and {more} more" if more > 0 else "")


def _by_setting(values: Sequence[float], cells: Sequence[Hashable]) -> dict[Hashable, list[float]]:
    found: dict[Hashable, list[float]] = {}
    for cell, value in zip(cells, values, strict=True):
        found.setdefault(cell, []).append(value)
    return found


def _breaking(
    bounds: Sequence[Constraint],
    lost: Mapping[str, Mapping[Hashable, Sequence[float]]],
    now: Hashable,
    within: Iterable[Hashable],
) -> set[Hashable]:
    """Settings that break a bound on a loss. A bound "at least" keeps nobody from losing less."""
    found: set[Hashable] = set()
    for bound in bounds:
        runs = lost[bound.measure]
        if bound.limit == "at most":
            found |= beyond(runs, bound.value)
        elif bound.limit != "at least":
            least = min(within, key=lambda cell, runs=runs: fmean(runs[cell]))  # type: ignore[misc]
            against = now if bound.limit == "within current" else least
            found |= lossier(bound.measure, runs, against, bound.value)
    return found


def shortest_good_enough(
    found: Recommendation, settings: Mapping[Hashable, Factors]
) -> Hashable | None:
    """The setting with the shortest delay among those that are good enough."""
    return min(found.good_enough, key=lambda cell: levels_in_order(settings[cell]), default=None)


def commands_to_set(
    answer: Hashable, settings: Mapping[Hashable, Factors], question: Question
) -> Commands | None:
    """The commands that set the answer on the interface; None where none is named."""
    if question.interface is None:
        return None
    setting = settings[answer]
    return commands_for(target_for(setting, question.interface, question.driver, question.kernel))
