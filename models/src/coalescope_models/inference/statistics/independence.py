# SPDX-License-Identifier: Apache-2.0
"""Whether replicates may count as independent, by when they were recorded.

A 95 % interval of n replicates covers the truth in 95 % only if they are independent. What is
known of their sequence tells three ways in which they are not: runs of one block, session or round
share something; runs drift; a run resembles the one before it. Tests compare within cells, by the
variance that exchanging the replicates of each cell among their places would give. The tests of one
measure are judged together (Holm): 1 % is the probability that any of them is a false alarm.

Standard library only: the page's Python needs it too.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import NormalDist, fmean
from typing import Literal

from .distributions import f_tail
from .holm import holm
from .timeline import Timeline

#: Adjusted probability below which dependence is taken for real.
SIGNIFICANCE = 0.01
#: The same where cells have fewer than three replicates, whose deviations show less of it.
SIGNIFICANCE_OF_FEW = 0.05
#: Share of the settings that each cluster must hold, on average, to be compared with the others.
_CROSSED = 0.8
#: Of how cells lie in the sequence: how much of a drift within cells stays hidden, in standard
#: errors of a cell's mean. Random orders have 1/√cells, replicates in a row √cells.
_HIDDEN = 0.5
#: Runs of a fit, or degrees of freedom of the replicates, from which on an autocorrelation of 0.8
#: is seen in 95 % of the sequences.
_ENOUGH = 45
#: Settings from which on the replicates of one lie too far apart for that to bear on their spread.
_FAR_APART = 16
#: Runs of a round from which on the means of successive rounds correlate by 0.2 at most, where runs
#: do by 0.8.
_SHORT_ROUND = 15
_ROUNDING = 1e-12

#: Nothing found; nothing found, in too few runs to show it; intervals by cluster; no intervals; or
#: the sequence is not known.
Verdict = Literal["none_found", "too_few", "by_cluster", "refused", "not_known"]


@dataclass(frozen=True)
class Independence:
    """What the sequence of the runs says about their replicates.

    Attributes:
        verdict: what follows for intervals.
        reason: why, as a sentence; None where nothing was found.
        clusters: how many blocks, sessions or rounds there are; None where runs have none.
        cluster_kind: which of the three; None without any.
        cluster_p_value: of F between clusters, within cells.
        drift_percent: change of the response from the first run to the last, in percent.
        drift_p_value: of that slope.
        autocorrelation: of a run with the next one, drift taken out.
        autocorrelation_p_value: of a correlation that large.

    The p-values are those of each test alone; verdicts are made of Holm's.
    """

    verdict: Verdict
    reason: str | None
    clusters: int | None
    cluster_kind: str | None
    cluster_p_value: float | None
    drift_percent: float | None
    drift_p_value: float | None
    autocorrelation: float | None
    autocorrelation_p_value: float | None

    @property
    def dependent(self) -> bool:
        """Whether intervals are not those of independent replicates: by cluster, or absent."""
        return self.verdict in ("by_cluster", "refused")


_NOT_KNOWN = Independence("not_known", None, None, None, None, None, None, None, None)


@dataclass(frozen=True)
class _Run:
    """One replicate of a cell with several: its relative deviation from their mean."""

    deviation: float
    cell: Hashable
    position: int
    cluster: Hashable | None


def independence(
    values: Sequence[float],
    cells: Sequence[Hashable],
    when: Timeline,
    *,
    explained: bool = False,
) -> Independence | None:
    """Judge whether replicates may count as independent; None where no cell has two.

    Args:
        values: of each run, [n].
        cells: label of each, [n].
        when: each was recorded, of all n.
        explained: whether a model has taken out what the settings do: what it leaves then shows
            better than the cells' few deviations whether a run resembles the one before it.
    """
    runs = _deviations(values, cells, when)
    if not runs:
        return None
    if when.positions is None and when.clusters is None:
        return _NOT_KNOWN
    labels = Counter(run.cluster for run in runs)
    several = len(labels) > 1
    found = replace(
        _NOT_KNOWN,
        verdict="none_found",
        clusters=len(labels) if several else None,
        cluster_kind=when.kind if several else None,
        cluster_p_value=_between_clusters(runs) if several else None,
    )
    if several and when.kind != "round":
        return _declared(found, runs)
    left = None
    # in any other order, neighbours may be alike by what the model misses
    if explained and when.positions is not None and not (_clumped(runs) or _same_order(runs)):
        left = _what_is_left(values, when.positions)
    enough = _long_enough(runs) if left is None else len(values) >= _ENOUGH
    return _in_sequence(found, runs, left, enough)


def _deviations(values: Sequence[float], cells: Sequence[Hashable], when: Timeline) -> list[_Run]:
    members: dict[Hashable, list[int]] = defaultdict(list)
    for row, cell in enumerate(cells):
        members[cell].append(row)
    found = []
    for cell, rows in members.items():
        mean = fmean(values[row] for row in rows)
        if len(rows) < 2 or mean == 0.0:
            continue
        for row in rows:
            found.append(
                _Run(
                    (values[row] - mean) / mean,
                    cell,
                    row if when.positions is None else when.positions[row],
                    None if when.clusters is None else when.clusters[row],
                )
            )
    if math.fsum(run.deviation**2 for run in found) <= len(found) * _ROUNDING**2:
        return []
    return sorted(found, key=lambda run: run.position)


def _declared(found: Independence, runs: Sequence[_Run]) -> Independence:
    """Blocks and sessions: runs of one always share what differs between them."""
    kind, count = found.cluster_kind, found.clusters
    if _crossed(runs) < _CROSSED:
        return _judged(
            found,
            "refused",
            f"Not every setting was measured in every {kind}, so that {kind}s cannot be told from "
            f"settings: no interval is given; measure all in each, or select those of one {kind}.",
        )
    return _judged(
        found,
        "by_cluster",
        f"The runs of a {kind} may share something: the intervals are made of the {count} {kind}s.",
    )


def _in_sequence(
    found: Independence, runs: Sequence[_Run], left: tuple[float, float] | None, enough: bool
) -> Independence:
    """One session: what its sequence shows.

    Args:
        found: what is known already.
        runs: of cells with several, in sequence.
        left: correlation of neighbours in what a model leaves, and its p-value.
        enough: whether the tests would show what matters.
    """
    if _hidden(runs) > _HIDDEN and _clumped(runs):
        return _judged(
            found,
            "refused",
            "The replicates of a setting were recorded one after another, so that a drift is not "
            "in their spread: no interval is given; randomise the order, or record several rounds.",
        )
    drift, drift_p = _drift(runs)
    level, level_p = _autocorrelation(_without_drift(runs, drift))
    last = max(run.position for run in runs) - min(run.position for run in runs)
    found = replace(
        found,
        verdict="none_found",
        reason=None,
        drift_percent=100.0 * drift * last,
        drift_p_value=drift_p,
        autocorrelation=level,
        autocorrelation_p_value=level_p,
    )
    shown = _shown(found, left, _significance(runs))
    if "left" in shown and "neighbours" not in shown and left is not None:
        found = replace(found, autocorrelation=left[0], autocorrelation_p_value=left[1])
    why = _why(found, shown)
    if why is None:
        return found if enough else _too_few(found, "", len(runs))
    if _same_order(runs):
        return _judged(
            found,
            "refused",
            f"{why}, and each round had the settings in the same order, so that intervals would "
            "miss it: none is given; randomise the order within each round.",
        )
    if found.clusters is not None or not shown.isdisjoint({"neighbours", "left"}):
        return _fewer(found, why, len(runs))
    if not enough:  # a drift of so few may be runs that resemble each other
        return _too_few(found, f"{why}. ", len(runs))
    return _judged(
        found,
        "none_found",
        f"{why}; their order was random, so that the spread of the replicates includes it.",
    )


def _shown(found: Independence, left: tuple[float, float] | None, significance: float) -> set[str]:
    """Which tests show dependence, all judged together."""
    p_values = {
        "rounds": found.cluster_p_value,
        "drift": found.drift_p_value,
        "neighbours": found.autocorrelation_p_value,
        "left": None if left is None else left[1],
    }
    adjusted = holm({name: p for name, p in p_values.items() if p is not None})
    # what a model leaves shows dependence as well of few replicates as of many
    limits = {"left": SIGNIFICANCE}
    return {name for name, p in adjusted.items() if p < limits.get(name, significance)}


def _fewer(found: Independence, why: str, runs: int) -> Independence:
    """Runs that depend on each other are fewer than they seem: rounds are what counts, if any."""
    if found.clusters is None:
        return _judged(
            found,
            "refused",
            f"{why}, so that their spread is not that of their means: no interval is given; record "
            "several rounds, or leave more time between runs.",
        )
    size = runs // found.clusters
    if size < _SHORT_ROUND and (found.autocorrelation or 0.0) >= 0.0:
        return _judged(
            found,
            "refused",
            f"{why}, and rounds of {size} runs are so short that they may resemble each other, "
            "too: no interval is given; leave more time between runs.",
        )
    return _judged(
        found, "by_cluster", f"{why}: the intervals are made of the {found.clusters} rounds."
    )


def _too_few(found: Independence, why: str, runs: int) -> Independence:
    return _judged(
        found,
        "too_few",
        f"{why}{runs} replicated runs are too few to show whether a run resembles the one before "
        "it: the intervals hold if it does not; more rounds would tell.",
    )


def _long_enough(runs: Sequence[_Run]) -> bool:
    cells = len({run.cell for run in runs})
    return cells >= _FAR_APART or len(runs) - cells >= _ENOUGH


def _judged(found: Independence, verdict: Verdict, reason: str) -> Independence:
    return replace(found, verdict=verdict, reason=reason)


def _significance(runs: Sequence[_Run]) -> float:
    few = len(runs) < 3 * len({run.cell for run in runs})
    return SIGNIFICANCE_OF_FEW if few else SIGNIFICANCE


def _what_is_left(values: Sequence[float], positions: Sequence[int]) -> tuple[float, float] | None:
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


def _residual_of_a_line(values: Sequence[float]) -> list[float]:
    middle, mean = 0.5 * (len(values) - 1), fmean(values)
    slope = math.fsum((k - middle) * v for k, v in enumerate(values)) / math.fsum(
        (k - middle) ** 2 for k in range(len(values))
    )
    return [v - mean - slope * (k - middle) for k, v in enumerate(values)]


def _why(found: Independence, shown: Collection[str]) -> str | None:
    """Say what kind of dependence the sequence shows, the strongest first."""
    if not {"neighbours", "left"}.isdisjoint(shown):
        level = found.autocorrelation or 0.0
        how = "resemble the ones before them" if level > 0.0 else "swing from one to the next"
        return f"Runs {how} (autocorrelation {level:.2f})".replace("-", "−")
    if "drift" in shown:
        return f"Runs drift by {_whole(found.drift_percent or 0.0)} % from the first to the last"
    if "rounds" in shown:
        return "Rounds differ by more than the runs within them"
    return None


def _whole(percent: float) -> str:
    """To two digits, and to the unit: +0.52, −12, −160."""
    digits = 1 - math.floor(math.log10(abs(percent))) if percent else 0
    return f"{round(percent, digits):+.{max(digits, 0)}f}".replace("-", "−")


def _by_cell(runs: Sequence[_Run]) -> dict[Hashable, list[_Run]]:
    found: dict[Hashable, list[_Run]] = defaultdict(list)
    for run in runs:
        found[run.cell].append(run)
    return found


def _crossed(runs: Sequence[_Run]) -> float:
    """Return the share of the combinations of cell and cluster that have a run."""
    pairs = {(run.cell, run.cluster) for run in runs}
    cells, clusters = ({pair[k] for pair in pairs} for k in (0, 1))
    return len(pairs) / (len(cells) * len(clusters))


def _between_clusters(runs: Sequence[_Run]) -> float | None:
    """Return the probability of such an F between clusters, cells taken out.

    Exact where each cluster has each cell once; where some are missing, a little too large.
    """
    sums: dict[Hashable, float] = defaultdict(float)
    counts = Counter(run.cluster for run in runs)
    for run in runs:
        sums[run.cluster] += run.deviation
    between = math.fsum(sums[label] ** 2 / n for label, n in counts.items())
    within = math.fsum(run.deviation**2 for run in runs) - between
    cells = len({run.cell for run in runs})
    freedom = len(runs) - cells - len(counts) + 1
    if freedom < 1 or within <= 0.0:
        return None
    return f_tail((between / (len(counts) - 1)) / (within / freedom), len(counts) - 1, freedom)


def _hidden(runs: Sequence[_Run]) -> float:
    """Return how much of a drift the replicates cannot show, in standard errors of a cell's mean.

    The slope within cells is known to σ/√Σ(o − ō)²; over the standard deviation of the cells' mean
    places it makes an error of their means, here in units of σ/√n.
    """
    cells = _by_cell(runs)
    means = [fmean(run.position for run in own) for own in cells.values()]
    within = math.fsum(
        (run.position - mean) ** 2
        for own, mean in zip(cells.values(), means, strict=True)
        for run in own
    )
    middle = fmean(means)
    between = math.fsum((mean - middle) ** 2 for mean in means) / len(means)
    return math.sqrt(between * len(runs) / len(cells) / within)


def _clumped(runs: Sequence[_Run]) -> bool:
    """Whether the runs of a cell lie nearer to each other than a random order would have them."""
    places = {cell: [run.position for run in own] for cell, own in _by_cell(runs).items()}
    return _apart(places) < SIGNIFICANCE_OF_FEW


def _same_order(runs: Sequence[_Run]) -> bool:
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
    between = math.fsum(len(own) * (means[cell] - middle) ** 2 for cell, own in places.items())
    within = math.fsum((p - means[cell]) ** 2 for cell, own in places.items() for p in own)
    freedom = sum(map(len, places.values())) - len(places)
    if len(places) < 2:
        return 1.0
    if within <= 0.0:
        return 0.0 if len(places) > 2 else 1.0
    return f_tail((between / (len(places) - 1)) / (within / freedom), len(places) - 1, freedom)


def _drift(runs: Sequence[_Run]) -> tuple[float, float]:
    """Return the slope of the deviations per place, within cells, and its p-value."""
    product = squares = variance = 0.0
    for own in _by_cell(runs).values():
        middle = fmean(run.position for run in own)
        places = math.fsum((run.position - middle) ** 2 for run in own)
        product += math.fsum(run.deviation * (run.position - middle) for run in own)
        squares += places
        variance += math.fsum(run.deviation**2 for run in own) * places / (len(own) - 1)
    return product / squares, _two_sided(product, variance)


def _without_drift(runs: Sequence[_Run], slope: float) -> list[_Run]:
    middles = {c: fmean(run.position for run in own) for c, own in _by_cell(runs).items()}
    return [
        _Run(
            run.deviation - slope * (run.position - middles[run.cell]),
            run.cell,
            run.position,
            run.cluster,
        )
        for run in runs
    ]


def _autocorrelation(runs: Sequence[_Run]) -> tuple[float | None, float | None]:
    """Return the correlation of neighbours in the sequence, and its p-value.

    Of neighbours of different cells: those of one cell deviate to opposite sides by construction.
    The variance is exact under any exchange of replicates within their cells.
    """
    squares = {cell: fmean(run.deviation**2 for run in own) for cell, own in _by_cell(runs).items()}
    sizes = Counter(run.cell for run in runs)
    groups: dict[tuple[Hashable, Hashable], list[_Run]] = defaultdict(list)
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
        squares[a] * squares[b] * _combinations(own, sizes[a] - 1, sizes[b] - 1, a)
        for (a, b), own in groups.items()
    )
    return total / size, _two_sided(total, variance)


def _combinations(neighbours: Sequence[_Run], of_a: int, of_b: int, a: Hashable) -> float:
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


def _two_sided(value: float, variance: float) -> float:
    if variance <= 0.0:
        return 1.0
    return 2.0 * NormalDist().cdf(-abs(value) / math.sqrt(variance))
