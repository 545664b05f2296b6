# SPDX-License-Identifier: Apache-2.0
"""What kind of file was sent, and what reads it."""

from coalescope.errors import CoalescopeError
from coalescope.foreign.bundle import is_bundle
from coalescope.foreign.registry import MOST_BYTES, START_BYTES, recognise
from coalescope.storage.object_store import StagedObject
from coalescope.uploads.file_kinds import begins_as_run_log, is_named_as_run_log
from coalescope.uploads.parsed_upload import ParsedUpload, UploadRequest
from coalescope.uploads.reading import Reading


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


def parse(staged: StagedObject, request: UploadRequest, reading: Reading) -> ParsedUpload:
    """What the file holds. Errors: CoalescopeError 422; 503 where its reading was ended."""
    if not staged.size:
        raise CoalescopeError(
            "empty_file",
            "The file is empty.",
            where={"file": request.filename, "offset": 0},
            advice="Send a run log, or a CSV table with a header and rows.",
        )
    if is_run_log(staged, request):
        return reading.log(staged, request)
    if is_bundle(beginning(staged)):
        return reading.foreign(staged, request)
    return reading.table(staged, request)
