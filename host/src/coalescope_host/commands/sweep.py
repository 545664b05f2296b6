# SPDX-License-Identifier: Apache-2.0
"""`coalescope-host sweep`: every cell of a plan, or of what the options say."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import partial
from pathlib import Path

from coalescope_host.exit_statuses import FAILED
from coalescope_host.plan.again import replicates_needed
from coalescope_host.plan.plan import Plan, UploadSpec
from coalescope_host.plan.plan_file import load_plan
from coalescope_host.protocols import SweepError
from coalescope_host.run import factory
from coalescope_host.run.closing import Cell, places, what_next
from coalescope_host.run.dry_run import dry_run
from coalescope_host.run.invocation import Invocation, OpenBench
from coalescope_host.run.signals import interruptible
from coalescope_host.run.sweeping import LOGS
from coalescope_host.terminal import say

from . import restore
from .answer import Answer
from .ending import UsageError, check_server, ended
from .measured import measured_in
from .without_plan import plan_without, refused_interface

_ALL = "Nothing was changed. --all shows every change and the order."
GOES_ON = "The same command goes on where this stopped."


def run(options: Namespace, open_bench: OpenBench | None = None) -> int:
    """Sweep, or say what would be done."""
    usual = factory.bench_to_read if options.dry_run else factory.open_bench
    if options.restore:
        return restore.run(options)
    return ended(
        "sweep", options, lambda answer: _sweep(options, open_bench or usual, answer), GOES_ON
    )


def _sweep(options: Namespace, open_bench: OpenBench, answer: Answer) -> int:
    if options.plan is None:
        raise UsageError("which plan, or which interface? coalescope-host sweep PLAN.toml")
    plan, needed = _again(with_upload(_plan(options), options), options)
    if needed == {}:
        say(f"{options.cells}: no cell needs more replicates.")
        return 0
    folder: Path = options.out or Path(plan.experiment)
    show = partial(_show, folder, answer)
    invocation = Invocation(plan, folder, open_bench, show, _blocks(options, plan), needed)
    refused = refused_interface(plan.interface, options, plan.peers)
    if options.dry_run:
        return _dry_run(invocation, refused, answer, everything=options.all)
    if refused:
        raise SweepError(*refused)
    done = invocation.carry_out()
    return 0 if done else FAILED


def _show(folder: Path, answer: Answer, plan: Plan, cells: Sequence[Cell]) -> None:
    """The table, and where everything is: what comes after that is why runs failed."""
    measured_in(answer)(plan, cells)
    answer.tell((), **places(plan, folder))
    say(f"The logs are in {folder / LOGS}.", *what_next(plan, folder))


def _plan(options: Namespace) -> Plan:
    if not names_a_plan(options):
        return plan_without(options)
    return plan_from_file(options)


def plan_from_file(options: Namespace) -> Plan:
    """The plan that was typed.

    Raises:
        UsageError: if factors were typed beside it.
        PlanError: with what is wrong in it.
    """
    if options.unknown or any(
        value is not None for name, value in vars(options).items() if name.startswith("factor ")
    ):
        raise UsageError("factors stand in the plan; as options they are for a sweep without one.")
    return load_plan(Path(options.plan))


def names_a_plan(options: Namespace) -> bool:
    """Whether a plan was typed, and no interface."""
    return options.plan.endswith(".toml") or "/" in options.plan or Path(options.plan).is_file()


def _blocks(options: Namespace, plan: Plan) -> AbstractSet[int] | None:
    """Without a plan, --replicates says how many there are, not which."""
    return _replicates(options.replicates, plan) if names_a_plan(options) else None


def _again(plan: Plan, options: Namespace) -> tuple[Plan, Mapping[str, int] | None]:
    """The plan with as many blocks as its neediest cell takes, and what --cells chooses of it."""
    if options.cells is None:
        return plan, None
    if not names_a_plan(options):
        raise UsageError("--cells chooses among the cells of a plan: name its file.")
    needed = replicates_needed(options.cells, plan)
    return replace(plan, replicates=max([plan.replicates, *needed.values()])), needed


def _dry_run(
    invocation: Invocation, refused: Sequence[str], answer: Answer, *, everything: bool
) -> int:
    runs, drawn = invocation.planned()
    plan = invocation.plan
    with interruptible() as interruption, invocation.open_bench(plan, interruption.check) as bench:
        found = dry_run(plan, bench, runs, drawn=drawn, refused=refused)
    lines = [*found.verdict, *(found.details if everything else [_ALL])]
    answer.tell(
        lines,
        experiment=plan.experiment,
        possible=found.possible,
        verdict=found.verdict,
        details=found.details,
    )
    return 0 if found.possible else FAILED


def with_upload(plan: Plan, options: Namespace) -> Plan:
    """The plan with the server that the options name."""
    if options.server is None and options.token_file is None:
        return plan
    server = options.server or (plan.upload.server if plan.upload else None)
    if server is None:
        raise UsageError("--token-file without a server: add --server URL.")
    file = options.token_file or (plan.upload.token_file if plan.upload else None)
    return replace(plan, upload=UploadSpec(check_server(server), file))


def _replicates(text: str | None, plan: Plan) -> AbstractSet[int] | None:
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
