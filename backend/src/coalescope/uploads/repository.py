# SPDX-License-Identifier: Apache-2.0
"""SQL of uploads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coalescope.db import compiled_sql
from coalescope.db.compiled_sql import any_of, chunks
from coalescope.db.engine import Database
from coalescope.db.tables import cells, experiments, runs, uploads
from coalescope.db.timestamps import utc_now
from coalescope.experiments.records import ExperimentRecord
from coalescope.measures import DEFINITIONS
from coalescope.runs.records import RunWarning

MOST_WARNINGS = 100
"""That are kept of an upload."""
UploadRow = dict[str, Any]
"""A value for each column of `uploads` but its id."""


@dataclass(frozen=True)
class UploadRecord:
    """A file that was accepted.

    Attributes:
        identity: what makes it one upload: of a run log its bytes; of a table its bytes, where it
            went, and what its columns were said to mean.
        mapping: what the columns of a table were said to mean; None where they name it themselves.
    """

    id: int
    identity: str
    sha256: str
    bytes: int
    filename: str
    content: str
    slug: str
    title: str
    run_count: int
    warnings: Sequence[Mapping[str, Any]]
    created_at: str
    mapping: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class MeasuredLog:
    """A run log and the run that was measured from it."""

    upload_id: int
    sha256: str
    filename: str
    experiment: str
    run_uid: str


_COLUMNS = (
    uploads.c.id,
    uploads.c.identity,
    uploads.c.sha256,
    uploads.c.bytes,
    uploads.c.filename,
    uploads.c.content,
    experiments.c.slug,
    experiments.c.title,
    uploads.c.run_count,
    uploads.c.warnings,
    uploads.c.created_at,
    uploads.c.mapping,
)


def _select() -> sa.Select[Any]:
    return sa.select(*_COLUMNS).join(experiments, experiments.c.id == uploads.c.experiment_id)


# What every upload asks is made once: making a statement costs more than running it.
_OF_IDENTITY = _select().where(uploads.c.identity == sa.bindparam("identity"))
_WITH_BYTES = (
    _select()
    .where(uploads.c.sha256 == sa.bindparam("sha256"), experiments.c.deleted_at.is_(None))
    .order_by(uploads.c.id)
)
_AT_ONCE = "SELECT id FROM uploads WHERE sha256 = ?"
_KNOWN = sa.select(uploads.c.sha256).where(uploads.c.sha256.in_(any_of("digests")))


def find(connection: Connection, identity: str) -> UploadRecord | None:
    """The upload of that identity: of a run log, the SHA-256 of its bytes."""
    row = connection.execute(_OF_IDENTITY, {"identity": identity}).first()
    return None if row is None else UploadRecord(*row)


def with_bytes(connection: Connection, sha256: str) -> list[UploadRecord]:
    """The uploads with these bytes, oldest first: a table may have gone to several places.

    Without those of deleted experiments.
    """
    return [UploadRecord(*row) for row in connection.execute(_WITH_BYTES, {"sha256": sha256})]


def runs_of_cells(connection: Connection, identity: str) -> list[tuple[Mapping[str, Any], int]]:
    """Each cell that an upload has runs in, with how many, in the order of the cells."""
    query = (
        sa.select(runs.c.cell_id, sa.func.count())
        .join(uploads, uploads.c.id == runs.c.upload_id)
        .where(uploads.c.identity == identity)
        .group_by(runs.c.cell_id)
    )
    counts = {row[0]: row[1] for row in connection.execute(query)}
    found: list[tuple[Mapping[str, Any], int]] = []
    for chunk in chunks(counts):
        settings = sa.select(cells.c.id, cells.c.factors).where(cells.c.id.in_(chunk))
        found += [
            (factors, counts[cell])
            for cell, factors in connection.execute(settings.order_by(cells.c.id))
        ]
    return found


def is_definitely_new(database: Database, sha256: str) -> bool:
    """Whether nothing is stored with these bytes; False also where that would be waited for."""
    return database.at_once(_AT_ONCE, sha256) == []


def known(connection: Connection, digests: Sequence[str]) -> list[str]:
    """Which of these digests are those of uploads."""
    found: list[str] = []
    for chunk in chunks(digests):
        found += [digest for (digest,) in compiled_sql.run(connection, _KNOWN, digests=chunk)]
    return found


def list_recent(connection: Connection, limit: int, offset: int = 0) -> list[UploadRecord]:
    """The newest uploads but so many, newest first, without the files of data sets and of deleted
    experiments."""
    came_with_dataset = sa.exists().where(
        runs.c.upload_id == uploads.c.id, runs.c.content == "dataset"
    )
    shown = _select().where(~came_with_dataset, experiments.c.deleted_at.is_(None))
    query = shown.order_by(uploads.c.id.desc()).limit(limit).offset(offset)
    return [UploadRecord(*row) for row in connection.execute(query)]


def list_with_runs(connection: Connection) -> list[tuple[UploadRecord, int, Mapping[str, Any]]]:
    """All uploads, oldest first, each with the number of runs that it is the file of.

    Then the source that a file came with: that of its data set, empty for what people uploaded.
    """
    count = (
        sa.select(sa.func.count())
        .select_from(runs)
        .where(runs.c.upload_id == uploads.c.id)
        .scalar_subquery()
    )
    came_with = sa.exists().where(runs.c.upload_id == uploads.c.id, runs.c.content == "dataset")
    query = _select().add_columns(count, came_with, experiments.c.source).order_by(uploads.c.id)
    return [
        (UploadRecord(*row), number, source if of_dataset else {})
        for *row, number, of_dataset, source in connection.execute(query)
    ]


def measured_before(connection: Connection, definitions: int, limit: int) -> list[MeasuredLog]:
    """Some of the logs that people uploaded and that were measured under older definitions."""
    query = (
        sa.select(
            uploads.c.id, uploads.c.sha256, uploads.c.filename, experiments.c.slug, runs.c.uid
        )
        .join(runs, runs.c.upload_id == uploads.c.id)
        .join(experiments, experiments.c.id == runs.c.experiment_id)
        .where(uploads.c.measured_as < definitions, runs.c.content == "run_log")
        .order_by(uploads.c.id)
        .limit(limit)
    )
    return [MeasuredLog(*row) for row in connection.execute(query)]


def set_measured(connection: Connection, ids: Sequence[int], definitions: int) -> None:
    """Note under which definitions the runs of these uploads are measured now."""
    for chunk in chunks(ids):
        connection.execute(
            sa.update(uploads).where(uploads.c.id.in_(chunk)).values(measured_as=definitions)
        )


def upload_row(
    sha256: str,
    size: int,
    filename: str,
    content: str,
    experiment_id: int,
    run_count: int,
    warnings: Sequence[RunWarning],
) -> UploadRow:
    """A file that came in as a row, measured as this program measures; with its first warnings."""
    return {
        "identity": sha256,
        "sha256": sha256,
        "bytes": size,
        "filename": filename,
        "content": content,
        "experiment_id": experiment_id,
        "run_count": run_count,
        "measured_as": DEFINITIONS,
        "warnings": [warning.as_json() for warning in warnings[:MOST_WARNINGS]],
        "created_at": utc_now(),
        "mapping": None,
    }


def inserted(id_: int, row: Mapping[str, Any], experiment: ExperimentRecord) -> UploadRecord:
    """A row of `upload_row`, inserted, as it is read."""
    not_read = ("experiment_id", "measured_as")
    own = {name: value for name, value in row.items() if name not in not_read}
    return UploadRecord(id=id_, slug=experiment.slug, title=experiment.title, **own)


def insert_all(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Insert rows of `upload_row`; returns their row ids in the same order.

    Errors: IntegrityError where an upload of that identity is there.
    """
    ids = dict(compiled_sql.insert(connection, uploads, rows, uploads.c.identity, uploads.c.id))
    return [ids[row["identity"]] for row in rows]


def delete(connection: Connection, ids: Sequence[int]) -> None:
    """Remove uploads."""
    for chunk in chunks(ids):
        connection.execute(sa.delete(uploads).where(uploads.c.id.in_(chunk)))


def add_warning(connection: Connection, sha256: str, warning: Mapping[str, Any]) -> None:
    """Add a warning to the upload with these bytes."""
    upload = find(connection, sha256)
    if upload is not None:
        values = {"warnings": [*upload.warnings, dict(warning)]}
        connection.execute(sa.update(uploads).where(uploads.c.id == upload.id).values(**values))
