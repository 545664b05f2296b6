# SPDX-License-Identifier: Apache-2.0
"""Runs that cannot begin: which they are, and their lines in the journal."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from coalescope_host.plan.factors import Level
from coalescope_host.plan.plan import Plan
from coalescope_host.plan.schedule import Run
from coalescope_host.protocols import SweepError

from .bench import Bench
from .journal import Journal, JournalError
from .recording import peers_needed


def mark_failed(journal: Journal, runs: Sequence[Run], reason: str) -> None:
    """Write that runs failed before they began: attempt 0, which binds the sweep to no plan.

    Where a run's last line says so already, or the journal cannot be written, nothing is.
    """
    latest = {entry["id"]: entry for entry in journal.of_type("run")}
    line = {"type": "run", "attempt": 0, "status": "failed", "reason": reason}
    lines = [{**line, "id": run.id, "order": run.order, "replicate": run.replicate} for run in runs]
    with suppress(JournalError):
        journal.extend(entry for entry in lines if entry != latest.get(entry["id"]))


def begun(journal: Journal) -> bool:
    """Whether any run was."""
    return any(entry["attempt"] for entry in journal.of_type("run"))


def reachable(
    plan: Plan, bench: Bench, journal: Journal, runs: Sequence[Run], say: Callable[[str], None]
) -> list[Run]:
    """Mark the runs that need a peer which cannot be reached, and return the others.

    Raises:
        SweepError: if there are no others.
    """
    needed: dict[Level, set[int]] = {}
    without: dict[int, list[Run]] = {place: [] for place in bench.unreachable}
    left: list[Run] = []
    for run in runs:
        name = run.levels["workload"]
        if name not in needed:
            needed[name] = peers_needed(plan, bench, run)
        missing = sorted(needed[name] & bench.unreachable.keys())
        (without[missing[0]] if missing else left).append(run)
    if not left:
        raise SweepError(*bench.unreachable.values())
    for place, those in without.items():
        mark_failed(journal, those, bench.unreachable[place])
        say(bench.unreachable[place])
        say(f"Runs that need it, marked failed: {len(those)}.")
    return left
