# SPDX-License-Identifier: Apache-2.0
"""`coalescope-host sweep` and `upload`: from the command line to the sweep, and what it says."""

import random
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from coalescope_host.plan.plan import Plan, PlanError, UploadSpec, differences
from coalescope_host.plan.plan_file import LARGEST_SEED, load_plan
from coalescope_host.plan.schedule import Run, schedule
from coalescope_host.plan.server_url import A_SERVER, is_server
from coalescope_host.protocols import SweepError

from . import factory
from .announcement import Announcement
from .bench import Bench
from .dry_run import dry_run
from .journal import Entry, Journal, JournalError, read_head
from .progress import Progress
from .recording import missing_logger
from .signals import Interrupted, interruptible
from .skipped import begun, mark_failed, reachable
from .summary import summary
from .sweeping import (
    LOGS,
    PilotError,
    RestoreError,
    Sweep,
    guarded,
    overhead_s,
    pending,
    run_s,
)
from .upload import Outcome, send, token
from .uploads import Uploads

OpenBench = Callable[[Plan, Callable[[], None]], AbstractContextManager[Bench]]

_TROUBLE: tuple[type[Exception], ...] = (
    PlanError,
    JournalError,
    PilotError,
    RestoreError,
    OSError,
    *factory.FAILURES,
)


class UsageError(Exception):
    """The command line asks for what cannot be."""


def run_sweep(options: Namespace, open_bench: OpenBench = factory.open_bench) -> int:
    """Exit status: 0 all is done, 1 something failed, 2 usage, 128 + n ended by signal n."""
    try:
        if options.restore:
            return _restore(options)
        return _sweep(options, open_bench)
    except UsageError as error:
        _say(f"coalescope-host sweep: {error}")
        return 2
    except _TROUBLE as error:
        _say(f"coalescope-host sweep: {error}")
        return 1
    except Interrupted as interruption:
        _say(f"Ended: {interruption}. The same command goes on where this stopped.")
        return 128 + interruption.number


def run_upload(options: Namespace) -> int:
    """Send logs; 1 unless the store has all of them, 2 usage."""
    if not is_server(options.server):
        _say(f"coalescope-host upload: --server {A_SERVER}")
        return 2
    try:
        secret = token(options.token_file)
    except OSError as error:
        _say(f"{options.token_file}: {error.strerror}" if error.strerror else str(error))
        return 1
    arrived = []
    for path in _logs(options.paths):
        there = path.exists()
        gone = Outcome("refused", "there is no such file")
        outcome = send(options.server, path, secret) if there else gone
        arrived.append(outcome.arrived)
        stream = sys.stdout if outcome.arrived else sys.stderr
        stream.write(f"{outcome.outcome:8}{path}{': ' if outcome.reason else ''}{outcome.reason}\n")
    if not arrived:
        _say("There is no run log (*.runlog) here.")
    return 0 if arrived and all(arrived) else 1


def _logs(paths: Sequence[Path]) -> list[Path]:
    return [
        log
        for path in paths
        for log in (sorted(path.rglob("*.runlog")) if path.is_dir() else [path])
    ]


def _restore(options: Namespace) -> int:
    lines = factory.restore(options.state)
    for line in lines:
        _say(line)
    return 0


def _sweep(options: Namespace, open_bench: OpenBench) -> int:
    if options.plan is None:
        raise UsageError("which plan? coalescope-host sweep PLAN.toml")
    plan = _with_upload(load_plan(options.plan), options)
    folder: Path = options.out or Path(plan.experiment)
    wanted = _replicates(options.replicates, plan)
    if options.dry_run:
        head = _head_of(plan, folder)
        runs = schedule(plan, _seed(plan, head), wanted)
        drawn = plan.seed is None and head is None
        with interruptible() as interruption, open_bench(plan, interruption.check) as bench:
            found = dry_run(plan, bench, runs, drawn=drawn)
        sys.stdout.writelines(f"{line}\n" for line in found.lines)
        return 0 if found.possible else 1
    _check_interface(plan, options)
    with interruptible() as interruption, Journal(folder) as journal:
        runs = schedule(plan, _begin(plan, journal), wanted)
        check = interruption.check
        uploads = _uploads(plan, journal, folder)
        (folder / LOGS).mkdir(exist_ok=True)
        try:
            _carry_out(plan, runs, journal, folder, lambda: open_bench(plan, check), uploads)
        finally:
            if begun(journal):
                _say(summary(runs, journal.entries, folder / LOGS))
        _finish_uploads(uploads, check)
        return 0 if not pending(runs, journal, folder) and not _left(uploads) else 1


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
        _say(f"{len(runs) - len(rest)} of {len(runs)} runs are done; going on with the rest.")
    with ExitStack() as stack:
        try:
            bench = stack.enter_context(open_bench())
            possible = reachable(plan, bench, journal, rest, _say)
            stack.enter_context(guarded(_ready(bench)))
        except factory.FAILURES as error:
            mark_failed(journal, rest, str(error))
            raise SweepError(f"{error}\nNothing was changed. {_to_be_tried_again(rest)}") from None
        announcement = _announcement(plan, journal, runs, rest, uploads)
        sweep = Sweep(plan, bench, journal, folder, _after_run(uploads, announcement, bench))
        try:
            possible = sweep.pilot(possible, _say)
        except PilotError as error:
            raise PilotError(f"{error}\n{_to_be_tried_again(possible)}") from None
        progress = Progress(_stderr(), len(rest), run_s(plan, overhead_s(journal)))
        progress.skip(len(rest) - len(possible))
        announcement.tell(progress)
        try:
            sweep.run(possible, progress)
        finally:
            progress.close()
            announcement.end(progress)


def _to_be_tried_again(runs: Sequence[Run]) -> str:
    marked = "1 run is" if len(runs) == 1 else f"{len(runs)} runs are"
    return f"{marked} marked failed; the same command tries again."


def _ready(bench: Bench) -> Bench:
    """Nothing that every run needs is missing."""
    if missing := [*bench.host.problems({}), *missing_logger(bench)]:
        raise SweepError("\n".join(missing))
    return bench


def _begin(plan: Plan, journal: Journal) -> int:
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
        lines = "\n  ".join(changed)
        raise JournalError(
            f"{plan.path} is not the plan that {journal.path.parent} was begun with:\n  {lines}\n"
            "Change it back, or begin anew in another folder with --out."
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


def _check_interface(plan: Plan, options: Namespace) -> None:
    refusals = factory.refusals(plan.interface)
    if not refusals or (options.yes_this_interface == plan.interface and options.really):
        return
    reasons = "\n  ".join(refusals)
    raise UsageError(
        f"{plan.interface} is refused:\n  {reasons}\nName another interface in the plan; or, if it "
        f"must be this one, add --yes-this-interface {plan.interface} --really."
    )


def _with_upload(plan: Plan, options: Namespace) -> Plan:
    if options.server is None and options.token_file is None:
        return plan
    server = options.server or (plan.upload.server if plan.upload else None)
    if server is None:
        raise UsageError("--token-file without a server: add --server URL.")
    if not is_server(server):
        raise UsageError(f"--server {A_SERVER}")
    file = options.token_file or (plan.upload.token_file if plan.upload else None)
    return replace(plan, upload=UploadSpec(server, file))


def _replicates(text: str | None, plan: Plan) -> set[int] | None:
    if text is None:
        return None
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        if not first.isdecimal() or not (last or first).isdecimal():
            raise UsageError(f"--replicates {text}: must be like 3, 1-4 or 1,5.")
        found.update(range(int(first), int(last or first) + 1))
    if not found or min(found) < 1 or max(found) > plan.replicates:
        raise UsageError(f"--replicates {text}: the plan has replicates 1 to {plan.replicates}.")
    return found


def _uploads(plan: Plan, journal: Journal, folder: Path) -> Uploads | None:
    if plan.upload is None:
        return None
    secret = token(plan.upload.token_file)
    return Uploads(journal, folder, plan.upload.server, secret)


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


def _finish_uploads(uploads: Uploads | None, check: Callable[[], None]) -> None:
    if uploads is None:
        return
    uploads.send_pending(check, now=True)
    arrived, waiting = uploads.arrived(), len(uploads.pending())
    _say(f"{arrived} {'log is' if arrived == 1 else 'logs are'} at {uploads.server}.")
    if waiting:
        _say(
            f"{waiting} logs are not uploaded: {uploads.trouble}. "
            "The same command, or coalescope-host upload, sends them."
        )
    for entry in uploads.refused():
        _say(f"  not taken: {entry['log']}: {entry['reason']}")


def _left(uploads: Uploads | None) -> bool:
    return uploads is not None and bool(uploads.pending() or uploads.refused())


def _stderr() -> TextIO:
    return sys.stderr


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
