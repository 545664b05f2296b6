# SPDX-License-Identifier: Apache-2.0
"""Transactions: durable settings, writes that queue, commits before the answer."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
import sqlalchemy as sa
from coalescope import database as database_module
from coalescope.database import Database, WriteConnection, links, open_database, write_connection
from coalescope.errors import CoalescopeError
from coalescope.migrations import migrate
from fastapi import Depends


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(None, tmp_path)
    migrate(opened)
    yield opened
    opened.close()


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


def count_up(database: Database, writes: Callable[[], Any], times: int) -> None:
    for _ in range(times):
        with writes() as connection:
            count = len(connection.execute(sa.select(links)).all())
            add_link(connection, str(count))


def count_with_threads(database: Database, writes: Callable[[], Any]) -> list[Exception]:
    """Threads that read, then write what they read: lost updates and lock errors show."""
    errors: list[Exception] = []

    def work() -> None:
        try:
            count_up(database, writes, 10)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def test_concurrent_writes_queue(database: Database) -> None:
    assert count_with_threads(database, database.write) == []
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
    assert count_with_threads(mine, mine.write) == []
    assert len(tokens(mine)) == 40
    several = [without_waiting(open_database(None, tmp_path)) for _ in range(4)]
    turns = iter(several * 100)
    errors = count_with_threads(mine, lambda: next(turns).write())
    assert errors, "control: in queues of their own, SQLite has to say that it is locked"
    for opened in several:
        opened.close()


def test_without_immediate_they_do_not(database: Database) -> None:
    """Negative control: deferred transactions fail when they upgrade their lock."""
    assert count_with_threads(database, database.read)


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
