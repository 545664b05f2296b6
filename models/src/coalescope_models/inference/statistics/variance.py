# SPDX-License-Identifier: Apache-2.0
"""Analysis of variance of two factors with interaction, and the allocation of variation.

Standard library only: a published copy of the page works it out in the browser.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from statistics import fmean

from .distributions import f_tail


@dataclass(frozen=True)
class Effect:
    """One line of the table.

    Attributes:
        name: of the factor, "A × B" for their interaction, "replicates" for what is left.
        sum_of_squares: in the squared unit of the response.
        degrees_of_freedom: of that sum.
        share_percent: of the total variation. The shares add up to 100 only where all cells
            have the same number of replicates.
        f: mean square over that of the replicates; None for the replicates, or without any.
        p_value: of F.
    """

    name: str
    sum_of_squares: float
    degrees_of_freedom: int
    share_percent: float
    f: float | None
    p_value: float | None


@dataclass(frozen=True)
class _Group:
    """Runs that share levels: how many, and their mean, less that of all runs."""

    n: int
    mean: float


_Cell = tuple[Hashable, Hashable]
_Cells = Mapping[_Cell, _Group]


def analyse_variance(
    response: Sequence[float],
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    names: tuple[str, str],
) -> list[Effect]:
    """Analyse the variance of replicated cells of two factors.

    Sums of squares of type II: each factor given the other, the interaction given both. With equal
    numbers of replicates they are the textbook's.

    Args:
        response: one value for each run, [n].
        first: level of the first factor, [n].
        second: level of the second factor, [n].
        names: of the factors.

    Returns:
        Both factors, their interaction, and the replicates.

    Raises:
        ValueError: arrays of different lengths, values that are not finite, a factor with one
            level, a cell without a run, or no spread at all.
    """
    _check(response, (first, second), names)
    levels = len(set(first)), len(set(second))
    combinations = levels[0] * levels[1]
    runs: dict[_Cell, list[float]] = {}
    middle = fmean(response)
    for value, a, b in zip(response, first, second, strict=True):
        runs.setdefault((a, b), []).append(value - middle)
    missing = combinations - len(runs)
    if missing:
        raise ValueError(
            f"{missing} of the {combinations} combinations of {names[0]} and {names[1]} have no "
            "run: measure them, or leave out levels"
        )
    total = math.fsum(value * value for own in runs.values() for value in own)
    if total <= 1e-24 * max(math.fsum(value * value for value in response), 1e-300):
        raise ValueError("all values are alike: there is no variation to allocate")
    cells = {levels: _Group(len(own), fmean(own)) for levels, own in runs.items()}
    left = math.fsum((v - cells[c].mean) ** 2 for c, own in runs.items() for v in own)
    turned = {(b, a): cell for (a, b), cell in cells.items()}
    many_first = cells if levels[0] >= levels[1] else turned
    left_a, left_b, left_both = (
        left + beyond for beyond in (_beyond(cells), _beyond(turned), _beyond_both(many_first))
    )
    freedom = len(response) - combinations
    rows = [
        (names[0], left_b - left_both, levels[0] - 1),
        (names[1], left_a - left_both, levels[1] - 1),
        (f"{names[0]} × {names[1]}", left_both - left, (levels[0] - 1) * (levels[1] - 1)),
    ]
    effects = [_effect(*row, total=total, left=left, freedom=freedom) for row in rows]
    noise = Effect("replicates", left, freedom, 100.0 * left / total, None, None)
    return [*effects, noise]


def _check(
    values: Sequence[float], factors: Sequence[Sequence[Hashable]], names: tuple[str, str]
) -> None:
    if any(len(levels) != len(values) for levels in factors):
        raise ValueError("response and factors must be arrays of one length")
    for row, value in enumerate(values, start=1):
        if not math.isfinite(value):
            raise ValueError(f"row {row} is not finite")
    for name, levels in zip(names, factors, strict=True):
        if len(set(levels)) < 2:
            raise ValueError(f"{name} has one level only: there is nothing to compare")


def _together(cells: Iterable[_Group]) -> _Group:
    own = list(cells)
    n = sum(cell.n for cell in own)
    return _Group(n, math.fsum(cell.n * cell.mean for cell in own) / n)


def _by_first(cells: _Cells) -> dict[Hashable, dict[Hashable, _Group]]:
    rows: dict[Hashable, dict[Hashable, _Group]] = {}
    for (a, b), cell in cells.items():
        rows.setdefault(a, {})[b] = cell
    return rows


def _beyond(cells: _Cells) -> float:
    """Return the squares between cells that the means over the first factor's levels leave."""
    squares = 0.0
    for row in _by_first(cells).values():
        mean = _together(row.values()).mean
        squares += math.fsum(cell.n * (cell.mean - mean) ** 2 for cell in row.values())
    return squares


def _beyond_both(cells: _Cells) -> float:
    """Return the squares between cells that a sum of two effects leaves.

    What is left of the means over the first factor, that of many levels, is fitted by the levels of
    the other, also less their means over it: one small matrix, however many runs and levels there
    are. Only differences between levels count, so that the last one's effect is zero; as every
    combination has runs, the others' follow.
    """
    rows = _by_first(cells)
    few = list(dict.fromkeys(b for _, b in cells))
    free = few[:-1]
    sums = [0.0] * len(free)
    alike: Counter[tuple[int, ...]] = Counter()
    for row in rows.values():
        whole = _together(row.values())
        alike[tuple(row[b].n for b in few)] += 1
        sums = [
            to + row[b].n * (row[b].mean - whole.mean) for to, b in zip(sums, free, strict=True)
        ]
    # what stands on the diagonal and right of it: below, it is the same
    matrix = [[0.0] * (len(free) - j) for j in range(len(free))]
    for numbers, times in alike.items():
        runs, own = sum(numbers), numbers[:-1]
        for j, (n, line) in enumerate(zip(own, matrix, strict=True)):
            share = times * n / runs
            line[:] = [to - share * other for to, other in zip(line, own[j:], strict=True)]
            line[0] += times * n
    found = _solved(matrix, sums)
    effects = dict(zip(few, [*found, 0.0], strict=True))
    squares = 0.0
    for row in rows.values():
        whole = _together(row.values())
        usual = _together(_Group(cell.n, effects[b]) for b, cell in row.items()).mean
        squares += math.fsum(
            cell.n * (cell.mean - whole.mean - effects[b] + usual) ** 2 for b, cell in row.items()
        )
    return squares


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Solve equations whose matrix is positive definite, so that no pivot has to be looked for.

    It is also symmetric: of each line the matrix has what begins at the diagonal.
    """
    lines = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    for k, pivot in enumerate(lines):
        for ahead, line in enumerate(lines[k + 1 :], start=1):
            factor = pivot[ahead] / pivot[0]
            line[:] = [mine - factor * its for mine, its in zip(line, pivot[ahead:], strict=True)]
    found: list[float] = []
    for first, *others, value in reversed(lines):
        found.insert(0, (value - math.fsum(map(mul, others, found))) / first)
    return found


def _effect(
    name: str, squares: float, degrees: int, *, total: float, left: float, freedom: int
) -> Effect:
    squares = max(squares, 0.0)
    share = 100.0 * squares / total
    if freedom < 1 or left <= 1e-12 * total:
        return Effect(name, squares, degrees, share, None, None)
    f = (squares / degrees) / (left / freedom)
    return Effect(name, squares, degrees, share, f, f_tail(f, degrees, freedom))
