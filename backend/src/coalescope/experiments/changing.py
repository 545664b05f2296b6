# SPDX-License-Identifier: Apache-2.0
"""Rename, describe, delete and restore experiments.

The slug is the address of an experiment, in links too: it stays, whatever the title becomes. What
is deleted stays in the store, and keeps its slug.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy.engine import Connection

from coalescope.db.engine import tell
from coalescope.db.timestamps import utc_now
from coalescope.errors import conflict, not_found
from coalescope.experiments import repository
from coalescope.experiments.records import DeletedExperiment, ExperimentRecord
from coalescope.experiments.service import get_experiment, perhaps_meant, touch


def change(
    connection: Connection,
    slug: str,
    title: str | None = None,
    subtitle: str | None = None,
    source: Mapping[str, Any] | None = None,
) -> ExperimentRecord:
    """Say anew what an experiment is; None leaves it, and in `source` None removes.

    Errors: 404; 409 for one that was loaded from a data set.
    """
    record = _own(connection, slug)
    said = {"title": title, "subtitle": subtitle}
    values: dict[str, Any] = {
        name: text for name, text in said.items() if text not in (None, getattr(record, name))
    }
    told = {name: value for name, value in (source or {}).items() if value}
    kept = {name: value for name, value in record.source.items() if name not in (source or {})}
    if kept | told != dict(record.source):
        values["source"] = kept | told
    if values:
        repository.update(connection, record.id, values)
        touch(connection, record.id)
        tell(connection, f"{slug}: {_changed(values)}")
    return get_experiment(connection, slug)


def _changed(values: Mapping[str, Any]) -> str:
    """What was changed, for the record of changes."""
    parts = [f"renamed to {values['title']!r}"] if "title" in values else []
    if values.keys() - {"title"}:
        parts.append("described anew")
    return " and ".join(parts)


def delete(connection: Connection, slug: str) -> DeletedExperiment:
    """Show an experiment no more: all of it stays, and can be restored.

    Errors: 404; 409 for one that was loaded from a data set.
    """
    record = _own(connection, slug)
    repository.update(connection, record.id, {"deleted_at": utc_now()})
    touch(connection, record.id)
    tell(connection, f"{slug}: deleted")
    return next(each for each in list_deleted(connection) if each.slug == slug)


def restore(connection: Connection, slug: str) -> ExperimentRecord:
    """Take a deletion back. Errors: 404; 409 for an experiment that was not deleted."""
    record = repository.get(connection, slug)
    if record is None:
        meant = perhaps_meant(connection, slug, deleted=True)
        advice = f"{meant}The list of deleted experiments has all that can be restored."
        raise not_found("deleted experiment", slug, advice)
    if record.deleted_at is None:
        raise conflict(
            "not_deleted",
            f"The experiment {slug!r} was not deleted.",
            where={"experiment": slug},
            advice="There is nothing to restore.",
        )
    bring_back(connection, slug)
    tell(connection, f"{slug}: restored")
    return get_experiment(connection, slug)


def bring_back(connection: Connection, slug: str) -> None:
    """Undo a deletion, if there was one; nothing is told."""
    record = repository.get(connection, slug)
    if record is not None and record.deleted_at is not None:
        repository.update(connection, record.id, {"deleted_at": None})
        touch(connection, record.id)


def list_deleted(
    connection: Connection, limit: int | None = None, offset: int = 0
) -> list[DeletedExperiment]:
    """Deleted experiments, the last one first: from `offset` on, at most `limit`."""
    return repository.list_deleted(connection, limit, offset)


def _own(connection: Connection, slug: str) -> ExperimentRecord:
    """The experiment of that slug. Errors: 404; 409 where it was loaded from a data set."""
    record = get_experiment(connection, slug)
    if record.dataset_sha256 is not None:
        raise conflict(
            "of_a_data_set",
            f"The experiment {slug!r} comes from a data set, which says what it is: it can be "
            "neither changed nor deleted.",
            where={"experiment": slug},
            advice="Export its runs and send them to an experiment of your own: that can be.",
        )
    return record
