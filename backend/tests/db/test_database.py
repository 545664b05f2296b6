# SPDX-License-Identifier: Apache-2.0
"""Transactions: durable settings, writes that queue, commits before the answer."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any

import pysqlite3.dbapi2
import pytest
import sqlalchemy as sa
from coalescope.db import engine as database_module
from coalescope.db.engine import SQLITE_NAME, Database, open_database
from coalescope.db.tables import links
from coalescope.errors import CoalescopeError
from coalescope.settings import Settings
from coalescope.store import open_store
from coalescope.web.connections import WriteConnection, write_connection
from fastapi import Depends
from sqlalchemy.exc import OperationalError
from timeouts import TIMEOUT_S


def add_link(connection: sa.Connection, token: str) -> None:
    row = {"token": token, "path": f"/{token}", "created_at": "now"}
    connection.execute(sa.insert(links).values(row))


def tokens(database: Database) -> list[str]:
    with database.read() as connection:
        return sorted(connection.scalars(sa.select(links.c.token)))


def test_commits_are_durable_and_references_are_checked(database: Database) -> None:
    wanted = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}
    with database.read() as connection:
        for name, value in wanted.items():
            assert connection.exec_driver_sql(f"PRAGMA {name}").scalar() == value


def test_writes_take_the_lock_at_once(database: Database) -> None:
    statements: list[str] = []
    sa.event.listen(
        database.engine, "before_cursor_execute", lambda *event: statements.append(event[2])
    )
    with database.write() as connection:
        add_link(connection, "a")
    with database.read() as connection:
        connection.execute(sa.select(links)).all()
    begins = [text for text in statements if text.startswith("BEGIN")]
    assert begins == ["BEGIN IMMEDIATE", "BEGIN"]


def test_a_failed_write_leaves_nothing(database: Database) -> None:
    def fail() -> None:
        with database.write() as connection:
            add_link(connection, "a")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert tokens(database) == []


def count_up(writes: Callable[[], Any], all_have_read: threading.Barrier | None) -> None:
    for _ in range(1 if all_have_read else 10):
        with writes() as connection:
            count = len(connection.execute(sa.select(links)).all())
            if all_have_read:
                all_have_read.wait(TIMEOUT_S)
            add_link(connection, str(count))


def count_with_threads(
    writes: Callable[[], Any], all_have_read: threading.Barrier | None = None
) -> list[Exception]:
    """Threads that read, then write what they read: lost updates and lock errors show.

    `all_have_read`: they wait for each other in between, where nothing else makes them.
    """
    errors: list[Exception] = []

    def work() -> None:
        try:
            count_up(writes, all_have_read)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def test_concurrent_writes_queue(database: Database) -> None:
    assert count_with_threads(database.write) == []
    assert len(tokens(database)) == 40


def test_writers_of_one_process_do_not_wait_in_sqlite(database: Database, tmp_path: Path) -> None:
    """SQLite waits by sleeping up to 100 ms at a time; here it is told not to wait at all."""

    def without_waiting(opened: Database) -> Database:
        opened.close()  # connections that wait
        sa.event.listen(
            opened.engine, "connect", lambda raw, _: raw.execute("PRAGMA busy_timeout=0")
        )
        return opened

    mine = without_waiting(database)
    assert count_with_threads(mine.write) == []
    assert len(tokens(mine)) == 40
    # control: in a queue of its own, SQLite has to say that it is locked
    other = without_waiting(open_database(None, tmp_path))
    with mine.write(), pytest.raises(OperationalError, match="locked"), other.write():
        pass
    other.close()


def test_without_immediate_they_do_not(database: Database) -> None:
    """Negative control: deferred transactions fail when they upgrade their lock."""
    errors = count_with_threads(database.read, threading.Barrier(4))
    assert [type(error) for error in errors] == [OperationalError] * 3


def failing_commit(connection: sa.Connection) -> None:
    raise RuntimeError("the disk is full")


@pytest.mark.parametrize(("scope", "status"), [("function", 500), ("request", 201)])
def test_the_answer_waits_for_the_commit(client: Any, scope: Any, status: int) -> None:
    """With the default scope (the mutant) a failed commit is answered 201."""

    @client.app.post("/api/mutant", status_code=201)
    def add(
        connection: Annotated[sa.Connection, Depends(write_connection, scope=scope)],
    ) -> None:
        add_link(connection, "a")

    sa.event.listen(client.app.state.database.engine, "commit", failing_commit)
    try:
        answer = client.post("/api/mutant")
    except RuntimeError:
        answer = None  # the response had started
    finally:
        sa.event.remove(client.app.state.database.engine, "commit", failing_commit)
    if answer is not None:
        assert answer.status_code == status
    else:
        assert status == 201
    assert tokens(client.app.state.database) == []


def test_endpoints_write_in_function_scope() -> None:
    depends = WriteConnection.__metadata__[0]  # type: ignore[attr-defined]
    assert depends.scope == "function"


def test_an_unsafe_sqlite_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        database_module.pysqlite3.dbapi2, "sqlite_version_info", (3, 40, 1), raising=True
    )
    with pytest.raises(CoalescopeError, match=r"3\.40\.1 can lose committed data"):
        open_database(None, tmp_path)


def test_what_is_read_at_once_is_what_was_committed_last(
    database: Database, tmp_path: Path
) -> None:
    """On one connection: it stays in no transaction, so it sees what others commit."""
    other = open_database(None, tmp_path)
    named = "SELECT token FROM links WHERE token = ?"
    assert database.at_once(named, "a") == []
    with other.write() as connection:
        add_link(connection, "a")
        assert database.at_once(named, "a") == [], "not committed yet, and not waited for"
    assert database.at_once(named, "a") == [("a",)]
    other.close()


def test_nobody_waits_for_what_is_read_at_once(database: Database, tmp_path: Path) -> None:
    named = "SELECT token FROM links"
    alone = pysqlite3.dbapi2.connect(tmp_path / SQLITE_NAME, isolation_level=None)
    assert database.at_once(named) == []
    database.close()
    # keeps readers out too
    alone.execute("PRAGMA locking_mode=EXCLUSIVE")
    alone.execute("BEGIN IMMEDIATE")
    start = time.monotonic()
    assert database.at_once(named) is None
    assert time.monotonic() - start < 25, "30 s is what others wait"
    alone.execute("COMMIT")
    alone.close()
    assert database.at_once(named) == [], "control: it was the lock"


def test_any_thread_reads_at_once_and_none_waits_for_another(database: Database) -> None:
    named = "SELECT token FROM links"
    assert database.at_once(named) == []
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(database.at_once, named).result() == []
        with database._at_once_turn:
            assert pool.submit(database.at_once, named).result(TIMEOUT_S) is None


@pytest.fixture
def locked_out(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Database]:
    """A reader of a folder that it cannot write, opened while nobody writes."""
    database.close()
    monkeypatch.setattr(database_module.os, "access", lambda _path, mode: mode != os.W_OK)
    opened = open_database(None, tmp_path, for_reading=True)
    yield opened
    opened.close()


def test_who_cannot_write_sees_what_others_wrote(database: Database, locked_out: Database) -> None:
    assert tokens(locked_out) == []
    with database.write() as connection:
        add_link(connection, "a")
    assert tokens(locked_out) == ["a"], "in the log beside the database"
    database.close()
    assert tokens(locked_out) == ["a"], "in the database"
    with database.write() as connection:
        add_link(connection, "b")
    database.close()
    assert tokens(locked_out) == ["a", "b"]
    assert locked_out.at_once("SELECT token FROM links") is None, "no connection is kept"


@pytest.mark.parametrize("goes", [False, True])
def test_what_was_read_while_a_writer_came_is_not_relied_on(
    database: Database, locked_out: Database, goes: bool
) -> None:
    with pytest.raises(CoalescopeError, match="while it was read"), locked_out.read():
        with database.write() as connection:
            add_link(connection, "a")
        if goes:
            database.close()
    assert tokens(locked_out) == ["a"]


def test_what_was_read_beside_a_writer_is_one_state(
    database: Database, locked_out: Database
) -> None:
    with database.write() as connection:
        add_link(connection, "a")
    with locked_out.read() as reading:
        assert len(reading.execute(sa.select(links)).all()) == 1
        with database.write() as connection:
            add_link(connection, "b")
        assert len(reading.execute(sa.select(links)).all()) == 1
    assert tokens(locked_out) == ["a", "b"]


def test_a_database_is_not_made_where_a_link_leads(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / SQLITE_NAME).symlink_to(victim)
    with pytest.raises(CoalescopeError, match="is a symbolic link"):
        open_store(Settings(data_dir=tmp_path / "data", datasets_dir=None))
    assert not victim.exists()
