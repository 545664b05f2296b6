# SPDX-License-Identifier: Apache-2.0
"""SQL of uploads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coalescope.database import experiments, uploads


@dataclass(frozen=True)
class UploadRecord:
    """A file that was accepted."""

    id: int
    sha256: str
    bytes: int
    filename: str
    content: str
    slug: str
    title: str
    run_count: int
    warnings: Sequence[Mapping[str, Any]]
    created_at: str


_COLUMNS = (
    uploads.c.id,
    uploads.c.sha256,
    uploads.c.bytes,
    uploads.c.filename,
    uploads.c.content,
    experiments.c.slug,
    experiments.c.title,
    uploads.c.run_count,
    uploads.c.warnings,
    uploads.c.created_at,
)


def _select() -> sa.Select[Any]:
    return sa.select(*_COLUMNS).join(experiments, experiments.c.id == uploads.c.experiment_id)


def find(connection: Connection, sha256: str) -> UploadRecord | None:
    """The upload with these bytes."""
    row = connection.execute(_select().where(uploads.c.sha256 == sha256)).first()
    return None if row is None else UploadRecord(*row)


def list_recent(connection: Connection, limit: int) -> list[UploadRecord]:
    """The newest uploads, newest first."""
    query = _select().order_by(uploads.c.id.desc()).limit(limit)
    return [UploadRecord(*row) for row in connection.execute(query)]


def insert(connection: Connection, values: Mapping[str, Any]) -> int:
    """Insert an upload; returns its row id."""
    result = connection.execute(sa.insert(uploads).values(**values))
    assert result.inserted_primary_key is not None
    return int(result.inserted_primary_key[0])


def add_warning(connection: Connection, sha256: str, warning: Mapping[str, Any]) -> None:
    """Add a warning to the upload with these bytes."""
    upload = find(connection, sha256)
    if upload is not None:
        values = {"warnings": [*upload.warnings, dict(warning)]}
        connection.execute(sa.update(uploads).where(uploads.c.id == upload.id).values(**values))
