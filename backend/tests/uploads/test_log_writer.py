# SPDX-License-Identifier: Apache-2.0
"""A process stores logs beside the server's: the same is stored, and its end is no silent loss."""

import os
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import coalescope.processes
import pytest
import sqlalchemy as sa
from coalescope.database import Cause, changes
from coalescope.errors import CoalescopeError
from coalescope.processes import AnsweringProcess, python
from coalescope.settings import Settings
from coalescope.tracing import TRACER
from coalescope.uploads import log_writer
from coalescope.uploads.incoming import UploadRequest
from coalescope.uploads.log_writer import LogWriter
from coalescope.uploads.logs_together import LogUpload, store_together
from coalescope.uploads.receipt import Receipt
from coalescope.uploads.run_logs import understand_run_log
from coalescope.verification.service import verify
from opentelemetry.sdk.trace import TracerProvider
from patience import wait_until
from sqlalchemy.exc import OperationalError

from ..durability.conftest import syncs_fail

MakeLog = Callable[..., bytes]
Keep = Callable[[Sequence[bytes]], Sequence[Receipt | None]]


@pytest.fixture
def writer(client: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[LogWriter]:
    settings: Settings = client.app.state.settings
    if settings.database_url is not None or settings.object_store_url is not None:
        pytest.skip("a database server has processes of its own")
    monkeypatch.setattr(coalescope.processes, "cpus", lambda: 2)
    made = LogWriter(settings)
    made.start()
    yield made
    made.close()


@pytest.fixture
def keep(client: Any, writer: LogWriter) -> Keep:
    """Stores logs as uploads that met."""
    state = client.app.state

    def kept(contents: Sequence[bytes]) -> Sequence[Receipt | None]:
        with ExitStack() as staging:
            logs = []
            for number, content in enumerate(contents):
                staged = staging.enter_context(state.object_store.stage())
                staged.write(content)
                request = UploadRequest(f"{number}.runlog")
                incoming = understand_run_log(staged.path, request)
                logs.append(LogUpload(staged, request, incoming, Cause("a token", str(number))))
            return writer(state.database, state.object_store, logs)

    return kept


def up(writer: LogWriter, keep: Keep, make_log: MakeLog) -> AnsweringProcess:
    """Let two logs meet; the process that is up after that."""
    assert None not in keep([make_log(), make_log()])
    wait_until(lambda: writer.process and writer.process.is_up, "it did not come up")
    assert writer.process is not None
    return writer.process


@pytest.fixture
def stored_here(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many logs this process stores from now on, each time."""
    seen = []

    def noted(database: Any, store: Any, logs: Sequence[LogUpload]) -> list[Receipt | None]:
        seen.append(len(logs))
        return store_together(database, store, logs)

    monkeypatch.setattr(log_writer, "store_together", noted)
    return seen


def test_who_comes_alone_begins_no_process(
    writer: LogWriter, keep: Keep, make_log: MakeLog, stored_here: list[int]
) -> None:
    assert None not in keep([make_log()])
    assert (stored_here, writer.process) == ([1], None)


def test_the_process_stores_the_same(
    client: Any, writer: LogWriter, keep: Keep, make_log: MakeLog, stored_here: list[int]
) -> None:
    up(writer, keep, make_log)
    contents = [make_log(replicate=number) for number in (5, 6, 7)]
    receipts = keep(contents)
    assert stored_here == [2], "those that it was begun with, and no others"
    assert [[run.replicate for run in receipt.runs] for receipt in receipts if receipt] == [
        [5],
        [6],
        [7],
    ]
    for number, (content, receipt) in enumerate(zip(contents, receipts, strict=True)):
        assert receipt is not None
        again = client.upload(content, f"{number}.runlog")
        assert (again.status_code, again.json()["outcome"]) == (200, "known")
        assert again.json()["created_at"] == receipt.upload.created_at
        run = client.get(f"/api/runs/{receipt.runs[0].uid}").json()
        assert run["history"][0]["reason"] == f"uploaded as {number}.runlog"
    assert client.get("/api/experiments/lab/runs").json()["total"] == 5
    with client.app.state.database.read() as connection:
        noted = connection.execute(sa.select(changes.c.who, changes.c.what)).all()
    of_uploads = [what for who, what in noted if who == "a token"]
    assert of_uploads == ["0", "1", "0", "1", "2"], "who sent it is noted with it"


def test_a_log_that_is_stored_already_is_left_to_be_looked_at_alone(
    writer: LogWriter, keep: Keep, make_log: MakeLog
) -> None:
    up(writer, keep, make_log)
    stored = make_log()
    assert None not in keep([stored])
    assert keep([stored, make_log()]) == [None, None]


def test_what_the_disk_refuses_is_raised_here(
    client: Any, writer: LogWriter, keep: Keep, make_log: MakeLog
) -> None:
    up(writer, keep, make_log)
    before = client.get("/api/experiments/lab/runs").json()["total"]
    logs: Path = client.app.state.object_store.root
    folders = [logs / f"{first:02x}" for first in range(256)]
    for folder in folders:  # a file is in the way of each folder
        if not folder.exists():
            folder.touch()
    with pytest.raises(OSError, match=str(logs)):
        keep([make_log() for _ in range(9)])
    assert client.get("/api/experiments/lab/runs").json()["total"] == before


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_rows_that_are_not_on_disk_are_not_said_to_be_stored(
    client: Any, writer: LogWriter, keep: Keep, make_log: MakeLog, stored_here: list[int]
) -> None:
    process = up(writer, keep, make_log)
    sent = [make_log(), make_log()]
    wal: Path = client.app.state.settings.data_dir / "coalescope.sqlite-wal"
    failing = ("-e", "inject=fsync,fdatasync:error=EIO", "-P", str(wal))
    with syncs_fail(process._process.pid, *failing), pytest.raises(OperationalError, match="disk"):
        keep(sent)
    assert client.get("/api/experiments/lab/runs").json()["total"] == 2
    assert None not in keep(sent), "control: it was the disk"
    assert (stored_here, writer.process) == ([2], process), "and the process is still there"


# Ends itself when the files are in their places, or when the rows are committed too.
DIES = {
    "files are there": (
        "from coalescope.object_store import DirectoryObjectStore as place; name = 'commit_all'"
    ),
    "rows are there": "from coalescope.uploads import log_writer as place; name = 'store_together'",
}
AFTER_THAT = """
import os, signal
real = getattr(place, name)
def last(*given):
    real(*given)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(place, name, last)
from coalescope.uploads.log_writer import main
main()
"""


@pytest.mark.parametrize(
    ("when", "outcome"), [("files are there", "stored"), ("rows are there", "known")]
)
def test_what_was_sent_when_the_process_ended_is_stored_once(
    client: Any, writer: LogWriter, keep: Keep, make_log: MakeLog, when: str, outcome: str
) -> None:
    data_dir = str(client.app.state.settings.data_dir)
    writer._command = python(f"{DIES[when]}{AFTER_THAT}", data_dir)
    up(writer, keep, make_log)
    sent = [make_log(), make_log()]
    with pytest.raises(CoalescopeError, match="ended") as refused:
        keep(sent)
    assert refused.value.status == 503
    assert [client.upload(one).json()["outcome"] for one in sent] == [outcome] * 2
    assert client.get("/api/experiments/lab/runs").json()["total"] == 4
    report = verify(client.app.state.database, client.app.state.object_store)
    assert (report.files, report.runs, report.faults, report.leftovers) == (4, 4, [], [])


def test_where_spans_are_collected_the_server_stores(
    writer: LogWriter, keep: Keep, make_log: MakeLog, stored_here: list[int]
) -> None:
    before = TRACER.set(TracerProvider().get_tracer("tests"))
    try:
        assert None not in keep([make_log(), make_log()])
    finally:
        TRACER.reset(before)
    assert (stored_here, writer.process) == ([2], None)


def test_one_that_ended_while_nobody_asked_is_asked_nothing(
    writer: LogWriter, keep: Keep, make_log: MakeLog, stored_here: list[int]
) -> None:
    process = up(writer, keep, make_log)
    os.kill(process._process.pid, signal.SIGKILL)
    wait_until(lambda: process.has_ended, "it is still there")
    assert None not in keep([make_log()])
    assert stored_here == [2, 1]
    assert up(writer, keep, make_log) is not process, "another one takes its place"


def test_a_process_that_hangs_is_ended(
    writer: LogWriter, keep: Keep, make_log: MakeLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = up(writer, keep, make_log)._process
    monkeypatch.setattr(log_writer, "ANSWER_S", 0.3)
    os.kill(process.pid, signal.SIGSTOP)
    sent = [make_log()]
    with pytest.raises(CoalescopeError, match="ended"):
        keep(sent)
    assert process.poll() is not None
    assert None not in keep(sent)


def test_it_knows_no_secrets_and_ends_with_its_owner(
    writer: LogWriter, keep: Keep, make_log: MakeLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COALESCOPE_TOKEN", "secret")
    begun = up(writer, keep, make_log)._process
    assert b"secret" not in Path(f"/proc/{begun.pid}/environ").read_bytes()
    writer.close()
    assert begun.poll() is not None
    assert None not in keep([make_log(), make_log()])
