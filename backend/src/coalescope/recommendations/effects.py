# SPDX-License-Identifier: Apache-2.0
"""What the answer changes against another setting, in every measure that is known. Pure."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log

from coalescope_host.plan.factors import LEAST_FIRST, distance, level_in_order, log_name
from coalescope_models.inference.statistics import (
    SEQUENCE_NOT_KNOWN,
    CellSummary,
    cell_intervals,
    compare,
    holm,
    independence,
    judge_settings,
    summarise,
)
from coalescope_models.vocabulary.quantity import Better

from coalescope.experiments.levels import level_order
from coalescope.experiments.records import Factors, FactorValue
from coalescope.runs.records import RunValues
from coalescope.runs.sequence import sequence_of

#: Below it a change is no chance.
CHANCE = 0.05
_LEAST_FIRST = tuple(map(log_name, LEAST_FIRST))

Interval = tuple[float, float] | None
Rank = tuple[tuple[str, tuple[int, float, str]], ...]


@dataclass(frozen=True)
class Effect:
    """One measure at the answer and at the setting that it is compared with.

    Attributes:
        measure: its name.
        reference: mean of the runs there.
        answer: mean of the runs at the answer.
        reference_ci95, answer_ci95: of these means; None as for `change_percent`.
        change: of the mean, against the reference, in the measure's unit.
        change_percent: the same in percent of the reference; None where that is 0.
        ci95_percent: of the change; None without replicates, where these do not tell it, and where
            a run has 0, of which there are no ratios.
        gain: True where the change is for the better, False where it is not; None where there
            is no interval, where of so many measures it may be chance (Holm's correction, 5 %), or
            nothing is better as such.
        reason: why the interval is made of blocks, sessions or rounds, or absent for how the runs
            were recorded, or that nothing is known of when they were; None where none of these is.
    """

    measure: str
    reference: float
    answer: float
    reference_ci95: Interval
    answer_ci95: Interval
    change: float
    change_percent: float | None
    ci95_percent: Interval
    gain: bool | None
    reason: str | None


def nearest(settings: Mapping[Hashable, Factors], current: Factors) -> Hashable:
    """Return the setting that changes least; where nothing is known of now, the least one."""
    return min(settings, key=lambda cell: intrusion(settings[cell], current))


def levels_in_order(setting: Factors) -> Rank:
    """Return what settings are ordered by: how long a packet may wait, the MTU, then the rest.

    Every factor counts, so that the order in which settings were measured decides nothing.
    """
    names = [*_LEAST_FIRST, *sorted(setting.keys() - set(_LEAST_FIRST))]
    return tuple((name, _wait_order(name, setting.get(name))) for name in names)


def _wait_order(name: str, level: FactorValue | None) -> tuple[int, float, str]:
    return level_order(level_in_order(name, level) if isinstance(level, int | float) else level)


def intrusion(setting: Factors, current: Factors) -> tuple[int, float, Rank]:
    """Return how much a setting changes: factors that differ from now, how far, then its levels."""
    changed = {name: level for name, level in current.items() if setting.get(name) != level}
    far = sum(distance(setting.get(name), level) for name, level in changed.items())
    return (len(changed), far, levels_in_order(setting))


def entangled(settings: Iterable[Factors]) -> str | None:
    """Return a factor that never varies alone, where several vary; None where each does."""
    listed = list(settings)
    names = sorted({name for setting in listed for name in setting})
    varied = [n for n in names if len({setting.get(n) for setting in listed}) > 1]
    for name in varied if len(varied) > 1 else ():
        others = [tuple(s.get(n) for n in varied if n != name) for s in listed]
        if len(set(others)) == len(others):
            return name
    return None


def positions(
    settings: Mapping[Hashable, Factors], among: Mapping[Hashable, Factors]
) -> Callable[[Hashable], list[float] | None] | None:
    """Return where settings lie among each other: logarithms of the levels that vary.

    None where a text varies among those to choose from: words have no distances. Of the others,
    what lacks a number that these have, or has another text, has no place.
    """
    names = {name for setting in among.values() for name in setting}
    numbers = {n for n in names if all(_is_level(own.get(n)) for own in among.values())}
    first = next(iter(among.values()))
    texts = {name: first.get(name) for name in names - numbers}
    placed = {
        cell: setting
        for cell, setting in settings.items()
        if all(_is_level(setting.get(name)) for name in numbers)
        and {n: v for n, v in setting.items() if n not in numbers} == texts
    }
    if not among.keys() <= placed.keys():
        return None
    scales: dict[str, tuple[float, Mapping[Hashable, float]]] = {}
    for name in sorted(numbers):
        levels = {cell: float(setting[name]) for cell, setting in placed.items()}
        if len(set(levels.values())) < 2:
            continue
        # a level of 0 has no logarithm: all are moved by the smallest that has one
        least = min(v for v in levels.values() if v > 0.0)
        scales[name] = (least if 0.0 in levels.values() else 0.0, levels)
    if not scales:
        return None

    def position(cell: Hashable) -> list[float] | None:
        if cell not in placed:
            return None
        return [log(levels[cell] + move) for move, levels in scales.values()]

    return position


def _is_level(level: FactorValue | None) -> bool:
    return isinstance(level, int | float) and level >= 0.0


def intervals(runs: Sequence[RunValues], measure: str) -> Mapping[Hashable, Interval]:
    """Return the 95 % interval of each cell's mean, as surfaces have it."""
    having = [run for run in runs if measure in run.values]
    cells = [run.cell_id for run in having]
    values = [run.values[measure] for run in having]
    judged = cell_intervals(values, cells, sequence_of([run.when for run in having]))
    own: dict[Hashable, list[float]] = {}
    for cell, value in zip(cells, values, strict=True):
        own.setdefault(cell, []).append(value)
    return {cell: judged.instead.get(cell, summarise(own[cell]).ci95) for cell in own}


def effects(
    runs: Sequence[RunValues],
    reference: Hashable,
    answer: Hashable,
    better: Mapping[str, Better | None],
) -> list[Effect]:
    """Compare two cells in every measure that all their runs have.

    Args:
        runs: of all cells, which tell together whether replicates are independent.
        reference, answer: the cells.
        better: of each measure to compare, in the order of the answer, which direction is.
    """
    pair = [run for run in runs if run.cell_id in (reference, answer)]
    names = [name for name in better if all(name in run.values for run in pair)]
    found = [effect_and_p(n, runs, reference, answer) for n in names]
    adjusted = holm({effect.measure: p for effect, p in found if p is not None})
    return [
        replace(effect, gain=_gain(better[effect.measure], effect, adjusted)) for effect, _ in found
    ]


def effect_and_p(
    measure: str, runs: Sequence[RunValues], reference: Hashable, answer: Hashable
) -> tuple[Effect, float | None]:
    """Return the change of one measure, and how probable one so large is by chance.

    Whether it is for the better is left open; arguments as of `effects`.
    """
    having = [run for run in runs if measure in run.values]
    own = [
        [run.values[measure] for run in having if run.cell_id == cell]
        for cell in (reference, answer)
    ]
    a, b = map(summarise, own)
    known = intervals(having, measure)
    effect = Effect(
        measure=measure,
        reference=a.mean,
        answer=b.mean,
        reference_ci95=known[reference],
        answer_ci95=known[answer],
        change=b.mean - a.mean,
        change_percent=100.0 * (b.mean / a.mean - 1.0) if a.mean > 0.0 else None,
        ci95_percent=None,
        gain=None,
        reason=None,
    )
    values, cells = [run.values[measure] for run in having], [run.cell_id for run in having]
    when = sequence_of([run.when for run in having])
    if min(map(min, own)) <= 0.0:  # there are no ratios
        found = independence(values, cells, when)
        if found is not None and found.dependent:
            return replace(effect, reason=found.reason), None
        untold = found is not None and found.verdict == "not_known"
        reason = SEQUENCE_NOT_KNOWN if untold else None
        return replace(effect, reason=reason), _p_of_difference(a, b)
    judged = judge_settings(values, cells, when, (reference, answer))
    change = compare({0: a}, {0: b}, judged.spread).cells[0]
    if change.ci95 is None:
        reason = None if judged.spread is None else judged.reason
        return replace(effect, reason=reason), change.p_value
    low, high = (100.0 * (end - 1.0) for end in change.ci95)
    return replace(effect, ci95_percent=(low, high), reason=judged.reason), change.p_value


def _p_of_difference(a: CellSummary, b: CellSummary) -> float | None:
    """How probable so large a difference of two means is by chance (Welch)."""
    from scipy import stats  # noqa: PLC0415  not at start-up

    if a.sd is None or b.sd is None or a.mean == b.mean:
        return None
    if not a.sd > 0.0 and not b.sd > 0.0:
        return 0.0
    test = stats.ttest_ind_from_stats(a.mean, a.sd, a.n, b.mean, b.sd, b.n, equal_var=False)
    return float(test.pvalue)


def _gain(better: Better | None, effect: Effect, p_values: Mapping[str, float]) -> bool | None:
    """Whether a change is for the better, by p-values adjusted for the number of measures."""
    if better is None or p_values.get(effect.measure, 1.0) >= CHANCE:
        return None
    return (effect.change > 0.0) == (better == "more")
