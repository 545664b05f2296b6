# SPDX-License-Identifier: Apache-2.0
"""Accept one file: parse it, make it durable, store its rows, and only then say so.

All or nothing: a refused file leaves neither bytes nor rows. Bytes that were accepted before change
nothing when they come again.
"""

from functools import partial

from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from coalescope.db.engine import AUDIT_CONTEXT, Database
from coalescope.errors import CoalescopeError, not_found
from coalescope.experiments.records import Factors
from coalescope.experiments.service import get_experiment
from coalescope.foreign.bundle import bundle_into, is_bundle
from coalescope.foreign.registry import MOST_BYTES, START_BYTES, recognise
from coalescope.storage.object_store import ObjectStore, StagedObject
from coalescope.untrusted.bounds import LISTED_UPLOAD_RUNS
from coalescope.untrusted.texts import refuse_control
from coalescope.uploads import repository
from coalescope.uploads.conflicts import known_file, known_table, resolve
from coalescope.uploads.file_kinds import begins_as_run_log, is_named_as_run_log
from coalescope.uploads.parsed_upload import ParsedUpload, UploadRequest
from coalescope.uploads.reading import Reading
from coalescope.uploads.receipt import Receipt, receipt_of
from coalescope.uploads.storing import IncomingFile, store_batch
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
    if not _is_run_log(staged, request) and _is_foreign(staged, request.filename):
        with store.stage() as bundled, staged.path.open("rb") as file:
            bundle_into(bundled, request.given, {request.filename: file})
            return _accept(database, store, bundled, request, reading)
    return _accept(database, store, staged, request, reading)


def _accept(
    database: Database,
    store: ObjectStore,
    staged: StagedObject,
    request: UploadRequest,
    reading: Reading,
) -> Receipt:
    if not repository.is_definitely_new(database, staged.sha256):
        known = (
            known_file(database, store, staged, staged.sha256)
            if _is_run_log(staged, request) or is_bundle(_beginning(staged))
            else known_table(database, store, staged, request, reading)
        )
        if known is not None:
            return known
    with span("upload parse", bytes=staged.size):
        parsed = _parse(staged, request, reading)
    with span("upload sync"):
        staged.sync()  # the slow part of durability, before the write lock is taken
    file = IncomingFile(staged, request, parsed, AUDIT_CONTEXT.get())
    try:
        return _store(database, store, file)
    except (CoalescopeError, IntegrityError) as error:
        if isinstance(error, CoalescopeError) and error.status >= 500:
            raise
        return resolve(database, store, file, reading, error)


def _is_run_log(staged: StagedObject, request: UploadRequest) -> bool:
    """Whether it is one by its first bytes, or is called one."""
    return begins_as_run_log(staged.start) or is_named_as_run_log(request.filename)


def _is_foreign(staged: StagedObject, name: str) -> bool:
    """Whether it is a file as another tool wrote it, to be kept with what was said of it."""
    return staged.size <= MOST_BYTES and recognise(_beginning(staged), name) is not None


def _beginning(staged: StagedObject) -> bytes:
    """As many bytes as tell the formats of other tools."""
    with staged.path.open("rb") as file:
        return file.read(START_BYTES)


def _parse(staged: StagedObject, request: UploadRequest, reading: Reading) -> ParsedUpload:
    """What the file holds. Errors: CoalescopeError 422; 503 where its reading was ended."""
    if not staged.size:
        raise CoalescopeError(
            "empty_file",
            "The file is empty.",
            where={"file": request.filename, "offset": 0},
            advice="Send a run log, or a CSV table with a header and rows.",
        )
    if _is_run_log(staged, request):
        return reading.log(staged, request)
    if is_bundle(_beginning(staged)):
        return reading.foreign(staged, request)
    return reading.table(staged, request)


def _store(database: Database, store: ObjectStore, file: IncomingFile) -> Receipt:
    """Errors: as `store_batch` says and raises."""
    stored = partial(store_batch, database, store)
    if file.parsed.content == "run_log":
        outcome = database.batcher.do(file.parsed.slug, file, stored)
    else:
        (outcome,) = stored([file])
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def recent(connection: Connection, limit: int, offset: int = 0) -> list[Receipt]:
    """Receipts of the newest uploads but so many, newest first, with fewer of their runs."""
    return [
        receipt_of(connection, "stored", upload, LISTED_UPLOAD_RUNS)
        for upload in repository.list_recent(connection, limit, offset)
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
