# SPDX-License-Identifier: Apache-2.0
"""Whether blocks, sessions or rounds drift, and what is said of intervals that are made of them.

A drift over clusters is no scatter of theirs: where a line over their means shows one, what counts
is how they scatter about it. Of few clusters the two cannot be told apart.

Standard library only: the page's Python needs it too.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from .independence import whole
from .sequence import (
    MOST_WITHOUT_A_LINE,
    SIGNIFICANCE,
    deviations,
    drift_of_clusters,
    same_order,
)
from .timeline import Timeline

#: What intervals do that take a drift for scatter.
WIDER = "cover more than 95 %"


@dataclass(frozen=True)
class ClusterDrift:
    """What the clusters of the runs show of a drift.

    Attributes:
        shown: whether a line over the clusters shows one.
        sentence: what is said of it beside the intervals; None where there is nothing to say.
        same_order: whether each cluster had the settings in the same order, so that a line leaves
            what their places in it differ by.
    """

    shown: bool
    sentence: str | None
    same_order: bool


#: Nothing to say.
NO_DRIFT = ClusterDrift(False, None, False)


def drift_over_clusters(
    values: Sequence[float], cells: Sequence[Hashable], when: Timeline
) -> ClusterDrift:
    """Return what the clusters of these runs show of a drift.

    Args:
        values: of each run, [n].
        cells: label of each, [n].
        when: each was recorded, of all n; with clusters.
    """
    if when.positions is None:
        return NO_DRIFT
    runs = deviations(values, cells, when)
    found = drift_of_clusters(runs)
    if found is not None:
        change, p_value = found
        if p_value >= SIGNIFICANCE:
            return NO_DRIFT
        return ClusterDrift(
            True,
            f"The {when.kind}s drift by {whole(100.0 * change)} % from the first to the last: what "
            "counts is how they scatter about that line.",
            same_order(runs),
        )
    count = len({run.cluster for run in runs})
    if when.apart or count > MOST_WITHOUT_A_LINE:
        return NO_DRIFT
    return ClusterDrift(
        False,
        f"Of {count} {when.kind}s a drift cannot be told from what differs between them: if there "
        f"is one, the intervals {WIDER}.",
        False,
    )
