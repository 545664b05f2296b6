# SPDX-License-Identifier: Apache-2.0
"""What a log holds and what is wrong with it, for people and for programs."""

import hashlib
import statistics
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from . import layout
from .doubts import doubts
from .errors import Problem, RunLogError
from .header import Json
from .log import Result, RunLog
from .reader import scan
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
LONGEST_SHOWN = 25


@dataclass(frozen=True, slots=True)
class Sampling:
    """When the records of the main stream were taken; nanoseconds.

    `jitter_ns` is the standard deviation of the intervals; `wall_jump_ns` the largest step of the
    wall clock against the monotonic one between two neighbours.
    """

    samples: int
    span_ns: int
    asked_interval_ns: int | None
    mean_interval_ns: float | None
    shortest_interval_ns: int | None
    longest_interval_ns: int | None
    jitter_ns: float | None
    missed_ticks: int | None
    wall_jump_ns: int | None


@dataclass(frozen=True, slots=True)
class CounterReport:
    """One counter over the whole log: first and last value, and whether it ever ran backwards."""

    name: str
    unit: str
    source: str
    first: int
    last: int
    backward_steps: int


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What `check` found.

    `ok` means that the file is whole and sound; `doubts` are about the run that it holds.
    """

    name: str
    size: int
    sha256: str
    ok: bool
    readable: bool
    complete: bool
    read_bytes: int
    version: str | None
    header: Json | None
    sampling: Sampling | None
    counters: tuple[CounterReport, ...]
    absent: tuple[str, ...]
    marks: tuple[tuple[str, int], ...]
    window_ns: int | None
    results: tuple[dict[str, object], ...]
    ended: str | None
    problems: tuple[Problem, ...]
    doubts: tuple[Problem, ...] = ()

    def to_json(self) -> dict[str, object]:
        """The report as plain data."""
        return {
            "file": self.name,
            "bytes": self.size,
            "sha256": self.sha256,
            "ok": self.ok,
            "readable": self.readable,
            "complete": self.complete,
            "read_bytes": self.read_bytes,
            "version": self.version,
            "header": self.header,
            "sampling": None if self.sampling is None else _plain(self.sampling),
            "counters": [_plain(counter) for counter in self.counters],
            "absent": list(self.absent),
            "marks": [{"name": name, "t_monotonic_ns": moment} for name, moment in self.marks],
            "window_ns": self.window_ns,
            "results": list(self.results),
            "ended": self.ended,
            "problems": [problem.to_json() for problem in self.problems],
            "doubts": [doubt.to_json() for doubt in self.doubts],
        }

    def to_text(self, width: int = 100) -> str:
        """The report laid out for a terminal."""
        lines = [self.name, f"  {self._verdict()}", ""]
        lines += _table(
            [
                ("Size", f"{self.size:,} bytes"),
                ("SHA-256", self.sha256),
                ("Format", self.version or "not known"),
            ],
            width,
        )
        if self.header is not None:
            lines += self._identity(width) + self._content(width)
        for title, found in (("Problems", self.problems), ("Doubts", self.doubts)):
            lines += ["", title] if found else []
            for number, problem in enumerate(found, 1):
                lines += _problem_lines(number, problem, width)
        return "\n".join(line.rstrip() for line in lines) + "\n"

    def _verdict(self) -> str:
        if not self.readable:
            return "REFUSED: nothing in it can be read."
        if any(problem.severity == "error" for problem in self.problems):
            return "REFUSED: it is damaged."
        if not self.complete:
            return "INCOMPLETE: cut off, readable up to its last whole block."
        if self.doubts:
            count = len(self.doubts)
            return f"WHOLE, BUT THE RUN IS DOUBTFUL: {count} {_findings(count)}, listed at the end."
        return "OK: whole and sound." if self.ok else "OK, with remarks."

    def _identity(self, width: int) -> list[str]:
        header = self.header or {}
        run = _members(header.get("run"))
        rows = [
            (name.replace("_", " ").capitalize(), _show(run[name]))
            for name in run
            if run[name] is not None
        ]
        if "time_dilation" in header:
            dilation = _show(header["time_dilation"])
            rows.append(("Time dilation", f"{dilation}: every time below is that of the log"))
        lines = ["", "Run", *_table(rows, width), "", "Factors"]
        factors = _members(header.get("factors"))
        lines += _table(
            [(name, _factor(_members(value))) for name, value in factors.items()] or [("none", "")],
            width,
        )
        environment = _members(header.get("environment"))
        rows = [(name, _show(value)) for name, value in environment.items()]
        return [*lines, "", "Environment", *_table(rows or [("nothing recorded", "")], width)]

    def _content(self, width: int) -> list[str]:
        header = self.header or {}
        sources = header.get("sources")
        lines = ["", "Sources"]
        for source in sources if isinstance(sources, list) else []:
            atomic = "atomic" if source.get("atomic") else "not atomic"
            about = source.get("description")
            lines += _table([(str(source["name"]), f"{atomic}. {about or ''}")], width)
        if self.sampling is not None:
            lines += ["", "Samples", *_table(_sampling_rows(self.sampling), width)]
        lines += ["", "Counters (change over the whole log)"]
        lines += _table([_counter_row(counter) for counter in self.counters], width)
        if self.absent:
            lines += _table([("not recorded", ", ".join(self.absent))], width)
        lines += ["", "Marks"]
        rows = [(name, f"{moment:,} ns") for name, moment in self.marks]
        rows.append(("window", _seconds(self.window_ns)))
        lines += _table(rows, width)
        rows = [(str(result["name"]), _result_text(result)) for result in self.results]
        lines += ["", "Results", *_table(rows or [("none", "")], width)]
        ended = self.ended or "not known: the log has no footer"
        return [*lines, "", "End", *_table([("Ended by", ended)], width)]


def check(source: Source, name: str | None = None) -> CheckReport:
    """Say what a log holds and all that is wrong with it.

    Args:
        source: a path or the log's bytes.
        name: how to call it in the report; the path by default.

    Raises:
        OSError: if the file itself cannot be read.
    """
    if name is None:
        name = str(source) if isinstance(source, str | Path) else "run log"
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


def _findings(count: int) -> str:
    return "finding" if count == 1 else "findings"


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
        jump = max(abs(wall - step) for wall, step in zip(wall_steps, steps, strict=True))
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
    received = _members(_members(_members(document).get("end")).get("sum_received"))
    octets, seconds = received.get("bytes"), received.get("seconds")
    if not isinstance(octets, int) or not isinstance(seconds, float) or seconds <= 0:
        return None
    rate = octets * 8e-6 / seconds
    return f"iperf3 received {octets:,} bytes in {seconds:,.3f} s, {rate:,.3f} Mb/s"


def _plain(row: Sampling | CounterReport) -> dict[str, object]:
    return {name: getattr(row, name) for name in row.__slots__}


def _members(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _show(value: object) -> str:
    if value is None:
        return "not known"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_show(member)}" for name, member in value.items())
    if isinstance(value, list):
        return ", ".join(_show(member) for member in value)
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(value))


def _factor(value: Mapping[str, object]) -> str:
    parts = [f"{_show(value.get('requested'))} requested"]
    for part in ("read_back", "effective"):
        if value.get(part) is not None:
            parts.append(f"{_show(value[part])} {part.replace('_', ' ')}")
    return ", ".join(parts)


def _seconds(nanoseconds: float | None) -> str:
    return "not marked" if nanoseconds is None else f"{nanoseconds / 1e9:,.3f} s"


def _milliseconds(nanoseconds: float | None) -> str:
    return "not known" if nanoseconds is None else f"{nanoseconds / 1e6:,.3f} ms"


def _sampling_rows(sampling: Sampling) -> list[tuple[str, str]]:
    return [
        ("Records", f"{sampling.samples:,} over {_seconds(sampling.span_ns)}"),
        (
            "Interval",
            f"{_milliseconds(sampling.mean_interval_ns)} mean, "
            f"{_milliseconds(sampling.asked_interval_ns)} asked",
        ),
        (
            "Jitter",
            f"{_milliseconds(sampling.jitter_ns)} standard deviation, "
            f"{_milliseconds(sampling.shortest_interval_ns)} to "
            f"{_milliseconds(sampling.longest_interval_ns)}",
        ),
        (
            "Missed",
            "not known" if sampling.missed_ticks is None else f"{sampling.missed_ticks} ticks",
        ),
    ]


def _counter_row(counter: CounterReport) -> tuple[str, str]:
    change = counter.last - counter.first
    note = f", ran backwards {counter.backward_steps} times" if counter.backward_steps else ""
    if counter.unit == "ns":
        return counter.name, f"{_seconds(change)} ({counter.source}{note})"
    return counter.name, f"{change:,} {counter.unit} ({counter.source}{note})"


def _result_text(result: Mapping[str, object]) -> str:
    parts = [f"{result['media_type']}, {result['body_bytes']:,} bytes"]
    if result.get("truncated"):
        parts.append("truncated")
    if isinstance(result.get("exit_status"), int):
        parts.append(f"exit status {result['exit_status']}")
    if result.get("signal") is not None:
        parts.append(f"ended by signal {_show(result['signal'])}")
    if result.get("summary"):
        parts.append(str(result["summary"]))
    return ", ".join(parts)


def _table(rows: Sequence[tuple[str, str]], width: int) -> list[str]:
    lines: list[str] = []
    for name, text in rows:
        label = _show(name)
        start = f"  {label:<{LONGEST_SHOWN}} "
        wrapped = textwrap.wrap(_show(text), max(20, width - len(start))) or [""]
        lines.append(start + wrapped[0])
        lines += [" " * (LONGEST_SHOWN + 3) + rest for rest in wrapped[1:]]
    return lines


def _problem_lines(number: int, problem: Problem, width: int) -> list[str]:
    lines = textwrap.wrap(
        f"{number}. {problem.severity}: {_show(problem.message)}",
        width - 2,
        initial_indent="  ",
        subsequent_indent="     ",
    )
    where = [] if problem.block is None else [f"block {problem.block}"]
    if problem.offset is not None:
        where.append(f"byte {problem.offset:,} ({problem.offset:#x})")
    if where:
        lines.append(f"     at {', '.join(where)}")
    stored, computed = problem.details.get("stored"), problem.details.get("computed")
    if stored is not None:
        lines.append(f"     CRC-32 stored {stored}, computed {computed}")
    if problem.advice:
        lines += textwrap.wrap(
            _show(problem.advice), width - 5, initial_indent="     ", subsequent_indent="     "
        )
    return lines
