# SPDX-License-Identifier: Apache-2.0
"""What a sweep would do, without doing it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from coalescope_host.plan.factors import Levels, cell_text
from coalescope_host.plan.plan import Plan
from coalescope_host.plan.schedule import Run, pilot_runs
from coalescope_host.protocols import SweepError

from .bench import Bench
from .processes import workload_user
from .progress import clock
from .recording import missing_logger, missing_programs
from .sweeping import peer_levels, run_s

_DRAWN = (
    "In an order such as this; the sweep draws another, since the plan has no seed "
    "(seed = 1, say, fixes it):"
)


@dataclass(frozen=True)
class DryRun:
    """What would be done.

    Attributes:
        lines: for people: how much, how long, every change as a shell command, the order.
        possible: whether every cell can be done on hosts as they are now, with the programs there.
    """

    lines: Sequence[str]
    possible: bool


def dry_run(plan: Plan, bench: Bench, runs: Sequence[Run], *, drawn: bool = False) -> DryRun:
    """What a sweep of these runs would do; `drawn`: their order is of a seed of this moment.

    Raises:
        SweepError: if a host lacks what every cell needs, such as the interface.
    """
    _check_hosts(bench, runs)
    cells = {cell_text(run.levels): run.levels for run in runs}
    problems = {text: list(_problems(bench, levels)) for text, levels in cells.items()}
    impossible = sum(map(bool, problems.values()))
    missing = [*missing_logger(bench), *_missing_programs(plan, bench, runs)]
    lines = [*_overview(plan, runs, len(cells))]
    lines += (f"Cannot be done: {problem}" for problem in missing)
    lines.append("What each cell changes on hosts as they are now:")
    for text, levels in cells.items():
        lines.append(f"  {text}")
        lines += (f"    cannot be done: {problem}" for problem in problems[text])
        lines += (f"    {change}" for change in _changes(bench, levels))
    lines.append(_DRAWN if drawn else "In this order:")
    lines += (f"{run.order:7}  replicate {run.replicate}  {cell_text(run.levels)}" for run in runs)
    if impossible:
        lines.append(f"{impossible} of {len(cells)} cells cannot be done; see above.")
    lines.append("At the end everything is set back. Nothing was changed now.")
    return DryRun(lines, not impossible and not missing)


def _overview(plan: Plan, runs: Sequence[Run], cells: int) -> Iterator[str]:
    total_s = len(runs) * run_s(plan, None)
    yield f"{plan.experiment}: {cells} cells, {len(runs)} runs, about {clock(total_s)}."
    yield f"Plan {plan.plan_hash}"
    for name, spec in plan.workloads.items():
        yield f"Workload {name} ({spec.kind}) runs as {workload_user(spec.user) or 'you'}."
    if plan.pilot_s:
        yield f"Before the first block, for {plan.pilot_s:g} s each:"
        yield from (f"  {cell_text(tries[0].levels)}" for tries in pilot_runs(plan, runs))


def _missing_programs(plan: Plan, bench: Bench, runs: Sequence[Run]) -> Iterator[str]:
    for tries in pilot_runs(plan, runs):
        name = tries[0].levels["workload"]
        yield from (f"workload {name}: {text}" for text in missing_programs(plan, bench, tries[0]))


def _check_hosts(bench: Bench, runs: Sequence[Run]) -> None:
    """What is wrong whatever the cell is said once, not at each cell."""
    found = [*bench.host.problems({}), *bench.unreachable.values()]
    for place, peer in enumerate(bench.peers):
        if place in bench.unreachable:
            continue
        if any(peer_levels(peer.spec, run.levels) for run in runs):
            found += peer.problems({})
    if found:
        raise SweepError("\n".join(f"cannot be done: {problem}" for problem in found))


def _problems(bench: Bench, levels: Levels) -> Iterator[str]:
    yield from bench.host.problems(levels)
    for peer in bench.peers:
        if for_peer := peer_levels(peer.spec, levels):
            yield from peer.problems(for_peer)


def _changes(bench: Bench, levels: Levels) -> Iterator[str]:
    yield from bench.host.changes(levels)
    for peer in bench.peers:
        if for_peer := peer_levels(peer.spec, levels):
            yield from (f"{peer.spec.ssh}: {line}" for line in peer.changes(for_peer))
