# SPDX-License-Identifier: Apache-2.0
"""The sweep itself: pilot, blocks, retries; each run's settings, recording and line in the journal.

Nothing here is changed before the way back is on disk, and everything is put back at the end,
however the end comes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from coalescope_host.as_typed import as_typed
from coalescope_host.plan.factors import Level, Levels
from coalescope_host.plan.plan import PeerSpec, Plan
from coalescope_host.plan.schedule import Run, pilot_runs
from coalescope_host.protocols import RestoreState, SweepError
from coalescope_host.terminal import LinesError

from .bench import Bench
from .journal import Journal, JournalError, sync_folder
from .progress import Progress
from .recording import Recording, discard, missing_programs, record
from .skipped import mark_failed
from .surroundings import surroundings

LOGS = "logs"


class PilotError(LinesError):
    """No workload works even once; nothing was begun."""


class RestoreError(LinesError):
    """Not everything could be put back."""


@dataclass
class Sweep:
    """One invocation over the runs that are not done yet."""

    plan: Plan
    bench: Bench
    journal: Journal
    folder: Path
    after_run: Callable[[Progress], None]
    _applied: Levels = field(default_factory=dict)
    _told: Path | None = None

    def pilot(self, runs: Sequence[Run], say: Callable[[str], None]) -> list[Run]:
        """Try each workload once, briefly; mark the runs of those that fail, return the others.

        What the journal says of an earlier pilot is not tried again.

        Raises:
            PilotError: if none works, naming all that is wrong.
        """
        works = set(_piloted(self.plan, self.journal))
        faults: dict[Level, str] = {}
        overheads_s: dict[Level, float] = {}
        for tries in pilot_runs(self.plan, runs):
            name = tries[0].levels["workload"]
            if name in works:
                continue
            try:
                overheads_s[name] = self._try(tries, say)
            except self.bench.failures as error:
                faults[name] = f"workload {name} does not work: {error}"
                self.bench.recover(error)
        for name, fault in faults.items():
            of_it = [run for run in runs if run.levels["workload"] == name]
            mark_failed(self.journal, of_it, fault)
        left = [run for run in runs if run.levels["workload"] not in faults]
        if not left:
            raise PilotError(*faults.values())
        for fault in faults.values():
            say(fault)
        if overheads_s:
            mean_s = sum(overheads_s.values()) / len(overheads_s)
            workloads = list(overheads_s)
            self.journal.append(type="pilot", workloads=workloads, overhead_s=round(mean_s, 3))
        return left

    def _try(self, tries: Sequence[Run], say: Callable[[str], None]) -> float:
        """Record at the first setting that the host takes; seconds it took beyond the window."""
        if missing := missing_programs(self.plan, self.bench, tries[0]):
            raise SweepError(" ".join(missing))
        say(f"Pilot run of {tries[0].levels['workload']}")
        run, read_back = self._first_possible(tries)
        path = self.folder / LOGS / "pilot.part"
        path.unlink(missing_ok=True)
        started = time.monotonic()
        try:
            record(self.plan, self.bench, run, read_back, path, self.plan.pilot_s)
        finally:
            path.unlink(missing_ok=True)
        return time.monotonic() - started - self.plan.pilot_s

    def _first_possible(self, tries: Sequence[Run]) -> tuple[Run, Mapping[str, Level | None]]:
        refusal: Exception = SweepError("there is nothing to try")
        for run in tries:
            self.bench.alive()
            try:
                return run, self._apply(run.levels)
            except self.bench.failures as error:
                refusal = error
        raise SweepError(f"none of its settings can be set; the last: {refusal}")

    def block(self, runs: Sequence[Run], progress: Progress) -> None:
        """Every run of one block; those that failed once more at its end."""
        self._applied = {}  # so that the MTU is verified anew in each block
        block = runs[0].replicate
        self._told = surroundings(self.plan, self.bench, self.folder, block, progress.say)
        waiting = list(runs)
        for attempt in range(1, self.plan.retries + 2):
            last = attempt == self.plan.retries + 1
            waiting = [
                run
                for run in waiting
                if not self._attempt(run, progress, attempt=attempt, last=last)
            ]

    def _attempt(self, run: Run, progress: Progress, *, attempt: int, last: bool) -> bool:
        progress.start(str(run))
        started = time.monotonic()
        part = self.folder / LOGS / f"{log_name(run)}.part"
        discard(part)
        line = {
            "type": "run",
            "id": run.id,
            "order": run.order,
            "replicate": run.replicate,
            "attempt": attempt,
        }

        reached: dict[str, bool] = {}  # told of what failed: was it the setting, or the run?

        def fail(error: Exception) -> bool:
            self._note_failure({**line, **reached}, error)
            progress.failed(str(run), str(error), final=last)
            self._applied = {}  # it may have failed because something changed
            self.bench.recover(error)
            return False

        try:
            self.bench.alive()
            read_back = self._apply(run.levels)
            reached["applied"] = True
            recording = record(
                self.plan, self.bench, run, read_back, part, self.plan.duration_s, self._told
            )
        except self.bench.failures as error:
            discard(part)
            return fail(error)
        took_s = time.monotonic() - started
        try:
            self._keep(part, run)
            self.journal.append(
                **line,
                status="done",
                log=f"{LOGS}/{log_name(run)}",
                took_s=round(took_s, 3),
                requested=dict(run.levels),
                read_back=dict(read_back),
                effective=self._effective(run, recording),
                warnings=list(recording.warnings),
            )
        except JournalError as error:
            part.with_name(log_name(run)).unlink(missing_ok=True)  # it does not count: make room
            return fail(error)
        progress.done(str(run), took_s)
        self.after_run(progress)
        return True

    def _note_failure(self, line: Mapping[str, object], error: Exception) -> None:
        """A run that is not in the journal is still to be done: without room nothing is lost."""
        with suppress(JournalError):
            self.journal.append(**line, status="failed", reason=str(error))

    def _apply(self, levels: Levels) -> Mapping[str, Level | None]:
        problems = self.bench.host.problems(levels)
        if problems:
            raise SweepError("; ".join(problems))
        before, self._applied = self._applied, {}  # not known while it changes
        read_back = self.bench.host.apply(levels)
        mtu = levels.get("mtu_bytes")
        if mtu != before.get("mtu_bytes"):
            self._apply_at_peers(int(mtu) if mtu is not None else None)
        if _settings(levels) != _settings(before):
            self.bench.pause(self.plan.settle_s)
        self._applied = levels
        return read_back

    def _apply_at_peers(self, mtu_bytes: int | None) -> None:
        if mtu_bytes is None:
            return
        for peer in self.bench.peers:
            for_peer = peer_levels(peer.spec, {"mtu_bytes": mtu_bytes})
            if for_peer:
                peer.apply(for_peer)
            self.bench.alive()
        faults = [
            fault for peer in self.bench.peers for fault in self.bench.verify_mtu(peer, mtu_bytes)
        ]
        if faults:
            raise SweepError("; ".join(faults))

    def _effective(self, run: Run, recording: Recording) -> dict[str, float]:
        kind = self.plan.workload_of(run.levels).kind
        delay_us = self.bench.effective_delay_us(recording.counters, kind)
        if delay_us is None:
            return {}
        return {"delay_us": round(delay_us / (self.plan.logger.time_dilation or 1), 3)}

    def _keep(self, part: Path, run: Run) -> None:
        # the logger has synced the content; the name counts once it is on disk too
        part.rename(part.with_name(log_name(run)))
        sync_folder(part.parent)


def _piloted(plan: Plan, journal: Journal) -> Iterator[Level]:
    """The workloads that have worked once; those of the plan where nothing is to be tried."""
    if not plan.pilot_s:
        yield from plan.workloads
    for entry in journal.of_type("pilot"):
        yield from entry.get("workloads", plan.workloads)


def overhead_s(journal: Journal) -> float | None:
    """Seconds that a run takes beside its window, by the last pilot; None without one."""
    return next((entry["overhead_s"] for entry in reversed(list(journal.of_type("pilot")))), None)


def run_s(plan: Plan, beside_s: float | None) -> float:
    """Seconds that a run takes, by the plan and by what a pilot showed beside its window."""
    if beside_s is None:
        beside_s = plan.warmup_s + 1.0
    return plan.duration_s + plan.settle_s + beside_s


def log_name(run: Run) -> str:
    """The file of a run: its place in the order, and the start of its id."""
    return f"{run.order:06}-{run.id[:8]}.runlog"


def pending(runs: Sequence[Run], journal: Journal, folder: Path) -> list[Run]:
    """The runs that are not done: without a line that says so, or without the log it speaks of."""
    done = {
        entry["id"]
        for entry in journal.of_type("run")
        if entry["status"] == "done" and (folder / entry["log"]).exists()
    }
    return [run for run in runs if run.id not in done]


def peer_levels(spec: PeerSpec, levels: Levels) -> Levels:
    """What is set at a peer as well: the MTU, where its interface is known."""
    return {
        name: level
        for name, level in levels.items()
        if name == "mtu_bytes" and spec.interface is not None
    }


@contextmanager
def guarded(bench: Bench) -> Iterator[None]:
    """Have the way back on disk before anything changes, and go it at the end of the block.

    Raises:
        RestoreError: if something could not be put back.
    """
    state = bench.host.save()
    bench.guard.arm(state)  # where it cannot be, nothing was changed, and perhaps another sweeps
    try:
        yield
    finally:
        put_back(bench, state)


def put_back(bench: Bench, state: RestoreState) -> None:
    """Go the way back, and forget it.

    Raises:
        RestoreError: if something could not be put back.
    """
    try:
        bench.host.restore(state)
    except bench.failures as error:
        left = "What is left to do: " + as_typed("sweep --restore")
        raise RestoreError(*error.args, left) from None
    bench.guard.disarm()


def _settings(levels: Levels) -> dict[str, Level]:
    return {
        name: level
        for name, level in levels.items()
        if name != "workload" and not name.startswith("factor.")
    }
