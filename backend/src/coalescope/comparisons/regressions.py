# SPDX-License-Identifier: Apache-2.0
"""Whether a measure is worse in B than in A by more than is allowed, or whether nobody can know."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from coalescope_models.inference.statistics import Beyond, beyond

from coalescope.comparisons.compared import Compared, ComparedCell, why_no_interval
from coalescope.errors import CoalescopeError
from coalescope.experiments.choice import names_a_build
from coalescope.experiments.records import FactorValue

RegressionVerdict = Literal["worse", "not_known", "within_chance", "not_worse"]


@dataclass(frozen=True)
class Regression:
    """What is worse by more than allowed.

    Attributes:
        limit_percent: how much worse is allowed.
        verdict: worse: the interval of the overall ratio, or the simultaneous one of a cell, lies
            wholly beyond the limit. not_known: the sides differ in more than what is compared, or
            may; there is no interval somewhere, or B lacks settings of A. within_chance: the
            overall interval holds the limit. not_worse: it lies wholly on the allowed side.
        overall: whether the overall ratio is beyond the limit, with its whole interval.
        cells: those whose whole simultaneous intervals are, beyond chance.
        reason: why not all is known; None where it is.
        p_value: the largest level at which nothing would be called worse; 1 where nothing can be.

    """

    limit_percent: float
    verdict: RegressionVerdict
    overall: bool
    cells: Sequence[ComparedCell]
    reason: str | None
    p_value: float

    @property
    def found(self) -> bool:
        """Whether anything is worse."""
        return self.verdict == "worse"


def regressions(
    compared: Compared,
    limit_percent: float,
    *,
    same_session: bool = False,
    level: float = 0.05,
) -> Regression:
    """What is worse in B by more than `limit_percent`, beyond chance.

    Where nothing is, something is called worse with a probability of `level` at most. Of several
    measures, holm_levels says the level of each.

    Which direction is worse is what the measure's definition says, or who asks. Without an interval
    no difference counts, however large: then it is not known. Nor is it where the sides differ in
    settings or traffic, or may be of two sessions: what is asked is whether B made the difference.
    `same_session` says that they are of one where the runs do not say when they were recorded.

    Errors: 422 where neither direction of the measure is better.
    """
    if compared.better is None:
        raise CoalescopeError(
            "no_better",
            f"Neither more nor less {compared.measure.name} is better as such.",
            where={"measure": compared.measure.name},
            advice="Say which is better: more or less.",
        )
    confounded = _confounded(compared, same_session=same_session)
    if confounded is not None:
        return Regression(limit_percent, "not_known", False, [], confounded, p_value=1.0)
    found = _beyond(compared, limit_percent)
    overall = _below(found.overall, level)
    cells = [
        cell
        for cell, p_value in zip(compared.cells, found.cells.values(), strict=True)
        if _below(p_value, level)
    ]
    reason = _not_known(compared)
    verdict: RegressionVerdict
    if overall or cells:
        verdict = "worse"
    elif reason is not None:
        verdict = "not_known"
    else:
        verdict = "within_chance" if _may_be_beyond(compared, limit_percent) else "not_worse"
    return Regression(limit_percent, verdict, overall, cells, reason, found.p_value)


def _limit(compared: Compared, limit_percent: float) -> float:
    """The ratio from which on B is worse by more than is allowed."""
    share = limit_percent / 100.0
    return 1.0 - share if compared.better == "more" else 1.0 + share


def _beyond(compared: Compared, limit_percent: float) -> Beyond:
    limit = _limit(compared, limit_percent)
    return beyond(compared.result, limit, above=compared.better == "less")


def _below(p_value: float | None, level: float) -> bool:
    return p_value is not None and p_value < level


def _may_be_beyond(compared: Compared, limit_percent: float) -> bool:
    """Whether the overall 95 % interval reaches beyond the limit."""
    interval, limit = compared.result.overall_ci95, _limit(compared, limit_percent)
    if interval is None:
        return True
    return interval[0] < limit if compared.better == "more" else interval[1] > limit


def _confounded(compared: Compared, *, same_session: bool) -> str | None:
    """Why no difference between the sides need be one between what is compared."""
    if _apart(compared):
        said = [
            f"{factor} is {_level(a)} in A and {_level(b)} in B"
            for factor, (a, b) in _apart(compared).items()
        ]
        reason = f"{'; '.join(said)}, in all settings. Measure the same on both sides"
        if any(None in pair for pair in _apart(compared).values()):
            return f"{reason}, and say it of both."
        splits = ", ".join(f"split {name}={a}:{b}" for name, (a, b) in _apart(compared).items())
        return f"{reason}, or say that they are compared: {splits} (--split on the command line)."
    if not (compared.timed or same_session):
        return (
            "It is not known when every run was recorded, so that the sides may be of two days. "
            "Say block of each run, or recorded_at by a clock that its order does not contradict; "
            "if both were recorded in one session, say so: same_session=true (--same-session on "
            "the command line)."
        )
    return None


def _level(level: object) -> str:
    return "not said" if level is None else str(level)


def _not_known(compared: Compared) -> str | None:
    """Why not all that was compared is known, and what to do."""
    intervals = [cell.difference.simultaneous_ci95 for cell in compared.cells]
    if compared.result.overall_ci95 is None or None in intervals:
        return compared.dependence or why_no_interval(compared)
    if compared.only_a:
        count = len(compared.only_a)
        settings = "1 setting of A is" if count == 1 else f"{count} settings of A are"
        return f"{settings} not in B. Measure the same settings, or choose those that both have."
    return None


def _apart(compared: Compared) -> Mapping[str, tuple[FactorValue | None, FactorValue | None]]:
    """Settings and traffic in which the sides differ throughout, though nobody asked for it.

    Whoever chose the level of both sides did; builds and machines are what is compared.
    """
    sources = (compared.a.experiment.source, compared.b.experiment.source)
    return {
        name: pair
        for name, pair in compared.differing.items()
        if not (name in compared.a.where and name in compared.b.where)
        and not all(
            names_a_build(name, [level for level in pair if level is not None], source)
            for source in sources
        )
    }


def describe_regression(regression: Regression) -> dict[str, Any]:
    """The same as the API shows it (RegressionOut)."""
    return {
        "limit_percent": regression.limit_percent,
        "found": regression.found,
        "verdict": regression.verdict,
        "overall": regression.overall,
        "cells": [dict(cell.factors) for cell in regression.cells],
        "reason": regression.reason,
        "p_value": regression.p_value,
    }
