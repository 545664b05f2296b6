# SPDX-License-Identifier: Apache-2.0
"""Mutants for the test of many processes: `coalescope` that stores as if it were alone.

`no-queue`: a writer takes the lock when it first writes, not when it begins. `nothing-unique`: the
tables have no UNIQUE, and a process knows only the uploads and runs that it stored itself.
"""

import sys
import time
from typing import Any

from coalescope.cli import main
from coalescope.db import engine
from coalescope.runs import recording
from coalescope.runs import service as runs
from coalescope.uploads import repository
from sqlalchemy.dialects.sqlite.base import SQLiteDDLCompiler


def without_queue() -> None:
    def begin(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN")
        connection.exec_driver_sql("SELECT name FROM sqlite_master").all()  # it has seen a state,
        time.sleep(0.1)  # and others write meanwhile

    engine._begin = begin


def with_nothing_unique() -> None:
    SQLiteDDLCompiler.visit_unique_constraint = lambda *given, **more: None
    own: set[str] = set()
    find, insert_all = repository.find, repository.insert_all

    def find_own(connection: Any, sha256: str) -> Any:
        return find(connection, sha256) if sha256 in own else None

    def insert_all_own(connection: Any, rows: Any) -> list[int]:
        own.update(row["sha256"] for row in rows)
        return insert_all(connection, rows)

    repository.find, repository.known = find_own, lambda connection, digests: []
    repository.insert_all = insert_all_own
    recording.taken, runs.find_run = lambda connection, uids: [], lambda connection, uid: None


{"no-queue": without_queue, "nothing-unique": with_nothing_unique}[sys.argv[1]]()
sys.argv = sys.argv[sys.argv.index("coalescope") :]  # as wrapped: … python -m coalescope import …
sys.exit(main())
