# SPDX-License-Identifier: Apache-2.0
"""coalescope import FILE…"""

from argparse import Namespace
from typing import BinaryIO

from coalescope.cli.file_outcomes import FileOutcome, conclude, report, unreadable
from coalescope.cli.given_files import GivenFile, given_files
from coalescope.cli.local_store import changed_store
from coalescope.errors import CoalescopeError
from coalescope.object_store import StagedObject
from coalescope.store import Store
from coalescope.uploads.endpoints import receipt_out
from coalescope.uploads.incoming import UploadRequest
from coalescope.uploads.plain_text import refuse_binary
from coalescope.uploads.service import accept, begins_as_run_log, is_named_as_run_log
from coalescope.uploads.tidy_csv import MAX_CSV_BYTES

_CHUNK_BYTES = 1 << 20


def run(arguments: Namespace) -> int:
    """Store files; 1 unless all of them are in the store."""
    outcomes = []
    with changed_store(arguments) as store, given_files(arguments.files) as given:
        for file in given:
            outcome = file if isinstance(file, FileOutcome) else _open(store, file, arguments)
            outcomes.append(outcome)
            report(outcome, arguments)
    return conclude(outcomes, arguments)


def _open(store: Store, file: GivenFile, arguments: Namespace) -> FileOutcome:
    try:
        content = file.path.open("rb")
    except OSError as error:
        return unreadable(file.shown, error)
    with content:
        return _import(store, content, file, arguments)


def _import(store: Store, content: BinaryIO, file: GivenFile, arguments: Namespace) -> FileOutcome:
    asked = UploadRequest(
        file.name,
        arguments.experiment,
        arguments.title,
        arguments.kind,
        arguments.citation,
        override_source=arguments.override_source,
        choice=arguments.choice,
        no_choice=arguments.no_choice,
    )
    try:
        with store.object_store.stage() as staged:
            _receive(content, staged, asked.filename)
            receipt = accept(store.database, store.object_store, staged, asked)
    except CoalescopeError as error:
        return FileOutcome(file.shown, "refused", None, error.as_json()["error"])
    shown = receipt_out(receipt).model_dump(mode="json")
    return FileOutcome(file.shown, receipt.outcome, shown, None)


def _receive(file: BinaryIO, staged: StagedObject, filename: str) -> None:
    """Copy the file, but no more of it than can be accepted: a device has no end."""
    chunk = file.read(_CHUNK_BYTES)
    is_log = begins_as_run_log(chunk)
    if not is_log and not is_named_as_run_log(filename):
        refuse_binary(chunk)
    while chunk and (is_log or staged.size <= MAX_CSV_BYTES):
        staged.write(chunk)
        chunk = file.read(_CHUNK_BYTES)
