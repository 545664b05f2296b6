# SPDX-License-Identifier: Apache-2.0
"""How well a difference between two sides is known from runs that share sessions or blocks.

Standard library only: the page's Python needs it too.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from .cluster_drift import WIDER
from .comparison import Spread
from .independence import independence, whole
from .sequence import SIGNIFICANCE, Run, deviations, drift_of_clusters
from .timeline import Timeline

#: Of sides of one session whose intervals stay as they are.
_ORDER_CONFOUNDS = (
    "One side was recorded wholly or mostly before the other, in one session: a drift that these "
    "runs do not show would be in the ratio. Record both sides in turns to take it out."
)
#: Of sides that have no interval for another reason.
_ORDER_TOO = (
    "One side was recorded wholly or mostly before the other, too: record both sides in turns."
)

#: Of single runs, whose ratios have no interval that a drift could be in.
_ORDER_NOT_KNOWN = (
    "The data do not say in which order or blocks the runs were recorded (columns order, block or "
    "recorded_at): a drift, or what differs between sessions, may be in the ratio."
)

#: Of sides of one session, as far as their clocks tell.
_CONTRADICTED = (
    "The numbers (order) and the clock (recorded_at) of one side's runs contradict each other, as "
    "where a host's clock was set back: their order is not known, and a drift, or what differs "
    "between sessions, may be in the ratio."
)

#: Of means of several runs, whatever intervals they have.
ORDER_OF_MEANS = (
    "Means of several runs do not say when each was recorded: a drift, or what differs between "
    "sessions, may be in the ratio."
)

_ByCluster = Mapping[Hashable, Mapping[Hashable, float]]


@dataclass(frozen=True)
class SideRuns:
    """Runs of one side of a comparison: values, and the setting of each."""

    values: Sequence[float]
    cells: Sequence[Hashable]


@dataclass(frozen=True)
class Judged:
    """What the sequence of both sides' runs does to a comparison.

    Attributes:
        reason: why intervals are made of clusters, or absent, or that nothing is known of the
            sequence, or that one side was recorded before the other; None where nothing was found.
        spread: of what the intervals are made; None where they stay as they are.
    """

    reason: str | None
    spread: Spread | None


def judge(a: SideRuns, b: SideRuns, when: Timeline) -> Judged:
    """Judge two sides together, whose runs are in one sequence.

    Settings that both sides have in the same clusters are compared within them, which takes a drift
    out, too. Sides of different clusters are compared by those of each, at least two; of one each,
    and where some clusters have both sides and others one, what differs between clusters cannot be
    told from what differs between the sides. Nor can a drift where one side was recorded before the
    other: blocks of one sequence have no interval then, and sessions none where they show one. Runs
    of one session that show none keep their intervals, and the reason says what the order hides.

    Args:
        a: what is compared with; values positive.
        b: what is compared.
        when: each run of `a`, then each of `b`, was recorded.
    """
    labels = when.clusters
    if labels is not None and when.kind != "round":
        return _declared(a, b, when, labels)
    sides = [("a", cell) for cell in a.cells] + [("b", cell) for cell in b.cells]
    found = independence([*a.values, *b.values], sides, when)
    before = _one_before_the_other(when.positions, len(a.values))
    if when.contradicted or (found is None and not when.known):
        return Judged(_CONTRADICTED if when.contradicted else _ORDER_NOT_KNOWN, None)
    if found is not None and found.verdict == "refused":
        refused = Judged(found.reason, Spread({}, None))
        return _saying(refused, _ORDER_TOO) if before else refused
    # of too few runs nothing is said where sides are in turns: these share what neighbours do
    if found is None or found.reason is None or found.verdict == "too_few":
        return Judged(_ORDER_CONFOUNDS if before else None, None)
    if before:
        return _one_after_the_other(found.reason.partition(";")[0])
    by_cluster = labels if found.by_cluster else None
    return Judged(found.reason, None) if by_cluster is None else _by(a, b, by_cluster, found.reason)


def judge_settings(
    values: Sequence[float],
    cells: Sequence[Hashable],
    when: Timeline,
    pair: tuple[Hashable, Hashable],
) -> Judged:
    """Judge two settings of one experiment, of which all runs tell whether they depend.

    Args:
        values: of each run of the experiment, positive, [n].
        cells: label of each, [n].
        when: each was recorded, of all n.
        pair: labels of what is compared with, and of what is compared.
    """
    found = independence(values, cells, when)
    if found is None or not (found.dependent or found.verdict == "not_known"):
        return Judged(None, None)
    if found.verdict == "not_known":
        return Judged(found.reason, None)
    if found.verdict == "refused" or when.clusters is None:
        return Judged(found.reason, Spread({}, None))
    there, here = ([k for k, own in enumerate(cells) if own == cell] for cell in pair)
    a, b = (SideRuns([values[k] for k in own], [0] * len(own)) for own in (there, here))
    return _by(a, b, [when.clusters[k] for k in (*there, *here)], found.reason)


def _declared(a: SideRuns, b: SideRuns, when: Timeline, labels: Sequence[Hashable]) -> Judged:
    own, kind = (set(labels[: len(a.values)]), set(labels[len(a.values) :])), when.kind
    apart = own[0].isdisjoint(own[1])
    if min(map(len, own)) < 2 or not (apart or own[0] == own[1]):
        return Judged(_confounded(str(kind)), Spread({}, None))
    reason = f"The intervals are made of the {len(own[0] | own[1])} {kind}s of the runs."
    if not apart:
        return _by(a, b, labels, reason)
    before = _one_before_the_other(when.positions, len(a.values))
    if before and not when.apart:
        return Judged(
            f"One side was recorded before the other, so that a drift over the {kind}s cannot be "
            "told from what differs between the sides: no interval is given. Record both sides in "
            "turns.",
            Spread({}, None),
        )
    if (alike := _alike(a, b, when)) is not None:
        return Judged(alike, Spread({}, None))
    return _in_time(_by(a, b, labels, reason), a, b, when, before=before)


def _in_time(judged: Judged, a: SideRuns, b: SideRuns, when: Timeline, *, before: bool) -> Judged:
    """Sides of clusters of their own: what a drift over these does to their difference."""
    if when.positions is None:
        return _saying(
            judged,
            f"The order of the {when.kind}s is not known: a drift over them may be in the ratio.",
        )
    cells = [("a", cell) for cell in a.cells] + [("b", cell) for cell in b.cells]
    runs = deviations([*a.values, *b.values], cells, when)
    found = drift_of_clusters(runs, _side_of)
    if found is None or found[1] >= SIGNIFICANCE:
        unseen = (
            f"One side was recorded before the other: a drift over the {when.kind}s, which they do "
            "not show, would be in the ratio."
        )
        return _saying(judged, unseen) if before else judged
    drifts = f"The {when.kind}s drift by {whole(100.0 * found[0])} % from the first to the last"
    if before:
        return _one_after_the_other(drifts)
    return _saying(judged, f"{drifts}, which is in their scatter: the intervals {WIDER}.")


def _side_of(run: Run) -> Hashable:
    return run.cell[0] if isinstance(run.cell, tuple) else None


def _saying(judged: Judged, sentence: str) -> Judged:
    return Judged(f"{judged.reason} {sentence}", judged.spread)


def _one_after_the_other(why: str) -> Judged:
    return Judged(
        f"{why.rstrip('.')}, and one side was recorded before the other: no interval is given. "
        "Record both sides in turns.",
        Spread({}, None),
    )


def _alike(a: SideRuns, b: SideRuns, when: Timeline) -> str | None:
    """Say that clusters of one side resemble each other, so that they do not count one by one."""
    count = len(a.values)
    places = range(count), range(count, count + len(b.values))
    for side, rows in zip((a, b), places, strict=True):
        found = independence(side.values, side.cells, when.of(rows))
        # without an autocorrelation it is refused as settings are not in every cluster
        if found is not None and found.verdict == "refused" and found.autocorrelation is not None:
            return found.reason
    return None


def _one_before_the_other(positions: Sequence[int] | None, count: int) -> bool:
    """Whether the sides' mean places lie apart by more than a quarter of the sequence."""
    if positions is None:
        return False
    apart = fmean(positions[count:]) - fmean(positions[:count])
    return abs(apart) > 0.25 * len(positions)


def _confounded(kind: str) -> str:
    return (
        f"The two sides were not recorded in the same {kind}s, or in one of them only: what "
        f"differs between {kind}s cannot be told from what differs between the sides, and no "
        f"interval is given. Record both in each of two {kind}s or more, or both in one."
    )


def _by(a: SideRuns, b: SideRuns, labels: Sequence[Hashable], reason: str | None) -> Judged:
    """Judge by clusters, and say of which settings these tell nothing."""
    spread = _spread(a, b, labels)
    if all(spread.cells.values()):
        return Judged(reason, spread)
    return _saying(
        Judged(reason, spread),
        "A setting that one side lacks in some of them, or has in one alone, has no interval of "
        "its own.",
    )


def _spread(a: SideRuns, b: SideRuns, labels: Sequence[Hashable]) -> Spread:
    of_a = _log_means(a, labels[: len(a.values)])
    of_b = _log_means(b, labels[len(a.values) :])
    common = [cell for cell in of_a if cell in of_b]
    if set(labels[: len(a.values)]).isdisjoint(labels[len(a.values) :]):
        cells = {c: _of_both(_known(of_a[c].values()), _known(of_b[c].values())) for c in common}
        overall = _of_both(_known(_overall(of_a, common)), _known(_overall(of_b, common)))
        return Spread(cells, overall)
    ratios = {
        cell: {g: of_b[cell][g] - own for g, own in of_a[cell].items() if g in of_b[cell]}
        for cell in common
    }
    cells = {
        cell: _known(own.values()) if len(own) == len(of_a[cell]) == len(of_b[cell]) else None
        for cell, own in ratios.items()
    }
    return Spread(cells, _known(_overall(ratios, common)) if any(cells.values()) else None)


def _log_means(side: SideRuns, labels: Sequence[Hashable]) -> _ByCluster:
    """Logarithm of the mean of each setting in each cluster."""
    runs: dict[Hashable, dict[Hashable, list[float]]] = defaultdict(lambda: defaultdict(list))
    for value, cell, label in zip(side.values, side.cells, labels, strict=True):
        runs[cell][label].append(value)
    return {
        cell: {g: math.log(mean) for g, values in own.items() if (mean := fmean(values)) > 0.0}
        for cell, own in runs.items()
    }


def _overall(found: _ByCluster, cells: Sequence[Hashable]) -> list[float]:
    """What each cluster deviates by, over the settings it has."""
    off: dict[Hashable, list[float]] = defaultdict(list)
    for cell in cells:
        for label, value in found[cell].items():
            off[label].append(value - fmean(found[cell].values()))
    return [fmean(own) for own in off.values()]


def _known(values: Iterable[float]) -> tuple[float, float] | None:
    """Variance of the mean of these, and its degrees of freedom; None of fewer than two."""
    own = list(values)
    return (variance(own) / len(own), float(len(own) - 1)) if len(own) > 1 else None


def _of_both(
    a: tuple[float, float] | None, b: tuple[float, float] | None
) -> tuple[float, float] | None:
    """Sum of two variances, with Welch's degrees of freedom."""
    if a is None or b is None:
        return None
    total = a[0] + b[0]
    if total <= 0.0:
        return 0.0, a[1] + b[1]
    return total, total**2 / (a[0] ** 2 / a[1] + b[0] ** 2 / b[1])
