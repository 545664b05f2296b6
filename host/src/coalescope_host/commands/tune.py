# SPDX-License-Identifier: Apache-2.0
"""`coalescope-host tune`: what to set for a goal, in as few runs as it takes."""

from __future__ import annotations

import socket
from argparse import Namespace
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from coalescope_host.drivers import driver_named
from coalescope_host.exit_statuses import FAILED
from coalescope_host.plan.cells import cells_of
from coalescope_host.plan.factors import Level, Levels, cell_text, factor_name
from coalescope_host.plan.plan import Plan
from coalescope_host.protocols import SweepError
from coalescope_host.run import factory
from coalescope_host.run.bench import Bench
from coalescope_host.run.budget import Budget, budget_from
from coalescope_host.run.closing import places, what_next
from coalescope_host.run.dry_run import dry_run
from coalescope_host.run.invocation import OpenBench
from coalescope_host.run.progress import clock
from coalescope_host.run.signals import interruptible
from coalescope_host.run.sweeping import LOGS, run_s
from coalescope_host.run.trial import try_out
from coalescope_host.run.tuned import Tuned, asked
from coalescope_host.run.tuner import Tuner, first_runs, start_of
from coalescope_host.settings.host import open_host
from coalescope_host.spelling import suggestion
from coalescope_host.terminal import say
from coalescope_host.tuning.candidates import ADAPTIVE, DELAY, left_out, usual_factors, with_start
from coalescope_host.tuning.design import FEWEST_OF_A_ROUND, budget_of
from coalescope_host.tuning.question import LATENCIES, Question, QuestionError, question_of

from .answer import Answer
from .confirmation import typed
from .ending import UsageError, ended
from .sweep import names_a_plan, plan_from_file, with_upload
from .without_plan import check_interface, checked_factors, plan_with, refused_interface, slug

_TELLS_LATENCY = "rr"
_GOES_ON = "The same command goes on where this stopped."


def run(options: Namespace, open_bench: OpenBench | None = None) -> int:
    """Tune, or say what would be done."""
    usual = factory.bench_to_read if options.dry_run else factory.open_bench
    return ended(
        "tune", options, lambda answer: _tune(options, open_bench or usual, answer), _GOES_ON
    )


def _tune(options: Namespace, open_bench: OpenBench, answer: Answer) -> int:
    question = _question(options)
    plan = with_upload(_plan(options), options)
    refused = refused_interface(plan.interface, options, plan.peers)
    if refused and not options.dry_run:
        raise SweepError(*refused)
    folder = _folder(options, plan)
    tuner = _tuner(options, plan, question, folder, open_bench, answer)
    if options.dry_run:
        return _dry_run(tuner, refused, answer)
    say(_intention(tuner))
    tuned = tuner.carry_out()
    answer.tell((), **places(plan, folder))
    say(f"The logs are in {folder / LOGS}.", *what_next(plan, folder))
    return 0 if tuned.answer is not None else FAILED


def _question(options: Namespace) -> Question:
    within = None if options.within >= 100.0 else options.within
    if within is not None and not within > 0.0:
        raise UsageError(f"--within {options.within:g}: must be a percentage above 0.")
    if options.loss_within is not None and not options.loss_within >= 0.0:
        raise UsageError(f"--loss-within {options.loss_within:g}: must be a percentage, or any.")
    if not options.confirm_within > 0.0:
        raise UsageError(f"--confirm-within {options.confirm_within:g}: must be more than 0.")
    try:
        return question_of(
            options.goal, options.under, within, options.loss_within, any_wait=options.any_wait
        )
    except QuestionError as error:
        raise UsageError(str(error)) from None


def _plan(options: Namespace) -> Plan:
    if names_a_plan(options):
        return plan_from_file(options)
    asked_for = checked_factors(options)
    check_interface(options.plan, options)
    workload = options.workload or ("rr" if options.goal in LATENCIES else "tcp")
    if "," in workload:
        raise UsageError(f"--workload {workload}: a tuning is for one workload at a time.")
    options.experiment = options.experiment or slug(
        f"{socket.gethostname()}-{options.plan}-tune-{options.goal}"
    )
    now = start_of(options.out or Path(options.experiment)) or _now(options.plan, asked_for)
    named = {factor_name(word): levels for word, levels in asked_for.items()}
    factors = with_start(named or _usual(options.plan, now), now)
    return plan_with(options, factors, workload, exclude=left_out(factors, now))


def _now(interface: str, asked_for: Iterable[str]) -> Levels:
    """How everything is set that may be tuned."""
    words = [factor_name(word) for word in asked_for]
    return open_host(interface).now([*words, DELAY, ADAPTIVE])


def _usual(interface: str, now: Levels) -> dict[str, list[Level]]:
    facts = open_host(interface).facts()
    driver = driver_named(facts.get("driver"), facts.get("kernel_version"))
    found = usual_factors(driver, now)
    if not found:
        raise UsageError(
            f"{interface}: its driver ({facts.get('driver', 'not known')}) has no delay that can "
            "be set (`ethtool -c`). Say what to choose among: --mtu 1500,9000 --gro on,off, say."
        )
    return found


def _folder(options: Namespace, plan: Plan) -> Path:
    return options.out or Path(plan.experiment)


def _tuner(
    options: Namespace,
    plan: Plan,
    question: Question,
    folder: Path,
    open_bench: OpenBench,
    answer: Answer,
) -> Tuner:
    cells = _cells(plan, options.workload if names_a_plan(options) else None)
    cells = [cell for cell in cells if question.keeps_waits(cell)]
    _ask_for_a_limit(question, cells)
    if len(cells) < 2:
        raise UsageError("one setting leaves no choice: name more levels.")
    return Tuner(
        plan,
        cells,
        question,
        folder,
        _budget(options, len(cells)),
        open_bench,
        _afterwards(options, answer),
    )


def _ask_for_a_limit(question: Question, cells: Sequence[Levels]) -> None:
    """Errors: where only a cost is aimed at, and a longer wait may cost what nobody measures."""
    free = question.free_waits(cells)
    if not free or cells[0]["workload"] == _TELLS_LATENCY:
        return
    longest = max(cells, key=lambda cell: float(cell.get(free[0]) or 0))[free[0]]
    shown = "delay" if free[0] == DELAY else free[0]
    raise UsageError(
        f"--goal {question.goal}: {cells[0]['workload']} tells no latency, and the longest wait "
        f"costs least. Say how long a packet may wait: --under {shown}=… ({longest:g} is the "
        f"longest here), or --any-wait; or measure with --workload {_TELLS_LATENCY}."
    )


def _cells(plan: Plan, workload: str | None) -> list[Levels]:
    """The settings to choose among: the plan's cells of one workload."""
    cells = cells_of(plan.factors, plan.constants, list(plan.excluded))
    names = list(dict.fromkeys(str(cell["workload"]) for cell in cells))
    if workload is None and len(names) > 1:
        raise UsageError(f"for which workload? --workload {'|'.join(names)}")
    if workload is not None and workload not in names:
        near = suggestion(workload, names)
        raise UsageError(f"--workload {workload}: the plan has {', '.join(names)}.{near}")
    return [cell for cell in cells if workload in (None, cell["workload"])]


def _budget(options: Namespace, settings: int) -> Budget:
    try:
        budget = budget_from(options.budget, budget_of(settings))
    except ValueError as error:
        raise UsageError(f"--budget {options.budget}: {error}.") from None
    if budget.runs is not None and budget.runs < FEWEST_OF_A_ROUND:
        raise UsageError(f"--budget {options.budget}: at least {FEWEST_OF_A_ROUND} runs.")
    return budget


def _intention(tuner: Tuner) -> str:
    varied = {
        name: levels
        for name in tuner.cells[0]
        if len(levels := dict.fromkeys(cell[name] for cell in tuner.cells)) > 1
    }
    among = ", ".join(varied)
    return f"{asked(tuner.question, None)}: among {len(tuner.cells)} settings of {among}."


def _dry_run(tuner: Tuner, refused: Sequence[str], answer: Answer) -> int:
    plan = tuner.plan
    with interruptible() as interruption, tuner.open_bench(plan, interruption.check) as bench:
        first, rest = first_runs(tuner, bench, seed=0)
        found = dry_run(plan, bench, [*first, *rest], refused=refused)
    each_s = run_s(plan, None)
    most = tuner.budget.runs_left(0, 0.0, each_s)
    lines = [
        _intention(tuner),
        f"At most {most} runs, about {clock(most * each_s)}. First, in an order of its own:",
        *(f"  {cell_text(run.levels)}" for run in first),
        "One run of each setting: " + found.verdict[0],
        *found.verdict[1:],
        "Nothing was changed.",
    ]
    answer.tell(
        lines,
        experiment=plan.experiment,
        possible=found.possible,
        verdict=found.verdict,
        first=[dict(run.levels) for run in first],
        most_runs=most,
    )
    return 0 if found.possible else FAILED


def _afterwards(options: Namespace, answer: Answer) -> Callable[[Tuned, Bench], None]:
    """Say the answer; set it where that was asked for."""

    def say_and_set(tuned: Tuned, bench: Bench) -> None:
        answer.tell(tuned.lines(), **_told(tuned))
        if options.apply and tuned.is_change:
            _apply(tuned, bench, options.confirm_within)

    return say_and_set


def _told(tuned: Tuned) -> dict[str, object]:
    levels = tuned.answer
    return {
        "answer": None if levels is None else dict(levels),
        "is_change": tuned.is_change,
        "ended": tuned.ended,
        "runs": len(tuned.runs),
        "to_set": list(tuned.to_set),
        "back": list(tuned.back.commands),
        "not_back": list(tuned.back.lacking),
        "lines": list(tuned.lines()),
    }


def _apply(tuned: Tuned, bench: Bench, within_s: float) -> None:
    levels = tuned.answer
    assert levels is not None
    if tuned.changes_mtu:
        raise SweepError("Not set: its MTU is one of both ends. The commands stand above.")
    if not try_out(bench, levels, typed(within_s)):
        raise SweepError("Not confirmed in time: everything is as it was.")
    say("Kept until the interface or the machine starts anew. The way back stands above.")
