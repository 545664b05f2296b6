# SPDX-License-Identifier: Apache-2.0
"""Whether replicates may count as independent, by when they were recorded.

A 95 % interval of n replicates covers the truth in 95 % only if they are independent. What is
known of their sequence tells three ways in which they are not: runs of one block, session or round
share something; runs drift; a run resembles the one before it. The tests of one measure are judged
together (Holm): 1 % is the probability that any of them is a false alarm.

Standard library only: the page's Python needs it too.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .holm import holm
from .sequence import (
    SIGNIFICANCE,
    SIGNIFICANCE_OF_FEW,
    Run,
    autocorrelation,
    between_clusters,
    can_be_alike,
    clumped,
    crossed,
    deviations,
    drift,
    hidden,
    of_clusters,
    same_order,
    what_is_left,
    within_clusters,
    without_drift,
)
from .timeline import Timeline

#: Share of the settings that each cluster must hold, on average, to be compared with the others.
_CROSSED = 0.8
#: Of how cells lie in the sequence: how much of a drift within cells stays hidden, in standard
#: errors of a cell's mean. Random orders have 1/√cells, replicates in a row √cells.
_HIDDEN = 0.5
#: Degrees of freedom of the replicates, and runs of a fit, from which on an autocorrelation of 0.8
#: is seen in 95 % of the sequences.
_ENOUGH_FREEDOM = 45
_ENOUGH_RUNS = 45
#: Settings from which on the replicates of one lie too far apart for that to bear on their spread.
_FAR_APART = 16
#: Runs of a round from which on the means of successive rounds correlate by 0.2 at most, where runs
#: do by 0.8.
_SHORT_ROUND = 15
#: Of shorter blocks, runs of one, and degrees of freedom within cells and blocks, from which on an
#: autocorrelation of 0.8 is seen in 95 % of the sequences.
_LONG_BLOCK = 8
_ENOUGH_IN_BLOCKS = 70

#: Nothing found; nothing found, in too few runs to show it; intervals by cluster; the same of too
#: few clusters to show whether these are independent; no intervals; or the sequence is not known.
Verdict = Literal["none_found", "too_few", "by_cluster", "too_few_clusters", "refused", "not_known"]


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
        return self.by_cluster or self.verdict == "refused"

    @property
    def by_cluster(self) -> bool:
        """Whether intervals are made of blocks, sessions or rounds."""
        return self.verdict in ("by_cluster", "too_few_clusters")

    @property
    def doubtful(self) -> bool:
        """Whether runs or clusters are too few to show whether one resembles the one before it."""
        return self.verdict in ("too_few", "too_few_clusters")


#: Of intervals and tests of replicates that take them for independent unasked.
SEQUENCE_NOT_KNOWN = (
    "The data do not say in which order or blocks the runs were recorded (columns order, block or "
    "recorded_at): replicates are taken for independent, and a drift or blocks would make "
    "intervals too narrow and p-values too small."
)
#: Of a sequence that is not known, and sessions that may be none, although the data say both.
_CONTRADICTED = (
    " The numbers (order) and the clock (recorded_at) of the runs contradict each other, as where "
    "a host's clock was set back."
)
NOT_KNOWN = Independence("not_known", SEQUENCE_NOT_KNOWN, None, None, None, None, None, None, None)


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
    runs = deviations(values, cells, when)
    if not runs:
        return None
    if not when.known:
        return NOT_KNOWN
    labels = Counter(run.cluster for run in runs)
    several = len(labels) > 1
    found = replace(
        NOT_KNOWN,
        verdict="none_found",
        reason=None,
        clusters=len(labels) if several else None,
        cluster_kind=when.kind if several else None,
        cluster_p_value=between_clusters(runs) if several else None,
    )
    if several and when.kind != "round":
        return _declared(found, runs, when)
    left = None
    if explained and when.positions is not None and not same_order(runs):
        left = what_is_left(values, when.positions)
    if left is None:
        return _in_sequence(found, runs, None, _long_enough(runs))
    possible = can_be_alike(left[0], len(values))
    if clumped(runs):  # neighbours may be alike by what the model misses: no proof, but a doubt
        return _in_sequence(found, runs, None, _long_enough(runs) and not possible)
    return _in_sequence(found, runs, left, len(values) >= _ENOUGH_RUNS and not possible)


def _declared(found: Independence, runs: Sequence[Run], when: Timeline) -> Independence:
    """Blocks and sessions: runs of one always share what differs between them."""
    kind, count = found.cluster_kind, found.clusters
    doubt = _CONTRADICTED if when.contradicted else ""
    if crossed(runs) < _CROSSED:
        return _judged(
            found,
            "refused",
            f"Not every setting was measured in every {kind}, so that {kind}s cannot be told from "
            "settings: no interval is given; measure all in each, or select those of one "
            f"{kind}.{doubt}",
        )
    clocks = ", more than four hours from others by their clocks," if kind == "session" else ""
    shared = (
        f"The runs of a {kind}{clocks} may share something: the intervals are made of the {count} "
        f"{kind}s"
    )
    if when.apart:
        return _judged(found, "by_cluster", f"{shared}.")
    if when.positions is None:
        return _judged(
            found,
            "by_cluster",
            f"{shared}, which are taken for independent: their order is not known.{doubt}",
        )
    return _successive(found, runs, shared)


def _successive(found: Independence, runs: Sequence[Run], shared: str) -> Independence:
    """Blocks of one sequence: what lasts from run to run may last from block to block.

    A drift is in the scatter of the blocks: it makes intervals wider, whatever the order, unless a
    fit takes it out.
    """
    size = len(runs) // (found.clusters or 1)
    level, level_p = within_clusters(runs)
    of_means, of_means_p = of_clusters(runs)
    found = replace(found, autocorrelation=level, autocorrelation_p_value=level_p)
    tests = holm({"runs": level_p, "blocks": of_means_p})
    shown = {name for name, p in tests.items() if p < SIGNIFICANCE}
    if "blocks" in shown:
        return _judged(
            found,
            "refused",
            f"Blocks resemble the ones before them (autocorrelation {of_means:.2f} of their "
            "means): no interval is given; leave more time between blocks.",
        )
    if size >= _SHORT_ROUND:
        return _judged(found, "by_cluster", f"{shared}.")
    if "runs" in shown:
        return _judged(
            found,
            "refused",
            f"Runs resemble the ones before them within blocks (autocorrelation {level:.2f}), and "
            f"blocks of {size} runs are so short that they may resemble each other, too: no "
            "interval is given; leave more time between blocks.",
        )
    if size >= _LONG_BLOCK and _freedom_within(found, runs) >= _ENOUGH_IN_BLOCKS:
        return _judged(found, "by_cluster", f"{shared}.")
    return _judged(
        found,
        "too_few_clusters",
        f"{shared}. These, of {size} runs, are too few or too short to show whether a block "
        "resembles the one before it: the intervals hold if none does.",
    )


def _freedom_within(found: Independence, runs: Sequence[Run]) -> int:
    return len(runs) - len({run.cell for run in runs}) - (found.clusters or 1) + 1


def _in_sequence(
    found: Independence, runs: Sequence[Run], left: tuple[float, float] | None, enough: bool
) -> Independence:
    """One session: what its sequence shows.

    Args:
        found: what is known already.
        runs: of cells with several, in sequence.
        left: correlation of neighbours in what a model leaves, and its p-value.
        enough: whether the tests would show what matters.
    """
    if hidden(runs) > _HIDDEN and clumped(runs):
        return _judged(
            found,
            "refused",
            "The replicates of a setting were recorded one after another, so that a drift is not "
            "in their spread: no interval is given; randomise the order, or record several rounds.",
        )
    slope, drift_p = drift(runs)
    level, level_p = autocorrelation(without_drift(runs, slope))
    last = max(run.position for run in runs) - min(run.position for run in runs)
    found = replace(
        found,
        verdict="none_found",
        reason=None,
        drift_percent=100.0 * slope * last,
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
    if same_order(runs):
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


def _long_enough(runs: Sequence[Run]) -> bool:
    cells = len({run.cell for run in runs})
    return cells >= _FAR_APART or len(runs) - cells >= _ENOUGH_FREEDOM


def _judged(found: Independence, verdict: Verdict, reason: str) -> Independence:
    return replace(found, verdict=verdict, reason=reason)


def _significance(runs: Sequence[Run]) -> float:
    few = len(runs) < 3 * len({run.cell for run in runs})
    return SIGNIFICANCE_OF_FEW if few else SIGNIFICANCE


def _why(found: Independence, shown: Collection[str]) -> str | None:
    """Say what kind of dependence the sequence shows, the strongest first."""
    if not {"neighbours", "left"}.isdisjoint(shown):
        level = found.autocorrelation or 0.0
        how = "resemble the ones before them" if level > 0.0 else "swing from one to the next"
        return f"Runs {how} (autocorrelation {level:.2f})".replace("-", "−")
    if "drift" in shown:
        return f"Runs drift by {whole(found.drift_percent or 0.0)} % from the first to the last"
    if "rounds" in shown:
        return "Rounds differ by more than the runs within them"
    return None


def whole(percent: float) -> str:
    """To two digits, and to the unit: +0.52, −12, −160."""
    digits = 1 - math.floor(math.log10(abs(percent))) if percent else 0
    return f"{round(percent, digits):+.{max(digits, 0)}f}".replace("-", "−")
