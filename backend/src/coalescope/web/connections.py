# SPDX-License-Identifier: Apache-2.0
"""Transactions as parameters of endpoints."""

from collections.abc import Iterator
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.engine import Connection

from coalescope.db.engine import Database


def read_connection(request: Request) -> Iterator[Connection]:
    """Dependency: one snapshot for the length of the endpoint."""
    database: Database = request.app.state.database
    with database.read() as connection:
        yield connection


def write_connection(request: Request) -> Iterator[Connection]:
    """Dependency: the write lock; committed before the answer leaves (scope="function")."""
    database: Database = request.app.state.database
    with database.write() as connection:
        yield connection


ReadConnection = Annotated[Connection, Depends(read_connection, scope="function")]
WriteConnection = Annotated[Connection, Depends(write_connection, scope="function")]
