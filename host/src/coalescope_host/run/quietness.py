# SPDX-License-Identifier: Apache-2.0
"""Whether others used the processors while something was measured on one machine. Pure."""

from collections.abc import Mapping, Sequence
from statistics import median

from coalescope_host.run_log import (
    OTHERS_PERCENT,
    RunLog,
    RunLogError,
    others_at_least_percent,
    run_values,
    window_counts,
)


def quietness(logs: Sequence[RunLog]) -> str:
    """A verdict on runs whose sender, which is none of the workload, is on this machine, too.

    What iperf3 says that its other end took is not that of others.
    """
    before = [percent for log in logs if (percent := _before_percent(log)) is not None]
    beside = [percent for log in logs if (percent := _others_percent(log)) is not None]
    if not beside:
        return "Whether others used the processors is not known: nothing told their time apart."
    most = max(median(beside), *before, 0.0)
    took = f"{_range(beside)} % of a CPU beside the runs"
    took += f", {_range(before)} % before them" if before else ""
    if most >= OTHERS_PERCENT:
        return (
            f"NOT QUIET: other tasks took {took}.\nThey share caches, memory and clock frequency "
            "with what was measured; measure again where nothing else runs."
        )
    return f"Quiet: other tasks took {took}."


def _others_percent(log: RunLog) -> float | None:
    values, counts = run_values(log), window_counts(log)
    others = values.get("other_cpu_percent", others_at_least_percent(counts))
    return None if others is None else max(others - _of_sender(log), 0.0)


def _of_sender(log: RunLog) -> float:
    """As iperf3 has it of its other end, in percent of a CPU; 0 where nothing says it."""
    if log.result is None or "json" not in log.result.media_type:
        return 0.0
    try:
        used = _members(_members(log.result.json()).get("end")).get("cpu_utilization_percent")
    except RunLogError:
        return 0.0
    remote = _members(used).get("remote_total")
    return float(remote) if isinstance(remote, int | float) and remote > 0 else 0.0


def _before_percent(log: RunLog) -> float | None:
    environment = _members(log.header.get("environment"))
    before = _members(environment.get("idle_baseline")).get("other_cpu_percent")
    return float(before) if isinstance(before, int | float) else None


def _range(percent: Sequence[float]) -> str:
    low, high = f"{min(percent):.0f}", f"{max(percent):.0f}"
    return low if low == high else f"{low} to {high}"


def _members(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
