# SPDX-License-Identifier: Apache-2.0
"""What a sweep says at its end. Pure: from the journal's lines."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median

from coalescope_host.newer_python import zip_strict
from coalescope_host.plan.factors import Level, level_text
from coalescope_host.plan.schedule import Run

from .journal import Entry
from .recording import read_back_differs

_MOST_FAILURES = 20
_MOST_WARNINGS = 10
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_NEAR = 0.02
_NEAR_US = 1.0


def summary(runs: Sequence[Run], entries: Iterable[Entry]) -> list[str]:
    """In lines: runs done and failed, warnings, where a device took what was not asked for."""
    latest = _latest(runs, entries)
    done = [entry for _, entry in latest if entry["status"] == "done"]
    failed = sum(entry["status"] == "failed" for _, entry in latest)
    counted = f"{len(done)} of {len(runs)} runs done, {failed} failed."
    return [counted, *_warnings(done), *_differences(done)]


def failures(runs: Sequence[Run], entries: Iterable[Entry]) -> list[str]:
    """In lines: why runs failed, each reason first in its own; empty if none did."""
    failed = [(run, e) for run, e in _latest(runs, entries) if e["status"] == "failed"]
    lines = [*_failures([(run, entry) for run, entry in failed if entry["attempt"]])]
    never = Counter(entry["reason"] for _, entry in failed if not entry["attempt"])
    lines += (
        f"  {why}: {_counted(number)} failed before they began" for why, number in never.items()
    )
    return ["Why runs failed:", *lines] if lines else []


def _latest(runs: Sequence[Run], entries: Iterable[Entry]) -> list[tuple[Run, Entry]]:
    """The runs that have a line in the journal, and its last."""
    latest = {entry["id"]: entry for entry in entries if entry["type"] == "run"}
    return [(run, latest[run.id]) for run in runs if run.id in latest]


def _counted(runs: int) -> str:
    return "1 run" if runs == 1 else f"{runs} runs"


def _failures(failed: Sequence[tuple[Run, Entry]]) -> Iterator[str]:
    """Each reason once, with the runs that it concerns."""
    runs: dict[str, list[Run]] = defaultdict(list)
    for run, entry in failed:
        runs[str(entry["reason"])].append(run)
    for reason, those in list(runs.items())[:_MOST_FAILURES]:
        others = f" and {len(those) - 1} more" if len(those) > 1 else ""
        yield f"  {reason}: {those[0]}{others}"
    if len(runs) > _MOST_FAILURES:
        yield f"  … and {len(runs) - _MOST_FAILURES} more reasons; the journal has all of them"


def _warnings(done: Sequence[Entry]) -> Iterator[str]:
    """Each kind of warning once: those that differ only in their numbers are one kind."""
    kinds: dict[str, list[str]] = defaultdict(list)
    for entry in done:
        for text in entry["warnings"]:
            kinds[_NUMBER.sub("#", text)].append(text)
    if not kinds:
        yield "No warnings."
        return
    yield "Warnings:"
    most = sorted(kinds.values(), key=len, reverse=True)
    yield from (
        f"  {_of(len(texts), len(done))}: {_merged(texts)}" for texts in most[:_MOST_WARNINGS]
    )
    if len(most) > _MOST_WARNINGS:
        yield f"  … and {len(most) - _MOST_WARNINGS} others; the journal has all of them"


def _of(count: int, runs: int) -> str:
    if count == runs and runs > 1:
        return f"all {runs} runs"
    return _counted(count)


def _merged(texts: Sequence[str]) -> str:
    """One text for all, with the range of each number that differs."""
    ranges = iter([_range(numbers) for numbers in zip_strict(*map(_NUMBER.findall, texts))])
    return _NUMBER.sub(lambda _: next(ranges), texts[0])


def _range(numbers: Sequence[str]) -> str:
    low, high = min(numbers, key=float), max(numbers, key=float)
    return low if low == high else f"{low} to {high}"


def _differences(done: Sequence[Entry]) -> Iterator[str]:
    rows = sorted({*_read_back_rows(done), *_effective_rows(done)})
    if rows:
        yield "Asked for and got differ:"
        for name, requested, got in rows:
            yield f"  {name} = {requested}: {got}"


def _read_back_rows(done: Sequence[Entry]) -> Iterator[tuple[str, str, str]]:
    for entry in done:
        taken: Mapping[str, Level | None] = entry["read_back"]
        for name, requested in entry["requested"].items():
            level = taken.get(name)
            if level is not None and read_back_differs(requested, level):
                yield name, level_text(requested), f"the host says {level_text(level)}"


def _effective_rows(done: Sequence[Entry]) -> Iterator[tuple[str, str, str]]:
    seen: dict[tuple[float, str], list[float]] = defaultdict(list)
    for entry in done:
        requested = entry["requested"].get("delay_us")
        effective = entry["effective"].get("delay_us")
        if isinstance(requested, (int, float)) and effective is not None:
            seen[requested, str(entry["requested"].get("workload", ""))].append(effective)
    for (requested, workload), values in seen.items():
        middle = median(values)
        if abs(middle - requested) > max(_NEAR_US, _NEAR * requested):
            counted = f"the counters say {middle:.1f} ({workload}, median of {len(values)})"
            yield "delay_us", level_text(requested), counted
