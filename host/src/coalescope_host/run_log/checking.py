# SPDX-License-Identifier: Apache-2.0
"""Say what a log holds and all that is wrong with it."""

from __future__ import annotations

import hashlib
import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path

from coalescope_host.newer_python import pairwise, zip_strict

from . import layout
from .bounded_json import members
from .doubts import doubts
from .errors import Problem, RunLogError
from .log import Result, RunLog
from .reader import scan
from .report import CheckReport, CounterReport, Sampling
from .source import Source, bytes_of

USUAL_COUNTERS = (
    "rx_bytes",
    "rx_packets",
    "tx_bytes",
    "tx_packets",
    "rx_dropped",
    "rx_interrupts",
    "cpu_user_ns",
    "cpu_system_ns",
    "cpu_softirq_ns",
    "cpu_irq_ns",
    "cpu_idle_ns",
)
CLOCK_JUMP_NS = 50_000_000


def check(source: Source, name: str | None = None) -> CheckReport:
    """Say what a log holds and all that is wrong with it.

    Args:
        source: a path or the log's bytes.
        name: how to call it in the report; the path by default.

    Raises:
        OSError: if the file itself cannot be read.
    """
    if name is None:
        name = str(source) if isinstance(source, (str, Path)) else "run log"
    data = bytes_of(source, layout.DEFAULT_LIMITS)
    log, problems = scan(data)
    size, digest = len(data), hashlib.sha256(data).hexdigest()
    if log is None:
        return CheckReport(
            name=name,
            size=size,
            sha256=digest,
            ok=False,
            readable=False,
            complete=False,
            read_bytes=0,
            version=None,
            header=None,
            sampling=None,
            counters=(),
            absent=(),
            marks=(),
            window_ns=None,
            results=(),
            ended=None,
            problems=tuple(problems),
        )
    return _report(log, name, digest)


def _report(log: RunLog, name: str, digest: str) -> CheckReport:
    counters = tuple(_counters(log))
    sampling = _sampling(log)
    problems = [*log.problems, *_remarks(log, sampling, counters)]
    start, end = log.window
    ended = log.footer.get("ended") if log.footer else None
    return CheckReport(
        name=name,
        size=log.size,
        sha256=digest,
        ok=log.complete and not problems,
        readable=True,
        complete=log.complete,
        read_bytes=log.read_bytes,
        version=f"{log.version[0]}.{log.version[1]}",
        header=log.header,
        sampling=sampling,
        counters=counters,
        absent=tuple(field for field in USUAL_COUNTERS if log.field(field) is None),
        marks=tuple((mark.name, mark.t_monotonic_ns) for mark in log.marks),
        window_ns=None if start is None or end is None else end - start,
        results=tuple(_result(result) for result in log.results),
        ended=str(ended) if ended is not None else None,
        problems=tuple(problems),
        doubts=tuple(doubts(log)),
    )


def _sampling(log: RunLog) -> Sampling | None:
    times = [int(value) for value in log.streams[0].column(layout.TIME_FIELD)]
    asked = log.header.get("interval_ns")
    missed = log.footer.get("missed_ticks") if log.footer else None
    if not times:
        return None
    steps = [later - earlier for earlier, later in pairwise(times)]
    jump = None
    if log.field("t_realtime_ns") is not None and steps:
        walls = [int(value) for value in log.streams[0].column("t_realtime_ns")]
        wall_steps = (b - a for a, b in pairwise(walls))
        jump = max(abs(wall - step) for wall, step in zip_strict(wall_steps, steps))
    return Sampling(
        samples=len(times),
        span_ns=times[-1] - times[0],
        asked_interval_ns=asked if isinstance(asked, int) else None,
        mean_interval_ns=sum(steps) / len(steps) if steps else None,
        shortest_interval_ns=min(steps, default=None),
        longest_interval_ns=max(steps, default=None),
        jitter_ns=statistics.pstdev(steps) if steps else None,
        missed_ticks=missed if isinstance(missed, int) else None,
        wall_jump_ns=jump,
    )


def _counters(log: RunLog) -> Iterable[CounterReport]:
    for field in log.fields:
        if field.kind != "counter":
            continue
        values = [int(value) for value in log.streams[0].column(field.name)]
        if values:
            backward = sum(b < a for a, b in pairwise(values))
            yield CounterReport(
                field.name, field.unit, field.source, values[0], values[-1], backward
            )


def _remarks(
    log: RunLog, sampling: Sampling | None, counters: Sequence[CounterReport]
) -> Iterable[Problem]:
    if sampling is None:
        yield _remark("no_samples", "The log holds no records.", "Nothing can be computed from it.")
        return
    if log.window == (None, None):
        yield _remark(
            "no_window",
            "No measurement window is marked.",
            "The whole span of the records counts as the window.",
        )
    elif log.complete and log.window[1] is None:
        yield _remark(
            "open_window",
            "The measurement window was never closed.",
            "It ends with the last record.",
        )
    if sampling.wall_jump_ns is not None and sampling.wall_jump_ns > CLOCK_JUMP_NS:
        yield _remark(
            "wall_clock_jump",
            f"The wall clock jumped by {sampling.wall_jump_ns / 1e6:,.0f} ms during the run.",
            "Rates are computed from the monotonic clock and are not affected.",
        )
    for counter in counters:
        if counter.backward_steps:
            yield _remark(
                "backward_counter",
                f"{counter.name} ran backwards {counter.backward_steps} times (wrap or reset).",
                "Measures take wraps and resets into account; look at the driver if unexpected.",
            )


def _remark(code: str, message: str, advice: str) -> Problem:
    return Problem(code, message, advice=advice, severity="warning")


def _result(result: Result) -> dict[str, object]:
    return {
        **result.metadata,
        "body_bytes": len(result.body),
        "offset": result.offset,
        "summary": _summary(result),
    }


def _summary(result: Result) -> str | None:
    """What iperf3 says it received, or that a JSON result cannot be read; None for the rest."""
    if result.media_type != "application/json":
        return None
    try:
        document = result.json()
    except RunLogError as error:
        return error.message
    received = members(members(members(document).get("end")).get("sum_received"))
    octets, seconds = received.get("bytes"), received.get("seconds")
    if not isinstance(octets, int) or not isinstance(seconds, float) or seconds <= 0:
        return None
    rate = octets * 8e-6 / seconds
    return f"iperf3 received {octets:,} bytes in {seconds:,.3f} s, {rate:,.3f} Mb/s"
