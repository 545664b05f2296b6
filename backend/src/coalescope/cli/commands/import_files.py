# SPDX-License-Identifier: Apache-2.0
"""coalescope import FILE…"""

from argparse import Namespace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from coalescope.cli.file_outcomes import FileOutcome, conclude, report, unreadable
from coalescope.cli.foreign_files import with_foreign_together
from coalescope.cli.given_files import GivenFile, given_files
from coalescope.cli.local_store import changed_store, settings_of
from coalescope.cli.mapped_tables import mapping_typed, with_what_was_seen
from coalescope.errors import CoalescopeError
from coalescope.foreign.bundle import is_bundle
from coalescope.storage.object_store import StagedObject
from coalescope.store import Store
from coalescope.untrusted.bounds import TABLE_BYTES
from coalescope.uploads.endpoints import receipt_out
from coalescope.uploads.incoming import UploadRequest
from coalescope.uploads.mapping.records import TableMapping
from coalescope.uploads.plain_text import refuse_binary
from coalescope.uploads.reading import Reading
from coalescope.uploads.service import accept, begins_as_run_log, is_named_as_run_log

_CHUNK_BYTES = 1 << 20


def run(arguments: Namespace) -> int:
    """Store files; 1 unless all of them are in the store."""
    outcomes = []
    mapping = mapping_typed(arguments)
    with (
        changed_store(arguments) as store,
        given_files(arguments.files) as given,
        TemporaryDirectory(prefix="coalescope-") as folder,
    ):
        for file in with_foreign_together(given, arguments.set, Path(folder)):
            outcome = (
                file
                if isinstance(file, FileOutcome)
                else with_what_was_seen(
                    _open(store, file, arguments, mapping), file, arguments, ("import",)
                )
            )
            outcomes.append(outcome)
            report(outcome, arguments)
    return conclude(outcomes, arguments)


def _open(
    store: Store, file: GivenFile, arguments: Namespace, mapping: TableMapping | None
) -> FileOutcome:
    try:
        content = file.path.open("rb")
    except OSError as error:
        return unreadable(file.shown, error)
    with content:
        return _import(store, content, file, arguments, mapping)


def _import(
    store: Store,
    content: BinaryIO,
    file: GivenFile,
    arguments: Namespace,
    mapping: TableMapping | None,
) -> FileOutcome:
    asked = UploadRequest(
        file.name,
        arguments.experiment,
        arguments.title,
        arguments.kind,
        arguments.citation,
        override_source=arguments.override_source,
        choice=arguments.choice,
        no_choice=arguments.no_choice,
        mapping=mapping,
    )
    reading = Reading.within(settings_of(arguments))
    try:
        with store.object_store.stage() as staged:
            _receive(content, staged, asked.filename, mapped=mapping is not None)
            receipt = accept(store.database, store.object_store, staged, asked, reading)
    except CoalescopeError as error:
        return FileOutcome(file.shown, "refused", None, error.as_json()["error"])
    shown = receipt_out(receipt).model_dump(mode="json")
    return FileOutcome(file.shown, receipt.outcome, shown, None)


def _receive(file: BinaryIO, staged: StagedObject, filename: str, *, mapped: bool) -> None:
    """Copy the file, but no more of it than can be accepted: a device has no end."""
    chunk = file.read(_CHUNK_BYTES)
    is_log = begins_as_run_log(chunk) or is_bundle(chunk)
    if not (is_log or is_named_as_run_log(filename) or mapped):
        refuse_binary(chunk)
    while chunk and (is_log or staged.size <= TABLE_BYTES):
        staged.write(chunk)
        chunk = file.read(_CHUNK_BYTES)
