# SPDX-License-Identifier: Apache-2.0
"""The report on a log laid out for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

from .bounded_json import members
from .errors import Problem
from .report import CheckReport, CounterReport, Sampling

LONGEST_SHOWN = 25


def report_text(report: CheckReport, width: int = 100) -> str:
    """The report laid out for a terminal, with the ends of its lines."""
    return "".join(f"{line}\n" for line in report_lines(report, width))


def report_lines(report: CheckReport, width: int = 100) -> list[str]:
    """The report's lines; text of the log begins none of them."""
    lines = [_show(report.name), f"  {_verdict(report)}", ""]
    lines += _table(
        [
            ("Size", f"{report.size:,} bytes"),
            ("SHA-256", report.sha256),
            ("Format", report.version or "not known"),
        ],
        width,
    )
    if report.header is not None:
        lines += _identity(report, width) + _content(report, width)
    for title, found in (("Problems", report.problems), ("Doubts", report.doubts)):
        lines += ["", title] if found else []
        for number, problem in enumerate(found, 1):
            lines += _problem_lines(number, problem, width)
    return [line.rstrip() for line in lines]


def _verdict(report: CheckReport) -> str:
    if not report.readable:
        return "REFUSED: nothing in it can be read."
    if any(problem.severity == "error" for problem in report.problems):
        return "REFUSED: it is damaged."
    if not report.complete:
        return "TRUNCATED: readable up to its last complete block."
    if report.doubts:
        count = len(report.doubts)
        return f"VALID, BUT THE RUN IS DOUBTFUL: {count} {_findings(count)}, listed at the end."
    return "OK: valid." if report.ok else "OK, with warnings."


def _identity(report: CheckReport, width: int) -> list[str]:
    header = report.header or {}
    run = members(header.get("run"))
    rows = [
        (name.replace("_", " ").capitalize(), _show(run[name]))
        for name in run
        if run[name] is not None
    ]
    if "time_dilation" in header:
        dilation = _show(header["time_dilation"])
        rows.append(("Time dilation", f"{dilation}: every time below is that of the log"))
    lines = ["", "Run", *_table(rows, width), "", "Factors"]
    factors = members(header.get("factors"))
    lines += _table(
        [(name, _factor(members(value))) for name, value in factors.items()] or [("none", "")],
        width,
    )
    environment = members(header.get("environment"))
    rows = [(name, _show(value)) for name, value in environment.items()]
    return [*lines, "", "Environment", *_table(rows or [("nothing recorded", "")], width)]


def _content(report: CheckReport, width: int) -> list[str]:
    header = report.header or {}
    sources = header.get("sources")
    lines = ["", "Sources"]
    for source in sources if isinstance(sources, list) else []:
        atomic = "atomic" if source.get("atomic") else "not atomic"
        about = source.get("description")
        lines += _table([(str(source["name"]), f"{atomic}. {about or ''}")], width)
    if report.sampling is not None:
        lines += ["", "Samples", *_table(_sampling_rows(report.sampling), width)]
    lines += ["", "Counters (change over the whole log)"]
    lines += _table([_counter_row(counter) for counter in report.counters], width)
    if report.absent:
        lines += _table([("not recorded", ", ".join(report.absent))], width)
    lines += ["", "Marks"]
    rows = [(name, f"{moment:,} ns") for name, moment in report.marks]
    rows.append(("window", _seconds(report.window_ns)))
    lines += _table(rows, width)
    rows = [(str(result["name"]), _result_text(result)) for result in report.results]
    lines += ["", "Results", *_table(rows or [("none", "")], width)]
    ended = report.ended or "not known: the log has no footer"
    return [*lines, "", "End", *_table([("Ended by", ended)], width)]


def _findings(count: int) -> str:
    return "finding" if count == 1 else "findings"


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
