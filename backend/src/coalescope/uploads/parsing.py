# SPDX-License-Identifier: Apache-2.0
"""What kind of file was sent, and what reads it."""

from typing import Protocol

from coalescope_host.run_log import Longer

from coalescope.errors import CoalescopeError
from coalescope.foreign.bundle import is_bundle
from coalescope.foreign.registry import MOST_BYTES, START_BYTES, recognise
from coalescope.storage.object_store import ReadableObject, StagedObject
from coalescope.uploads.file_kinds import begins_as_run_log, is_named_as_run_log
from coalescope.uploads.mapping.records import TableMapping
from coalescope.uploads.parsed_upload import ParsedUpload, UploadRequest
from coalescope.uploads.receipt import Receipt


class Read(Protocol):
    """How files are read; a run log is perhaps stored at once."""

    def table(self, staged: StagedObject, request: UploadRequest, /) -> ParsedUpload:
        """What a table holds."""

    def foreign(self, staged: StagedObject, request: UploadRequest, /) -> ParsedUpload:
        """What files of other tools hold."""

    def log(self, staged: StagedObject, request: UploadRequest, /) -> ParsedUpload | Receipt:
        """What a run log holds; or its receipt, if all of it is on disk."""

    def longer(self, stored: ReadableObject, sent: ReadableObject, /) -> Longer | None:
        """Whether a log goes on where a stored one ends, or ends before; None: another log."""

    def settled(self, staged: StagedObject, mapping: TableMapping, /) -> TableMapping:
        """A mapping with what the table settles of it."""


def is_run_log(staged: StagedObject, request: UploadRequest) -> bool:
    """Whether it is one by its first bytes, or is called one."""
    return begins_as_run_log(staged.start) or is_named_as_run_log(request.filename)


def is_foreign(staged: StagedObject) -> bool:
    """Whether it is a file as another tool wrote it, to be kept with what was said of it."""
    return staged.size <= MOST_BYTES and recognise(beginning(staged)) is not None


def beginning(staged: StagedObject) -> bytes:
    """As many bytes as tell the formats of other tools."""
    with staged.path.open("rb") as file:
        return file.read(START_BYTES)


def parse(staged: StagedObject, request: UploadRequest, read: Read) -> ParsedUpload | Receipt:
    """What the file holds; of a run log the receipt, if all of it is on disk.

    Errors: CoalescopeError 422.
    """
    if not staged.size:
        raise CoalescopeError(
            "empty_file",
            "The file is empty.",
            where={"file": request.filename, "offset": 0},
            advice="Send a run log, or a CSV table with a header and rows.",
        )
    if is_run_log(staged, request):
        return read.log(staged, request)
    if is_bundle(beginning(staged)):
        return read.foreign(staged, request)
    return read.table(staged, request)
