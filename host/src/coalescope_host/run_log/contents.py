# SPDX-License-Identifier: Apache-2.0
"""What a log shows of its run: how it went over time, what each queue counted, what was said at
the end.

However long the log, the answer is bounded: a series has so many points, each the mean over its
stretch with the least and the most of the steps in it. Times and rates are those that the log
stands for: its own times over its time dilation. Standard library only: the page runs it too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from .header import Field
from .log import Mark, RunLog
from .result_contents import about, latency_of, statistics_of
from .series import counter_names, line_of, signals_of
from .steps import Steps

DEFAULT_POINTS = 400
MOST_POINTS = 2000
MOST_COUNTERS = 512
MOST_MARKS = 200


def contents(log: RunLog, points: int = DEFAULT_POINTS) -> dict[str, object]:
    """The log's series, counters, statistics, results and marks as plain data.

    Args:
        log: as it was read, whole or cut off.
        points: of each series at most; fewer where the log has fewer steps.
    """
    stream = log.streams[0]
    taken = Steps(stream)
    dilation = log.time_dilation
    start_ns, end_ns = log.window
    origin = taken.times[0] if taken.times else 0

    def seconds(moment: int | None) -> float | None:
        return None if moment is None else (moment - origin) / 1e9 / dilation

    steps = len(taken.times) - 1
    count = max(0, min(points, MOST_POINTS, steps))
    edges = [k * steps // count for k in range(count + 1)] if count else []
    return {
        "complete": log.complete,
        "records": stream.records,
        "time_dilation": dilation,
        "span_s": seconds(taken.times[-1]) if taken.times else None,
        "samples_per_step": taken.stride,
        "edges_s": [seconds(taken.times[k]) for k in edges],
        "window_s": [seconds(start_ns), seconds(end_ns)],
        "marks": [
            {"name": mark.name, "t_s": seconds(mark.t_monotonic_ns)}
            for mark in _first_marks(log.marks)
        ],
        "series": [
            line_of(signal, taken, edges, dilation).to_json() for signal in signals_of(stream)
        ],
        "counters": _counters(log, taken),
        "counters_left_out": max(0, len(counter_names(stream)) - MOST_COUNTERS),
        "statistics": statistics_of(log.results),
        "latency": latency_of(log.result, dilation),
        "results": [about(result) for result in log.results],
    }


# --- counters over the window


def _counters(log: RunLog, taken: Steps) -> list[dict[str, object]]:
    """Each counter over the window: totals, and those of single queues beside them."""
    stream, times = log.streams[0], taken.times
    (start_ns, end_ns), behind = log.window, log.behind
    inside = [
        k
        for k, moment in enumerate(times)
        if (start_ns is None or moment >= start_ns) and (end_ns is None or moment <= end_ns)
    ]
    if len(inside) < 2:
        return []
    first, last = inside[0], inside[-1]
    return [
        _counter(stream.field(name), name, None if name in behind else taken, first, last)
        for name in counter_names(stream)[:MOST_COUNTERS]
    ]


def _counter(
    column: Field | None, name: str, taken: Steps | None, first: int, last: int
) -> dict[str, object]:
    advance = sum(taken.advances(name)[first:last]) if taken is not None else math.nan
    stem, _, instance = name.partition(".")
    return {
        "name": stem,
        "instance": instance or None,
        "unit": column.unit if column else "1",
        "source": column.source if column else "",
        "advance": None if math.isnan(advance) else int(advance),
    }


def _first_marks(marks: Sequence[Mark]) -> Sequence[Mark]:
    return marks[:MOST_MARKS]
