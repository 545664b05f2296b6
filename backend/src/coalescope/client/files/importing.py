# SPDX-License-Identifier: Apache-2.0
"""Files into a store that is open here, through the same door as an upload."""

from typing import BinaryIO

from coalescope.client.files.given import GivenFile
from coalescope.client.files.outcomes import FileOutcome, unreadable
from coalescope.errors import CoalescopeError
from coalescope.foreign.bundle import is_bundle
from coalescope.storage.object_store import StagedObject
from coalescope.store import Store
from coalescope.untrusted.bounds import TABLE_BYTES
from coalescope.uploads.endpoints import receipt_out
from coalescope.uploads.file_kinds import begins_as_run_log, is_named_as_run_log
from coalescope.uploads.parsed_upload import UploadRequest
from coalescope.uploads.plain_text import refuse_binary
from coalescope.uploads.reading import Reading
from coalescope.uploads.service import accept

_CHUNK_BYTES = 1 << 20


def import_file(
    store: Store, file: GivenFile, asked: UploadRequest, reading: Reading
) -> FileOutcome:
    """Store one file; what is wrong with it is in the outcome."""
    try:
        content = file.path.open("rb")
    except OSError as error:
        return unreadable(file.shown, error)
    with content:
        return _import(store, content, file.shown, asked, reading)


def _import(
    store: Store, content: BinaryIO, shown: str, asked: UploadRequest, reading: Reading
) -> FileOutcome:
    try:
        with store.object_store.stage() as staged:
            _receive(content, staged, asked)
            receipt = accept(store.database, store.object_store, staged, asked, reading)
    except CoalescopeError as error:
        return FileOutcome(shown, "refused", None, error.as_json()["error"])
    document = receipt_out(receipt).model_dump(mode="json")
    return FileOutcome(shown, receipt.outcome, document, None)


def _receive(file: BinaryIO, staged: StagedObject, asked: UploadRequest) -> None:
    """Copy the file, but no more of it than can be accepted: a device has no end."""
    chunk = file.read(_CHUNK_BYTES)
    is_log = begins_as_run_log(chunk) or is_bundle(chunk)
    if not (is_log or is_named_as_run_log(asked.filename) or asked.mapping is not None):
        refuse_binary(chunk)
    while chunk and (is_log or staged.size <= TABLE_BYTES):
        staged.write(chunk)
        chunk = file.read(_CHUNK_BYTES)
