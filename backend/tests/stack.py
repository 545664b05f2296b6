# SPDX-License-Identifier: Apache-2.0
"""What the tests run on: SQLite and a folder, or servers that are really started for them.

COALESCOPE_TEST_STACK=servers chooses PostgreSQL, an S3 server, and Dask with two workers.
Each data folder of a test has a database and a part of the bucket of its own there, so that a test
means the same on both.
"""

import atexit
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import psycopg
from coalescope.db.engine import SQLITE_NAME, open_database
from coalescope.db.migrations import migrate

CHOSEN = os.environ.get("COALESCOPE_TEST_STACK", "folder")
_BUCKET = "coalescope"
_TEMPLATE = "migrated"
_UP_WITHIN_S = 300.0


class Folder:
    """SQLite and a folder: what the program does by itself."""

    def begin(self, data: Path) -> None:
        """Where nothing is yet: an empty store, as an application would make it, but sooner."""
        if not data.exists():
            data.mkdir(parents=True)
            shutil.copy(_empty_database(), data / SQLITE_NAME)

    def settings(self, data: Path) -> dict[str, Any]:
        """Settings of an application with that data folder."""
        return {}

    def environment(self, data: Path) -> dict[str, str]:
        """The same for a process."""
        return {f"COALESCOPE_{k.upper()}": str(v) for k, v in self.settings(data).items()}

    def forget(self, below: Path) -> None:
        """Drop what a test left for its data folders, which are below that one."""

    def close(self) -> None:
        """End what was started."""


class Servers(Folder):
    """PostgreSQL on a socket in a folder of its own, and an S3 server on a port of loopback.

    The latter is versitygw where it is installed, else moto, which forgets all when it ends.
    With Dask too, everything that the growth of docs/scaling.md is made of.
    """

    def __init__(self, *, dask: bool = False) -> None:
        self._ends = ExitStack()
        self._databases: dict[Path, str] = {}
        self._count = 0
        self._scheduler: str | None = None
        try:
            self._folder = Path(tempfile.mkdtemp(prefix="coalescope-servers-"))
            self._ends.callback(shutil.rmtree, self._folder, ignore_errors=True)
            self._start_postgresql()
            self._start_s3()
            self._make_template()
            if dask:
                self._start_dask()
        except BaseException:
            self.close()
            raise

    def begin(self, data: Path) -> None:
        """Nothing to do: a folder's database is a copy of an empty one."""

    def settings(self, data: Path) -> dict[str, Any]:
        """A database and a part of the bucket, the same for the same folder."""
        data = data.absolute()
        if data not in self._databases:
            self._count += 1
            name = f"store_{self._count}"
            self._sql(f"CREATE DATABASE {name} TEMPLATE {_TEMPLATE}")
            self._databases[data] = name
        name = self._databases[data]
        return {
            "database_url": self._url(name),
            "object_store_url": f"s3://{_BUCKET}/{name}",
            **({} if self._scheduler is None else {"dask_scheduler": self._scheduler}),
        }

    def forget(self, below: Path) -> None:
        """Drop the databases; the bucket's parts are not found again."""
        for data in [data for data in self._databases if data.is_relative_to(below)]:
            self._sql(f"DROP DATABASE {self._databases.pop(data)} WITH (FORCE)")

    def close(self) -> None:
        """End both servers."""
        self._ends.close()

    def _url(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self._folder}"

    def _sql(self, statement: str) -> None:
        with psycopg.connect(self._url("postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())

    def _make_template(self) -> None:
        self._sql(f"CREATE DATABASE {_TEMPLATE}")
        database = open_database(self._url(_TEMPLATE), self._folder)
        try:
            migrate(database)
        finally:
            database.close()

    def _start_postgresql(self) -> None:
        """PostgreSQL refuses to run as root: it gets another user then."""
        user = "nobody" if os.geteuid() == 0 else None
        if user is not None:
            os.chown(self._folder, pwd.getpwnam(user).pw_uid, -1)
        data = self._folder / "postgresql"
        initdb = [_program("initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-N"]
        # not the language of the tests' machine: one that sorts differently from code points
        initdb += ["-E", "UTF8", "--locale-provider=icu", "--icu-locale=en", "--locale=C.UTF-8"]
        subprocess.run(initdb, user=user, check=True, stdout=subprocess.DEVNULL, cwd=self._folder)
        options = {
            "listen_addresses": "",
            "unix_socket_directories": self._folder,
            "fsync": "off",  # tests of durability are about the program's own files
            "max_connections": 300,
        }
        server = [_program("postgres"), "-D", data]
        for name, value in options.items():
            server += ["-c", f"{name}={value}"]
        self._start(server, user=user)
        _wait(lambda: self._sql("SELECT 1"), psycopg.OperationalError)

    def _start_s3(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        url = f"http://127.0.0.1:{port}"
        if gateway := shutil.which("versitygw"):
            (self._folder / "buckets" / _BUCKET).mkdir(parents=True)
            keys = {"ROOT_ACCESS_KEY": "tests", "ROOT_SECRET_KEY": "tests"}
            command = [gateway, "--port", f"127.0.0.1:{port}", "posix", self._folder / "buckets"]
            self._start(command, env=os.environ | keys)
            _wait(lambda: httpx.get(url, timeout=60), httpx.TransportError)
        else:
            self._start([sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)])
            _wait(
                lambda: httpx.put(f"{url}/{_BUCKET}", timeout=60).raise_for_status(),
                httpx.TransportError,
            )
        os.environ |= {
            "AWS_ENDPOINT_URL": url,
            "AWS_ACCESS_KEY_ID": "tests",
            "AWS_SECRET_ACCESS_KEY": "tests",
            "AWS_REGION": "us-east-1",
        }

    def _start_dask(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = str(free.getsockname()[1])
        self._scheduler = f"tcp://127.0.0.1:{port}"
        dask = [sys.executable, "-m", "dask"]
        own = ["--no-dashboard", "--host", "127.0.0.1"]
        self._start([*dask, "scheduler", "--port", port, *own])
        for _ in range(2):
            self._start([*dask, "worker", self._scheduler, "--no-nanny", "--nthreads", "1", *own])

    def _start(self, command: list[Any], **more: Any) -> None:
        log = self._ends.enter_context((self._folder / "log").open("a"))
        server = subprocess.Popen(
            [str(word) for word in command], stdout=log, stderr=log, cwd=self._folder, **more
        )
        self._ends.callback(server.wait, 30)
        self._ends.callback(server.terminate)


@cache
def current() -> Folder:
    """The stack that the environment chose, started when it is first needed."""
    return Servers(dask=True) if CHOSEN == "servers" else Folder()


@cache
def _empty_database() -> Path:
    """SQLite's file with all tables and no rows."""
    folder = Path(tempfile.mkdtemp(prefix="coalescope-empty-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    database = open_database(None, folder)
    try:
        migrate(database)
    finally:
        database.close()
    assert [file.name for file in folder.iterdir()] == [SQLITE_NAME], "it is one whole file"
    return folder / SQLITE_NAME


def _program(name: str) -> str:
    """A program of PostgreSQL; Debian keeps some outside the search path."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = shutil.which(name, path=os.pathsep.join([os.environ["PATH"], *map(str, places)]))
    assert found, f"{name} is not installed: the Debian package postgresql has it"
    return found


def _wait(attempt: Any, refusal: type[Exception]) -> None:
    deadline = time.monotonic() + _UP_WITHIN_S
    while True:
        try:
            attempt()
            return
        except refusal:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
