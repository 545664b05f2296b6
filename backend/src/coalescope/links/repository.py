# SPDX-License-Identifier: Apache-2.0
"""Links in the database."""

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coalescope.db.tables import links


def path_of(connection: Connection, token: str) -> str | None:
    """Return the address a token stands for."""
    return connection.execute(sa.select(links.c.path).where(links.c.token == token)).scalar()


def token_of(connection: Connection, path: str) -> str | None:
    """Return the token that an address already has."""
    return connection.execute(sa.select(links.c.token).where(links.c.path == path)).scalar()


def insert(connection: Connection, token: str, path: str, created_at: str) -> None:
    """Store a new link."""
    connection.execute(links.insert().values(token=token, path=path, created_at=created_at))
