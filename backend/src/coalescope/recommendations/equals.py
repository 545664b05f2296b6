# SPDX-License-Identifier: Apache-2.0
"""Settings as good as the answer, and better in what was not asked about. Pure."""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace

from coalescope_models.vocabulary.quantity import QUANTITIES

from coalescope.recommendations.effects import CHANCE, Effect, effect_and_p
from coalescope.recommendations.question import AIMED
from coalescope.runs.records import RunValues

#: A change that is worth saying where nobody asked.
NOTABLE_PERCENT = 10.0


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
    choices: Sequence[Hashable],
    asked: Collection[str],
) -> list[Equal]:
    """Return the choices that are better in what was not asked about, and not by chance.

    Of each kind of goal that was not asked about, such as CPU time, the one that is best in the
    first measure that all choices have: where it is better by a tenth or more, and so large a
    change is no chance among all choices and kinds (Bonferroni, 5 %).

    Args:
        runs: of all settings, which tell together whether replicates are independent.
        answer: what would be set.
        choices: settings that are good enough, and no worse in what nobody sees; the answer among
            them.
        asked: measures that are aimed at or bounded.
    """
    others = [cell for cell in choices if cell != answer]
    names = _unasked(runs, choices, asked) if others else []
    found: dict[Hashable, list[Effect]] = {}
    for name in names:
        sign = 1.0 if QUANTITIES[name].better == "more" else -1.0
        cell = max(others, key=lambda cell, name=name, sign=sign: sign * _mean(runs, cell, name))  # type: ignore[misc]
        effect, p = effect_and_p(name, runs, answer, cell)
        gain = sign * (effect.change_percent or 0.0)
        if p is not None and p * len(others) * len(names) < CHANCE and gain >= NOTABLE_PERCENT:
            found.setdefault(cell, []).append(replace(effect, gain=True))
    return [Equal(cell, better) for cell, better in found.items()]


def _unasked(
    runs: Sequence[RunValues], choices: Collection[Hashable], asked: Collection[str]
) -> list[str]:
    """One measure of each kind of goal that is not asked about, which all choices' runs have."""
    kinds = {QUANTITIES[name].aim for name in asked if name in QUANTITIES}
    own = [run for run in runs if run.cell_id in set(choices)]
    names: dict[str, str] = {}
    for name in AIMED:
        kind = QUANTITIES[name].aim
        if kind not in kinds and all(name in run.values for run in own):
            names.setdefault(str(kind), name)
    return list(names.values())


def _mean(runs: Sequence[RunValues], cell: Hashable, name: str) -> float:
    values = [run.values[name] for run in runs if run.cell_id == cell]
    return sum(values) / len(values)
