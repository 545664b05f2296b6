# SPDX-License-Identifier: Apache-2.0
"""Reading and writing the store: SQLite by default, any SQLAlchemy URL otherwise.

SQLite runs with a write-ahead log and synchronous=FULL, so a committed transaction is on disk.
The DB-API is pysqlite3, which carries an SQLite without the WAL-reset bug of 3.7.0 to 3.51.2.
Transactions are opened by this module, not by the DB-API: reads with BEGIN (one snapshot per
request), writes with BEGIN IMMEDIATE (they queue for the lock instead of failing at commit).

On PostgreSQL a read is REPEATABLE READ (one snapshot, too), and writes queue for an advisory lock
of the database, so that what one process reads before it writes is still so when it commits.
Writes within different experiments pass each other there.
"""

import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple
from urllib.parse import quote

import pysqlite3.dbapi2
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from coalescope.db import compiled_sql
from coalescope.db.batcher import Batcher
from coalescope.db.tables import changes
from coalescope.db.timestamps import utc_now
from coalescope.errors import CoalescopeError, read_only
from coalescope.storage.private_files import make_folder, touch

_LOG = logging.getLogger("coalescope.database")
_BUSY_SECONDS = 30
_SAFE_SQLITE = (3, 51, 3)
_WRITES = "coalescope_writes"
# Names of advisory locks: of all writes, and with a second number of those within an experiment.
_ALL_WRITES = 0x636F616C
_SHARE_WRITES = sa.text("SELECT pg_advisory_xact_lock_shared(:all)")
_QUEUE_ALONE = sa.text("SELECT pg_advisory_xact_lock(:all)")
_QUEUE_WITHIN = sa.text("SELECT pg_advisory_xact_lock(:all, hashtext(:within))")
SQLITE_NAME = "coalescope.sqlite"


class AuditContext(NamedTuple):
    """Who asks for a change, and what was asked."""

    who: str
    what: str


# Set around whatever serves a request or runs a command; the program's own upkeep has no cause.
AUDIT_CONTEXT: ContextVar[AuditContext | None] = ContextVar("AUDIT_CONTEXT", default=None)
_TOLD = "coalescope_told"


def tell(connection: Connection, what: str, cause: AuditContext | None = None) -> None:
    """Say what the transaction under way changes, by name: its note has that, not what was asked.

    No more than a sentence for each thing that a person would name: an upload, a run, a sweep.
    `cause` is given where the change is made for another than the caller.
    """
    cause = cause or AUDIT_CONTEXT.get()
    if cause is not None:
        connection.info.setdefault(_TOLD, []).append(AuditContext(cause.who, what))


class Database:
    """One engine and the two kinds of transaction on it.

    Attributes:
        batcher: joins writes that wait for the lock into one transaction.

    """

    def __init__(
        self,
        engine: Engine,
        *,
        for_reading: bool = False,
        connect_at_once: Callable[[], Any] | None = None,
        left_alone: Callable[[], object] | None = None,
    ) -> None:
        """`left_alone`: the same as long as nobody writes, where a reader cannot keep them off."""
        self.engine = engine
        self.for_reading = for_reading
        self.on_server = engine.dialect.name == "postgresql"
        self.batcher = Batcher()
        self._writers = Lock()
        self._connect_at_once = connect_at_once
        self._left_alone = left_alone
        self._at_once: Any = None
        self._at_once_turn = Lock()
        one_state = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        self._reader = engine.execution_options(**one_state) if self.on_server else engine
        self._writer = engine.execution_options(**{_WRITES: True})

    def read(self) -> AbstractContextManager[Connection]:
        """A transaction that sees one state of the store; changes are an error of the caller.

        Errors: CoalescopeError 503 at its end where it may have seen more than one.
        """
        return self._reader.begin() if self._left_alone is None else self._read_alone()

    @contextmanager
    def _read_alone(self) -> Iterator[Connection]:
        assert self._left_alone is not None
        before = self._left_alone()
        with self._reader.begin() as connection:
            yield connection
        if before is not None and self._left_alone() != before:
            raise CoalescopeError(
                "changed_meanwhile",
                "The store was changed while it was read here, where it cannot be locked.",
                advice="Try again.",
                status=503,
            )

    @contextmanager
    def write(self, within: str | None = None) -> Iterator[Connection]:
        """A transaction that holds the write lock; committed on leaving, durable after that.

        `within` is the slug of the only experiment whose rows are changed or relied on: on a
        database server, others need not wait then. What the store holds once only, over all
        experiments, is left to its unique constraints (IntegrityError).

        The change and the note of who made it are kept together or not at all. The note says what
        was told of the change (`tell`), else what the caller asked.

        Errors: CoalescopeError 503 where the store was opened for reading.
        """
        if self.for_reading:
            raise read_only()
        with self._turn(), self._writer.begin() as connection:
            if self.on_server:
                _queue(connection, within)
            connection.info.pop(_TOLD, None)  # it outlives a transaction that came to nothing
            yield connection
            own = AUDIT_CONTEXT.get()
            causes = connection.info.pop(_TOLD, [own] if own else [])
            now = utc_now()
            notes = [{"at": now, "who": cause.who, "what": cause.what} for cause in causes]
            compiled_sql.insert(connection, changes, notes)

    def at_once(self, statement: str, *values: Any) -> Sequence[tuple[Any, ...]] | None:
        """Rows by a statement that SQLite answers in microseconds, as they are now.

        Also for the event loop's thread: to hand such a question to another costs several times
        the answer. None where it would have to wait, and always on a database server.
        """
        if self._connect_at_once is None or not self._at_once_turn.acquire(blocking=False):
            return None
        try:
            if self._at_once is None:
                self._at_once = self._connect_at_once()
            found: Sequence[tuple[Any, ...]] = self._at_once.execute(statement, values).fetchall()
            return found
        except pysqlite3.dbapi2.Error:
            return None
        finally:
            self._at_once_turn.release()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Writers of this process in a queue; SQLite's own is to look again after a while.

        Who has waited long enough goes on to SQLite, which says that it was too long.
        """
        held = not self.on_server and self._writers.acquire(timeout=_BUSY_SECONDS)
        try:
            yield
        finally:
            if held:
                self._writers.release()

    def close(self) -> None:
        """Close all connections."""
        if self._at_once is not None:
            self._at_once.close()
            self._at_once = None
        self.engine.dispose()


def open_database(url: str | None, data_dir: Path, *, for_reading: bool = False) -> Database:
    """The database at `url`, or `data_dir`/coalescope.sqlite. Tables: see coalescope.db.migrations.

    `for_reading` changes no byte of it and wants no right to write.
    """
    if url is not None and not url.startswith("sqlite"):
        return Database(_server_engine(url), for_reading=for_reading)
    _check_sqlite(pysqlite3.dbapi2.sqlite_version_info)
    if url is None and for_reading:
        return _for_reading(data_dir / SQLITE_NAME)
    if url is None:
        make_folder(data_dir)
        touch(data_dir / SQLITE_NAME)  # SQLite gives its other files the same mode
        url = f"sqlite+pysqlite:///{data_dir / SQLITE_NAME}"
    engine = sa.create_engine(
        url,
        module=pysqlite3.dbapi2,
        connect_args={"timeout": _BUSY_SECONDS},
        pool_size=20,
        max_overflow=40,
    )
    sa.event.listen(engine, "do_connect", _connect)
    sa.event.listen(engine, "connect", _configure)
    sa.event.listen(engine, "begin", _begin)
    names, options = engine.dialect.create_connect_args(engine.url)
    own = {**options, "timeout": 0, "isolation_level": None, "check_same_thread": False}
    at_once = partial(sqlite_connection, *names, **own)
    return Database(engine, for_reading=for_reading, connect_at_once=at_once)


def _for_reading(path: Path) -> Database:
    connect = partial(_connect_to_read, path)
    # SQLite cannot make the files there that readers and writers share
    locked_out = not os.access(path.parent, os.W_OK)
    engine = sa.create_engine(
        f"sqlite+pysqlite:///{path}",
        module=pysqlite3.dbapi2,
        creator=partial(connect, timeout=_BUSY_SECONDS, locked_out=locked_out),
        # a connection that shares nothing with writers does not see what they change
        poolclass=sa.NullPool if locked_out else sa.QueuePool,
    )
    sa.event.listen(engine, "connect", _only_read)
    sa.event.listen(engine, "begin", _begin)
    if locked_out:
        return Database(engine, for_reading=True, left_alone=partial(_left_alone, path))
    return Database(engine, for_reading=True, connect_at_once=partial(connect, timeout=0))


def sqlite_connection(*names: Any, **options: Any) -> Any:
    """A connection that lets what a database says of its own tables call nothing harmful.

    Somebody else may have written the file: https://www.sqlite.org/security.html
    """
    connection = pysqlite3.dbapi2.connect(*names, **options)
    connection.execute("PRAGMA trusted_schema=OFF")
    return connection


def _connect(_dialect: Any, _record: Any, names: list[Any], options: dict[str, Any]) -> Any:
    return sqlite_connection(*names, **options)


def _connect_to_read(path: Path, *, timeout: float, locked_out: bool = False) -> Any:
    # the last reader of a file that nobody writes takes the log away that it made, if it may
    mode = "ro" if has_unmerged_log(path) else "rw"
    uri = f"file:{quote(str(path.absolute()))}?mode={mode}"
    if locked_out and not _in_use(path):
        uri += "&immutable=1"  # nobody has it open to write
    return sqlite_connection(
        uri, uri=True, check_same_thread=False, isolation_level=None, timeout=timeout
    )


def _in_use(path: Path) -> bool:
    """Whether the files are there that SQLite keeps beside a database while it is in use."""
    return any(path.with_name(path.name + suffix).exists() for suffix in ("-wal", "-shm"))


def _left_alone(path: Path) -> tuple[int, ...] | None:
    """What a writer changes who comes, and perhaps goes again; None where one is there."""
    status = path.stat()
    return None if _in_use(path) else (status.st_ino, status.st_size, status.st_mtime_ns)


def _only_read(dbapi_connection: Any, _record: Any) -> None:
    """Let nothing be changed."""
    dbapi_connection.execute("PRAGMA query_only=ON")


def has_unmerged_log(path: Path) -> bool:
    """Whether there is a write-ahead log beside the database, in use or left by a sudden end."""
    log = path.with_name(f"{path.name}-wal")
    return log.is_file() and log.stat().st_size > 0


def _server_engine(text: str) -> Engine:
    try:
        url = sa.make_url(text)
    except sa.exc.ArgumentError:
        raise _bad_url("it is no URL.") from None
    if url.get_backend_name() != "postgresql":
        raise _bad_url("it is neither of SQLite nor of PostgreSQL.")
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    try:
        engine = sa.create_engine(url, pool_pre_ping=True, pool_size=5, max_overflow=15)
    except (sa.exc.ArgumentError, ModuleNotFoundError) as error:
        missing = getattr(error, "name", None) or "its driver"
        raise _bad_url(f"{missing} is not installed.") from None
    # first of all, also of what SQLAlchemy asks a new server
    sa.event.listen(engine, "connect", _check_encoding, insert=True)
    sa.event.listen(engine, "connect", _configure_session)
    sa.event.listen(engine, "first_connect", _warn_without_fsync)
    return engine


def _bad_url(reason: str) -> CoalescopeError:
    """Refuse a URL without repeating it: it may hold a password."""
    return CoalescopeError(
        "bad_database_url",
        f"COALESCOPE_DATABASE_URL names no database that can be used here: {reason}",
        advice="Leave it out for SQLite in the data folder, or give one such as "
        "postgresql://user@host/name; its driver comes with "
        "`pip install -r requirements-scale.lock`.",
        status=500,
    )


def _check_encoding(dbapi_connection: Any, _record: Any) -> None:
    """Refuse a database that cannot keep every text, or gives texts back as bytes (SQL_ASCII)."""
    encoding = dbapi_connection.info.parameter_status("server_encoding")
    if encoding == "UTF8":
        return
    dbapi_connection.close()
    raise CoalescopeError(
        "bad_encoding",
        f"The database that COALESCOPE_DATABASE_URL names has the encoding {encoding}; texts are "
        "stored in UTF8 only.",
        where={"field": "COALESCOPE_DATABASE_URL"},
        advice="Make another with `createdb --encoding=UTF8 --template=template0 NAME` and name it "
        "in the URL. What is in this one goes there with `pg_dump --encoding=UTF8` and `psql`.",
        status=500,
    )


def _configure_session(dbapi_connection: Any, _record: Any) -> None:
    """Make a commit wait for the disk, and nobody wait for a lock for ever."""
    with dbapi_connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = '{_BUSY_SECONDS}s'")
        cursor.execute(
            "SELECT set_config('synchronous_commit', 'on', false)"
            " WHERE current_setting('synchronous_commit') = 'off'"
        )
    dbapi_connection.commit()


def _warn_without_fsync(dbapi_connection: Any, _record: Any) -> None:
    with dbapi_connection.cursor() as cursor:
        (fsync,) = cursor.execute("SHOW fsync").fetchone()
    dbapi_connection.commit()
    if fsync == "off":
        _LOG.warning("The database server does not use fsync: a power cut can take what it stored.")


def _queue(connection: Connection, within: str | None) -> None:
    if within is None:
        connection.execute(_QUEUE_ALONE, {"all": _ALL_WRITES})
    else:
        connection.execute(_SHARE_WRITES, {"all": _ALL_WRITES})
        connection.execute(_QUEUE_WITHIN, {"all": _ALL_WRITES, "within": within})


def _check_sqlite(version: tuple[int, ...]) -> None:
    if version < _SAFE_SQLITE:
        raise CoalescopeError(
            "unsafe_sqlite",
            f"SQLite {'.'.join(map(str, version))} can lose committed data when its write-ahead "
            "log is reset (3.7.0 to 3.51.2).",
            advice="Install the pysqlite3 that requirements.lock names.",
            status=500,
        )


def _configure(dbapi_connection: Any, _record: Any) -> None:
    dbapi_connection.isolation_level = None  # transactions are opened by _begin
    cursor = dbapi_connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={_BUSY_SECONDS * 1000}")
    _use_write_ahead_log(cursor)
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _use_write_ahead_log(cursor: Any) -> None:
    """Switch a new file to the write-ahead log; SQLite does not wait for others who do the same."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
            return
        except pysqlite3.dbapi2.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
