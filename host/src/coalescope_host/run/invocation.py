# SPDX-License-Identifier: Apache-2.0
"""One invocation of a sweep: from a plan to its runs, what is sent of them, and what is said."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TextIO

from coalescope_host.as_typed import as_typed
from coalescope_host.plan.plan import LARGEST_SEED, Plan, differences
from coalescope_host.plan.schedule import Run, schedule
from coalescope_host.protocols import SweepError
from coalescope_host.terminal import say

from . import factory
from .announcement import Announcement
from .bench import Bench
from .closing import Cell, block_line, cells_of
from .journal import Entry, Journal, JournalError, read_head
from .progress import Progress
from .recording import missing_logger
from .signals import interruptible
from .skipped import begun, mark_failed, reachable
from .summary import failures, summary
from .sweeping import LOGS, PilotError, Sweep, guarded, overhead_s, pending, run_s
from .upload import token
from .uploads import Uploads

OpenBench = Callable[[Plan, Callable[[], None]], AbstractContextManager[Bench]]
Network = Callable[[], AbstractContextManager[object]]
"""Enters the network that the server is reached through, for as long as something is sent."""


@dataclass(frozen=True)
class Invocation:
    """What one invocation is asked to do.

    Attributes:
        folder: where logs and journal go.
        show: what becomes of the cells that were measured.
        replicates: these blocks only; None: all of the plan.
        needed: these cells only, with so many replicates of each; None: all of the plan.
        network: the network that the server is reached through.
    """

    plan: Plan
    folder: Path
    open_bench: OpenBench
    show: Callable[[Plan, Sequence[Cell]], None]
    replicates: Collection[int] | None = None
    needed: Mapping[str, int] | None = None
    network: Network = nullcontext

    def planned(self) -> tuple[tuple[Run, ...], bool]:
        """The runs, and whether their order is of a seed of this moment."""
        head = _head_of(self.plan, self.folder)
        runs = schedule(self.plan, _seed(self.plan, head), self.replicates, self.needed)
        return runs, self.plan.seed is None and head is None

    def carry_out(self) -> bool:
        """Make the runs that are not done, send them, say what came of it; whether all is done."""
        plan, folder = self.plan, self.folder
        with interruptible() as interruption, Journal(folder) as journal:
            runs = schedule(plan, begin(plan, journal), self.replicates, self.needed)
            check = interruption.check
            uploads = uploads_of(plan, journal, folder, self.network)
            (folder / LOGS).mkdir(exist_ok=True)
            try:
                try:
                    _carry_out(
                        plan, runs, journal, folder, lambda: self.open_bench(plan, check), uploads
                    )
                finally:
                    if begun(journal):
                        say(*summary(runs, journal.entries))
                        self.show(plan, cells_of(plan, runs, journal, folder))
                finish_uploads(uploads, check)
            finally:
                if begun(journal) and (why := failures(runs, journal.entries)):
                    say(*why)
            return not pending(runs, journal, folder) and not _left(uploads)


def _carry_out(
    plan: Plan,
    runs: Sequence[Run],
    journal: Journal,
    folder: Path,
    open_bench: Callable[[], AbstractContextManager[Bench]],
    uploads: Uploads | None,
) -> None:
    rest = pending(runs, journal, folder)
    if not rest:
        return
    if len(rest) < len(runs):
        say(f"{len(runs) - len(rest)} of {len(runs)} runs are done; going on with the rest.")
    with ExitStack() as stack:
        try:
            bench = stack.enter_context(open_bench())
            possible = reachable(plan, bench, journal, rest, say)
            stack.enter_context(guarded(ready(bench)))
        except factory.FAILURES as error:
            mark_failed(journal, rest, str(error))
            again = f"Nothing was changed. {_to_be_tried_again(rest)}"
            raise SweepError(*error.args, again) from None
        announcement = _announcement(plan, journal, runs, rest, uploads)
        sweep = Sweep(plan, bench, journal, folder, _after_run(uploads, announcement, bench))
        try:
            possible = sweep.pilot(possible, say)
        except PilotError as error:
            raise PilotError(*error.args, _to_be_tried_again(possible)) from None
        progress = Progress(_stderr(), len(rest), run_s(plan, overhead_s(journal)))
        progress.skip(len(rest) - len(possible))
        announcement.tell(progress)
        try:
            for replicate, block in groupby(possible, key=lambda run: run.replicate):
                sweep.block(list(block), progress)
                progress.say(block_line(plan, replicate, journal, folder))
        finally:
            progress.close()
            announcement.end(progress)


def _to_be_tried_again(runs: Sequence[Run]) -> str:
    marked = "1 run is" if len(runs) == 1 else f"{len(runs)} runs are"
    return f"{marked} marked failed; the same command tries again."


def ready(bench: Bench) -> Bench:
    """Nothing that every run needs is missing."""
    if missing := [*bench.host.problems({}), *missing_logger(bench)]:
        raise SweepError(*missing)
    return bench


def begin(plan: Plan, journal: Journal) -> int:
    """Write the first line of a sweep, or see that it is the same sweep; its seed.

    Where no run was made yet, as after a failed pilot, nothing binds the sweep to the plan before.
    """
    changed = differences(journal.head["plan"], plan.document) if journal.head else []
    if changed and not begun(journal):
        journal.clear()
        changed = []
    seed = _seed(plan, journal.head)
    if journal.head is None:
        journal.append(
            type="sweep",
            format=1,
            experiment=plan.experiment,
            plan_hash=plan.plan_hash,
            seed=seed,
            plan=plan.document,
        )
        return seed
    if changed:
        raise JournalError(
            f"{plan.path} is not the plan that {journal.path.parent} was begun with:",
            *(f"  {difference}" for difference in changed),
            "Change it back, or begin anew in another folder with --out.",
        )
    return seed


def _head_of(plan: Plan, folder: Path) -> Entry | None:
    """The first line of the sweep that would go on; None where one would begin."""
    head = read_head(folder)
    return None if head is None or differences(head["plan"], plan.document) else head


def _seed(plan: Plan, head: object) -> int:
    if isinstance(head, dict):
        return int(head["seed"])
    return random.SystemRandom().randint(0, LARGEST_SEED) if plan.seed is None else plan.seed


def uploads_of(plan: Plan, journal: Journal, folder: Path, network: Network) -> Uploads | None:
    """What is sent, and what the plan's server has of it; None where it names none."""
    if plan.upload is None:
        return None
    secret = token(plan.upload.token_file)
    return Uploads(journal, folder, plan.upload.server, secret, network)


def _announcement(
    plan: Plan,
    journal: Journal,
    runs: Sequence[Run],
    rest: Sequence[Run],
    uploads: Uploads | None,
) -> Announcement:
    return Announcement(plan, _seed(plan, journal.head), runs, len(runs) - len(rest), uploads)


def _after_run(
    uploads: Uploads | None, announcement: Announcement, bench: Bench
) -> Callable[[Progress], None]:
    def send(progress: Progress) -> None:
        if uploads is not None:
            uploads.send_pending(bench.alive)
        announcement.tell(progress)

    return send


def finish_uploads(uploads: Uploads | None, check: Callable[[], None]) -> None:
    """Send what waits, and say what the server has."""
    if uploads is None:
        return
    uploads.send_pending(check, now=True)
    arrived, waiting = uploads.arrived(), len(uploads.pending())
    say(f"{arrived} {'log is' if arrived == 1 else 'logs are'} at {uploads.server}.")
    if waiting:
        say(
            f"{waiting} logs are not uploaded: {uploads.trouble}. "
            f"The same command, or {as_typed('upload')}, sends them."
        )
    for entry in uploads.refused():
        say(f"  not taken: {entry['log']}: {entry['reason']}")


def _left(uploads: Uploads | None) -> bool:
    return uploads is not None and bool(uploads.pending() or uploads.refused())


def _stderr() -> TextIO:
    return sys.stderr
