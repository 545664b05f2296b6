# SPDX-License-Identifier: Apache-2.0
"""Which settings a round measures, and whether another one is needed."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence

from coalescope_host.newer_python import zip_strict

from .belief import Draw
from .choice import Choice, Intrusion, decision
from .positions import Position

ROUND = 6
"""Runs of a round, the reference's with them."""
FEWEST_OF_A_ROUND = 2
"""The reference alone decides nothing."""
REPLICATES = 10
"""Of the grid that a tuning replaces."""
_SHARE = 0.2
_FEWEST = 40
_STABLE_ROUNDS = 2
#: So many settings for each factor show a bend.
_FIRST_BY_FACTOR = 4
#: Settings that differ in a word lie further apart than most that do not.
_WORD_APART = 2.0


def budget_of(settings: int) -> int:
    """Runs that are enough as a rule: a fifth of a full grid with ten replicates; of few settings
    more, as each difference takes its replicates."""
    return max(round(_SHARE * REPLICATES * settings), _FEWEST)


def first_round(positions: Sequence[Position], reference: int, most: int) -> list[int]:
    """The reference, and settings that lie far from all that were taken before.

    Args:
        positions: of all settings.
        reference: the setting that every round returns to.
        most: how many runs there may be.
    """
    factors = len(positions[reference].numbers) + len(positions[reference].words)
    count = min(1 + _FIRST_BY_FACTOR * max(factors, 1), len(positions), most)
    taken = [reference]
    while len(taken) < count:
        rest = (k for k in range(len(positions)) if k not in taken)
        taken.append(
            max(rest, key=lambda k: min(_apart(positions[k], positions[t]) for t in taken))
        )
    return taken


def next_round(
    draws: Sequence[Draw],
    choice: Choice,
    tolerance_percent: float,
    intrusion: Intrusion,
    reference: int,
    most: int,
    rng: random.Random,
) -> list[int]:
    """The reference, what would be set now, and what may decide otherwise.

    That is what would be set, or would be best, in draws of what is believed (Thompson, Biometrika
    25, 1933, https://doi.org/10.1093/biomet/25.3-4.285): settings that may be it, as often as they
    are likely to; thus replicates of the few that are left, in the end.
    """
    taken = [reference]
    size = min(ROUND, most)
    for wanted in _wanted(rng.sample(draws, len(draws)), choice, tolerance_percent, intrusion):
        if len(taken) == size:
            break
        if wanted is not None and wanted not in taken:
            taken.append(wanted)
    return taken


def _wanted(
    draws: Sequence[Draw], choice: Choice, tolerance_percent: float, intrusion: Intrusion
) -> Iterator[int | None]:
    yield choice.answer
    yield draws[0].fastest
    for draw in draws:
        yield decision(draw, tolerance_percent, intrusion)
        yield draw.best


def is_settled(history: Sequence[Choice]) -> bool:
    """Whether the last rounds agree on what can be set."""
    last = history[-_STABLE_ROUNDS:]
    return (
        len(last) == _STABLE_ROUNDS
        and last[-1].answer is not None
        and all(choice == last[-1] for choice in last)
    )


def _apart(a: Position, b: Position) -> float:
    numbers = sum((x - y) ** 2 for x, y in zip_strict(a.numbers, b.numbers))
    words = sum(x != y for x, y in zip_strict(a.words, b.words))
    return math.sqrt(numbers + _WORD_APART * words)
