# SPDX-License-Identifier: Apache-2.0
"""What a sweep would do, without doing it: whether it can be done, and every change."""

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from coalescope_host.plan.cells import cells_of
from coalescope_host.plan.factors import Levels, cell_text
from coalescope_host.plan.plan import Plan
from coalescope_host.plan.schedule import Run, pilot_runs
from coalescope_host.program_environment import program_environment
from coalescope_host.protocols import SweepError
from coalescope_host.settings.host import NEEDS_ROOT
from coalescope_host.settings.level import shown
from coalescope_host.terminal import joined_lines

from .bench import Bench
from .processes import workload_user
from .progress import clock
from .recording import (
    interrupt_faults,
    logger_command,
    missing_logger,
    missing_programs,
    prepared,
)
from .sweeping import peer_levels, run_s

_DRAWN = (
    "In an order such as this; the sweep draws another, since the plan has no seed "
    "(seed = 1, say, fixes it):"
)
_LITTLE_BYTES = 128
_PREVIEW_S = 30.0


@dataclass(frozen=True)
class DryRun:
    """What would be done.

    Attributes:
        verdict: for people: whether it can be done and what stands against it; how much, how long.
        details: every change as a shell command, and the order.
        possible: whether every cell can be done on hosts as they are now, with the programs there.
    """

    verdict: Sequence[str]
    details: Sequence[str]
    possible: bool


def dry_run(
    plan: Plan,
    bench: Bench,
    runs: Sequence[Run],
    *,
    drawn: bool = False,
    refused: Sequence[str] = (),
) -> DryRun:
    """What a sweep of these runs would do.

    Args:
        drawn: their order is of a seed of this moment.
        refused: why the interface must not be touched.
    """
    cells = _in_order_of_plan(plan, runs)
    hosts = [*_of_hosts(bench, runs), *missing_logger(bench)]
    workloads = _of_workloads(plan, bench, runs, with_logger=not hosts)
    found = [f"  cannot be done: {problem}" for problem in (*refused, *hosts, *workloads)]
    if not hosts:
        found += _findings(bench, cells)
    verdict = [
        _answer(plan, len(cells), runs, possible=not found),
        *found,
        *_notes(plan, bench),
    ]
    details = [] if hosts else list(_details(plan, bench, cells, runs, drawn=drawn))
    return DryRun(verdict, details, not found)


def _in_order_of_plan(plan: Plan, runs: Sequence[Run]) -> dict[str, Levels]:
    """The cells of the runs: their order does not depend on that of the runs, which is drawn."""
    asked = {cell_text(run.levels): run.levels for run in runs}
    every = map(cell_text, cells_of(plan.factors, plan.constants, list(plan.excluded)))
    return {text: asked[text] for text in every if text in asked}


def _answer(plan: Plan, cells: int, runs: Sequence[Run], *, possible: bool) -> str:
    lasts = clock(len(runs) * run_s(plan, None))
    amount = f"{_counted(cells, 'cell')}, {_counted(len(runs), 'run')}, about {lasts}"
    answer = "can be done" if possible else "cannot be done"
    return f"{plan.experiment} {answer}: {amount}.{'' if possible else ' In the way:'}"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _findings(bench: Bench, cells: Mapping[str, Levels]) -> Iterator[str]:
    """What stands against cells: once for all levels of a factor of which the same is said."""
    found: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
    for text, levels in cells.items():
        for problem in _of_cell(bench, levels):
            before, level, after = _around_level(problem, levels)
            said, of = found.setdefault((before, after), ([], []))
            said.append(level)
            of.append(text)
    for (before, after), (said, of) in found.items():
        problem = f"{before}{', '.join(dict.fromkeys(said))}{after}"
        amount = f"{len(dict.fromkeys(of))} of {_counted(len(cells), 'cell')}"
        yield f"  cannot be done: {problem} ({amount})"


def _around_level(problem: str, levels: Levels) -> tuple[str, str, str]:
    """What is said before and after the level that it is said of."""
    for name, level in levels.items():
        before, named, after = problem.partition(f"{name} = {shown(level)}: ")
        if named:
            return f"{before}{name} = ", shown(level), f": {after}"
    return problem, "", ""


def _notes(plan: Plan, bench: Bench) -> Iterator[str]:
    for name, spec in plan.workloads.items():
        yield f"Workload {name} ({spec.kind}) runs as {workload_user(spec.user) or 'you'}."
    if bench.reading_only:
        yield "Without root: what only root can read was not looked at. The sweep needs sudo."


def _of_hosts(bench: Bench, runs: Sequence[Run]) -> Iterator[str]:
    """What is wrong whatever the cell."""
    yield from _of_host(bench, {})
    yield from bench.unreachable.values()
    for place, peer in enumerate(bench.peers):
        if place in bench.unreachable:
            continue
        if any(peer_levels(peer.spec, run.levels) for run in runs):
            yield from peer.problems({})
        if not bench.reading_only:
            yield from bench.verify_mtu(peer, _LITTLE_BYTES)


def _of_host(bench: Bench, levels: Levels) -> list[str]:
    """What stands against levels here; that reading needs no root is why it may go on without."""
    problems = bench.host.problems(levels)
    return [text for text in problems if not (bench.reading_only and text == NEEDS_ROOT)]


def _of_workloads(
    plan: Plan, bench: Bench, runs: Sequence[Run], *, with_logger: bool
) -> Iterator[str]:
    """What keeps a workload from running in any cell: programs, peers, options, the logger."""
    for tries in pilot_runs(plan, runs):
        name = tries[0].levels["workload"]
        said = [*missing_programs(plan, bench, tries[0]), *_unprepared(plan, bench, tries)]
        if with_logger and not said:
            said = list(_logger_says(plan, bench, tries[0]))
        yield from (f"workload {name}: {text}" for text in dict.fromkeys(said))


def _unprepared(plan: Plan, bench: Bench, tries: Sequence[Run]) -> Iterator[str]:
    for run in tries:
        try:
            workload = prepared(plan, bench, run, plan.duration_s)
        except bench.failures as error:
            yield str(error)
            continue
        for where, argv in workload.servers:
            if where != "here" and where not in bench.unreachable:
                yield from bench.peers[where].missing([argv[0]])


def _logger_says(plan: Plan, bench: Bench, run: Run) -> Iterator[str]:
    """What the logger says of the log that it would write."""
    try:
        workload = prepared(plan, bench, run, plan.duration_s)
        argv = logger_command(plan, bench, run, {}, "/dev/null", plan.duration_s, workload)
        preview = [argv[0], "--preview", *argv[1:]]
        done = subprocess.run(  # noqa: S603  the plan says what to run
            preview,
            capture_output=True,
            timeout=_PREVIEW_S,
            check=False,
            env=program_environment(workload.user),
        )
    except bench.failures as error:
        yield str(error)
        return
    except subprocess.TimeoutExpired:
        yield f"the logger did not answer within {_PREVIEW_S:g} s"
        return
    if done.returncode:
        said = joined_lines(done.stderr.decode(errors="replace"))
        yield f"the logger says: {said.removeprefix('coalescope-logger: ')}"
        return
    yield from interrupt_faults(_columns(json.loads(done.stdout)), plan.interface, run.levels)


def _columns(header: Any) -> set[str]:
    """Of the main stream."""
    return {str(field["name"]).partition(".q")[0] for field in header["fields"]}


def _of_cell(bench: Bench, levels: Levels) -> Iterator[str]:
    yield from _of_host(bench, levels)
    for place, peer in enumerate(bench.peers):
        for_peer = peer_levels(peer.spec, levels)
        if for_peer and place not in bench.unreachable:
            yield from peer.problems(for_peer)


def _details(
    plan: Plan, bench: Bench, cells: dict[str, Levels], runs: Sequence[Run], *, drawn: bool
) -> Iterator[str]:
    yield f"Plan {plan.plan_hash[:12]}"
    if plan.pilot_s:
        yield f"Before the first block, for {plan.pilot_s:g} s each:"
        yield from (f"  {cell_text(tries[0].levels)}" for tries in pilot_runs(plan, runs))
    yield "What each cell changes on hosts as they are now:"
    for text, levels in cells.items():
        yield f"  {text}"
        yield from (f"    cannot be done: {problem}" for problem in _of_cell(bench, levels))
        yield from (f"    {change}" for change in _changes(bench, levels))
    yield _DRAWN if drawn else "In this order:"
    yield from (
        f"{run.order:7}  replicate {run.replicate}  {cell_text(run.levels)}" for run in runs
    )
    yield "At the end everything is set back. Nothing was changed now."


def _changes(bench: Bench, levels: Levels) -> Iterator[str]:
    try:
        yield from bench.host.changes(levels)
        for place, peer in enumerate(bench.peers):
            for_peer = peer_levels(peer.spec, levels)
            if for_peer and place not in bench.unreachable:
                yield from (f"{peer.spec.ssh}: {line}" for line in peer.changes(for_peer))
    except SweepError as error:
        yield f"cannot be told: {error}"
