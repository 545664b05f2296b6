# SPDX-License-Identifier: Apache-2.0
"""The setting to choose in an experiment, or in a model's grid, and the commands for it."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod

import numpy as np
from coalescope_models.catalogue import Model
from coalescope_models.inference.recommendation import (
    Aim,
    Constraint,
    Goal,
    Limit,
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
from coalescope.experiments.levels import factor_levels, matches, read_level
from coalescope.experiments.records import (
    CellRecord,
    Choice,
    ExperimentRecord,
    Factors,
    FactorValue,
)
from coalescope.experiments.service import list_cells
from coalescope.glossary.quantities import factor as factor_of
from coalescope.glossary.quantities import is_free_factor
from coalescope.glossary.quantities import measure as measure_of
from coalescope.predictions.service import check_axes, evaluate_points
from coalescope.recommendations.commands import Commands, commands_for
from coalescope.recommendations.effects import (
    Effect,
    Interval,
    effects,
    entangled,
    intervals,
    intrusion,
    levels_in_order,
    nearest,
    positions,
)
from coalescope.recommendations.guards import (
    Limited,
    default_guards,
    is_unguarded,
    keeps_limits,
    limits_to_offer,
)
from coalescope.recommendations.target import check_target, target_for
from coalescope.runs.chosen import RunSelection, settings_of
from coalescope.runs.records import RunValues
from coalescope.runs.selection import refuse_mixed, select_runs
from coalescope.runs.sequence import sequence_of
from coalescope.user_models.confinement import Run, here

MOST_SETTINGS = 2_000
# settings × measures: each is drawn 4,000 times, 160 MB a copy and up to four of them
_MOST_MEANS = 5_000
_CPU_PER_GB = "system_cpu_s_per_gb"
# what the answer is compared in: what can be a goal
_KNOWN = tuple(n for n, q in QUANTITIES.items() if q.role == "measure" and q.aim is not None)
_NO_CHANCE = (
    "These are a model's predictions, without probabilities: measure the best settings before you "
    "rely on them."
)


_REMEDIES = {
    "aims": "Name a measure, and whether more or less of it is wanted.",
    "weight": "Give a number above zero, or no weight: then it is 1.",
    "goal": "Name the two measures to balance, or ask for a trade.",
    "cells": "Measure at least one other setting, three times or more, or loosen a limit.",
}


@dataclass(frozen=True)
class Question:
    """What is wanted.

    Attributes:
        aims: at least one.
        goal: what they are worth together.
        constraints: bounds to keep, on measures and on factors.
        guarded: whether a throughput that was measured is guarded where the question says nothing.
        current: levels that are set now; what the answer is compared with.
        tolerance_percent: a loss that does not matter; None for what suits the goal.
        seed: of the draws behind probabilities.
        interface: to write commands for; None for no commands.
        driver: of the interface.
        kernel: that it runs, as `uname -r` shows it; None: the newest that drivers are known of.

    """

    aims: Sequence[Aim]
    goal: Goal = "trade"
    constraints: Sequence[Constraint] = ()
    guarded: bool = True
    current: Factors = field(default_factory=dict)
    tolerance_percent: float | None = None
    seed: int = 1
    interface: str | None = None
    driver: str | None = None
    kernel: str | None = None

    @property
    def limits(self) -> list[Constraint]:
        """Bounds on factors."""
        return [c for c in self.constraints if _is_factor(c.measure)]

    @property
    def bounds(self) -> list[Constraint]:
        """Bounds on measures."""
        return [c for c in self.constraints if not _is_factor(c.measure)]

    @property
    def measures(self) -> list[str]:
        """Everything that is asked about."""
        named = [*(aim.measure for aim in self.aims), *(c.measure for c in self.bounds)]
        return list(dict.fromkeys(named))


@dataclass(frozen=True)
class Advice:
    """The answer.

    Attributes:
        found: settings, best first; their cells are keys of `settings`.
        settings: levels of each.
        enough: the shortest delay among the settings that are good enough.
        commands: for the answer; None without an interface, or an answer.
        guards: bounds that were kept without being asked for.
        reference: what an answer is compared with: of the settings the nearest to what is set
            now, where that is known; else the least. None where there is nothing to compare.
        compared: that what is set now was not measured, and what stands for it; None where it was.
        ci95: by measure that was asked about, of each setting's mean.
        effects: the answer against it.
        ask: limits on the delay to choose from, where a cost is all that is known: without one
            there is no answer.
        cautions: what the data set's source warns of.
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
    guards: Sequence[Constraint] = ()
    reference: Hashable | None = None
    compared: str | None = None
    ci95: Mapping[str, Mapping[Hashable, Interval]] = field(default_factory=dict)
    effects: Sequence[Effect] = ()
    ask: Sequence[Limited] = ()
    cautions: Sequence[str] = ()
    left_out: int = 0
    without: Sequence[str] = ()
    where: Choice = field(default_factory=dict)
    experiment: ExperimentRecord | None = None
    model: Model | None = None


def _quantity(name: str) -> Quantity | None:
    return QUANTITIES.get(name) or measure_of(name)


def _is_factor(name: str) -> bool:
    return factor_of(name) is not None or is_free_factor(name)


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


def constraint(measure: str, limit: Limit, value: float) -> Constraint:
    """A bound on a measure or a factor. Errors: 422 for an unknown quantity."""
    quantity = _quantity(measure)
    if quantity is None and not is_free_factor(measure):
        raise CoalescopeError(
            "no_such_measure",
            f"{measure[:80]!r} is not a quantity.",
            where={"measure": measure},
            advice=f"{did_you_mean(measure, QUANTITIES)}The glossary lists all quantities; a "
            "factor of one's own is factor.NAME.",
        )
    better = None if quantity is None or _is_factor(measure) else quantity.better
    most = 100 if limit == "within" or better == "more" else 10_000
    if limit.startswith("within") and not (better and 0 < value < most):
        raise CoalescopeError(
            "wrong_range",
            f"{measure} {limit} {value:g} % is no bound.",
            where={"measure": measure},
            advice=f"Give 0 to {most} percent, of a measure of which more or less is better.",
        )
    return Constraint(measure, limit, value, better or "more")


def read_runs(
    connection: Connection,
    experiment: ExperimentRecord,
    question: Question,
    where: Sequence[tuple[str, str]],
    without: Sequence[str] = (),
) -> RunSelection:
    """Read the runs to choose from.

    Errors: 422 as `select_runs`; what nobody chooses varies; what is held leaves one setting.
    """
    if question.interface is not None:
        check_target(question.interface, question.driver, question.kernel)
    names = dict.fromkeys([*question.measures, *_KNOWN])
    chosen = select_runs(connection, experiment, list(names), where, without)
    settings = settings_of(chosen.runs)
    if len(settings) == 1:
        _refuse_what_is_held(list_cells(connection, experiment), chosen.where, experiment)
    levels = factor_levels(settings.values())
    _refuse_idle_limits(question.limits, levels)
    given = [name for name in levels if not can_be_chosen(name, levels[name], experiment.source)]
    refuse_mixed(chosen.runs, given, ", which is given and not for choice")
    return chosen


def _refuse_what_is_held(
    cells: Sequence[CellRecord], where: Choice, experiment: ExperimentRecord
) -> None:
    """Errors: 422 where what is held leaves one setting, saying how to free it."""
    levels = factor_levels(cell.factors for cell in cells)
    held = [name for name in where if len(levels.get(name, ())) > 1]
    free = [name for name in held if can_be_chosen(name, levels[name], experiment.source)]
    if free:
        without = {name: level for name, level in where.items() if name not in free}
        count = sum(matches(cell.factors, without) for cell in cells)
        shown = ", ".join(f"{_short(name)} is held at {where[name]}" for name in free)
        raise CoalescopeError(
            "no_recommendation",
            f"One setting leaves no choice: {shown}.",
            where={"field": free[0]},
            advice=f"Without holding {', '.join(map(_short, free))} there are {count} settings to "
            "choose from.",
        )
    if held:
        raise CoalescopeError(
            "no_recommendation",
            f"Nothing here is for choice: {', '.join(map(_short, held))} says what the traffic or "
            "the host is, and nobody sets it.",
            where={"field": held[0]},
            advice="Measure settings that somebody can choose, such as delays, three times or "
            "more.",
        )


def _short(name: str) -> str:
    return name.removeprefix("factor.")


def _refuse_idle_limits(
    limits: Sequence[Constraint], levels: Mapping[str, Sequence[FactorValue]]
) -> None:
    """Errors: 422 for a limit on what no run has as a factor, or has as words only."""
    for limit in limits:
        own = levels.get(limit.measure, ())
        if any(isinstance(level, int | float) for level in own):
            continue
        shown = ", ".join(map(str, own[:12]))
        raise CoalescopeError(
            "no_such_factor",
            f"{limit.measure[:80]} is words here, which no limit orders: {shown}."
            if own
            else f"No run has the factor {limit.measure[:80]}.",
            where={"field": "constraints"},
            advice="Choose one of its levels with FACTOR=VALUE in place of a limit."
            if own
            else f"{did_you_mean(limit.measure, levels)}Factors here: {', '.join(levels)}.",
        )


def advise(experiment: ExperimentRecord, chosen: RunSelection, question: Question) -> Advice:
    """Choose among the settings that were measured.

    Errors: 422 where the data cannot carry an answer, saying what to measure.
    """
    runs = [run for run in chosen.runs if keeps_limits(run.factors, question.limits)]
    if not runs:
        raise CoalescopeError(
            "no_such_cells",
            "No setting that was measured keeps the limits.",
            where={"field": "constraints"},
            advice="Loosen one, or measure others.",
        )
    # a run without what is guarded does not count, and is told of
    measured = _in_every_setting(runs)
    guards: Sequence[Constraint] = ()
    if question.guarded:
        guards = default_guards(question.aims, question.constraints, measured)
    kept = replace(question, constraints=[*question.constraints, *guards])
    whole = _whole(runs, kept.measures)
    settings: dict[Hashable, Factors] = {run.cell_id: run.factors for run in whole}
    _refuse_too_many(settings, kept.measures)
    kept = replace(kept, current=_as_levels(question.current, factor_levels(settings.values())))
    found = _unless_entangled(_of_runs(whole, kept), settings)
    advice = Advice(
        found=found,
        settings=settings,
        enough=_enough(found, settings),
        commands=None,
        guards=guards,
        compared=_not_measured(settings, kept.current),
        ci95={name: intervals(whole, name) for name in kept.measures},
        cautions=tuple(experiment.source.get("cautions", ())),
        left_out=len(runs) - len(whole),
        without=chosen.without,
        where=chosen.where,
        experiment=experiment,
    )
    if question.guarded and is_unguarded(kept.aims, kept.constraints, settings.values()):
        reference = nearest(settings, kept.current)
        ask = _offered(whole, settings, reference, kept)
        unsaid = replace(found, answer=None, choices=())
        return replace(advice, found=unsaid, reference=reference, ask=ask)
    return _with_effects(advice, whole, kept)


def _as_levels(current: Factors, levels: Mapping[str, list[FactorValue]]) -> Factors:
    """Levels that are set now, as the factors have them. Errors: 422 for an unknown factor."""
    return {name: read_level(name, str(level), levels) for name, level in current.items()}


def _not_measured(settings: Mapping[Hashable, Factors], current: Factors) -> str | None:
    there = settings[nearest(settings, current)]
    apart = [name for name, level in current.items() if there.get(name) != level]
    if not apart:
        return None
    now, instead = (
        ", ".join(f"{name.removeprefix('factor.')} {levels.get(name)}" for name in apart)
        for levels in (current, there)
    )
    return f"What is set now ({now}) was not measured; changes are against {instead}."


def _unless_entangled(
    found: Recommendation, settings: Mapping[Hashable, Factors]
) -> Recommendation:
    """Choose nothing by single values where what one factor does cannot be told from another's."""
    if found.answer is None or any(c.surely_allowed is not None for c in found.candidates):
        return found
    alone = entangled(settings.values())
    if alone is None:
        return found
    message = (
        f"Not enough to recommend a setting: no two settings differ in {alone} alone, so what it "
        "does cannot be told from what the others do. Measure two that do, three times or more."
    )
    return replace(found, answer=None, choices=(), message=message)


def _in_every_setting(runs: Sequence[RunValues]) -> list[str]:
    """Measures that some run of every setting has."""
    found: dict[int, set[str]] = {}
    for run in runs:
        found.setdefault(run.cell_id, set()).update(run.values)
    return [name for name in _KNOWN if all(name in names for names in found.values())]


def _with_effects(advice: Advice, runs: Sequence[RunValues], question: Question) -> Advice:
    answer = advice.found.answer
    if answer is None:
        return advice
    reference = nearest(advice.settings, question.current)
    known = _changes(runs, reference, answer)
    commands = _commands(answer, advice.settings, question)
    return replace(advice, reference=reference, effects=known, commands=commands)


def _changes(runs: Sequence[RunValues], there: Hashable, here: Hashable) -> list[Effect]:
    return [] if here == there else effects(runs, there, here)


def _offered(
    runs: Sequence[RunValues],
    settings: Mapping[Hashable, Factors],
    reference: Hashable,
    question: Question,
) -> list[Limited]:
    """What limits on the delay would leave, and what that would change."""
    offered = []
    for factor, level in limits_to_offer(settings):
        limit = Constraint(factor, "at most", level)
        own = [run for run in runs if keeps_limits(run.factors, [limit])]
        if len({run.cell_id for run in own}) < 2:
            continue
        answer = _of_runs(own, question).answer
        changes = [] if answer is None else _changes(runs, reference, answer)
        offered.append(Limited(factor, level, answer, changes))
    return offered


def _whole(runs: Sequence[RunValues], measures: Sequence[str]) -> list[RunValues]:
    """Runs with all that is asked about. Errors: 422 where there is none."""
    whole = [run for run in runs if all(name in run.values for name in measures)]
    missing = [n for n in measures if not any(n in run.values for run in runs)]
    if not whole:
        raise CoalescopeError(
            "not_available",
            f"No run has {' and '.join(missing or measures)}.",
            where={"measure": ", ".join(missing or measures)},
            advice="Measure it, or ask for another.",
        )
    return whole


def _refuse_too_many(settings: Mapping[Hashable, Factors], measures: Sequence[str]) -> None:
    if len(settings) * len(measures) > _MOST_MEANS:
        raise CoalescopeError(
            "too_many_settings",
            f"{len(settings)} settings with {len(measures)} measures are too many.",
            where={"field": "where"},
            advice="Choose settings with FACTOR=VALUE, at most "
            f"{_MOST_MEANS // len(measures)} for as many measures.",
        )


def _of_runs(runs: Sequence[RunValues], question: Question) -> Recommendation:
    table = {name: [run.values[name] for run in runs] for name in question.measures}
    settings: dict[Hashable, Factors] = {run.cell_id: run.factors for run in runs}
    when = sequence_of([run.when for run in runs])
    return _recommend(table, [run.cell_id for run in runs], settings, question, when)


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
    named = {name: level for name, level in q.current.items() if name in over}
    q = replace(q, current=_as_levels(named, {name: list(levels) for name, levels in over.items()}))
    guards: Sequence[Constraint] = ()
    if q.guarded:
        guards = default_guards(q.aims, q.constraints, [o.name for o in model.outputs])
    kept = replace(q, constraints=[*q.constraints, *guards])
    predicted = _predicted(model, values, over, kept, run)
    grid: dict[Hashable, Factors] = {
        index: dict(zip(over, levels, strict=True))
        for index, levels in enumerate(product(*over.values()))
    }
    settings = {k: factors for k, factors in grid.items() if keeps_limits(factors, q.limits)}
    if not settings:
        raise CoalescopeError(
            "wrong_range",
            "No setting keeps the limits.",
            where={"field": "constraints"},
            advice="Loosen one, or give other levels: a limit is on an input that can be chosen.",
        )
    places = [index for index, cell in enumerate(grid) if cell in settings]
    table = {name: [column[place] for place in places] for name, column in predicted.items()}
    found = _recommend(table, list(settings), settings, kept, exact=True)
    if q.guarded and is_unguarded(kept.aims, kept.constraints, settings.values()):
        found = replace(found, answer=None, choices=())
    return Advice(
        found=_without_chance(found),
        settings=settings,
        enough=_enough(found, settings),
        commands=None if found.answer is None else _commands(found.answer, settings, q),
        guards=guards,
        reference=None if found.answer is None else nearest(settings, q.current),
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
    settings: Mapping[Hashable, Factors],
    question: Question,
    when: Timeline | None = None,
    exact: bool = False,
) -> Recommendation:
    percent = question.tolerance_percent
    try:
        return recommend(
            table,
            cells,
            question.aims,
            question.bounds,
            goal=question.goal,
            tolerance=None if percent is None else percent / 100.0,
            exact=exact,
            when=when,
            current=nearest(settings, question.current),
            intrusion=lambda cell: intrusion(settings[cell], question.current),
            position=positions(settings),
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
    return min(found.good_enough, key=lambda cell: levels_in_order(settings[cell]), default=None)


def _commands(
    answer: Hashable, settings: Mapping[Hashable, Factors], question: Question
) -> Commands | None:
    if question.interface is None:
        return None
    setting = settings[answer]
    return commands_for(target_for(setting, question.interface, question.driver, question.kernel))
