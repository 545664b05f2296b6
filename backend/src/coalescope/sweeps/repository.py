# SPDX-License-Identifier: Apache-2.0
"""SQL of sweeps."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from coalescope.db.tables import experiments, sweeps


def get(connection: Connection, uid: str) -> Row[Any] | None:
    """The sweep of that identity."""
    return connection.execute(sa.select(sweeps).where(sweeps.c.uid == uid)).first()


def put(connection: Connection, uid: str, values: Mapping[str, Any]) -> bool:
    """Change the sweep of that identity; whether there is one."""
    statement = sa.update(sweeps).where(sweeps.c.uid == uid).values(**values)
    return connection.execute(statement).rowcount > 0


def insert(connection: Connection, values: Mapping[str, Any]) -> None:
    """Store a new sweep."""
    connection.execute(sa.insert(sweeps).values(**values))


def newest(connection: Connection, slug: str, limit: int) -> Sequence[Row[Any]]:
    """Sweeps of an experiment, those heard of last first."""
    query = sa.select(sweeps).where(sweeps.c.slug == slug)
    return connection.execute(query.order_by(sweeps.c.updated_at.desc()).limit(limit)).all()


def version(connection: Connection, slug: str) -> tuple[int | None, str | None]:
    """What changes when the experiment's data or one of its sweeps does."""
    data = sa.select(experiments.c.data_version).where(experiments.c.slug == slug)
    heard = sa.select(sa.func.max(sweeps.c.updated_at)).where(sweeps.c.slug == slug)
    row = connection.execute(sa.select(data.scalar_subquery(), heard.scalar_subquery())).one()
    return row[0], row[1]
