# SPDX-License-Identifier: Apache-2.0
"""The runs to choose a setting from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from coalescope_models.inference.recommendation import Constraint
from coalescope_models.vocabulary.quantity import QUANTITIES
from sqlalchemy.engine import Connection

from coalescope.errors import CoalescopeError, did_you_mean
from coalescope.experiments.choice import can_be_chosen
from coalescope.experiments.levels import factor_levels, matches
from coalescope.experiments.records import CellRecord, Choice, ExperimentRecord, FactorValue
from coalescope.experiments.service import list_cells
from coalescope.glossary.quantities import is_own_measure
from coalescope.recommendations.defaults import (
    Default,
    driver_default,
    may_be_of_driver,
    said_default,
)
from coalescope.recommendations.question import AIMED, Question
from coalescope.recommendations.target import check_target
from coalescope.runs.chosen import RunSelection, settings_of
from coalescope.runs.selection import refuse_mixed, select_runs
from coalescope.runs.service import environments_of, own_measures

# what the answer is compared in, beside one's own measures
_COMPARED = tuple(n for n, q in QUANTITIES.items() if q.role == "measure" and q.better is not None)


@dataclass(frozen=True)
class Measured:
    """The runs to choose from, and the default setting among them where it is known."""

    chosen: RunSelection
    default: Default | None


def read_runs(
    connection: Connection,
    experiment: ExperimentRecord,
    question: Question,
    where: Sequence[tuple[str, str]],
    without: Sequence[str] = (),
) -> Measured:
    """Read the runs to choose from.

    Errors: 422 as `select_runs`; what nobody chooses varies; what is held leaves one setting.
    """
    if question.interface is not None:
        check_target(question.interface, question.driver, question.kernel)
    own = own_measures(connection, experiment)
    names = dict.fromkeys([*question.measures, *_COMPARED, *own])
    chosen = select_runs(connection, experiment, list(names), where, without)
    absent = [n for n in question.measures if not any(n in run.values for run in chosen.runs)]
    if absent:
        cells = list_cells(connection, experiment)
        raise _absent(absent, goals_among(n for cell in cells for n in cell.measures))
    settings = settings_of(chosen.runs)
    if len(settings) == 1:
        _refuse_what_is_held(list_cells(connection, experiment), chosen.where, experiment)
    levels = factor_levels(settings.values())
    _refuse_idle_limits(question.limits, levels)
    given = [name for name in levels if not can_be_chosen(name, levels[name], experiment.source)]
    varying = [name for name in levels if len(levels[name]) > 1]
    choosable = [name for name in varying if name not in given]
    if varying and not choosable:
        raise _nothing_for_choice(varying)
    refuse_mixed(chosen.runs, given, ", which is given and not for choice")
    default = said_default(experiment.source, settings.values())
    if default is None and may_be_of_driver(choosable):
        found = environments_of(connection, experiment, where)
        environments = [environment for environment, _ in found]
        default = driver_default(environments, choosable, settings.values())
    return Measured(chosen, default)


def goals_among(measures: Iterable[str]) -> list[str]:
    """What can be aimed at: measures of throughput, CPU, latency and energy, and own ones."""
    names = dict.fromkeys(measures)
    known = [name for name in AIMED if name in names]
    return known + [n for n in names if is_own_measure(n)]


def goals_said(name: str | None, goals: Sequence[str]) -> str:
    """Which goals there are, and whether what was named looks like one of them."""
    near = did_you_mean(name, goals) if name else ""
    return f"{near}Goals here: {', '.join(goals) or 'none'}."


def _absent(names: Sequence[str], goals: Sequence[str]) -> CoalescopeError:
    return CoalescopeError(
        "not_available",
        f"No run has {' and '.join(names)}.",
        where={"measure": ", ".join(names)},
        advice=f"Measure it, or ask for another. {goals_said(names[0], goals)}",
    )


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
        raise _nothing_for_choice(held)


def _nothing_for_choice(names: Sequence[str]) -> CoalescopeError:
    return CoalescopeError(
        "no_recommendation",
        f"Nothing here is for choice: {', '.join(map(_short, names))} says what the traffic or "
        "the host is, and nobody sets it.",
        where={"field": names[0]},
        advice="Measure settings that somebody can choose, such as delays, three times or more.",
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
