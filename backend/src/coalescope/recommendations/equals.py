# SPDX-License-Identifier: Apache-2.0
"""Settings as good as the answer, and better in what was not asked about. Pure."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from coalescope_host.tuning.losses import LOSSES
from coalescope_models.vocabulary.quantity import QUANTITIES, Better

from coalescope.recommendations.effects import CHANCE, Effect, effect_and_p
from coalescope.recommendations.guards import (
    LATENCY_WITHIN_PERCENT,
    SHARES,
    THROUGHPUT_WITHIN_PERCENT,
)
from coalescope.recommendations.question import AIMED
from coalescope.runs.records import RunValues

#: A change that is worth saying where nobody asked.
NOTABLE_PERCENT = 10.0
#: How much worse a measure that was asked about may be.
ASKED_PERCENT = 2.0

Values = Mapping[Hashable, Mapping[str, list[float]]]
"""Of each setting the values of its runs, of the measures that all of them have."""


@dataclass(frozen=True)
class Equal:
    """One of the choices, and what is better there than at the answer.

    Attributes:
        cell: the setting.
        effects: of the measures that are, against the answer.
    """

    cell: Hashable
    effects: Sequence[Effect]


def equals(
    runs: Sequence[RunValues],
    answer: Hashable,
    choices: Collection[Hashable],
    asked: Mapping[str, Better | None],
) -> list[Equal]:
    """Return the choices that are better in what was not asked about, and not by chance.

    Of each kind of goal that was not asked about, such as CPU time, the one that is best in the
    first measure that all choices have: where its interval lies a tenth or more beyond the answer,
    and so large a change is no chance among all choices and kinds (Bonferroni, 5 %). None in which
    anything else is worse: throughput by more than 1 %, what was asked about by more than 2 %,
    other goals and losses by more than 10 %.

    Args:
        runs: of all settings, which tell together whether replicates are independent.
        answer: what would be set.
        choices: settings that are good enough, and no worse in what nobody sees; the answer among
            them.
        asked: measures that are aimed at or bounded, and which direction of each is better.
    """
    values = _values(runs, choices)
    names = _unasked(values, asked)
    others = [c for c in choices if c != answer and not _is_worse(values[answer], values[c], asked)]
    found: dict[Hashable, list[Effect]] = {}
    for name in names:
        sign = _sign(QUANTITIES[name].better)
        repeated = [cell for cell in others if len(values[cell][name]) > 1]
        if not repeated:
            continue
        best = max(repeated, key=lambda c, n=name, s=sign: s * fmean(values[c][n]))  # type: ignore[misc]
        effect, p = effect_and_p(name, runs, answer, best)
        chance = 1.0 if p is None else p * len(repeated) * len(names)
        ends = effect.ci95_percent
        if chance < CHANCE and ends and min(sign * end for end in ends) >= NOTABLE_PERCENT:
            found.setdefault(best, []).append(replace(effect, gain=True))
    return [Equal(cell, better) for cell, better in found.items()]


def _values(runs: Sequence[RunValues], choices: Collection[Hashable]) -> Values:
    own: dict[Hashable, list[RunValues]] = {cell: [] for cell in choices}
    for run in runs:
        if run.cell_id in own:
            own[run.cell_id].append(run)
    return {
        cell: {
            name: [run.values[name] for run in of_cell]
            for name in of_cell[0].values
            if all(name in run.values for run in of_cell)
        }
        for cell, of_cell in own.items()
    }


def _unasked(values: Values, asked: Collection[str]) -> list[str]:
    """One measure of each kind of goal that is not asked about, which all choices have.

    A share of time only where a throughput says what was done in it.
    """
    everywhere = [name for name in AIMED if all(name in own for own in values.values())]
    kinds = {QUANTITIES[name].aim for name in asked if name in QUANTITIES}
    works = any(QUANTITIES[name].aim == "throughput" for name in everywhere)
    names: dict[str, str] = {}
    for name in everywhere:
        quantity = QUANTITIES[name]
        if quantity.aim not in kinds and (works or quantity.unit not in SHARES):
            names.setdefault(str(quantity.aim), name)
    return list(names.values())


def _is_worse(
    there: Mapping[str, list[float]],
    here: Mapping[str, list[float]],
    asked: Mapping[str, Better | None],
) -> bool:
    """Whether any measure that matters is too much worse here, or not known."""
    for name in there:
        quantity = QUANTITIES.get(name)
        if name not in asked and name not in LOSSES and not (quantity and quantity.aim):
            continue
        better = asked.get(name) or (quantity.better if quantity else None)
        if name not in here or _worse_percent(there[name], here[name], better) > _most(name, asked):
            return True
    return False


def _most(name: str, asked: Collection[str]) -> float:
    quantity = QUANTITIES.get(name)
    if quantity is not None and quantity.aim == "throughput":
        return THROUGHPUT_WITHIN_PERCENT
    return ASKED_PERCENT if name in asked else LATENCY_WITHIN_PERCENT


def _worse_percent(there: Sequence[float], here: Sequence[float], better: Better | None) -> float:
    change = -_sign(better) * (fmean(here) - fmean(there))
    if change <= 0.0:
        return 0.0
    return 100.0 * change / fmean(there) if fmean(there) > 0.0 else float("inf")


def _sign(better: Better | None) -> float:
    return 1.0 if better == "more" else -1.0
