# SPDX-License-Identifier: Apache-2.0
"""Files that come again: what was answered before, and bytes that the store had lost."""

from collections.abc import Sequence

from coalescope.db.engine import Database
from coalescope.errors import CoalescopeError
from coalescope.experiments.service import check_not_deleted, check_same_kind, get_experiment
from coalescope.storage.object_store import SUFFIXES, ObjectStore, StagedObject, same_bytes
from coalescope.uploads import repository
from coalescope.uploads.mapping.records import TableMapping, mapping_of
from coalescope.uploads.parsed_upload import UploadRequest
from coalescope.uploads.reading import Reading
from coalescope.uploads.receipt import Receipt, receipt_of
from coalescope.uploads.repository import UploadRecord


def known_table(
    database: Database,
    store: ObjectStore,
    staged: StagedObject,
    request: UploadRequest,
    reading: Reading,
) -> Receipt | None:
    """The receipt of a table that is where it is to go, read as it is to be read.

    Without an experiment that is asked for, it stays where it is. Errors: 409 where it is said to
    be of another kind now.
    """
    if repository.is_definitely_new(database, staged.sha256):
        return None
    with database.read() as connection:
        there = [
            upload
            for upload in reversed(repository.with_bytes(connection, staged.sha256))
            if request.experiment in (None, upload.slug)
        ]
    same = _read_alike(there, staged, request.mapping, reading)
    if same is None:
        return None
    with database.read() as connection:
        check_same_kind(get_experiment(connection, same.slug), request.kind)
    return known_file(database, store, staged, same.identity)


def _read_alike(
    there: Sequence[UploadRecord],
    staged: StagedObject,
    mapping: TableMapping | None,
    reading: Reading,
) -> UploadRecord | None:
    """The first of these stored tables that was read as the same bytes are to be read now."""
    if mapping is None:
        return next((upload for upload in there if upload.mapping is None), None)
    mapped = [(upload, upload.mapping) for upload in there if upload.mapping is not None]
    if not mapped:
        return None
    asked = reading.settled(staged, mapping)
    return next((upload for upload, said in mapped if mapping_of(said) == asked), None)


def known_file(
    database: Database, store: ObjectStore, staged: StagedObject, identity: str
) -> Receipt | None:
    """The receipt of the upload of that identity; its bytes are put back where they are damaged.

    Errors: 409 where its experiment was deleted.
    """
    if repository.is_definitely_new(database, staged.sha256):
        return None
    with database.read() as connection:
        upload = repository.find(connection, identity)
        if upload is None:
            return None
        check_not_deleted(connection, upload.slug, "this file")
        receipt = receipt_of(connection, "known", upload)
    suffix = SUFFIXES[upload.content]
    kept = store.path(upload.sha256, suffix)
    if kept is None or not same_bytes(kept, upload.sha256):
        staged.commit(suffix)  # the store had lost it, or it was damaged
    return receipt


def came_meanwhile() -> CoalescopeError:
    """Of the same run, by another request. It is there, or refused, when it is sent again."""
    return CoalescopeError(
        "conflict",
        "The same run was being stored at the same time.",
        advice="Send the file again.",
        status=409,
    )
