# SPDX-License-Identifier: Apache-2.0
"""The best setting of an experiment, or of a model over a grid, and the commands for it."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from typing import Literal

import numpy as np
from coalescope_models.catalogue import Model
from coalescope_models.inference.recommendation import (
    Aim,
    Constraint,
    Goal,
    Recommendation,
    RecommendationError,
    Sense,
    recommend,
)
from coalescope_models.inference.statistics import Timeline
from coalescope_models.vocabulary.quantity import QUANTITIES, Quantity
from sqlalchemy.engine import Connection

from coalescope.errors import CoalescopeError, did_you_mean, sentence
from coalescope.experiments.choice import can_be_chosen
from coalescope.experiments.levels import factor_levels
from coalescope.experiments.records import Choice, ExperimentRecord, Factors
from coalescope.glossary.quantities import measure as measure_of
from coalescope.predictions.service import check_axes, evaluate_points
from coalescope.recommendations.commands import Commands, commands_for
from coalescope.recommendations.target import check_target, target_for
from coalescope.runs.chosen import RunSelection, settings_of
from coalescope.runs.selection import refuse_mixed, select_runs
from coalescope.runs.sequence import sequence_of
from coalescope.user_models.confinement import Run, here

MOST_SETTINGS = 2_000
# settings × measures: each is drawn 4,000 times, 160 MB together
_MOST_MEANS = 5_000
_BY_DELAY = ("delay_us", "delay_ticks", "packets_per_interrupt", "mtu_bytes")
_CPU_PER_GB = "system_cpu_s_per_gb"
_NO_CHANCE = (
    "These are a model's predictions, without probabilities: measure the best settings before you "
    "rely on them."
)


_REMEDIES = {
    "aims": "Name a measure, and whether more or less of it is wanted.",
    "weight": "Give a number above zero, or no weight: then it is 1.",
    "goal": "Name the two measures to balance, or ask for a trade.",
    "cells": "Measure at least one other setting, three times or more, or hold less fixed.",
}


@dataclass(frozen=True)
class Question:
    """What is wanted.

    Attributes:
        aims: at least one.
        goal: what they are worth together.
        constraints: bounds to keep.
        tolerance_percent: a loss that does not matter; None for what suits the goal.
        seed: of the draws behind probabilities.
        interface: to write commands for; None for no commands.
        driver: of the interface.
        kernel: that it runs, as `uname -r` shows it; None: the newest that drivers are known of.

    """

    aims: Sequence[Aim]
    goal: Goal = "trade"
    constraints: Sequence[Constraint] = ()
    tolerance_percent: float | None = None
    seed: int = 1
    interface: str | None = None
    driver: str | None = None
    kernel: str | None = None

    @property
    def measures(self) -> list[str]:
        """Everything that is asked about."""
        named = [*(aim.measure for aim in self.aims), *(c.measure for c in self.constraints)]
        return list(dict.fromkeys(named))


@dataclass(frozen=True)
class Advice:
    """The answer.

    Attributes:
        found: settings, best first; their cells are keys of `settings`.
        settings: levels of each.
        enough: the shortest delay among the settings that are good enough.
        commands: for the best setting; None without an interface, or a setting.
        left_out: runs without a measure that was asked about.
        without: runs that were left out as asked.
        where: levels that the runs were chosen by.
        experiment: whose runs; None for a model.
        model: whose predictions; None for an experiment.

    """

    found: Recommendation
    settings: Mapping[Hashable, Factors]
    enough: Hashable | None
    commands: Commands | None
    left_out: int = 0
    without: Sequence[str] = ()
    where: Choice = field(default_factory=dict)
    experiment: ExperimentRecord | None = None
    model: Model | None = None


def _quantity(name: str) -> Quantity | None:
    return QUANTITIES.get(name) or measure_of(name)


def aim(measure: str, sense: Sense | None = None, weight: float = 1.0) -> Aim:
    """An aim; without a sense, the direction that the glossary calls better.

    Errors: 422 where neither is, or for an unknown quantity.
    """
    quantity = _quantity(measure)
    better = None if quantity is None else sense or quantity.better
    if better is None:
        raise CoalescopeError(
            "no_better",
            f"Neither more nor less {measure[:80]} is better as such."
            if quantity
            else f"{measure[:80]!r} is not a quantity.",
            where={"measure": measure},
            advice="Say whether more or less of it is wanted."
            if quantity
            else f"{did_you_mean(measure, QUANTITIES)}The glossary lists all quantities.",
        )
    return Aim(measure, better, weight)


def constraint(measure: str, limit: Literal["at most", "at least"], value: float) -> Constraint:
    """A bound. Errors: 422 for an unknown quantity."""
    if _quantity(measure) is None:
        raise CoalescopeError(
            "no_such_measure",
            f"{measure[:80]!r} is not a quantity.",
            where={"measure": measure},
            advice=f"{did_you_mean(measure, QUANTITIES)}The glossary lists all quantities.",
        )
    return Constraint(measure, limit, value)


def read_runs(
    connection: Connection,
    experiment: ExperimentRecord,
    question: Question,
    where: Sequence[tuple[str, str]],
    without: Sequence[str] = (),
) -> RunSelection:
    """Read the runs to choose from. Errors: 422 as `select_runs`; what nobody chooses varies."""
    if question.interface is not None:
        check_target(question.interface, question.driver, question.kernel)
    chosen = select_runs(connection, experiment, question.measures, where, without)
    levels = factor_levels(settings_of(chosen.runs).values())
    given = [name for name in levels if not can_be_chosen(name, levels[name], experiment.source)]
    refuse_mixed(chosen.runs, given, ", which is given and not for choice")
    return chosen


def advise(experiment: ExperimentRecord, chosen: RunSelection, question: Question) -> Advice:
    """Choose among the settings that were measured.

    Errors: 422 where the data cannot carry an answer, saying what to measure.
    """
    runs, measures = chosen.runs, question.measures
    whole = [run for run in runs if all(name in run.values for name in measures)]
    missing = [n for n in measures if not any(n in run.values for run in runs)]
    if not whole:
        raise CoalescopeError(
            "not_available",
            f"No run has {' and '.join(missing or measures)}.",
            where={"measure": ", ".join(missing or measures)},
            advice="Measure it, or ask for another.",
        )
    table = {name: [run.values[name] for run in whole] for name in measures}
    settings: dict[Hashable, Factors] = {run.cell_id: run.factors for run in whole}
    if len(settings) * len(measures) > _MOST_MEANS:
        raise CoalescopeError(
            "too_many_settings",
            f"{len(settings)} settings with {len(measures)} measures are too many.",
            where={"field": "where"},
            advice="Choose settings with FACTOR=VALUE, at most "
            f"{_MOST_MEANS // len(measures)} for as many measures.",
        )
    when = sequence_of([run.when for run in whole])
    found = _recommend(table, [run.cell_id for run in whole], question, when)
    return Advice(
        found=found,
        settings=settings,
        enough=_enough(found, settings),
        commands=_commands(found, settings, question),
        left_out=len(runs) - len(whole),
        without=chosen.without,
        where=chosen.where,
        experiment=experiment,
    )


def advise_from_model(
    model: Model,
    values: Mapping[str, float],
    over: Mapping[str, Sequence[float]],
    q: Question,
    run: Run = here,
) -> Advice:
    """Choose among a model's predictions over a grid, without probabilities.

    `system_cpu_s_per_gb` follows where the model predicts throughput and CPU in percent.

    Errors: 422 as `predict`; no grid, or too large a one; a measure that it does not predict.
    """
    if q.interface is not None:
        check_target(q.interface, q.driver, q.kernel)
    twice = [name for name in over if name in values]
    if twice:
        raise CoalescopeError(
            "wrong_range",
            f"{twice[0]} is given both a value and levels.",
            where={"field": twice[0]},
            advice="Give one.",
        )
    check_axes(over)
    points = prod(len(levels) for levels in over.values()) if over else 0
    if not 2 <= points <= MOST_SETTINGS:
        raise CoalescopeError(
            "wrong_range",
            f"There are {points} settings to choose from; 2 to {MOST_SETTINGS} are needed.",
            where={"field": "over"},
            advice="Give levels of the inputs that can be chosen, such as delay_us and mtu_bytes.",
        )
    table = _predicted(model, values, over, q, run)
    settings: dict[Hashable, Factors] = {
        index: dict(zip(over, levels, strict=True))
        for index, levels in enumerate(product(*over.values()))
    }
    found = _recommend(table, list(settings), q)
    return Advice(
        found=_without_chance(found),
        settings=settings,
        enough=_enough(found, settings),
        commands=_commands(found, settings, q),
        model=model,
    )


def _predicted(
    model: Model,
    values: Mapping[str, float],
    over: Mapping[str, Sequence[float]],
    q: Question,
    run: Run,
) -> dict[str, list[float]]:
    grid = np.meshgrid(*over.values(), indexing="ij")
    at = {name: axis.ravel() for name, axis in zip(over, grid, strict=True)}
    known = evaluate_points(model, {**values, **at}, run)
    if "throughput_mbps" in known and "system_cpu_percent" in known:
        # percent of a second over 10⁶ bits per second, for 8 × 10⁹ bits
        with np.errstate(all="ignore"):
            cost = 80.0 * known["system_cpu_percent"] / known["throughput_mbps"]
        known.setdefault(_CPU_PER_GB, cost)
    for name in q.measures:
        if name not in known:
            raise CoalescopeError(
                "not_available",
                f"{model.id} does not predict {name[:80]}.",
                where={"measure": name},
                advice=f"{did_you_mean(name, known)}It predicts {', '.join(known)}.",
            )
    return {name: known[name].tolist() for name in q.measures}


def _recommend(
    table: Mapping[str, Sequence[float]],
    cells: Sequence[Hashable],
    question: Question,
    when: Timeline | None = None,
) -> Recommendation:
    percent = question.tolerance_percent
    try:
        return recommend(
            table,
            cells,
            question.aims,
            question.constraints,
            goal=question.goal,
            tolerance=None if percent is None else percent / 100.0,
            when=when,
            rng=question.seed,
        )
    except RecommendationError as error:
        raise CoalescopeError(
            "no_recommendation",
            sentence(str(error), question.measures),
            where={"field": error.name},
            advice=_REMEDIES.get(error.name, "Measure it in every setting, or ask for another."),
        ) from None


def _without_chance(found: Recommendation) -> Recommendation:
    message = _NO_CHANCE if found.best is not None else found.message
    return replace(found, indistinguishable=(), message=message)


def _enough(found: Recommendation, settings: Mapping[Hashable, Factors]) -> Hashable | None:
    def order(cell: Hashable) -> list[float]:
        levels = [settings[cell].get(name) for name in _BY_DELAY]
        return [0.0 if v is None or isinstance(v, str) else float(v) for v in levels]

    return min(found.good_enough, key=order, default=None)


def _commands(
    found: Recommendation, settings: Mapping[Hashable, Factors], question: Question
) -> Commands | None:
    if question.interface is None or found.best is None:
        return None
    best = settings[found.best]
    return commands_for(target_for(best, question.interface, question.driver, question.kernel))
