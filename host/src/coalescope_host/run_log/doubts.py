# SPDX-License-Identifier: Apache-2.0
"""What makes a run doubtful though its file is whole.

One list for `check` and for the store, which knows more of some runs (goodput, what the workload
lost in the window) and audits what is not looked at here: the link, clocks, pause frames.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .agreement import cross_checks
from .bounded_json import members
from .errors import Problem, RunLogError
from .in_force import changed_meanwhile, not_known_in_force
from .interrupts import unseen_interrupts
from .log import RunLog
from .plausibility import doubt, implausible
from .run_values import others_at_least_percent, run_values, window_counts

_LARGEST = 2**64
_UNSTABLE_CLOCK = 1 << 3  # COALESCOPE_UNSTABLE_CLOCK of the kernel module's snapshots


def doubts(log: RunLog) -> Iterator[Problem]:
    """Findings about the run, of its window."""
    environment = members(log.header.get("environment"))
    kind = members(log.header.get("run")).get("kind")
    counts, values = window_counts(log), run_values(log)
    if _unstable_clock(log):
        counts = {name: by for name, by in counts.items() if not name.endswith("_cycles")}
    yield from said_by(log)
    yield from cross_checks(counts, counts.get("elapsed_s", 0.0), environment.get("cpus"))
    yield from unseen_interrupts(log.fields, counts, environment)
    yield from implausible(
        {**said_by_workload(log), **values},
        environment,
        levels_of(log),
        kind if isinstance(kind, str) else None,
        others_at_least_percent(counts),
    )


def said_by(log: RunLog) -> Iterator[Problem]:
    """What the log says against its run itself, whatever it counted."""
    yield from _sources(members(log.header.get("environment")))
    yield from _workload(log)
    yield from changed_meanwhile(
        members(log.header.get("environment")), members(members(log.footer).get("after"))
    )
    environment, kind = log.header.get("environment"), members(log.header.get("run")).get("kind")
    for name, parts in members(log.header.get("factors")).items():
        requested, read_back = (members(parts).get(part) for part in ("requested", "read_back"))
        if requested is not None and read_back is not None and requested != read_back:
            yield doubt(
                "not_as_requested",
                f"{name}: {requested} was requested, {read_back} was read back and counts.",
                name,
            )
        if read_back is None and requested is not None:
            yield from not_known_in_force(
                members(environment),
                levels_of(log),
                kind if isinstance(kind, str) else None,
                name,
            )


def levels_of(log: RunLog) -> dict[str, object]:
    """The factors: as read back, else as requested."""
    levels = {}
    for name, parts in members(log.header.get("factors")).items():
        requested, read_back = (members(parts).get(part) for part in ("requested", "read_back"))
        level = requested if read_back is None else read_back
        if level is not None:
            levels[name] = level
    return levels


def _sources(environment: Mapping[str, object]) -> Iterator[Problem]:
    refused = members(environment.get("counter_sources_refused"))
    if environment.get("counter_source") == "proc" and refused:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in refused.items())
        yield doubt(
            "coarse_source",
            f"Neither kernel module nor eBPF counted ({reasons}): CPU time of the interface, and "
            "receive interrupts, are not known.",
            "counter_source",
        )


def _workload(log: RunLog) -> Iterator[Problem]:
    if log.result is None:
        return
    said = log.result.metadata
    status = said.get("exit_status")
    if said.get("timed_out") or said.get("signal") is not None:
        yield doubt("workload_ended", "The workload was ended before it was done.", "workload")
    elif isinstance(status, int) and status != 0:
        message = f"The workload ended with status {status}."
        yield doubt("workload_failed", message, "workload")


def _unstable_clock(log: RunLog) -> bool:
    if log.field("flags") is None:
        return False
    return any(int(flags) & _UNSTABLE_CLOCK for flags in log.streams[0].column("flags"))


def said_by_workload(log: RunLog) -> dict[str, float]:
    """What the workload says of its whole time, where it does: the share of datagrams that it lost,
    and the CPU time of its other end in percent of a CPU.

    It is judged where nothing is known of the window alone.
    """
    result = log.result
    if result is None or result.media_type != "application/json":
        return {}
    try:
        document = members(result.json())
    except RunLogError:
        return {}
    said = {
        "datagram_loss_percent": _loss_percent(document),
        "far_end_cpu_percent": _far_end_percent(document),
    }
    return {name: value for name, value in said.items() if value is not None}


def _far_end_percent(document: Mapping[str, object]) -> float | None:
    """As iperf3 says it."""
    used = members(members(document.get("end")).get("cpu_utilization_percent"))
    return _count(used.get("remote_total"))


def _loss_percent(document: Mapping[str, object]) -> float | None:
    """As iperf3 or coalescope-traffic say it."""
    end = members(document.get("end"))
    for part in (members(end.get("sum")), members(end.get("sum_received"))):
        percent = _count(part.get("lost_percent"))
        if percent is not None:
            return percent
    lost, came = _count(document.get("lost")), _count(document.get("operations"))
    return 100.0 * lost / (lost + came) if lost is not None and came and lost + came > 0 else None


def _count(value: object) -> float | None:
    """A number that somebody may have counted."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= _LARGEST:
        return float(value)
    return None
