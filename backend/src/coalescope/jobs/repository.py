# SPDX-License-Identifier: Apache-2.0
"""SQL of jobs."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from coalescope.db.tables import experiments, jobs

# Of a deleted experiment nothing is seen, until it is restored.
_SEEN = jobs.c.slug.not_in(
    sa.select(experiments.c.slug).where(experiments.c.deleted_at.is_not(None))
)

# A result has up to a million numbers.
_WITHOUT_RESULT = [column for column in jobs.c if column is not jobs.c.result]


def get(connection: Connection, uid: str) -> Row[Any] | None:
    """The job of that identity, unless its experiment was deleted."""
    return connection.execute(sa.select(jobs).where(jobs.c.uid == uid, _SEEN)).first()


def same_question(connection: Connection, digest: str) -> Row[Any] | None:
    """The newest job with that question that has an answer, or is to have one."""
    useless = jobs.c.state.in_(("failed", "cancelled"))
    query = sa.select(jobs).where(jobs.c.question_sha256 == digest, ~useless)
    return connection.execute(query.order_by(jobs.c.id.desc()).limit(1)).first()


def newest(connection: Connection, slug: str | None, limit: int) -> Sequence[Row[Any]]:
    """Jobs, of an experiment or of all that are not deleted, the newest first; no results."""
    query = sa.select(*_WITHOUT_RESULT).where(_SEEN).order_by(jobs.c.id.desc()).limit(limit)
    if slug is not None:
        query = query.where(jobs.c.slug == slug)
    return connection.execute(query).all()


def insert(connection: Connection, values: Mapping[str, Any]) -> None:
    """Store a new job."""
    connection.execute(sa.insert(jobs).values(**values))


def count(connection: Connection, state: str) -> int:
    """How many jobs are in that state."""
    query = sa.select(sa.func.count()).select_from(jobs).where(jobs.c.state == state)
    return connection.execute(query).scalar_one()


def stale(connection: Connection, heard_before: str) -> Sequence[Row[Any]]:
    """Jobs whose worker has not reported since then."""
    query = sa.select(jobs).where(jobs.c.state == "running", jobs.c.heard_at < heard_before)
    return connection.execute(query).all()


def oldest_queued(connection: Connection) -> Row[Any] | None:
    """The job whose turn it is."""
    query = sa.select(jobs).where(jobs.c.state == "queued").order_by(jobs.c.id).limit(1)
    return connection.execute(query).first()


def update(connection: Connection, uid: str, values: Mapping[str, Any]) -> None:
    """Change a job."""
    connection.execute(sa.update(jobs).where(jobs.c.uid == uid).values(**values))


def end(connection: Connection, uid: str, values: Mapping[str, Any]) -> bool:
    """Change a job that has not ended; whether it had not."""
    under_way = (jobs.c.uid == uid, jobs.c.state.in_(("queued", "running")))
    return connection.execute(sa.update(jobs).where(*under_way).values(**values)).rowcount > 0


def update_own(connection: Connection, uid: str, worker: str, values: Mapping[str, Any]) -> bool:
    """Change a job that this worker still has; whether it has."""
    own = (jobs.c.uid == uid, jobs.c.worker == worker, jobs.c.state == "running")
    return connection.execute(sa.update(jobs).where(*own).values(**values)).rowcount > 0


def delete_finished(connection: Connection, before: str) -> None:
    """Forget jobs that ended before then."""
    connection.execute(sa.delete(jobs).where(jobs.c.finished_at < before))
