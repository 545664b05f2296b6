# SPDX-License-Identifier: Apache-2.0
"""Where settings lie among each other: near ones do nearly the same."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from coalescope_host.plan.factors import Level, Levels


@dataclass(frozen=True)
class Position:
    """One setting's place.

    Attributes:
        numbers: logarithms of the levels that vary, each factor from 0 to 1.
        words: levels that are no numbers: settings that differ in one say nothing of each other.
    """

    numbers: tuple[float, ...]
    words: tuple[Level, ...]


def positions_of(cells: Sequence[Levels]) -> tuple[Position, ...]:
    """Return the place of each setting."""
    names = [name for name in cells[0] if len({cell[name] for cell in cells}) > 1]
    scales = {name: scale for name in names if (scale := _scale([c[name] for c in cells]))}
    return tuple(
        Position(
            tuple(scale[cell[name]] for name, scale in scales.items()),
            tuple(cell[name] for name in names if name not in scales),
        )
        for cell in cells
    )


def _scale(levels: Sequence[Level]) -> Mapping[Level, float] | None:
    """Each level's logarithm from 0 to 1; None where they are no numbers.

    A level of 0 has no logarithm: all are moved by the smallest that has one.
    """
    numbers = [v for v in levels if isinstance(v, (int, float)) and not isinstance(v, bool)]
    if len(numbers) < len(levels) or min(numbers) < 0:
        return None
    least = min(v for v in numbers if v > 0)
    moved = least if 0 in numbers else 0
    low, high = math.log(min(numbers) + moved), math.log(max(numbers) + moved)
    return {v: (math.log(v + moved) - low) / (high - low) for v in numbers}
