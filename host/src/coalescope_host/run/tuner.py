# SPDX-License-Identifier: Apache-2.0
"""A tuning: rounds of a sweep's runs, which the sequential design chooses one after the other.

Recording, journal, settings and the way back are the sweep's.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from coalescope_host.plan.factors import Levels, cell_text
from coalescope_host.plan.plan import Plan
from coalescope_host.plan.schedule import Run, run_of
from coalescope_host.protocols import SweepError
from coalescope_host.run_log import RunLogError, read, run_values
from coalescope_host.terminal import say
from coalescope_host.tuning.belief import Measured, NotMeasuredError
from coalescope_host.tuning.experiment import Experiment
from coalescope_host.tuning.question import Question

from .bench import Bench
from .budget import Budget
from .invocation import OpenBench, begin, finish_uploads, ready, uploads_of
from .journal import NAME, Journal
from .progress import Progress, clock
from .signals import interruptible
from .skipped import begun, reachable
from .summary import failures, summary
from .sweeping import LOGS, Sweep, guarded, overhead_s, run_s
from .tuned import Tuned, standing
from .uploads import Uploads
from .way_back import (
    Before,
    WayBack,
    before_of,
    commands_to,
    levels_before,
    noted,
    read_before,
    way_back,
)

Afterwards = Callable[[Tuned, Bench], None]
"""What is done with the answer while the hosts are there, as they were found."""


@dataclass(frozen=True)
class Tuner:
    """What one invocation is asked to do.

    Attributes:
        cells: the settings to choose among.
        folder: where logs and journal go.
        budget: of all invocations together.
        afterwards: is called with the answer.
    """

    plan: Plan
    cells: Sequence[Levels]
    question: Question
    folder: Path
    budget: Budget
    open_bench: OpenBench
    afterwards: Afterwards

    def carry_out(self) -> Tuned:
        """Measure until the answer is settled or the budget spent, put back, and answer."""
        with interruptible() as interruption, Journal(self.folder) as journal:
            seed = begin(self.plan, journal)
            check = interruption.check
            uploads = uploads_of(self.plan, journal, self.folder, nullcontext)
            (self.folder / LOGS).mkdir(exist_ok=True)
            try:
                with self.open_bench(self.plan, check) as bench:
                    rounds = _Rounds(self, journal, seed, ready(bench))
                    try:
                        tuned = rounds.to_the_end(uploads)
                    finally:
                        if rounds.planned:
                            say(*summary(rounds.planned, journal.entries))
                            if why := failures(rounds.planned, journal.entries):
                                say(*why)
                    self.afterwards(tuned, bench)
            finally:
                finish_uploads(uploads, check)
            return tuned

    def before(self, bench: Bench, journal: Journal | None = None) -> Before:
        """What is set, as far as that can be read; of a tuning that goes on, what was."""
        if journal is not None and begun(journal):
            for entry in journal.of_type("tuning"):
                return before_of(entry, bench)
        return read_before(bench, self.cells[0])


def first_runs(tuner: Tuner, bench: Bench, seed: int) -> tuple[list[Run], list[Run]]:
    """For a dry run: the first round, and one run of every other setting."""
    start = levels_before(bench.host, tuner.cells[0])
    experiment = Experiment(tuner.cells, tuner.question, start, seed)
    first = experiment.next_round([], len(tuner.cells))
    rest = [k for k in range(len(tuner.cells)) if k not in first]
    runs = [
        run_of(tuner.plan, seed, 1, order, tuner.cells[k])
        for order, k in enumerate([*first, *rest], 1)
    ]
    return runs[: len(first)], runs[len(first) :]


def start_of(folder: Path) -> Levels | None:
    """What was set when the tuning in a folder began; None where none has begun."""
    path = folder / NAME
    if not path.exists():
        return None
    entries = [json.loads(line) for line in path.read_text().splitlines() if line.endswith("}")]
    if not any(entry["type"] == "run" and entry["attempt"] for entry in entries):
        return None
    return next((entry["start"] for entry in entries if entry["type"] == "tuning"), None)


@dataclass
class _Rounds:
    """The rounds of one invocation, on top of what the journal has of earlier ones."""

    tuner: Tuner
    journal: Journal
    seed: int
    bench: Bench
    planned: list[Run] = field(default_factory=list)

    def __post_init__(self) -> None:
        tuner = self.tuner
        self.before = tuner.before(self.bench, self.journal)
        self.experiment = Experiment(tuner.cells, tuner.question, self.before.here, self.seed)
        self._places = {cell_text(cell): place for place, cell in enumerate(tuner.cells)}
        self._read: dict[str, Measured] = {}
        self._failed: dict[int, str] = {}
        self._failed_once: set[int] = set()
        self.runs = self._done()

    def to_the_end(self, uploads: Uploads | None) -> Tuned:
        """Measure, put back, and say what is known.

        Raises:
            SweepError: if nothing can be measured.
        """
        if (last := self._settled_before()) is not None:
            self.experiment.learn(self.runs)
            return self._tuned("settled", WayBack(last.get("back", ()), last.get("not_back", ())))
        self._note_question()
        with guarded(self.bench):
            ended = self._measure(uploads)
            back = self._way_back()
        tuned = self._tuned(ended, back)
        self.journal.append(
            type="tuned",
            question=self._question(),
            runs=len(self.runs),
            ended=ended,
            answer=None if tuned.answer is None else dict(tuned.answer),
            back=list(back.commands),
            not_back=list(back.lacking),
        )
        return tuned

    def _measure(self, uploads: Uploads | None) -> str:
        """Rounds until the end; why it ended."""
        tuner, experiment, bench = self.tuner, self.experiment, self.bench

        def after_run(_progress: Progress) -> None:
            if uploads is not None:
                uploads.send_pending(bench.alive)

        sweep = Sweep(tuner.plan, bench, self.journal, tuner.folder, after_run)
        progress: Progress | None = None
        if self.runs:
            say(f"{_runs(len(self.runs))} made before; going on.")
            self._learn_from_earlier()
        try:
            while True:
                left = self._left()
                settings = experiment.next_round(self.runs, left)
                if not settings:
                    return "settled" if experiment.is_settled else "budget"
                block = self._block(settings)
                if progress is None:
                    block = sweep.pilot(reachable(tuner.plan, bench, self.journal, block, say), say)
                    progress = Progress(sys.stderr, self._left(), self._each_s())
                    progress.say(self._outlook(left))
                self.planned += block
                sweep.block(block, progress)
                self._take_in(block, progress)
        finally:
            if progress is not None:
                progress.close()

    def _learn_from_earlier(self) -> None:
        """Where they do not tell what is asked, the first round is made again."""
        try:
            self.experiment.learn(self.runs)
        except NotMeasuredError as error:
            say(f"They are not enough: {error}")

    def _take_in(self, block: Sequence[Run], progress: Progress) -> None:
        """Learn from a round, and say what it changed."""
        before = len(self.runs)
        self.runs = self._done()
        self._note_failures(block)
        reference = self.experiment.reference
        if reference in self._failed:
            raise SweepError(
                f"{cell_text(self.tuner.cells[reference])}, which all others are compared with, "
                f"cannot be measured: {self._failed[reference]}"
            )
        if len(self.runs) == before:
            raise SweepError("No run of a whole round worked; the reasons stand above.")
        try:
            self.experiment.learn(self.runs, self._failed)
        except NotMeasuredError as error:
            raise SweepError(str(error)) from None
        left = self._left()
        done = standing(self.experiment, self.runs)
        lasts = clock(left * self._each_s())
        progress.say(f"round {block[0].replicate}: {done}; at most {_runs(left)} more, {lasts}")

    def _outlook(self, left: int) -> str:
        """What will be done, and how long it takes."""
        lasts = clock(left * self._each_s())
        return f"At most {_runs(left)} among {len(self.tuner.cells)} settings: {lasts}, often less."

    def _block(self, settings: Sequence[int]) -> list[Run]:
        entries = list(self.journal.of_type("run"))
        number = max((entry["replicate"] for entry in entries), default=0) + 1
        order = max((entry["order"] for entry in entries), default=0) + 1
        return [
            run_of(self.tuner.plan, self.seed, number, order + place, self.tuner.cells[setting])
            for place, setting in enumerate(settings)
        ]

    def _left(self) -> int:
        spent_s = sum(entry["took_s"] for entry in self._entries())
        return self.tuner.budget.runs_left(len(self.runs), spent_s, self._each_s())

    def _each_s(self) -> float:
        took_s = [entry["took_s"] for entry in self._entries()][-20:]
        if took_s:
            return float(sum(took_s)) / len(took_s)
        return run_s(self.tuner.plan, overhead_s(self.journal))

    def _entries(self) -> Iterator[Mapping[str, Any]]:
        """The lines of the runs that are done."""
        return (e for e in self.journal.of_type("run") if e["status"] == "done")

    def _done(self) -> list[Measured]:
        """All runs whose logs can be read, in the order in which they were made."""
        found = []
        for entry in self._entries():
            setting = self._places.get(cell_text(entry["requested"]))
            if setting is None:
                continue
            if entry["id"] not in self._read:
                try:
                    values = run_values(read(self.tuner.folder / entry["log"]))
                except (OSError, RunLogError):
                    continue
                self._read[entry["id"]] = Measured(setting, entry["replicate"], values)
            found.append(self._read[entry["id"]])
        return found

    def _note_failures(self, block: Iterable[Run]) -> None:
        """Settings that never worked are not tried again by this invocation: at once where they
        could not be set, else after two rounds, for what failed may be the traffic."""
        worked = {run.setting for run in self.runs}
        latest = {entry["id"]: entry for entry in self.journal.of_type("run")}
        for run in block:
            setting = self._places[cell_text(run.levels)]
            if setting in worked:
                continue
            entry = latest[run.id]
            final = setting == self.experiment.reference or not entry.get("applied", False)
            if final or setting in self._failed_once:
                self._failed[setting] = entry["reason"]
            self._failed_once.add(setting)

    def _way_back(self) -> WayBack:
        """Set the answer once more, to see that it can be; what leads back from it."""
        experiment = self.experiment
        answer = experiment.choices[-1].answer if experiment.choices else None
        if answer is None or (answer == experiment.reference and experiment.has_start):
            return WayBack()
        return way_back(self.bench, self.tuner.cells[answer], self.before)

    def _tuned(self, ended: str, back: WayBack) -> Tuned:
        choices = self.experiment.choices
        answer = choices[-1].answer if choices else None
        to_set: list[str] = []
        if answer is not None:
            to_set = commands_to(self.bench, self.tuner.cells[answer], self.before)
        return Tuned(self.experiment, self.runs, ended, self._failed, to_set, back)

    def _question(self) -> dict[str, Any]:
        return json.loads(json.dumps(asdict(self.tuner.question)))  # type: ignore[no-any-return]

    def _note_question(self) -> None:
        entry = {
            "type": "tuning",
            "question": self._question(),
            **noted(self.before),
        }
        if entry not in list(self.journal.of_type("tuning")):
            self.journal.append(**entry)

    def _settled_before(self) -> Mapping[str, Any] | None:
        """How an earlier invocation ended with the same question, if nothing came since."""
        last = next(reversed(list(self.journal.of_type("tuned"))), None)
        settled = (
            last is not None
            and last["ended"] == "settled"
            and last["question"] == self._question()
            and last["runs"] == len(self.runs)
        )
        return last if settled else None


def _runs(number: int) -> str:
    return "1 run" if number == 1 else f"{number} runs"
