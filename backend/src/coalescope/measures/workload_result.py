# SPDX-License-Identifier: Apache-2.0
"""What the workload itself reported: the JSON of iperf3, or of coalescope-traffic.

Nothing here knows of the window: `in_window` makes measures of it.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from coalescope_host.run_log import Latencies, Result, RunLogError, latencies_of
from coalescope_models.vocabulary.quantity import QUANTITIES

from coalescope.runs.records import RunWarning

_LARGEST = 1e15
_LATEST_NS = 2**64
_MOST_INTERVALS = 1 << 20
_TOUCHING_S = 0.05  # an interval begins where the one before it ends, or a little later
_OWN_TOOL = "coalescope-traffic"
# whose `bytes` are payload that arrived
_RECEIVING = ("sink", "client")
#: Members of the tool's `latency_us`, and the measures of the glossary that they are.
LATENCIES = {"mean": "latency_us"} | {
    found[1]: name for name in QUANTITIES if (found := re.fullmatch(r"latency_(p\d+|max)_us", name))
}


@dataclass(frozen=True)
class Intervals:
    """What was counted in intervals of equal length, by the log's own clock."""

    start_ns: int
    interval_ns: int
    counts: Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class UnplacedIntervals:
    """What was counted in intervals by the workload's own clock: seconds since it began.

    `counts`, as far as they are known: octets of payload that arrived; lost datagrams beside all
    (`packets`); retransmits. Lost ones are negative where some came late that an interval before
    had counted as lost.
    """

    edges_s: Sequence[float]
    counts: Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class Reported:
    """One workload's report, as far as it is understood; times are those of the log.

    Attributes:
        octets: payload that arrived at the receiver, in `seconds`.
        sends: this host is not the receiver.
        operations: requests that were answered, in `seconds`.
        span_ns: from when to when that was, by the log's own clock.
        intervals, unplaced: what came when, by the log's clock or by the workload's own.
        latencies: by the tool's names, over the whole of it and in slices.
        loss: losses that it saw itself, by measure, over the whole of it.
    """

    octets: float | None = None
    sends: bool = False
    seconds: float | None = None
    operations: float | None = None
    span_ns: tuple[int, int] | None = None
    intervals: Intervals | None = None
    unplaced: UnplacedIntervals | None = None
    latencies: Latencies | None = None
    loss: Mapping[str, float] = field(default_factory=dict)


def reported(result: Result | None) -> tuple[Reported, list[RunWarning]]:
    """What the workload says.

    Nothing where there is no result of a known form; a result that is damaged, or an error that
    the workload reports, becomes a warning.
    """
    if result is None or result.media_type.partition(";")[0].strip() != "application/json":
        return Reported(), []
    try:
        document = result.json()
    except RunLogError as error:
        return Reported(), [RunWarning(error.code, error.message, {"offset": error.offset})]
    if not isinstance(document, Mapping):
        return Reported(), []
    if document.get("error"):
        message = f"The workload reported an error: {str(document['error'])[:300]}"
        return Reported(), [RunWarning("workload_error", message, {"offset": result.offset})]
    if document.get("tool") == _OWN_TOOL:
        return _of_own_tool(document), _timeouts(document, result)
    return _of_iperf3(document), []


def _of_own_tool(document: Mapping[str, object]) -> Reported:
    receives = str(document.get("role")).endswith(_RECEIVING)
    start, stop = (_time(document, f"t_{end}_monotonic_ns") for end in ("start", "end"))
    latencies = latencies_of(document)
    known = latencies is not None and bool(latencies.of_all)
    return Reported(
        octets=_number(document, "bytes") if receives else None,
        seconds=_number(document, "seconds"),
        operations=_number(document, "operations") if known else None,
        span_ns=(start, stop) if start is not None and stop is not None and start < stop else None,
        intervals=_intervals(document.get("intervals")) if receives else None,
        latencies=latencies,
        loss=_own_loss(document),
    )


def _own_loss(document: Mapping[str, object]) -> dict[str, float]:
    found: dict[str, float] = {}
    lost, came = _number(document, "lost"), _number(document, "operations")
    if lost is None:
        lost = _number(document, "dropped")
    if lost is not None and came is not None:
        found |= _datagrams(lost, lost + came)
    retransmits = _number(document, "retransmits")
    if retransmits is not None:
        found["retransmitted_segments"] = retransmits
    return found


def _datagrams(lost: float, sent: float) -> dict[str, float]:
    share = {"datagram_loss_percent": 100.0 * lost / sent} if 0.0 <= lost <= sent and sent else {}
    return {"datagrams_lost": lost, **share}


def _intervals(given: object) -> Intervals | None:
    if not isinstance(given, Mapping):
        return None
    start, length = _time(given, "t_start_monotonic_ns"), _time(given, "interval_ns")
    columns = {str(name): column for name, column in given.items() if isinstance(column, list)}
    sizes = {len(column) for column in columns.values()}
    if start is None or not length or len(sizes) != 1 or not 0 < max(sizes) <= _MOST_INTERVALS:
        return None
    numbers = all(
        isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST
        for column in columns.values()
        for value in column
    )
    return Intervals(start, length, columns) if numbers else None


def _timeouts(document: Mapping[str, object], result: Result) -> list[RunWarning]:
    lost = _number(document, "timeouts")
    if not lost:
        return []
    message = f"{lost:,.0f} requests of the workload were not answered in time."
    return [RunWarning("workload_timeouts", message, {"offset": result.offset})]


def _of_iperf3(document: Mapping[str, object]) -> Reported:
    end = document.get("end")
    if not isinstance(end, Mapping):
        return Reported()
    received, total, sent = (
        part if isinstance(part := end.get(name), Mapping) else {}
        for name in ("sum_received", "sum", "sum_sent")
    )
    octets, seconds = _number(received, "bytes"), _number(received, "seconds")
    if not octets:
        octets, seconds = _udp_octets(total), _number(total, "seconds")
    loss = {}
    for part in (total, received):
        lost, packets = _number(part, "lost_packets"), _number(part, "packets")
        if lost is not None and packets:
            loss = _datagrams(lost, packets)
            break
    retransmits = _number(sent, "retransmits")
    if retransmits is not None:
        loss["retransmitted_segments"] = retransmits
    intervals = _sums(document.get("intervals"))
    return Reported(
        octets=octets,
        sends=any(interval.get("sender") is True for interval in intervals),
        seconds=seconds,
        unplaced=_iperf3_intervals(intervals),
        loss=loss,
    )


def _sums(given: object) -> list[Mapping[str, object]]:
    """Of each interval, the sum of all streams; of what has another form, nothing."""
    listed = given if isinstance(given, list) else []
    sums = [interval.get("sum") for interval in listed if isinstance(interval, Mapping)]
    return [total for total in sums if isinstance(total, Mapping)]


# what the end that prints the intervals counts itself: a member, and what it is here
_OF_RECEIVER = {"bytes": "octets", "lost_packets": "lost", "packets": "packets"}
_OF_SENDER = {"retransmits": "retransmits"}


def _iperf3_intervals(sums: Sequence[Mapping[str, object]]) -> UnplacedIntervals | None:
    """None where there are gaps, or where it both sent and received."""
    edges = [0.0]
    for total in sums:
        start, end = _number(total, "start"), _number(total, "end")
        if start is None or end is None:
            return None
        if abs(start - edges[-1]) > _TOUCHING_S or end <= edges[-1]:
            return None
        edges.append(end)
    ends = {total.get("sender") for total in sums}
    if ends not in ({True}, {False}):
        return None
    columns = {
        name: [(_finite if name == "lost" else _number)(total, member) for total in sums]
        for member, name in (_OF_SENDER if ends == {True} else _OF_RECEIVER).items()
    }
    whole = {
        name: [value for value in column if value is not None] for name, column in columns.items()
    }
    counts = {name: column for name, column in whole.items() if len(column) == len(sums)}
    return UnplacedIntervals(edges, counts)


def _udp_octets(total: Mapping[str, object]) -> float | None:
    """UDP of older versions: one sum, sent bytes with the share that was lost."""
    octets, lost = _number(total, "bytes"), _number(total, "lost_percent")
    return None if octets is None or lost is None else octets * (1.0 - lost / 100.0)


def _number(members: Mapping[str, object], name: str) -> float | None:
    value = _finite(members, name)
    return value if value is not None and value >= 0 else None


def _finite(members: Mapping[str, object], name: str) -> float | None:
    value = members.get(name)
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value) if abs(value) <= _LARGEST else None
    return None


def _time(members: Mapping[str, object], name: str) -> int | None:
    value = members.get(name)
    is_time = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LATEST_NS
    return value if is_time and isinstance(value, int) else None
