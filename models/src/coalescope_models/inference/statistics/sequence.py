# SPDX-License-Identifier: Apache-2.0
"""What the sequence of replicated runs shows: clusters, drift, likeness of neighbours.

Tests compare within cells, by the variance that exchanging the replicates of each cell among their
places would give.

Standard library only: the page's Python needs it too.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import pairwise
from operator import attrgetter
from statistics import NormalDist, fmean
from typing import NamedTuple

from .distributions import f_tail
from .timeline import Timeline

#: Adjusted probability below which dependence is taken for real.
SIGNIFICANCE = 0.01
#: The same where cells have fewer than three replicates, whose deviations show less of it.
SIGNIFICANCE_OF_FEW = 0.05
#: Correlation of neighbours that must not be missed: intervals are three times too narrow.
_ALIKE = 0.8
#: Probability of missing it. Smaller ones ask too much of 45 runs: at 0.2 % more than one in 25
#: independent sequences would be said to leave it possible.
_MISSED = 0.003
#: Clusters up to which a drift cannot be told from what differs between them at random.
MOST_WITHOUT_A_LINE = 4
_ROUNDING = 1e-12


class Run(NamedTuple):
    """One replicate of a cell with several: its relative deviation from their mean."""

    deviation: float
    cell: Hashable
    position: int
    cluster: Hashable | None


def deviations(values: Sequence[float], cells: Sequence[Hashable], when: Timeline) -> list[Run]:
    """Return the runs of cells with several, in sequence; none where they hardly deviate.

    Args:
        values: of each run, [n].
        cells: label of each, [n].
        when: each was recorded, of all n; without positions the order is that of the values.
    """
    members: dict[Hashable, list[int]] = defaultdict(list)
    for row, cell in enumerate(cells):
        members[cell].append(row)
    positions = range(len(values)) if when.positions is None else when.positions
    clusters = [None] * len(values) if when.clusters is None else when.clusters
    found: list[Run] = []
    for cell, rows in members.items():
        mean = fmean([values[row] for row in rows])
        if len(rows) < 2 or mean == 0.0:
            continue
        found += [
            Run((values[row] - mean) / mean, cell, positions[row], clusters[row]) for row in rows
        ]
    if math.fsum([run.deviation**2 for run in found]) <= len(found) * _ROUNDING**2:
        return []
    return sorted(found, key=attrgetter("position"))


def _by_cell(runs: Sequence[Run]) -> dict[Hashable, list[Run]]:
    found: dict[Hashable, list[Run]] = defaultdict(list)
    for run in runs:
        found[run.cell].append(run)
    return found


def crossed(runs: Sequence[Run]) -> float:
    """Return the share of the combinations of cell and cluster that have a run."""
    pairs = {(run.cell, run.cluster) for run in runs}
    cells, clusters = ({pair[k] for pair in pairs} for k in (0, 1))
    return len(pairs) / (len(cells) * len(clusters))


def between_clusters(runs: Sequence[Run]) -> float | None:
    """Return the probability of such an F between clusters, cells taken out.

    Exact where each cluster has each cell once; where some are missing, a little too large.
    """
    sums: dict[Hashable, float] = defaultdict(float)
    counts = Counter(run.cluster for run in runs)
    for run in runs:
        sums[run.cluster] += run.deviation
    between = math.fsum(sums[label] ** 2 / n for label, n in counts.items())
    within = math.fsum([run.deviation**2 for run in runs]) - between
    cells = len({run.cell for run in runs})
    freedom = len(runs) - cells - len(counts) + 1
    if freedom < 1 or within <= 0.0:
        return None
    return f_tail((between / (len(counts) - 1)) / (within / freedom), len(counts) - 1, freedom)


def hidden(runs: Sequence[Run]) -> float:
    """Return how much of a drift the replicates cannot show, in standard errors of a cell's mean.

    The slope within cells is known to σ/√Σ(o − ō)²; over the standard deviation of the cells' mean
    places it makes an error of their means, here in units of σ/√n.
    """
    cells = _by_cell(runs)
    means = [fmean([run.position for run in own]) for own in cells.values()]
    within = math.fsum(
        [
            (run.position - mean) ** 2
            for own, mean in zip(cells.values(), means, strict=True)
            for run in own
        ]
    )
    middle = fmean(means)
    between = math.fsum([(mean - middle) ** 2 for mean in means]) / len(means)
    return math.sqrt(between * len(runs) / len(cells) / within)


def clumped(runs: Sequence[Run]) -> bool:
    """Whether the runs of a cell lie nearer to each other than a random order would have them."""
    places = {cell: [run.position for run in own] for cell, own in _by_cell(runs).items()}
    return _apart(places) < SIGNIFICANCE_OF_FEW


def same_order(runs: Sequence[Run]) -> bool:
    """Whether cells have their own place within the rounds."""
    if runs[0].cluster is None:
        return False
    rank: Counter[Hashable] = Counter()
    places: dict[Hashable, list[int]] = defaultdict(list)
    for run in runs:
        places[run.cell].append(rank[run.cluster])
        rank[run.cluster] += 1
    return _apart(places) < SIGNIFICANCE


def _apart(places: Mapping[Hashable, Sequence[int]]) -> float:
    """Return the probability of such an F of places between cells, as if they were normal."""
    means = {cell: fmean(own) for cell, own in places.items()}
    middle = fmean(means.values())
    between = math.fsum([len(own) * (means[cell] - middle) ** 2 for cell, own in places.items()])
    within = math.fsum([(p - means[cell]) ** 2 for cell, own in places.items() for p in own])
    freedom = sum(map(len, places.values())) - len(places)
    if len(places) < 2:
        return 1.0
    if within <= 0.0:
        return 0.0 if len(places) > 2 else 1.0
    return f_tail((between / (len(places) - 1)) / (within / freedom), len(places) - 1, freedom)


def drift(runs: Sequence[Run]) -> tuple[float, float]:
    """Return the slope of the deviations per place, within cells, and its p-value."""
    product = squares = variance = 0.0
    for own in _by_cell(runs).values():
        middle = fmean([run.position for run in own])
        places = math.fsum([(run.position - middle) ** 2 for run in own])
        product += math.fsum([run.deviation * (run.position - middle) for run in own])
        squares += places
        variance += math.fsum([run.deviation**2 for run in own]) * places / (len(own) - 1)
    return product / squares, _two_sided(product, variance)


def without_drift(runs: Sequence[Run], slope: float) -> list[Run]:
    """Return the runs without a drift of so much per place."""
    middles = {c: fmean([run.position for run in own]) for c, own in _by_cell(runs).items()}
    return [
        Run(
            run.deviation - slope * (run.position - middles[run.cell]),
            run.cell,
            run.position,
            run.cluster,
        )
        for run in runs
    ]


def autocorrelation(runs: Sequence[Run]) -> tuple[float | None, float | None]:
    """Return the correlation of neighbours in the sequence, and its p-value.

    Of neighbours of different cells: those of one cell deviate to opposite sides by construction.
    The variance is exact under any exchange of replicates within their cells.
    """
    members = _by_cell(runs)
    squares = {cell: fmean([run.deviation**2 for run in own]) for cell, own in members.items()}
    others = {cell: len(own) - 1 for cell, own in members.items()}
    groups: dict[tuple[Hashable, Hashable], list[Run]] = defaultdict(list)
    total = size = 0.0
    for first, second in pairwise(runs):
        if first.cell == second.cell:
            continue
        total += first.deviation * second.deviation
        size += 0.5 * (squares[first.cell] + squares[second.cell])
        turned = (second.cell, first.cell) in groups
        key = (second.cell, first.cell) if turned else (first.cell, second.cell)
        groups[key] += (first, second)
    if size <= 0.0:
        return None, None
    variance = math.fsum(
        [
            squares[a] * squares[b] * _combinations(own, others[a], others[b], a)
            for (a, b), own in groups.items()
        ]
    )
    return total / size, _two_sided(total, variance)


def within_clusters(runs: Sequence[Run]) -> tuple[float | None, float]:
    """Return the correlation of neighbours, clusters' means taken out, and its one-sided p-value.

    Exchanging the runs of a cluster of m makes two of them correlate by -1/(m - 1). What clusters
    share is no sign of dependence then, and neighbours of two clusters count as any others.
    """
    members: dict[Hashable, list[float]] = defaultdict(list)
    for run in runs:
        members[run.cluster].append(run.deviation)
    means = {label: fmean(own) for label, own in members.items()}
    squares = {
        label: fmean((value - means[label]) ** 2 for value in own) for label, own in members.items()
    }
    total = size = expected = spread = 0.0
    for first, second in pairwise(runs):
        if first.cell == second.cell:
            continue
        a, b = squares[first.cluster], squares[second.cluster]
        total += (first.deviation - means[first.cluster]) * (
            second.deviation - means[second.cluster]
        )
        size += 0.5 * (a + b)
        spread += a * b
        if first.cluster == second.cluster:
            expected -= a / (len(members[first.cluster]) - 1)
    if size <= 0.0 or spread <= 0.0:
        return None, 1.0
    return total / size, _above(total - expected, spread)


def _by_cluster(runs: Sequence[Run]) -> list[list[Run]]:
    """Members of each cluster, in sequence: each cluster where it begins."""
    members: dict[Hashable, list[Run]] = defaultdict(list)
    for run in runs:
        members[run.cluster].append(run)
    return list(members.values())


def drift_of_clusters(
    runs: Sequence[Run], side: Callable[[Run], Hashable] = lambda _: None
) -> tuple[float, float] | None:
    """Return by what share of the response the clusters' means change from the first to the last.

    Along a line over their mean places, with the p-value of its F against what they scatter about
    it.

    Args:
        runs: in sequence, each in a cluster.
        side: what the runs of a cluster are all of; clusters are compared within each side, by one
            slope for all.

    Returns:
        None where fewer than three degrees of freedom are left, as of four clusters of one side.
    """
    members = _by_cluster(runs)
    sides = [side(own[0]) for own in members]
    freedom = len(members) - len(set(sides)) - 1
    if freedom < MOST_WITHOUT_A_LINE - 1:
        return None
    places = [fmean(run.position for run in own) for own in members]
    x = _within(places, sides)
    y = _within([fmean(run.deviation for run in own) for own in members], sides)
    squares = math.fsum(value * value for value in x)
    if squares <= 0.0:
        return None
    slope = math.fsum(a * b for a, b in zip(x, y, strict=True)) / squares
    explained = slope**2 * squares
    left = math.fsum(value * value for value in y) - explained
    p_value = f_tail(explained / (left / freedom), 1, freedom) if left > 0.0 else 0.0
    return slope * (places[-1] - places[0]), p_value


def _within(values: Sequence[float], sides: Sequence[Hashable]) -> list[float]:
    """Values less the mean of their side."""
    own: dict[Hashable, list[float]] = defaultdict(list)
    for value, label in zip(values, sides, strict=True):
        own[label].append(value)
    means = {label: fmean(members) for label, members in own.items()}
    return [value - means[label] for value, label in zip(values, sides, strict=True)]


def of_clusters(runs: Sequence[Run]) -> tuple[float | None, float]:
    """Return the correlation of successive clusters' means, a line taken out, and its p-value.

    One-sided: only means that resemble each other make intervals too narrow.
    """
    members = _by_cluster(runs)
    means = [fmean(run.deviation for run in own) for own in members]
    found = what_is_left(means, range(len(members)))
    if found is None:
        return None, 1.0
    level, two_sided = found
    return level, 0.5 * two_sided if level > 0.0 else 1.0


def _combinations(neighbours: Sequence[Run], of_a: int, of_b: int, a: Hashable) -> float:
    """Sum over all pairs of neighbours of two cells, each with each, of what they have in common.

    Two replicates of one cell correlate by -1/(n - 1), a replicate with itself by 1.
    """
    pairs = len(neighbours) // 2
    if pairs == 1:
        return 1.0
    twice = [run for run, times in Counter(neighbours).items() if times > 1]
    in_a = 2 * sum(run.cell == a for run in twice)
    in_b = 2 * len(twice) - in_a
    apart = pairs * pairs - pairs - in_a - in_b
    return pairs - in_a / of_b - in_b / of_a + apart / (of_a * of_b)


def what_is_left(values: Sequence[float], positions: Sequence[int]) -> tuple[float, float] | None:
    """Correlation of neighbours in all that a model leaves, cells' means included, and its p-value.

    By Wald and Wolfowitz's serial correlation (Annals of Mathematical Statistics 14, 1943).
    """
    places = sorted(range(len(values)), key=lambda row: positions[row])
    ordered = _residual_of_a_line([values[row] for row in places])
    squares = math.fsum(value * value for value in ordered)
    if squares <= 0.0:
        return None
    total = math.fsum(a * b for a, b in pairwise(ordered))
    expected, variance = -squares / len(ordered), squares**2 / len(ordered)
    return total / squares, _two_sided(total - expected, variance)


def can_be_alike(level: float, runs: int) -> bool:
    """Whether a correlation of neighbours, by `what_is_left`, leaves 0.8 possible.

    Of sequences whose runs take 0.8 of the one before them, 0.3 % correlate by less than the limit.
    By Fisher's transformation, whose variance is 1/((1 - ρ²)n) here; the mean and the line that are
    taken out make the correlation smaller by 8/n.
    """
    error = 1.0 / math.sqrt((1.0 - _ALIKE**2) * runs)
    beyond = NormalDist().inv_cdf(1.0 - _MISSED)
    return level > math.tanh(math.atanh(_ALIKE) - beyond * error) - 8.0 / runs


def _residual_of_a_line(values: Sequence[float]) -> list[float]:
    middle, mean = 0.5 * (len(values) - 1), fmean(values)
    slope = math.fsum((k - middle) * v for k, v in enumerate(values)) / math.fsum(
        (k - middle) ** 2 for k in range(len(values))
    )
    return [v - mean - slope * (k - middle) for k, v in enumerate(values)]


def _above(value: float, variance: float) -> float:
    return NormalDist().cdf(-value / math.sqrt(variance))


def _two_sided(value: float, variance: float) -> float:
    if variance <= 0.0:
        return 1.0
    return 2.0 * NormalDist().cdf(-abs(value) / math.sqrt(variance))
