# SPDX-License-Identifier: Apache-2.0
"""Whatever is done to a store, in any order, it holds what it acknowledged and agrees with itself.

Hypothesis invents histories: uploads, the same again, copies that were cut off, runs left out and
taken back, files that rot, starts after a sudden end, backups and their way back.
"""

import shutil
import tempfile
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import hypothesis.strategies as st
import pytest
from coalescope.backups.service import back_up, restore
from coalescope.experiments.service import get_experiment
from coalescope.runs import corrections, kept_summaries
from coalescope.settings import Settings
from coalescope.store import Store, open_for_reading, open_store
from coalescope.uploads import service as uploads
from coalescope.uploads.parsed_upload import UploadRequest
from coalescope.uploads.reading import Reading
from coalescope.uploads.repository import UploadRecord
from coalescope.uploads.stored_files import stored_files
from coalescope.verification.service import verify
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    precondition,
    rule,
)

DELAYS = (0, 40)


@dataclass
class Expected:
    """What the store should know of a run."""

    delay_us: int
    whole: bool
    current: bool = True


class StoreMachine(RuleBasedStateMachine):
    """A store, and beside it what was acknowledged."""

    make_log: ClassVar[Any]
    sent = Bundle("sent")
    copies = Bundle("copies")

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="machine-"))
        self.expected: dict[str, Expected] = {}
        self.digests: set[str] = set()
        self.backups = 0
        self.store = self.open()

    def open(self) -> Store:
        return open_store(Settings(data_dir=self.folder / "data", datasets_dir=None))

    def log(self, uid: str, delay_us: int, *, whole: bool) -> bytes:
        factors = {"mtu_bytes": 1500, "delay_us": delay_us, "workload": "udp"}
        made: bytes = StoreMachine.make_log(
            run_id=uid, replicate=None, factors=factors, finish=whole
        )
        return made

    def accept(self, content: bytes) -> tuple[str, UploadRecord]:
        with self.store.object_store.stage() as staged:
            staged.write(content)
            receipt = uploads.accept(
                self.store.database,
                self.store.object_store,
                staged,
                UploadRequest("x.runlog"),
                Reading(),
            )
        return receipt.outcome, receipt.upload

    # --- uploads

    @rule(target=sent, delay_us=st.sampled_from(DELAYS), whole=st.booleans())
    def upload(self, delay_us: int, whole: bool) -> str:
        uid = str(uuid.uuid4())
        outcome, upload = self.accept(self.log(uid, delay_us, whole=whole))
        assert outcome == "stored"
        self.expected[uid] = Expected(delay_us, whole)
        self.digests.add(upload.sha256)
        return uid

    @rule(uid=sent)
    def send_the_same_again(self, uid: str) -> None:
        run = self.expected[uid]
        outcome, upload = self.accept(self.log(uid, run.delay_us, whole=run.whole))
        assert (outcome, upload.sha256 in self.digests) == ("known", True)

    @rule(uid=sent)
    def send_the_whole_log(self, uid: str) -> None:
        run = self.expected[uid]
        outcome, upload = self.accept(self.log(uid, run.delay_us, whole=True))
        assert outcome == ("known" if run.whole else "stored")
        run.whole = True
        self.digests.add(upload.sha256)

    @rule(uid=sent)
    def send_a_copy_that_was_cut_off(self, uid: str) -> None:
        outcome, _ = self.accept(self.log(uid, self.expected[uid].delay_us, whole=False))
        assert outcome == "known"

    # --- runs that do not count, and count again

    @rule(uid=sent)
    def leave_out_or_take_back(self, uid: str) -> None:
        run = self.expected[uid]
        with self.store.database.write() as connection:
            (corrections.retract if run.current else corrections.restore)(
                connection, uid, "why not"
            )
        run.current = not run.current

    # --- what happens to folders

    @rule()
    def start_anew_after_a_sudden_end(self) -> None:
        (self.folder / "data" / "logs" / "tmp" / "half.part").write_bytes(b"half")
        self.store.close()
        self.store = self.open()
        self.agrees()

    @precondition(lambda self: self.digests)
    @rule(data=st.data(), uid=sent)
    def a_file_rots_and_is_sent_again(self, data: Any, uid: str) -> None:
        run = self.expected[uid]
        content = self.log(uid, run.delay_us, whole=run.whole)
        _, upload = self.accept(content)
        path = self.store.object_store.path(upload.sha256, "runlog")
        assert path is not None
        if data.draw(st.booleans(), label="gone"):
            path.unlink()
        else:
            path.write_bytes(content[:-1])
        found = verify(self.store.database, self.store.object_store)
        assert [fault.where["sha256"] for fault in found.faults] == [upload.sha256]
        assert self.accept(content)[0] == "known"
        self.agrees()

    @rule(target=copies)
    def back_up(self) -> Any:
        done = back_up(self.store, self.folder / "backup")
        assert done.report.sound
        self.backups += 1
        kept = self.folder / f"backup-{self.backups}"
        shutil.copytree(self.folder / "backup", kept)
        return (kept, frozenset(self.digests))

    @rule(copy=consumes(copies))
    def restore(self, copy: Any) -> None:
        kept, digests = copy
        target = self.folder / f"restored-{kept.name}"
        assert restore(kept, target).report.sound
        found = open_for_reading(target)
        try:
            with found.database.read() as connection:
                assert {file.sha256 for file in stored_files(connection)} == digests
        finally:
            found.close()

    # --- what holds all the time

    def agrees(self) -> None:
        report = verify(self.store.database, self.store.object_store, Reading())
        assert (list(report.faults), list(report.leftovers)) == ([], [])
        assert (report.files, report.runs) == (len(self.digests), len(self.expected))

    @invariant()
    def what_was_acknowledged_counts(self) -> None:
        if not getattr(self, "expected", None):
            return
        with self.store.database.read() as connection:
            experiment = get_experiment(connection, "lab")
            counts = {
                cell.factors["delay_us"]: (cell.kept_counts, cell.counts)
                for cell in kept_summaries.recomputed_cells(connection, experiment)
            }
        for delay in DELAYS:
            own = [r for r in self.expected.values() if r.delay_us == delay and r.current]
            expected = (len(own), sum(not run.whole for run in own))
            kept, anew = counts.get(delay, ((0, 0), (0, 0)))
            assert tuple(kept) == tuple(anew) == expected

    def teardown(self) -> None:
        if hasattr(self, "store"):
            try:
                self.agrees()
            finally:
                self.store.close()
                shutil.rmtree(self.folder)


def run_machine(make_log: Any, examples: int, steps: int, *phases: Phase) -> None:
    from hypothesis.stateful import run_state_machine_as_test

    StoreMachine.make_log = staticmethod(make_log)
    run_state_machine_as_test(
        StoreMachine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=True,
            database=None,
            phases=phases or tuple(Phase),
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_any_history(make_log: Any) -> None:
    run_machine(make_log, examples=6, steps=12)


@pytest.mark.soak
def test_many_long_histories(make_log: Any) -> None:
    run_machine(make_log, examples=100, steps=40)


def test_a_store_that_counts_wrongly_is_caught(
    make_log: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control: runs that are left out still count in this one."""
    monkeypatch.setattr(kept_summaries, "refresh", lambda *_: None)
    with pytest.raises(AssertionError):
        run_machine(make_log, 6, 12, Phase.generate)  # nobody needs the shortest history
