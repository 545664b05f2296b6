# SPDX-License-Identifier: Apache-2.0
"""What a sweep says at its end. Pure: from the journal's lines."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

from coalescope_host.plan.factors import Level, level_text
from coalescope_host.plan.schedule import Run

from .journal import Entry
from .recording import read_back_differs

_MOST_FAILURES = 20
_MOST_WARNINGS = 10
_NEAR = 0.02
_NEAR_US = 1.0


def summary(runs: Sequence[Run], entries: Iterable[Entry], logs: Path) -> str:
    """Runs done and failed with reasons, warnings, where a device took what was not asked for."""
    latest = {entry["id"]: entry for entry in entries if entry["type"] == "run"}
    wanted = [(run, latest.get(run.id)) for run in runs]
    done = [entry for _, entry in wanted if entry and entry["status"] == "done"]
    failed = [(run, entry) for run, entry in wanted if entry and entry["status"] == "failed"]
    lines = [f"{len(done)} of {len(runs)} runs done, {len(failed)} failed."]
    begun = [(run, entry) for run, entry in failed if entry["attempt"]]
    for run, entry in begun[:_MOST_FAILURES]:
        lines.append(f"  failed: {run}: {entry['reason']}")
    if len(begun) > _MOST_FAILURES:
        lines.append(f"  … and {len(begun) - _MOST_FAILURES} more; the journal has all of them")
    never = Counter(entry["reason"] for _, entry in failed if not entry["attempt"])
    lines += (f"  failed before they began: {runs} runs: {why}" for why, runs in never.items())
    return "\n".join([*lines, *_warnings(done), *_differences(done), f"The logs are in {logs}."])


def _warnings(done: Sequence[Entry]) -> Iterator[str]:
    counted = Counter(text for entry in done for text in entry["warnings"])
    if not counted:
        yield "No warnings."
        return
    yield "1 warning:" if counted.total() == 1 else f"{counted.total()} warnings:"
    yield from (f"  {count} × {text}" for text, count in counted.most_common(_MOST_WARNINGS))
    if len(counted) > _MOST_WARNINGS:
        yield f"  … and {len(counted) - _MOST_WARNINGS} others; the journal has all of them"


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
        if isinstance(requested, int | float) and effective is not None:
            seen[requested, str(entry["requested"].get("workload", ""))].append(effective)
    for (requested, workload), values in seen.items():
        middle = median(values)
        if abs(middle - requested) > max(_NEAR_US, _NEAR * requested):
            counted = f"the counters say {middle:.1f} ({workload}, median of {len(values)})"
            yield "delay_us", level_text(requested), counted
