# SPDX-License-Identifier: Apache-2.0
"""What a sweep shows at its end: a table of its cells, and where to go from there."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from coalescope_host.as_typed import as_typed
from coalescope_host.newer_python import zip_strict
from coalescope_host.plan.factors import Levels, cell_text, level_text, log_name
from coalescope_host.plan.plan import Plan
from coalescope_host.plan.schedule import Run
from coalescope_host.run_log import RunLogError, read, run_values

from .interval import UNRESOLVED, interval_of
from .journal import Journal

#: Columns in the order of their weight: what does not fit the terminal is left out from the right.
_COLUMNS = (
    "throughput_mbps",
    "rx_interrupt_rate_hz",
    "rx_line_interrupt_rate_hz",
    "poll_rate_hz",
    "interface_cpu_percent",
    "latency_p50_us",
    "latency_p99_us",
    "socket_drops",
    "backlog_drops",
    "ring_drops",
    "interface_drops",
    "host_retransmitted_segments",
    "workload_cpu_percent",
    "host_cpu_percent",
)
_INSTEAD = {"poll_rate_hz": ("rx_interrupt_rate_hz", "rx_line_interrupt_rate_hz")}
_LOSSES = frozenset(_COLUMNS[_COLUMNS.index("socket_drops") : -2])
_IN_A_BLOCK = ("throughput_mbps", "interface_cpu_percent", "host_cpu_percent")
_NARROWEST, _UNKNOWN_WIDTH = 60, 160
_TICKS_PER_S = 100.0  # of /proc/stat, whatever the kernel's own
_WHOLE = 1e-3  # as near as this to whole ticks is no chance

USUAL_SERVER = "http://127.0.0.1:8000"

Values = Mapping[str, float]
Cell = tuple[Levels, Sequence[Values]]


def cells_of(plan: Plan, runs: Sequence[Run], journal: Journal, folder: Path) -> list[Cell]:
    """Each cell that has a run, and the measures of its runs, in the plan's order."""
    cells: dict[str, tuple[Levels, list[Values]]] = {}
    for run, measured in _values(runs, journal, folder):
        cells.setdefault(cell_text(run.levels), (run.levels, []))[1].append(measured)
    return sorted(cells.values(), key=lambda cell: _place(plan, cell[0]))


def table(plan: Plan, cells: Sequence[Cell]) -> Iterator[str]:
    """Each cell's main measures: means over replicates, and their 95 % intervals."""
    if cells:
        yield ""
        yield from lines(plan, cells)


def block_line(plan: Plan, replicate: int, journal: Journal, folder: Path) -> str:
    """What one block measured, in a line."""
    entries = {e["id"]: e for e in journal.of_type("run") if e["replicate"] == replicate}
    measured = list(_measured(entries.values(), folder))
    shown = [_range(name, measured) for name in _IN_A_BLOCK if any(name in v for v in measured)]
    counted = (
        f"block {replicate} of {plan.replicates}: {len(measured)} run{'s' * (len(measured) != 1)}"
    )
    return f"{counted}; {', '.join(shown)}" if shown else counted


def what_next(plan: Plan, folder: Path) -> tuple[str, ...]:
    """Where the results can be seen, or how they get there; in lines."""
    if plan.upload is not None:
        return (f"The page: {page_of(plan.upload.server, plan)}",)
    return (
        "To see it drawn, while `make serve` runs:",
        "  " + as_typed(f"upload {folder} --server {USUAL_SERVER}"),
        f"and open {page_of(USUAL_SERVER, plan)}",
    )


def places(plan: Plan, folder: Path) -> dict[str, str | None]:
    """Where everything is, for programs: `page` is null where nothing is sent."""
    page = None if plan.upload is None else page_of(plan.upload.server, plan)
    return {"experiment": plan.experiment, "folder": str(folder), "page": page}


def page_of(server: str, plan: Plan) -> str:
    """The address of the experiment's page."""
    return f"{server.rstrip('/')}/explorer/{plan.experiment}"


def _values(runs: Sequence[Run], journal: Journal, folder: Path) -> list[tuple[Run, Values]]:
    latest = {entry["id"]: entry for entry in journal.of_type("run")}
    done = [(run, latest[run.id]) for run in runs if run.id in latest]
    return [(run, values) for run, entry in done for values in _measured([entry], folder)]


def _measured(entries: Iterable[Mapping[str, object]], folder: Path) -> Iterator[Values]:
    """The measures of the runs that are done; a log that is gone or damaged has none."""
    for entry in entries:
        if entry["status"] != "done":
            continue
        try:
            values = run_values(read(folder / str(entry["log"])))
        except (OSError, RunLogError):
            continue
        if values:
            yield values


def _range(name: str, measured: Sequence[Values]) -> str:
    known = [values[name] for values in measured if name in values]
    return f"{name} {min(known):.4g} to {max(known):.4g}"


def _place(plan: Plan, levels: Levels) -> list[int]:
    """The cell's place in the plan."""
    return [levels_of.index(levels[name]) for name, levels_of in plan.factors.items()]


def lines(plan: Plan, cells: Sequence[Cell]) -> Iterator[str]:
    """The table's lines: a row for each cell, and what has to be said of them."""
    varied = [name for name, levels in plan.factors.items() if len(levels) > 1] or ["workload"]
    measures = _measures([values for _, runs in cells for values in runs])
    counts = {len(runs) for _, runs in cells}
    each = f"{min(counts)}" if len(counts) == 1 else f"{min(counts)} to {max(counts)}"
    if counts == {1}:
        yield f"{plan.experiment}: one replicate, which has no interval"
    else:
        yield f"{plan.experiment}: means of {each} replicates, ± half of their 95 % intervals"
    columns = [
        [log_name(name), *(level_text(levels[name]) for levels, _ in cells)] for name in varied
    ]
    fixed = len(columns)
    columns += [[name, *(_cell(name, runs) for _, runs in cells)] for name in measures]
    width = max(_NARROWEST, shutil.get_terminal_size((_UNKNOWN_WIDTH, 0)).columns)
    while len(columns) > fixed + 1 and _width(columns) > width:
        columns.pop()
    widths = [max(map(len, column)) for column in columns]
    for row in zip_strict(*columns):
        padded = (text.rjust(size) for text, size in zip_strict(row, widths))
        yield "  ".join(padded)
    if any(text.endswith(UNRESOLVED) for column in columns for text in column):
        yield f"{UNRESOLVED}: half of the interval is more than the mean; add replicates, or"
        yield "measure where nothing else runs."
    left_out = measures[len(columns) - fixed :]
    if left_out:
        yield f"Left out for want of room: {', '.join(left_out)}."
    counted = [name for name in _LOSSES if any(name in v for _, runs in cells for v in runs)]
    if counted and not _LOSSES & set(measures):
        yield f"No loss was counted on this host ({', '.join(sorted(counted))})."


def _measures(runs: Sequence[Values]) -> list[str]:
    """The columns worth showing: what some run has; losses only where something was lost."""
    known = {name for values in runs for name in values}
    lost = {name for values in runs for name in _LOSSES if values.get(name)}
    return [
        name
        for name in _COLUMNS
        if name in known
        and (name not in _LOSSES or name in lost)
        and not any(better in known for better in _INSTEAD.get(name, ()))
    ]


def _cell(name: str, runs: Sequence[Values]) -> str:
    known = [values for values in runs if name in values]
    if not known:
        return "-"
    return str(interval_of([values[name] for values in known], _step(name, known)))


def _step(name: str, runs: Sequence[Values]) -> float:
    """What the kernel's ticks leave unsaid of CPU time, in percent; 0 where it is not of ticks."""
    if not name.endswith("_cpu_percent"):
        return 0.0
    ticks_per_percent = [_TICKS_PER_S * values.get("elapsed_s", 0.0) / 100.0 for values in runs]
    ticks = [values[name] * each for values, each in zip_strict(runs, ticks_per_percent)]
    if not all(ticks) or any(abs(each - round(each)) > _WHOLE for each in ticks):
        return 0.0
    return 1.0 / min(ticks_per_percent)


def _width(columns: Sequence[Sequence[str]]) -> int:
    return sum(max(map(len, column)) + 2 for column in columns) - 2
