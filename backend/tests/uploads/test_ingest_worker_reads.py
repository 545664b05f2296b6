# SPDX-License-Identifier: Apache-2.0
"""A process reads logs beside the server's: the same is found, and nobody depends on it."""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import coalescope.untrusted.processes
import pytest
import sqlalchemy as sa
from children import children_of
from coalescope.db.engine import Database
from coalescope.errors import CoalescopeError
from coalescope.settings import Settings
from coalescope.storage.object_store import SyncedFile
from coalescope.untrusted.processes import WorkerDiedError, cpus
from coalescope.uploads import ingest_worker
from coalescope.uploads.ingest_worker import IngestWorker
from coalescope.uploads.parsed_upload import ParsedUpload, UploadRequest
from coalescope.uploads.receipt import Receipt
from coalescope.uploads.run_logs import parse_run_log
from timeouts import TIMEOUT_S, wait_until

MakeLog = Callable[..., bytes]
REQUEST = UploadRequest("a.runlog")
# a process that only reads: rows go to a database server, which nobody here asks
SETTINGS = Settings(database_url="postgresql+psycopg://nobody@localhost/none")
ELSEWHERE = Database(sa.create_engine("sqlite://"))


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[IngestWorker]:
    monkeypatch.setattr(coalescope.untrusted.processes, "cpus", lambda: 2)
    monkeypatch.setattr(coalescope.untrusted.processes, "AGAIN_AFTER_S", 0)
    made = IngestWorker(ELSEWHERE, SETTINGS)
    made.start()
    yield made
    made.close()


@pytest.fixture
def log(tmp_path: Path, make_log: MakeLog) -> Path:
    path = tmp_path / "a.part"
    path.write_bytes(make_log())
    return path


@pytest.fixture
def read_here(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The logs that this process reads from now on."""
    seen = []

    def noted(path: Path, request: UploadRequest) -> ParsedUpload:
        seen.append(path)
        return parse_run_log(path, request)

    monkeypatch.setattr(ingest_worker, "parse_run_log", noted)
    return seen


def take(reader: IngestWorker, log: Path) -> ParsedUpload | Receipt:
    return reader(SyncedFile(log, log.stat().st_size, "of no interest"), REQUEST)


def begin(reader: IngestWorker, log: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Let two logs come at once; returns the process that is up after that."""
    before, both = children_of(os.getpid()), Barrier(2)

    def met(path: Path, request: UploadRequest) -> ParsedUpload:
        both.wait(TIMEOUT_S)
        return parse_run_log(path, request)

    with monkeypatch.context() as patched, ThreadPoolExecutor(2) as pool:
        patched.setattr(ingest_worker, "parse_run_log", met)
        list(pool.map(lambda _: take(reader, log), range(2)))
    # its thread ends: nobody's child for a moment
    (begun,) = wait_until(lambda: children_of(os.getpid()) - before, "none was begun")
    wait_until(lambda: reader.process and reader.process.is_up, "it did not come up")
    return begun


def test_what_comes_alone_is_read_here(
    reader: IngestWorker, log: Path, read_here: list[Path]
) -> None:
    before = children_of(os.getpid())
    assert take(reader, log) == parse_run_log(log, REQUEST)
    assert (read_here, children_of(os.getpid())) == ([log], before)


def test_the_process_finds_the_same(
    reader: IngestWorker, log: Path, read_here: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(reader, log, monkeypatch)
    expected = parse_run_log(log, REQUEST)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: take(reader, log), range(50)))
    assert found == [expected] * 50
    assert not read_here


def test_what_is_damaged_is_refused_in_the_same_words(
    reader: IngestWorker, log: Path, read_here: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(reader, log, monkeypatch)
    content = bytearray(log.read_bytes())
    content[len(content) // 2] ^= 1
    log.write_bytes(content)
    with pytest.raises(CoalescopeError) as here:
        parse_run_log(log, REQUEST)
    with pytest.raises(CoalescopeError) as there:
        take(reader, log)
    assert there.value.as_json() == here.value.as_json()
    assert read_here == [log]


def test_a_large_log_is_read_here(
    reader: IngestWorker, log: Path, read_here: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(reader, log, monkeypatch)
    monkeypatch.setattr(ingest_worker, "LARGEST_BYTES", log.stat().st_size - 1)
    take(reader, log)
    assert read_here == [log]


def test_where_the_process_ends_the_log_is_read_here(
    reader: IngestWorker, log: Path, read_here: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = begin(reader, log, monkeypatch)
    os.kill(begun, signal.SIGKILL)
    assert take(reader, log) == parse_run_log(log, REQUEST)
    assert read_here == [log]
    assert begin(reader, log, monkeypatch) != begun, "another one takes its place"


def test_a_log_at_which_the_process_hangs_stops_nobody(
    reader: IngestWorker, log: Path, read_here: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = begin(reader, log, monkeypatch)
    monkeypatch.setattr(ingest_worker, "READ_S", 0.3)
    os.kill(begun, signal.SIGSTOP)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: take(reader, log), range(4), timeout=TIMEOUT_S))
    assert found == [parse_run_log(log, REQUEST)] * 4
    assert len(read_here) == 4
    assert begun not in children_of(os.getpid())


def test_where_it_ended_as_it_answered_the_log_is_read_here(
    reader: IngestWorker, log: Path, read_here: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(reader, log, monkeypatch)

    def ended(*_: object) -> None:
        raise WorkerDiedError("half of it was said", has_answered=True)

    monkeypatch.setattr(reader.process, "ask", ended)
    assert take(reader, log) == parse_run_log(log, REQUEST)
    assert read_here == [log]


def test_processors_are_those_that_this_process_may_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3})
    monkeypatch.setattr(coalescope.untrusted.processes, "_CGROUP", tmp_path)
    assert cpus() == 4
    for limit, expected in (("max 100000", 4), ("150000 100000", 1.5), ("800000 100000", 4)):
        (tmp_path / "cpu.max").write_text(f"{limit}\n")
        assert cpus() == expected
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3})
    assert cpus() == 1


def test_it_ends_with_its_owner_and_knows_no_secrets(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COALESCOPE_TOKEN", "secret")
    monkeypatch.setattr(coalescope.untrusted.processes, "cpus", lambda: 2)
    reader = IngestWorker(ELSEWHERE, SETTINGS)
    reader.start()
    begun = begin(reader, log, monkeypatch)
    assert b"secret" not in Path(f"/proc/{begun}/environ").read_bytes()
    reader.close()
    assert begun not in children_of(os.getpid())
    assert take(reader, log) == parse_run_log(log, REQUEST)
    assert begun not in children_of(os.getpid())
    assert take(reader, log) == parse_run_log(log, REQUEST)
