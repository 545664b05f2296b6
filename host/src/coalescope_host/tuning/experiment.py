# SPDX-License-Identifier: Apache-2.0
"""A tuning from its first round to its answer: what is known so far, and what is next."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from coalescope_host.plan.factors import LEAST_FIRST, Level, Levels, distance, level_in_order

from . import losses
from .belief import Belief, Measured, believe
from .choice import Choice, choose
from .design import FEWEST_OF_A_ROUND, first_round, is_settled, next_round
from .positions import positions_of
from .question import Question
from .surface import Positions


@dataclass
class Experiment:
    """One tuning; its rounds are asked for one after the other.

    Attributes:
        cells: the settings, a level for each factor.
        question: what is asked of them.
        start: what is set now, as far as that is known: factors of it may be missing.
        seed: of what is drawn.
        beliefs, choices: after each round that this process knows of.
    """

    cells: Sequence[Levels]
    question: Question
    start: Levels
    seed: int
    belief: Belief | None = None
    choices: list[Choice] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.positions: Positions = positions_of(self.cells)
        # compared in each of many draws
        self._intrusions = [self._intrusion(setting) for setting in range(len(self.cells))]

    @property
    def reference(self) -> int:
        """The setting that every round returns to: what is set now, else what differs least."""
        return min(range(len(self.cells)), key=self.intrusion)

    @property
    def has_start(self) -> bool:
        """Whether the reference is what is set now."""
        cell = self.cells[self.reference]
        return all(name in self.start for name in cell if name != "workload") and not any(
            self._changed(self.reference)
        )

    @property
    def is_settled(self) -> bool:
        """Whether the last rounds agree on what can be set."""
        return is_settled(self.choices)

    def intrusion(self, setting: int) -> tuple[float, ...]:
        """How much a setting changes: factors that differ from now, how far, then its levels."""
        return self._intrusions[setting]

    def learn(self, runs: Sequence[Measured], impossible: Collection[int] = ()) -> Choice:
        """Take in all runs of all rounds.

        Raises:
            NotMeasuredError: if they lack a measure that the question needs.
        """
        out = {*impossible, *self.lossier(runs)}
        self.belief = believe(
            self.question, runs, self.positions, self._chance(len(runs)), out, self.reference
        )
        tolerance = self.question.tolerance_percent
        choice = choose(self.belief.draws, self.belief.counts, tolerance, self.intrusion)
        self.choices.append(choice)
        return choice

    def lossier(self, runs: Sequence[Measured]) -> dict[int, str]:
        """Settings that lose more than the reference does, and in which measure."""
        within = self.question.loss_percent
        if within is None:
            return {}
        now = [run.values for run in runs if run.setting == self.reference]
        measured = {name for name in losses.LOSSES if now and all(name in own for own in now)}
        found: dict[int, str] = {}
        for name in losses.to_guard(measured):
            lost: dict[int, list[float]] = {}
            for run in runs:
                if name in run.values:
                    lost.setdefault(run.setting, []).append(run.values[name])
            for setting in losses.lossier(name, lost, self.reference, within):
                found.setdefault(setting, name)
        return found

    def next_round(self, runs: Sequence[Measured], most: int) -> list[int]:
        """The settings to measure next, in the order to measure them; none where it has ended.

        Args:
            runs: all so far.
            most: how many there may be.
        """
        chance = self._chance(len(runs))
        if most < FEWEST_OF_A_ROUND:
            return []
        if self.belief is None:
            settings = first_round(self.positions, self.reference, most)
        elif self.is_settled:
            return []
        else:
            settings = next_round(
                self.belief.draws,
                self.choices[-1],
                self.question.tolerance_percent,
                self.intrusion,
                self.reference,
                most,
                chance,
            )
        return chance.sample(settings, len(settings))

    def open_questions(self) -> list[int]:
        """Settings that may be what should be set, as far as is known; likely ones first."""
        if self.belief is None:
            return []
        found = Counter(draw.best for draw in self.belief.draws if draw.best is not None)
        return [setting for setting, _ in found.most_common()]

    def _intrusion(self, setting: int) -> tuple[float, ...]:
        cell = self.cells[setting]
        return (
            float(sum(self._changed(setting))),
            sum(distance(cell.get(name), level) for name, level in self.start.items()),
            *(level_in_order(name, _number(cell.get(name))) for name in LEAST_FIRST),
            float(setting),
        )

    def _changed(self, setting: int) -> list[bool]:
        return [self.cells[setting].get(name) != level for name, level in self.start.items()]

    def _chance(self, runs: int) -> random.Random:
        return random.Random(f"{self.seed}/{runs}")  # noqa: S311


def _number(level: Level | None) -> float:
    return 0.0 if level is None or isinstance(level, str) else float(level)
