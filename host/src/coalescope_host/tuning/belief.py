# SPDX-License-Identifier: Apache-2.0
"""What the runs so far say of every setting, in draws: those that were not measured, too."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from coalescope_host.newer_python import zip_strict

from .drift import Drift, Reading, drift_of
from .matrices import dot
from .noise import noise_of
from .question import (
    LATENCIES,
    LATENCY_WITHIN_PERCENT,
    QUANTITIES,
    THROUGHPUT,
    Question,
    Sense,
)
from .surface import Positions, settle

DRAWS = 400


@dataclass(frozen=True)
class Measured:
    """One run: which setting, in which round, and its measures by name."""

    setting: int
    round: int
    values: Mapping[str, float]


@dataclass(frozen=True)
class Draw:
    """One way that things may be.

    Attributes:
        scores: of each setting, more being better; a difference of 0.01 is one percent.
        kept: whether the setting keeps the limits.
        fastest: the setting of the highest throughput, where that is guarded.
    """

    scores: Sequence[float]
    kept: Sequence[bool]
    fastest: int | None

    @property
    def best(self) -> int | None:
        """The setting of the highest score that keeps the limits; None where none does."""
        allowed = [k for k, keeps in enumerate(self.kept) if keeps]
        return max(allowed, key=lambda k: self.scores[k], default=None)


@dataclass(frozen=True)
class Belief:
    """All draws.

    Attributes:
        goal: the measure that is aimed at.
        drifts: of each measure that counts.
        counts: how many runs of each setting tell all of these; others are left out.
    """

    goal: str
    draws: Sequence[Draw]
    drifts: Mapping[str, Drift]
    counts: Counter[int]


_OF_LATENCY = " A window that holds too little of the traffic has none: try a longer --duration."


class NotMeasuredError(Exception):
    """Too few runs have a measure that the question needs.

    Args:
        word: the question's word for it.
        measures: any of which would do.
        having: how many runs have one of them, at most.
        runs: how many there are.
    """

    def __init__(self, word: str, measures: Sequence[str], having: int, runs: int) -> None:
        self.word = word
        who = f"only {having} of {runs} runs tell" if having else "no run tells"
        needs = f"{who} {word}: it needs {' or '.join(measures)} in the logs, above 0."
        super().__init__(needs + (_OF_LATENCY if measures[0].startswith("latency_") else ""))


def measure_of(word: str, measures: Sequence[str], runs: Sequence[Measured]) -> str:
    """The first of some measures that most runs have.

    Raises:
        NotMeasuredError: if there is none.
    """
    having = {name: sum(run.values.get(name, 0.0) > 0.0 for run in runs) for name in measures}
    for name, count in having.items():
        if 2 * count > len(runs):
            return name
    raise NotMeasuredError(word, measures, max(having.values()), len(runs))


def believe(
    question: Question,
    runs: Sequence[Measured],
    positions: Positions,
    rng: random.Random,
    impossible: Collection[int] = (),
    reference: int | None = None,
) -> Belief:
    """Draw what every setting does, by all runs.

    Measures are drawn apart from each other. One factor for each draw, of a χ² distribution, widens
    it by what is not known of the scatter. The best throughput is that of settings that were
    measured: what others might do would let none keep a guard.

    Args:
        impossible: settings that cannot be had, which keep no limits.
        reference: the setting that latency is held against where nothing is said of it.

    Raises:
        NotMeasuredError: if the runs lack a measure.
    """
    aim = QUANTITIES[question.goal]
    goal = measure_of(question.goal, aim.aims, runs)
    bounds = [
        (measure_of(limit.word, limit.quantity.limits, runs), limit.quantity.sense, limit.value)
        for limit in question.limits
    ]
    late = _latency(question, runs) if reference is not None else None
    guard = QUANTITIES[THROUGHPUT].aims[0] if question.guards_throughput else None
    names = dict.fromkeys([goal, *(name for name, _, _ in bounds), *filter(None, (guard, late))])
    if guard is not None:
        measure_of(THROUGHPUT, [guard], runs)
    runs = [run for run in runs if all(run.values.get(name, 0.0) > 0.0 for name in names)]
    drifts = {name: drift_of(_readings(name, runs)) for name in names}
    drawn = {
        name: _drawn(drifts[name].taken_out(_readings(name, runs)), positions, rng)
        for name in names
    }
    sign = 1.0 if aim.sense == "more" else -1.0
    within = 0.0 if question.within_percent is None else question.within_percent
    measured = sorted({run.setting for run in runs})
    draws = []
    for k in range(DRAWS):
        fastest = None
        kept = [place not in impossible for place in range(len(positions))]
        for name, sense, value in bounds:
            kept = [a and _keeps(v, sense, value) for a, v in zip_strict(kept, drawn[name][k])]
        if guard is not None:
            speeds = drawn[guard][k]
            fastest = max(range(len(speeds)), key=speeds.__getitem__)
            least = max(speeds[m] for m in measured) + math.log1p(-within / 100.0)
            kept = [a and v >= least for a, v in zip_strict(kept, drawn[guard][k])]
        if late is not None and reference is not None:
            waits = drawn[late][k]
            most = waits[reference] + math.log1p(LATENCY_WITHIN_PERCENT / 100.0)
            kept = [a and v <= most for a, v in zip_strict(kept, waits)]
        draws.append(Draw([sign * value for value in drawn[goal][k]], kept, fastest))
    return Belief(goal, draws, drifts, Counter(run.setting for run in runs))


def _latency(question: Question, runs: Sequence[Measured]) -> str | None:
    """The latency that is guarded; None where none is, or the runs tell none."""
    for word in LATENCIES if question.guards_latency else ():
        (name,) = QUANTITIES[word].aims
        if 2 * sum(run.values.get(name, 0.0) > 0.0 for run in runs) > len(runs):
            return name
    return None


def _readings(name: str, runs: Sequence[Measured]) -> list[Reading]:
    return [Reading(run.setting, run.round, math.log(run.values[name])) for run in runs]


def _keeps(log: float, sense: Sense, value: float) -> bool:
    return log <= math.log(value) if sense == "less" else log >= math.log(value)


def _drawn(
    readings: Sequence[Reading], positions: Positions, rng: random.Random
) -> list[list[float]]:
    """Draws of one measure's logarithms, [draws][settings]."""
    by_setting: dict[int, list[float]] = defaultdict(list)
    for reading in readings:
        by_setting[reading.setting].append(reading.value)
    noise = noise_of(by_setting)
    known = settle(
        {k: (fmean(own), noise.variances[k] / len(own)) for k, own in by_setting.items()}, positions
    )
    draws = []
    for _ in range(DRAWS):
        wider = math.sqrt(noise.freedom / (2.0 * rng.gammavariate(noise.freedom / 2.0, 1.0)))
        chance = [wider * rng.gauss(0.0, 1.0) for _ in positions]
        draws.append([m + dot(row, chance) for m, row in zip_strict(known.means, known.root)])
    return draws
