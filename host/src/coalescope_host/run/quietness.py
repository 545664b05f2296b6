# SPDX-License-Identifier: Apache-2.0
"""Whether others used the processors while something was measured on one machine. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from coalescope_host.run_log import (
    OTHERS_PERCENT,
    RunLog,
    others_at_least_percent,
    others_before_percent,
    run_values,
    said_by_workload,
    window_counts,
)

_ADVICE = (
    "They share caches, memory and clock frequency with what was measured; measure again where "
    "nothing else runs."
)


def quietness(logs: Sequence[RunLog]) -> tuple[str, ...]:
    """A verdict on runs whose sender, which is none of the workload, is on this machine, too.

    In lines, the first of which says it.

    What the sender took is not that of others, and is said apart, where the workload tells it.
    """
    before = [percent for log in logs if (percent := _before_percent(log)) is not None]
    tasks = {at: percent for at, log in enumerate(logs) if (percent := _tasks(log)) is not None}
    if not tasks:
        return ("Whether others used the processors is not known: nothing told their time apart.",)
    said = {at: said_by_workload(logs[at]).get("far_end_cpu_percent") for at in tasks}
    sender = {at: percent for at, percent in said.items() if percent is not None}
    is_apart = sender.keys() == tasks.keys()
    beside = [max(tasks[at] - sender[at], 0.0) if is_apart else tasks[at] for at in tasks]
    who = "other tasks" if is_apart else "other tasks and the sender, on this machine, too,"
    took = f"{who} took {_range(beside)} % of a CPU beside the runs"
    took += f", {_range(before)} % before them" if before else ""
    if is_apart:
        took += f"; the sender, on this machine, took {_range([*sender.values()])} %"
    quiet_before = max([0.0, *before]) < OTHERS_PERCENT
    if quiet_before and median(beside) < OTHERS_PERCENT:
        return (f"Quiet: {took}.",)
    if quiet_before and not is_apart:
        return (f"Whether it was quiet is not known: {took}.",)
    return f"NOT QUIET: {took}.", _ADVICE


def busy_before(environment: Mapping[str, Any]) -> str | None:
    """What others took before anything was measured, where that is much; the end of a sentence."""
    before = others_before_percent(environment)
    if before is None or before < OTHERS_PERCENT:
        return None
    return f"other tasks took {before:.0f} % of a CPU. {_ADVICE}"


def _tasks(log: RunLog) -> float | None:
    """What tasks beside the workload took, in percent of a CPU: the sender is among them."""
    return run_values(log).get("other_cpu_percent", others_at_least_percent(window_counts(log)))


def _before_percent(log: RunLog) -> float | None:
    environment = log.header.get("environment")
    return others_before_percent(environment) if isinstance(environment, Mapping) else None


def _range(percent: Sequence[float]) -> str:
    low, high = f"{min(percent):.0f}", f"{max(percent):.0f}"
    return low if low == high else f"{low} to {high}"
