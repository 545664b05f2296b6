# SPDX-License-Identifier: Apache-2.0
"""Whether a measure is worse in B than in A by more than is allowed, or whether nobody can know."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from coalescope.comparisons.compared import Compared, ComparedCell
from coalescope.errors import CoalescopeError

RegressionVerdict = Literal["worse", "not_known", "within_chance", "not_worse"]


@dataclass(frozen=True)
class Regression:
    """What is worse by more than allowed.

    Attributes:
        limit_percent: how much worse is allowed.
        verdict: worse: the interval of the overall ratio, or the simultaneous one of a cell, lies
            wholly beyond the limit. not_known: there is no interval somewhere, or B lacks settings
            of A. within_chance: the overall interval holds the limit. not_worse: it lies wholly on
            the allowed side.
        overall: whether the overall ratio is beyond the limit, with its whole interval.
        cells: those whose whole simultaneous intervals are, beyond chance.
        reason: why not all is known; None where it is.

    """

    limit_percent: float
    verdict: RegressionVerdict
    overall: bool
    cells: Sequence[ComparedCell]
    reason: str | None

    @property
    def found(self) -> bool:
        """Whether anything is worse."""
        return self.verdict == "worse"


def regressions(compared: Compared, limit_percent: float) -> Regression:
    """What is worse in B by more than `limit_percent`, beyond chance (95 %).

    Which direction is worse is what the measure's definition says, or who asks. Without an interval
    no difference counts, however large: then it is not known.

    Errors: 422 where neither direction of the measure is better.
    """
    if compared.better is None:
        raise CoalescopeError(
            "no_better",
            f"Neither more nor less {compared.measure.name} is better as such.",
            where={"measure": compared.measure.name},
            advice="Say which is better: more or less.",
        )
    share = limit_percent / 100.0

    def beyond(ratio: float) -> bool:
        return ratio < 1.0 - share if compared.better == "more" else ratio > 1.0 + share

    interval = compared.result.overall_ci95
    overall = interval is not None and all(map(beyond, interval))
    cells = [
        cell
        for cell in compared.cells
        if cell.difference.resolved
        and cell.difference.simultaneous_ci95 is not None
        and all(map(beyond, cell.difference.simultaneous_ci95))
    ]
    reason = _not_known(compared)
    verdict: RegressionVerdict
    if overall or cells:
        verdict = "worse"
    elif reason is not None or interval is None:
        verdict = "not_known"
    else:
        verdict = "within_chance" if any(map(beyond, interval)) else "not_worse"
    return Regression(limit_percent, verdict, overall, cells, reason)


def _not_known(compared: Compared) -> str | None:
    """Why not all that was compared is known, and what to do."""
    intervals = [cell.difference.simultaneous_ci95 for cell in compared.cells]
    if compared.result.overall_ci95 is None or None in intervals:
        return compared.dependence or (
            "Not every setting has replicates on both sides, so any difference may be chance. "
            "Measure each setting at least three times."
        )
    if compared.only_a:
        count = len(compared.only_a)
        settings = "1 setting of A is" if count == 1 else f"{count} settings of A are"
        return f"{settings} not in B. Measure the same settings, or choose those that both have."
    return None


def describe_regression(regression: Regression) -> dict[str, Any]:
    """The same as the API shows it (RegressionOut)."""
    return {
        "limit_percent": regression.limit_percent,
        "found": regression.found,
        "verdict": regression.verdict,
        "overall": regression.overall,
        "cells": [dict(cell.factors) for cell in regression.cells],
        "reason": regression.reason,
    }
