# SPDX-License-Identifier: Apache-2.0
"""A process stores logs beside the server's: the same is stored, and its end is no silent loss."""

import errno
import os
import re
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier
from typing import Any

import coalescope.untrusted.processes
import pysqlite3.dbapi2
import pytest
import sqlalchemy as sa
from coalescope.db.batcher import Batcher
from coalescope.db.engine import AUDIT_CONTEXT, AuditContext
from coalescope.db.tables import changes
from coalescope.errors import CoalescopeError
from coalescope.settings import Settings
from coalescope.storage import object_store
from coalescope.untrusted.confinement import Ending
from coalescope.untrusted.processes import RpcProcess, python
from coalescope.uploads import ingest_worker, service
from coalescope.uploads.ingest_worker import IngestWorker
from coalescope.uploads.log_batches import LogUpload, store_batch
from coalescope.uploads.parsed_upload import ParsedUpload, UploadRequest
from coalescope.uploads.reading import ReadBeside, Reading
from coalescope.uploads.receipt import Receipt
from coalescope.uploads.run_logs import parse_run_log
from coalescope.verification.service import verify
from coalescope.web.tracing import TRACER
from opentelemetry.sdk.trace import TracerProvider
from sqlalchemy.exc import OperationalError
from timeouts import TIMEOUT_S, wait_until

from ..durability.conftest import syncs_fail

MakeLog = Callable[..., bytes]
Send = Callable[[bytes], Receipt]
Begin = Callable[[], RpcProcess]
SendTurn = Callable[[Sequence[bytes]], list["Future[Receipt]"]]


@pytest.fixture
def keeper(client: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[IngestWorker]:
    state = client.app.state
    settings: Settings = state.settings
    if settings.database_url is not None or settings.object_store_url is not None:
        pytest.skip("a database server has processes of its own")
    monkeypatch.setattr(coalescope.untrusted.processes, "cpus", lambda: 2)
    monkeypatch.setattr(coalescope.untrusted.processes, "AGAIN_AFTER_S", 0)
    made = IngestWorker(state.database, settings)
    made.start()
    yield made
    made.close()


@pytest.fixture
def send(client: Any, keeper: IngestWorker) -> Send:
    """Has a log accepted; its name is the one before it plus one, who sent it is noted."""
    state, sent = client.app.state, iter(range(1000))
    read = ReadBeside(Reading(20, 256, Ending()), keeper)

    def accepted(content: bytes) -> Receipt:
        name = f"{next(sent)}.runlog"
        before = AUDIT_CONTEXT.set(AuditContext("a token", name))
        try:
            with state.object_store.stage() as staged:
                staged.write(content)
                request = UploadRequest(name)
                return service.accept(state.database, state.object_store, staged, request, read)
        finally:
            AUDIT_CONTEXT.reset(before)

    return accepted


@pytest.fixture
def send_turn(
    keeper: IngestWorker, send: Send, make_log: MakeLog, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SendTurn]:
    """Sends logs that are one turn of the process: they come while it is at work on another log."""
    monkeypatch.setattr(keeper, "_batcher", Batcher())  # not by halves
    with ThreadPoolExecutor(10) as pool:

        def sent(contents: Sequence[bytes]) -> list[Future[Receipt]]:
            assert keeper.process is not None
            pid = keeper.process._process.pid
            os.kill(pid, signal.SIGSTOP)
            try:
                pool.submit(send, make_log(experiment="before"))
                waiting = keeper._batcher._waiting
                wait_until(lambda: "" in waiting, "the first does not take the turn")
                answers = [pool.submit(send, content) for content in contents]
                wait_until(lambda: len(waiting[""]) == len(contents), "they do not wait")
            finally:
                os.kill(pid, signal.SIGCONT)
            return answers

        yield sent


@pytest.fixture
def meet(send: Send, make_log: MakeLog, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Lets two logs come at once, where no process is up."""

    def met() -> None:
        both = Barrier(2)

        def there(path: Path, request: UploadRequest) -> ParsedUpload:
            both.wait(TIMEOUT_S)
            return parse_run_log(path, request)

        with monkeypatch.context() as patched, ThreadPoolExecutor(2) as pool:
            patched.setattr(ingest_worker, "parse_run_log", there)
            receipts = list(pool.map(send, [make_log(), make_log()]))
        assert [receipt.outcome for receipt in receipts] == ["stored"] * 2

    return met


@pytest.fixture
def begin(keeper: IngestWorker, meet: Callable[[], None]) -> Begin:
    """Lets two logs meet; returns the process that is up after that."""

    def begun() -> RpcProcess:
        meet()
        wait_until(lambda: keeper.process and keeper.process.is_up, "it did not come up")
        assert keeper.process is not None
        return keeper.process

    return begun


@pytest.fixture
def stored_here(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many logs this process stores from now on, each time."""
    seen = []

    def noted(database: Any, store: Any, logs: Sequence[LogUpload]) -> list[Receipt | None]:
        seen.append(len(logs))
        return store_batch(database, store, logs)

    monkeypatch.setattr(service, "store_batch", noted)
    return seen


def runs_of(client: Any, slug: str = "lab") -> int:
    total: int = client.get(f"/api/experiments/{slug}/runs").json()["total"]
    return total


def test_who_comes_alone_begins_no_process(
    keeper: IngestWorker, send: Send, make_log: MakeLog, stored_here: list[int]
) -> None:
    assert send(make_log()).outcome == "stored"
    assert (stored_here, keeper.process) == ([1], None)


def test_the_process_stores_the_same(
    client: Any, begin: Begin, send_turn: SendTurn, make_log: MakeLog, stored_here: list[int]
) -> None:
    begin()
    stored_here.clear()
    contents = [make_log(replicate=number) for number in (5, 6, 7)]
    receipts = [answer.result() for answer in send_turn(contents)]
    assert not stored_here
    assert [[run.replicate for run in receipt.runs] for receipt in receipts] == [[5], [6], [7]]
    for content, receipt in zip(contents, receipts, strict=True):
        name = receipt.upload.filename
        again = client.upload(content, name)
        assert (again.status_code, again.json()["outcome"]) == (200, "known")
        assert again.json()["created_at"] == receipt.upload.created_at
        run = client.get(f"/api/runs/{receipt.runs[0].uid}").json()
        assert run["history"][0]["reason"] == f"uploaded as {name}"
    assert runs_of(client) == 5
    with client.app.state.database.read() as connection:
        noted = connection.execute(sa.select(changes.c.who, changes.c.what)).all()
    of_uploads = sorted(what for who, what in noted if who == "a token")
    names = [what.rpartition(" uploaded as ")[2] for what in of_uploads]
    assert sorted(names) == [f"{number}.runlog" for number in range(6)], "who sent it is noted"
    assert [what for what in of_uploads if not re.match(r"\S+: run \S+ uploaded", what)] == []


def test_what_cannot_be_stored_in_its_turn_is_looked_at_alone(
    client: Any, begin: Begin, send: Send, send_turn: SendTurn, make_log: MakeLog
) -> None:
    begin()
    stored = make_log(run_id="00000000-0000-4000-8000-000000000001", replicate=1)
    assert send(stored).outcome == "stored"
    contradicts = make_log(run_id="00000000-0000-4000-8000-000000000001", replicate=2)
    damaged = bytearray(make_log())
    damaged[len(damaged) // 2] ^= 1
    new, refused, unread, same = send_turn(
        [make_log(), contradicts, bytes(damaged), (twice := make_log())]
    )
    assert [one.result().outcome for one in (new, same)] == ["stored"] * 2
    with pytest.raises(CoalescopeError) as error:
        refused.result()
    assert error.value.status == 409
    with pytest.raises(CoalescopeError) as error:
        unread.result()
    assert error.value.status == 422
    assert send(twice).outcome == "known"
    assert runs_of(client) == 5


def test_what_comes_twice_in_one_turn_is_stored_once(
    client: Any, begin: Begin, send_turn: SendTurn, make_log: MakeLog
) -> None:
    begin()
    log, uid = make_log(), "00000000-0000-4000-8000-000000000001"
    contradicting = [make_log(run_id=uid, replicate=number) for number in (1, 2)]
    *same, one, other = send_turn([log, log, log, *contradicting])
    assert sorted(answer.result().outcome for answer in same) == ["known", "known", "stored"]
    refused = [error for answer in (one, other) if (error := answer.exception()) is not None]
    assert [error.status for error in refused if isinstance(error, CoalescopeError)] == [409]
    assert runs_of(client) == 4
    report = verify(client.app.state.database, client.app.state.object_store)
    assert (report.files, report.faults, report.leftovers) == (5, [], [])


def test_experiments_of_one_turn_are_stored_apart(
    client: Any,
    begin: Begin,
    send: Send,
    send_turn: SendTurn,
    make_log: MakeLog,
    stored_here: list[int],
) -> None:
    begin()
    stored = make_log(experiment="one", run_id="00000000-0000-4000-8000-000000000001")
    send(stored)
    stored_here.clear()
    spoilt = make_log(experiment="one", run_id="00000000-0000-4000-8000-000000000001", replicate=2)
    names = ("one", "another", "a-third", "another")
    answers = send_turn([spoilt, *(make_log(experiment=name) for name in names)])
    assert [answer.result().upload.slug for answer in answers[1:]] == list(names)
    with pytest.raises(CoalescopeError):
        answers[0].result()
    assert [runs_of(client, name) for name in ("one", "another", "a-third")] == [2, 2, 1]
    assert sum(stored_here) == 2, "the spoilt one, and who shared its experiment"


def test_what_the_disk_refuses_is_raised_here(
    client: Any, begin: Begin, send_turn: SendTurn, make_log: MakeLog, stored_here: list[int]
) -> None:
    begin()
    stored_here.clear()
    before = runs_of(client)
    logs: Path = client.app.state.object_store.root
    folders = [logs / f"{first:02x}" for first in range(256)]
    for folder in folders:  # a file is in the way of each folder
        if not folder.exists():
            folder.touch()
    for answer in send_turn([make_log() for _ in range(9)]):
        with pytest.raises(OSError, match=str(logs)):
            answer.result()
    assert runs_of(client) == before
    assert not stored_here, "it is not tried again"


def test_bytes_that_are_not_on_disk_are_not_stored(
    client: Any,
    begin: Begin,
    keeper: IngestWorker,
    send: Send,
    make_log: MakeLog,
    monkeypatch: pytest.MonkeyPatch,
    stored_here: list[int],
) -> None:
    process = begin()
    stored_here.clear()
    sent = make_log()

    def fails(_: int) -> None:
        raise OSError(errno.EIO, "the disk")

    with monkeypatch.context() as patched:
        patched.setattr(object_store, "sync_file", fails)
        with pytest.raises(OSError, match="the disk"):
            send(sent)
    assert runs_of(client) == 2
    assert send(sent).outcome == "stored"
    assert (stored_here, keeper.process) == ([], process), "by the process, then as before"


def test_a_store_that_another_holds_for_too_long_is_busy(
    client: Any,
    begin: Begin,
    keeper: IngestWorker,
    send: Send,
    send_turn: SendTurn,
    make_log: MakeLog,
    stored_here: list[int],
) -> None:
    data_dir: Path = client.app.state.settings.data_dir
    impatient = "from coalescope.db import engine; engine._BUSY_SECONDS = 1; "
    main = "from coalescope.uploads.ingest_worker import main; main()"
    keeper._command = python(impatient + main, str(data_dir))
    process = begin()
    stored_here.clear()
    contents = [make_log(experiment=name) for name in ("one", "one", "another")]
    with closing(pysqlite3.dbapi2.connect(data_dir / "coalescope.sqlite")) as other:
        other.execute("BEGIN IMMEDIATE")
        for answer in send_turn(contents):
            with pytest.raises(OperationalError, match="locked"):
                answer.result()
    assert [send(content).outcome for content in contents] == ["stored"] * 3
    assert (stored_here, keeper.process) == ([], process), "the process is still there"


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_rows_that_are_not_on_disk_are_not_said_to_be_stored(
    client: Any,
    begin: Begin,
    keeper: IngestWorker,
    send: Send,
    make_log: MakeLog,
    stored_here: list[int],
) -> None:
    process = begin()
    stored_here.clear()
    sent = [make_log(), make_log()]
    wal: Path = client.app.state.settings.data_dir / "coalescope.sqlite-wal"
    failing = ("-e", "inject=fsync,fdatasync:error=EIO", "-P", str(wal))
    with syncs_fail(process._process.pid, *failing):
        for content in sent:
            with pytest.raises(OperationalError, match="disk"):
                send(content)
    assert runs_of(client) == 2
    assert [send(content).outcome for content in sent] == ["stored"] * 2, "control: it was the disk"
    assert (stored_here, keeper.process) == ([], process), "and the process is still there"


# Ends itself, or stops, when the files are in their places, or when the rows are committed too.
AT = {
    "files are there": (
        "from coalescope.storage.object_store import DirectoryObjectStore as place; "
        "name = 'commit_all'"
    ),
    "rows are there": "from coalescope.uploads import ingest_worker as place; name = 'store_batch'",
}
AFTER_THAT = """
import os, signal
real = getattr(place, name)
def last(*given):
    real(*given)
    os.kill(os.getpid(), signal.{})
setattr(place, name, last)
from coalescope.uploads.ingest_worker import main
main()
"""


def mutant(keeper: IngestWorker, client: Any, when: str, what: str) -> None:
    data_dir = str(client.app.state.settings.data_dir)
    keeper._command = python(f"{AT[when]}{AFTER_THAT.format(what)}", data_dir)


@pytest.mark.parametrize(
    ("when", "outcome"), [("files are there", "stored"), ("rows are there", "known")]
)
def test_what_was_sent_when_the_process_ended_is_stored_once(
    client: Any,
    begin: Begin,
    keeper: IngestWorker,
    send: Send,
    make_log: MakeLog,
    when: str,
    outcome: str,
) -> None:
    mutant(keeper, client, when, "SIGKILL")
    begin()
    sent = make_log()
    with pytest.raises(CoalescopeError, match="ended") as refused:
        send(sent)
    assert refused.value.status == 503
    assert client.upload(sent).json()["outcome"] == outcome
    assert runs_of(client) == 3
    report = verify(client.app.state.database, client.app.state.object_store)
    assert (report.files, report.runs, report.faults, report.leftovers) == (3, 3, [], [])


@pytest.mark.parametrize("when", AT)
def test_of_many_that_come_as_it_ends_each_is_stored_or_told_to_come_again(
    client: Any,
    begin: Begin,
    keeper: IngestWorker,
    send: Send,
    make_log: MakeLog,
    when: str,
) -> None:
    mutant(keeper, client, when, "SIGKILL")
    begin()
    sent = [make_log() for _ in range(12)]

    def stored(content: bytes) -> bool:
        try:
            return send(content).outcome == "stored"
        except CoalescopeError as error:
            assert (error.status, error.code) == (503, "interrupted")
            return False

    with ThreadPoolExecutor(4) as pool:
        acknowledged = list(pool.map(stored, sent))
    assert not all(acknowledged), "control: it ended over some of them"
    answers = [client.upload(content).json()["outcome"] for content in sent]
    assert all(
        answer == "known" for answer, was in zip(answers, acknowledged, strict=True) if was
    ), "what was acknowledged is there"
    assert runs_of(client) == 2 + len(sent)
    report = verify(client.app.state.database, client.app.state.object_store)
    assert (report.files, report.faults, report.leftovers) == (2 + len(sent), [], [])


def test_a_process_that_hangs_as_it_stores_is_ended(
    client: Any,
    begin: Begin,
    keeper: IngestWorker,
    send: Send,
    make_log: MakeLog,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mutant(keeper, client, "files are there", "SIGSTOP")
    process = begin()._process
    monkeypatch.setattr(ingest_worker, "STORE_S", 0.3)
    sent = make_log()
    with pytest.raises(CoalescopeError, match="ended"):
        send(sent)
    assert process.poll() is not None
    assert send(sent).outcome == "stored"


def test_one_that_ends_before_it_stores_costs_nobody_an_error(
    begin: Begin,
    send: Send,
    make_log: MakeLog,
    monkeypatch: pytest.MonkeyPatch,
    stored_here: list[int],
) -> None:
    process = begin()._process
    stored_here.clear()
    monkeypatch.setattr(ingest_worker, "READ_S", 0.3)
    os.kill(process.pid, signal.SIGSTOP)
    with ThreadPoolExecutor(4) as pool:
        receipts = list(pool.map(send, [make_log() for _ in range(4)], timeout=TIMEOUT_S))
    assert [receipt.outcome for receipt in receipts] == ["stored"] * 4
    assert sum(stored_here) == 4
    assert process.poll() is not None


def test_where_spans_are_collected_the_server_stores(
    begin: Begin, send: Send, make_log: MakeLog, stored_here: list[int]
) -> None:
    begin()
    stored_here.clear()
    before = TRACER.set(TracerProvider().get_tracer("tests"))
    try:
        assert send(make_log()).outcome == "stored"
    finally:
        TRACER.reset(before)
    assert stored_here == [1]


def test_one_that_ended_while_nobody_asked_is_asked_nothing(
    begin: Begin, send: Send, make_log: MakeLog, stored_here: list[int]
) -> None:
    process = begin()
    stored_here.clear()
    os.kill(process._process.pid, signal.SIGKILL)
    wait_until(lambda: process.has_ended, "it is still there")
    assert send(make_log()).outcome == "stored"
    assert stored_here == [1]
    again = begin()
    assert again is not process, "another one takes its place"


NOT_UP = {
    "it ends": "raise SystemExit(1)",
    "it is killed": "import os; os.kill(os.getpid(), 9)",
    "it hangs": "import time; time.sleep(600)",
    "it says something else": "import time; print('good morning', flush=True); time.sleep(600)",
}


@pytest.mark.parametrize("how", NOT_UP)
def test_one_that_does_not_come_up_costs_nobody_an_error_and_is_begun_again(
    keeper: IngestWorker,
    meet: Callable[[], None],
    begin: Begin,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    how: str,
) -> None:
    sound = keeper._command
    keeper._command = python(NOT_UP[how])
    with monkeypatch.context() as patched:
        patched.setattr(
            coalescope.untrusted.processes, "UP_WITHIN_S", 0.3 if how == "it hangs" else 60
        )
        meet()
        wait_until(lambda: "did not come up" in caplog.text, "nobody says so")
        wait_until(lambda: not keeper.process or keeper.process.has_ended, "it is still there")
    keeper._command = sound
    assert begin().is_up


def test_one_that_does_not_come_up_is_not_begun_again_and_again(
    keeper: IngestWorker,
    meet: Callable[[], None],
    begin: Begin,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(coalescope.untrusted.processes, "AGAIN_AFTER_S", 600)
    sound = keeper._command
    keeper._command = python(NOT_UP["it ends"])
    meet()
    wait_until(lambda: "did not come up" in caplog.text, "nobody says so")
    wait_until(lambda: not keeper.process or keeper.process.has_ended, "it is still there")
    keeper._command = sound
    for _ in range(3):
        meet()
    assert keeper.process is None, "the time for another has not come"
    keeper._again_from_s -= 600
    assert begin().is_up


def test_it_knows_no_secrets_and_ends_with_its_owner(
    keeper: IngestWorker,
    begin: Begin,
    send: Send,
    make_log: MakeLog,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COALESCOPE_TOKEN", "secret")
    begun = begin()._process
    assert b"secret" not in Path(f"/proc/{begun.pid}/environ").read_bytes()
    keeper.close()
    assert begun.poll() is not None
    assert send(make_log()).outcome == "stored"
