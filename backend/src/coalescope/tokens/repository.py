# SPDX-License-Identifier: Apache-2.0
"""SQL of tokens and of the record of changes."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from coalescope.db.tables import changes, tokens


def are_kept(connection: Connection) -> bool:
    """Whether the store has a table of tokens."""
    return sa.inspect(connection).has_table(tokens.name)


def by_key(connection: Connection, key: str) -> Row[Any] | None:
    """The token whose public part is `key`."""
    return connection.execute(sa.select(tokens).where(tokens.c.key == key)).first()


def by_name(connection: Connection, name: str) -> Row[Any] | None:
    """The token of that name."""
    return connection.execute(sa.select(tokens).where(tokens.c.name == name)).first()


def insert(connection: Connection, values: Mapping[str, Any]) -> None:
    """Store a new token."""
    connection.execute(sa.insert(tokens).values(**values))


def update(connection: Connection, key: str, values: Mapping[str, Any]) -> None:
    """Change what is known of a token."""
    connection.execute(sa.update(tokens).where(tokens.c.key == key).values(**values))


def every(connection: Connection) -> Sequence[Row[Any]]:
    """All tokens, the oldest first, revoked ones too."""
    return connection.execute(sa.select(tokens).order_by(tokens.c.created_at, tokens.c.key)).all()


def newest_changes(connection: Connection, limit: int, offset: int) -> Sequence[Row[Any]]:
    """What was changed last, the newest first, without the first `offset`."""
    query = sa.select(changes).order_by(changes.c.id.desc()).limit(limit).offset(offset)
    return connection.execute(query).all()
