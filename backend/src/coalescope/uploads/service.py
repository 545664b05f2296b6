# SPDX-License-Identifier: Apache-2.0
"""Accept one file: parse it, make it durable, store its rows, and only then say so.

All or nothing: a refused file leaves neither bytes nor rows. Bytes that were accepted before change
nothing when they come again.
"""

from functools import partial

from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from coalescope.db.engine import AUDIT_CONTEXT, Database
from coalescope.errors import not_found
from coalescope.experiments.records import Factors
from coalescope.experiments.service import get_experiment
from coalescope.foreign.bundle import is_bundle, write_bundle
from coalescope.storage.object_store import SUFFIXES, ObjectStore, StagedObject
from coalescope.untrusted.texts import refuse_control
from coalescope.uploads import repository
from coalescope.uploads.known_files import came_meanwhile, known_file, known_table
from coalescope.uploads.log_batches import LogUpload, store_batch
from coalescope.uploads.parsed_upload import ParsedUpload, UploadRequest
from coalescope.uploads.parsing import beginning, is_foreign, is_run_log, parse
from coalescope.uploads.reading import Reading
from coalescope.uploads.receipt import Receipt, receipt_of
from coalescope.uploads.superseded_logs import say_superseded, stored_copy, supersede
from coalescope.uploads.upload_rows import store_rows
from coalescope.web.tracing import span


def accept(
    database: Database,
    store: ObjectStore,
    staged: StagedObject,
    request: UploadRequest,
    reading: Reading,
) -> Receipt:
    """Store a received file. When this returns, bytes and rows are on disk.

    Errors: CoalescopeError 422 where the file is wrong, 409 where it contradicts what is stored.
    """
    for field in ("filename", "title", "citation"):
        refuse_control(field, getattr(request, field))
    if not is_run_log(staged, request) and is_foreign(staged):
        with store.stage() as bundled:
            content = staged.path.read_bytes()
            bundled.write(write_bundle(request.given, {request.filename: content}))
            return _accept(database, store, bundled, request, reading)
    return _accept(database, store, staged, request, reading)


def _accept(
    database: Database,
    store: ObjectStore,
    staged: StagedObject,
    request: UploadRequest,
    reading: Reading,
) -> Receipt:
    known = (
        known_file(database, store, staged, staged.sha256)
        if is_run_log(staged, request) or is_bundle(beginning(staged))
        else known_table(database, store, staged, request, reading)
    )
    if known is not None:
        return known
    with span("upload parse", bytes=staged.size):
        parsed = parse(staged, request, reading)
    with span("upload sync"):
        staged.sync()  # the slow part of durability, before the write lock is taken
    receipt = None
    if parsed.content == "run_log":
        log = LogUpload(staged, request, parsed, AUDIT_CONTEXT.get())
        receipt = database.batcher.do(parsed.slug, log, partial(store_batch, database, store))
    return receipt or _accept_alone(database, store, staged, request, parsed, reading)


def _accept_alone(
    database: Database,
    store: ObjectStore,
    staged: StagedObject,
    request: UploadRequest,
    parsed: ParsedUpload,
    reading: Reading,
) -> Receipt:
    """Store a table, other tools' files, or a log that is known, contradicts one, or goes on.

    Errors: as of `accept`.
    """
    stored = stored_copy(database, store, staged, parsed)
    if stored is not None:
        match reading.longer(stored.log, staged):
            case "longer":
                return supersede(database, staged, request, parsed, stored.run)
            case "no longer":
                return say_superseded(database, staged, request, stored.run)
    try:
        # waits for the lock, and at its end for the disk
        with span("upload commit"), database.write(within=parsed.slug) as connection:
            identity = parsed.identity or staged.sha256
            if repository.find(connection, identity) is None:
                with span("upload rows", runs=len(parsed.runs)):
                    store_rows(connection, staged, request, parsed)
                with span("upload place"):
                    staged.commit(SUFFIXES[parsed.content])
                upload = repository.find(connection, identity)
                assert upload is not None
                return receipt_of(connection, "stored", upload)
    except IntegrityError:
        pass  # the same bytes came at the same time, by another server of this database
    known = known_file(database, store, staged, parsed.identity or staged.sha256)
    if known is None:
        raise came_meanwhile()
    return known


def recent(connection: Connection, limit: int) -> list[Receipt]:
    """Receipts of the newest uploads, newest first."""
    return [
        receipt_of(connection, "stored", upload)
        for upload in repository.list_recent(connection, limit)
    ]


def runs_of_cells(connection: Connection, identity: str) -> list[tuple[Factors, int]]:
    """Each cell that an upload has runs in, with how many.

    Errors: 404 where it is not there, or its experiment was deleted.
    """
    upload = repository.find(connection, identity)
    if upload is None:
        raise not_found("upload", identity, "GET /api/uploads lists the newest.")
    get_experiment(connection, upload.slug)
    return repository.runs_of_cells(connection, identity)
