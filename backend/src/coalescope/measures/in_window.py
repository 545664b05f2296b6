# SPDX-License-Identifier: Apache-2.0
"""What the workload reported, of the same window as the counters; or absent. Pure.

A workload begins before the window and ends after it, or waits for its peer inside: what it says of
its whole time stands beside rates of the window as if it were of the same time, and is not.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coalescope.measures.counters import Window
from coalescope.measures.workload_result import (
    LATENCIES,
    Intervals,
    Reported,
    UnplacedIntervals,
)
from coalescope.runs.records import RunWarning

_WHOLE = 0.995  # of the workload: what is missing is not seen in a rate
_LOSS_PERCENT = 1.0  # what is lost after the interface counted it need not be lost evenly
_SLACK = 1.01
_PLACED = 0.02
_ROUGHLY_PLACED = 0.1
_FEW_LOST = 5e-4  # of the datagrams
_ENOUGH_INTERVALS = 4  # to know how their losses scatter


@dataclass(frozen=True)
class Carried:
    """Bytes that the interface carried while the workload ran, and in the window, its way.

    `began_ns`: between which records the traffic began.
    """

    in_all: int
    in_window: int
    began_ns: tuple[int, int] | None = None


def workload_measures(
    said: Reported, window: Window, carried: Carried | None, dilation: float, *, steady: bool
) -> tuple[dict[str, float], list[RunWarning]]:
    """Goodput, request rate, latencies and losses, in the time that the log stands for.

    `carried`: None where the log does not hold the whole of the workload. `steady`: the workload
    is known to have run alike all the time, so what it says of the whole holds for the window.
    """
    if said.octets is not None and carried is not None and said.octets > _SLACK * carried.in_all:
        return {}, [_elsewhere(said, carried.in_all)]
    elapsed_s = window.elapsed_s / dilation
    found, warnings = _losses_in_window(said, window, carried, steady=steady)
    left_out = ["losses"] if found.keys() < said.loss.keys() else []
    for amount, name, column, scale in (
        (said.octets, "goodput_mbps", "bytes", 8e-6),
        (said.operations, "request_rate_hz", "operations", 1.0),
    ):
        if amount is None:
            continue
        if steady and said.seconds:
            found[name] = scale * amount / said.seconds * dilation
        elif (part := _in_window(said, amount, column, window, carried)) is not None:
            found[name] = scale * part / elapsed_s
        else:
            left_out.append(name)
    latencies, beyond = _latencies_in_window(said, window, carried, steady=steady)
    found |= {name: value / dilation for name, value in latencies.items()}
    left_out += beyond if latencies else ["latency"] if beyond else []
    return found, [*warnings, *_left_out(left_out)]


def amount_in_window(intervals: Intervals, column: str, window: Window) -> float | None:
    """How much of a column came in the window; within an interval it came evenly.

    None where no interval is of the window: a workload on another machine has another clock.
    """
    counts = intervals.counts.get(column)
    if counts is None:
        return None
    edges = np.arange(len(counts) + 1, dtype=np.float64) * intervals.interval_ns
    total = np.concatenate(([0.0], np.cumsum(np.asarray(counts, dtype=np.float64))))
    first, last = (time - intervals.start_ns for time in (window.start_ns, window.end_ns))
    if last <= 0 or first >= edges[-1]:
        return None
    return float(np.interp(last, edges, total) - np.interp(first, edges, total))


def _in_window(
    said: Reported, amount: float, column: str, window: Window, carried: Carried | None
) -> float | None:
    """By the workload's own intervals; else all of it, or the part that the interface shows."""
    if said.intervals is not None:
        return amount_in_window(said.intervals, column, window)
    held = _held(said, window, carried)
    if held is not None and held >= _WHOLE:
        return amount
    evenly = said.loss.get("datagram_loss_percent", 0.0) <= _LOSS_PERCENT
    if carried is None or not carried.in_all:
        return None
    if evenly:
        return amount * carried.in_window / carried.in_all
    if column != "bytes" or said.unplaced is None or carried.began_ns is None:
        return None
    return _placed(said.unplaced, "octets", window, carried.began_ns)


def _placed(
    intervals: UnplacedIntervals,
    column: str,
    window: Window,
    began_ns: tuple[int, int],
    least: float = 0.0,
) -> float | None:
    """What came in the window as if the first interval began midway; None where it would differ
    much if that began sooner or later.

    `least`: a difference that never matters.
    """
    if column not in intervals.counts:
        return None
    total = np.concatenate(([0.0], np.cumsum(intervals.counts[column])))
    edges_ns = 1e9 * np.asarray(intervals.edges_s)
    ends_ns = np.array([window.start_ns, window.end_ns], dtype=np.float64)
    came = [
        float(np.diff(np.interp(ends_ns - began, edges_ns, total))[0])
        for began in (began_ns[0], sum(began_ns) / 2, began_ns[1])
    ]
    allowed = max(_PLACED * came[1], least)  # without `least`, none where nothing came
    return came[1] if max(abs(other - came[1]) for other in came) < allowed else None


def _held(said: Reported, window: Window, carried: Carried | None) -> float | None:
    """Which share of the workload the window holds; None where that is not known."""
    if said.span_ns is not None:
        start, end = said.span_ns
        inside = min(end, window.end_ns) - max(start, window.start_ns)
        return max(inside, 0) / (end - start)
    return carried.in_window / carried.in_all if carried is not None and carried.in_all else None


def _latencies_in_window(
    said: Reported, window: Window, carried: Carried | None, *, steady: bool
) -> tuple[dict[str, float], list[str]]:
    """Latencies by measure, and the measures of which it is not known what they were there."""
    if said.latencies is None:
        return {}, []
    within = said.latencies.of_all
    if not steady:
        held = _held(said, window, carried)
        within = said.latencies.between(window.start_ns, window.end_ns, held)
    found = {LATENCIES[name]: value for name, value in within.items() if name in LATENCIES}
    reported = (LATENCIES[name] for name in said.latencies.of_all if name in LATENCIES)
    return found, [name for name in reported if name not in found]


def _losses_in_window(
    said: Reported, window: Window, carried: Carried | None, *, steady: bool
) -> tuple[dict[str, float], list[RunWarning]]:
    """Losses that the workload saw, as far as they are known to be of the window."""
    held = _held(said, window, carried)
    if held is not None and held >= _WHOLE:
        return dict(said.loss), []
    # of nothing, nothing was in the window; and a share that was steady holds for each part
    found = {
        name: value
        for name, value in said.loss.items()
        if value == 0.0 or (steady and name.endswith("_percent"))
    }
    if said.intervals is not None:
        found |= _datagrams_in_window(said.intervals, window)
    if said.unplaced is None or carried is None or carried.began_ns is None:
        return found, []
    placed, warnings = _placed_losses(said.unplaced, window, carried.began_ns)
    return found | placed, warnings


def _placed_losses(
    intervals: UnplacedIntervals, window: Window, began_ns: tuple[int, int]
) -> tuple[dict[str, float], list[RunWarning]]:
    packets = _placed(intervals, "packets", window, began_ns)
    found: dict[str, float] = {}
    warnings = []
    for name, column, least in (
        ("retransmitted_segments", "retransmits", 1.0),
        ("datagrams_lost", "lost", max(_FEW_LOST * (packets or 0.0), 1.0)),
    ):
        amount = _placed(intervals, column, window, began_ns, least)
        if amount is None:
            continue
        # less than none: some came late that had been counted as lost before the window
        amount = max(amount, 0.0)
        bounds = _bounds(intervals, column, window, sum(began_ns) / 2)
        apart = max(bounds[1] - amount, amount - bounds[0])
        if apart > max(_ROUGHLY_PLACED * amount, least):
            continue
        found[name] = amount
        if apart > max(_PLACED * amount, 1.0):
            warnings.append(_roughly_placed(name, *bounds))
    if "datagrams_lost" in found and packets:
        found["datagram_loss_percent"] = 100.0 * found["datagrams_lost"] / packets
    return found, warnings


def _bounds(
    intervals: UnplacedIntervals, column: str, window: Window, began_ns: float
) -> tuple[float, float]:
    """Least and most that was lost in the window, wherever in the intervals that its ends cut.

    Losses come in bursts. Datagrams are sent evenly, and no more of them can be lost in a part of
    an interval than are sent in it. Where there are enough intervals, losses are taken to scatter
    within one as they do from one to the next: a share s of it then has s of them, give or take
    two standard deviations, each √(s (1 − s)) times that between intervals (as of a Brownian
    bridge).
    """
    edges_ns = began_ns + 1e9 * np.asarray(intervals.edges_s)
    inside = np.clip(edges_ns, window.start_ns, window.end_ns)
    share = np.diff(inside) / np.diff(edges_ns)
    lost = np.asarray(intervals.counts[column], dtype=np.float64)
    sent = np.full_like(lost, np.inf)
    if column == "lost" and "packets" in intervals.counts:
        sent = np.asarray(intervals.counts["packets"], dtype=np.float64)
    cut = (share > 0.0) & (share < 1.0)
    all_inside = float(lost[share == 1.0].sum())
    amount, paced, part = np.maximum(lost[cut], 0.0), sent[cut], share[cut]
    scatter = float(lost.std(ddof=1)) if len(lost) >= _ENOUGH_INTERVALS else np.inf
    around = 2.0 * scatter * np.sqrt(part * (1.0 - part))
    least = np.maximum.reduce([amount - paced * (1.0 - part), amount * part - around, 0.0 * part])
    most = np.minimum.reduce([amount, paced * part, amount * part + around])
    return max(all_inside + float(least.sum()), 0.0), max(all_inside + float(most.sum()), 0.0)


def _roughly_placed(name: str, least: float, most: float) -> RunWarning:
    what = "datagrams were lost" if name == "datagrams_lost" else "segments were sent again"
    return RunWarning(
        "losses_roughly_of_window",
        f"Between {least:,.0f} and {most:,.0f} {what} in the window: iperf3 counts by the second, "
        "and the window begins or ends within one. A longer run narrows that.",
        {"field": name},
    )


def _datagrams_in_window(intervals: Intervals, window: Window) -> Mapping[str, float]:
    lost, came = (amount_in_window(intervals, name, window) for name in ("lost", "operations"))
    if lost is None or came is None or lost < 0.0 or lost + came <= 0.0:
        return {}
    return {"datagrams_lost": lost, "datagram_loss_percent": 100.0 * lost / (lost + came)}


def _elsewhere(said: Reported, carried: int) -> RunWarning:
    verb, way = ("sent", "went") if said.sends else ("received", "came")
    return RunWarning(
        "goodput_not_of_interface",
        f"The workload {verb} {said.octets:,.0f} bytes, the interface {carried:,}: its traffic "
        f"{way} another way. Goodput, request rate, latency and its losses are left out.",
        {"field": "goodput_mbps"},
    )


def _left_out(names: list[str]) -> Iterator[RunWarning]:
    if names:
        yield RunWarning(
            "not_of_window",
            f"The workload says {_listed(names)} of its whole time, which is not the window: "
            "left out. The window of a run by hand spans the traffic, unless told otherwise; that "
            "of a sweep leaves the ends of it out.",
            {"field": ", ".join(names)},
        )


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
