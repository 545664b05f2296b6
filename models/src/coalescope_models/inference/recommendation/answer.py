# SPDX-License-Identifier: Apache-2.0
"""The answer, and what limits it."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import median_low

from .choice import Choice
from .ranking import Candidate

#: A limit that is less than half a deviation away may be on either side, whatever is said of it.
_MOST_TIMES = 40.0


@dataclass(frozen=True)
class Recommendation:
    """The answer.

    Attributes:
        answer: the setting to choose: of `choices` the one that changes least; None where the data
            are not enough to choose any. Of single values, which tell no spread, it is the one that
            changes least of those within the tolerance.
        choices: settings that keep the constraints with 99 %, and of which no other that keeps them
            is better by more than the tolerance, with 95 % for each other.
        best: the setting with the best mean, None where none keeps the constraints.
        candidates: all settings, the best first, then by loss; those not allowed last.
        indistinguishable: allowed settings that the data cannot tell from the best.
        good_enough: allowed settings within the tolerance of it.
        tolerance: loss, as a share, that does not matter.
        frontier: settings that no other beats in every aim, by falling first aim.
        message: what limits the answer and what to measure; None where nothing does.
        note: what to know of the goal; None where nothing.
    """

    answer: Hashable | None
    choices: Sequence[Hashable]
    best: Hashable | None
    candidates: Sequence[Candidate]
    indistinguishable: Sequence[Hashable]
    good_enough: Sequence[Hashable]
    tolerance: float
    frontier: Sequence[Hashable]
    message: str | None
    note: str | None


def as_answer(
    candidates: Sequence[Candidate],
    choice: Choice,
    best: int | None,
    order: Sequence[Hashable],
    frontier: Sequence[Hashable],
    tolerance: float,
    replicated: bool,
    more: float,
    note: str | None,
) -> Recommendation:
    """Return what was found, with the settings by their labels.

    `more` is how many times as many runs would choose a setting, where these choose none (`power`).
    """
    allowed = [c for c in candidates if c.allowed]
    unresolved = [c.cell for c in allowed[1:] if replicated and not c.resolved]
    good = [c.cell for c in allowed if c.loss_percent <= 100.0 * tolerance]
    return Recommendation(
        answer=None if choice.answer is None else order[choice.answer],
        choices=[order[k] for k in choice.choices],
        best=None if best is None else order[best],
        candidates=candidates,
        indistinguishable=unresolved,
        good_enough=good,
        tolerance=tolerance,
        frontier=frontier,
        message=_message(candidates, choice, best, replicated, more, tolerance),
        note=None if best is None else note,
    )


def _how_often(candidates: Sequence[Candidate], more: float) -> str:
    """What to do where nothing is chosen: how often to measure, if that tells."""
    now = median_low(c.n for c in candidates)
    if more > _MOST_TIMES:
        told = "These runs do not say how many of each would tell"
    else:
        enough = max(math.ceil(now * more), now + 1)
        told = (
            f"If means and spread stay as they are, roughly {enough} runs of each ({now} now) "
            "would tell"
        )
    return f"{told}: measure each more often, or loosen a limit."


def _message(
    candidates: Sequence[Candidate],
    choice: Choice,
    best: int | None,
    replicated: bool,
    more: float,
    tolerance: float,
) -> str | None:
    if best is None:
        return "No setting that was measured keeps the constraints: loosen one, or measure others."
    if not replicated:
        return (
            "Each setting has one value only, without its spread: this ranks the values as they "
            "are. Measure each setting at least three times for probabilities."
        )
    if choice.answer is None:
        bounded = any(c.surely_allowed is False for c in candidates)
        return (
            f"Not enough to recommend a setting: none {'keeps the limits with 99 % and ' * bounded}"
            f"loses at most {100.0 * tolerance:g} % with 95 %. {_how_often(candidates, more)}"
        )
    single = sum(c.n == 1 for c in candidates)
    if single:
        return f"{single} settings have one run and borrow the spread of the others."
    pairs = sum(c.n == 2 for c in candidates)
    if pairs:
        return (
            f"{pairs} settings have two runs, which hardly tell a spread: a third narrows it most."
        )
    return None
