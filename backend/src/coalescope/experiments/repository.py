# SPDX-License-Identifier: Apache-2.0
"""SQL of experiments, and of cells as they are read."""

from collections.abc import Mapping
from sys import intern
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coalescope.db import compiled_sql
from coalescope.db.engine import Database
from coalescope.db.tables import cells, experiments, summaries
from coalescope.experiments.records import (
    CellRecord,
    DeletedExperiment,
    ExperimentRecord,
    Factors,
    Kind,
    SummaryRecord,
)

_VERSION = sa.select(experiments.c.id, experiments.c.data_version, experiments.c.updated_at).where(
    experiments.c.slug == sa.bindparam("slug"), experiments.c.deleted_at.is_(None)
)
_VERSION_AT_ONCE = (
    "SELECT id, data_version, updated_at FROM experiments WHERE slug = ? AND deleted_at IS NULL"
)
_COLUMNS = [experiments.c[name] for name in ExperimentRecord.__dataclass_fields__]
_NAMED = sa.select(*_COLUMNS).where(experiments.c.slug == sa.bindparam("slug"))
_BUMP = (
    sa.update(experiments)
    .where(experiments.c.id == sa.bindparam("of"))
    .values(
        data_version=experiments.c.data_version + sa.bindparam("times"),
        updated_at=sa.bindparam("at"),
    )
)


def get(connection: Connection, slug: str) -> ExperimentRecord | None:
    """The experiment of that slug, deleted or not."""
    row = connection.execute(_NAMED, {"slug": slug}).first()
    return None if row is None else ExperimentRecord(*row)


def version_of(connection: Connection, slug: str) -> tuple[int, int, str] | None:
    """Row id, data version and last change of the experiment of that slug, unless deleted."""
    row = connection.execute(_VERSION, {"slug": slug}).first()
    return None if row is None else (row.id, row.data_version, row.updated_at)


def version_at_once(database: Database, slug: str) -> tuple[int, int, str] | None:
    """The same on the event loop's thread; None also where the database would be waited for."""
    found = database.at_once(_VERSION_AT_ONCE, slug)
    return (found[0][0], found[0][1], found[0][2]) if found else None


def list_all(connection: Connection, kind: Kind | None) -> list[ExperimentRecord]:
    """All experiments, deleted ones too: published first, then by title."""
    return [ExperimentRecord(*row) for row in connection.execute(_ordered(kind))]


def list_shown(
    connection: Connection, kind: Kind | None, limit: int | None, offset: int
) -> list[ExperimentRecord]:
    """Those that were not deleted, in that order: from `offset` on, at most `limit`."""
    shown = _ordered(kind).where(experiments.c.deleted_at.is_(None)).limit(limit).offset(offset)
    return [ExperimentRecord(*row) for row in connection.execute(shown)]


def _ordered(kind: Kind | None) -> sa.Select[Any]:
    query = sa.select(*_COLUMNS).order_by(
        sa.case((experiments.c.kind == "published", 0), else_=1),
        experiments.c.title,
        experiments.c.slug,
    )
    return query if kind is None else query.where(experiments.c.kind == kind)


def list_deleted(connection: Connection, limit: int | None, offset: int) -> list[DeletedExperiment]:
    """Deleted experiments, the last one first: from `offset` on, at most `limit`."""
    runs = sa.func.coalesce(sa.func.sum(cells.c.current_runs), 0)
    query = (
        sa.select(
            experiments.c.slug,
            experiments.c.title,
            experiments.c.kind,
            runs,
            experiments.c.deleted_at,
        )
        .outerjoin(cells, cells.c.experiment_id == experiments.c.id)
        .where(experiments.c.deleted_at.is_not(None))
        .group_by(experiments.c.id)
        .order_by(experiments.c.deleted_at.desc(), experiments.c.slug)
        .limit(limit)
        .offset(offset)
    )
    return [DeletedExperiment(*row) for row in connection.execute(query)]


def insert(connection: Connection, values: Mapping[str, Any]) -> int:
    """Insert an experiment; returns its row id."""
    result = connection.execute(sa.insert(experiments).values(**values))
    assert result.inserted_primary_key is not None
    return int(result.inserted_primary_key[0])


def update(connection: Connection, experiment_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of an experiment."""
    query = sa.update(experiments).where(experiments.c.id == experiment_id).values(**values)
    connection.execute(query)


def bump(connection: Connection, experiment_id: int, at: str, times: int) -> None:
    """Count changes of the experiment's data."""
    compiled_sql.run(connection, _BUMP, of=experiment_id, at=at, times=times)


def dataset_sha256(connection: Connection, slug: str) -> str | None:
    """Digest of the data set that the experiment was loaded from."""
    query = sa.select(experiments.c.dataset_sha256).where(experiments.c.slug == slug)
    return connection.execute(query).scalar()


def list_cells(connection: Connection, experiment_id: int) -> list[CellRecord]:
    """The experiment's cells that have a current run, with their summaries; no order."""
    measures = _summaries(connection, experiment_id)
    query = sa.select(
        cells.c.id, cells.c.factors, cells.c.current_runs, cells.c.partial_runs
    ).where(cells.c.experiment_id == experiment_id, cells.c.current_runs > 0)
    # sorted here, cell by cell: to sort all of them takes SQLite a third of the memory that they do
    return [
        CellRecord(
            cell_id,
            _each_once(factors),
            current,
            partial,
            dict(sorted(measures.pop(cell_id, {}).items())),
        )
        for cell_id, factors, current, partial in connection.execute(query)
    ]


def _each_once(factors: Factors) -> Factors:
    """The same setting; a name or a text is in memory once, not once in each of 30,000 cells."""
    return {
        intern(name): intern(level) if isinstance(level, str) else level
        for name, level in factors.items()
    }


def _summaries(connection: Connection, experiment_id: int) -> dict[int, dict[str, SummaryRecord]]:
    query = (
        sa.select(summaries)
        .join(cells, cells.c.id == summaries.c.cell_id)
        .where(cells.c.experiment_id == experiment_id, cells.c.current_runs > 0)
    )
    found: dict[int, dict[str, SummaryRecord]] = {}
    for cell_id, measure, n, mean, sd, low, high in connection.execute(query):
        interval = None if low is None or high is None else (low, high)
        found.setdefault(cell_id, {})[intern(measure)] = SummaryRecord(n, mean, sd, interval)
    return found


def slugs_around(connection: Connection, slug: str, most: int, *, deleted: bool) -> list[str]:
    """Slugs that in their order stand before and after this one, at most so many on each side."""
    is_deleted = experiments.c.deleted_at.is_not(None)
    of_kind = sa.select(experiments.c.slug).where(is_deleted if deleted else ~is_deleted)
    before = of_kind.where(experiments.c.slug < slug).order_by(experiments.c.slug.desc())
    after = of_kind.where(experiments.c.slug > slug).order_by(experiments.c.slug)
    found = [list(connection.scalars(side.limit(most))) for side in (before, after)]
    return found[0][::-1] + found[1]
