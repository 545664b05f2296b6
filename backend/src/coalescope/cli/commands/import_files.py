# SPDX-License-Identifier: Apache-2.0
"""coalescope import FILE…"""

import io
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from coalescope.cli.file_outcomes import FileOutcome, conclude, report, unreadable
from coalescope.cli.local_store import changed_store
from coalescope.datasets.bundles import read_bundle
from coalescope.errors import CoalescopeError
from coalescope.object_store import StagedObject
from coalescope.store import Store
from coalescope.uploads.endpoints import receipt_out
from coalescope.uploads.incoming import UploadRequest
from coalescope.uploads.plain_text import refuse_binary
from coalescope.uploads.service import accept, begins_as_run_log, is_named_as_run_log
from coalescope.uploads.tidy_csv import MAX_CSV_BYTES

_CHUNK_BYTES = 1 << 20
_BUNDLES = (".tar", ".tar.gz", ".tar.xz", ".tgz")


def run(arguments: Namespace) -> int:
    """Store files, and the run logs of bundles; 1 unless all of them are in the store."""
    outcomes = []
    with changed_store(arguments) as store:
        for path in arguments.files:
            one_or_more = _import_bundle if path.name.endswith(_BUNDLES) else _import_file
            for outcome in one_or_more(store, path, arguments):
                outcomes.append(outcome)
                report(outcome, arguments)
    return conclude(outcomes, arguments)


def _import_file(store: Store, path: Path, arguments: Namespace) -> Iterator[FileOutcome]:
    try:
        file = path.open("rb")
    except OSError as error:
        yield unreadable(path, error)
        return
    with file:
        yield _import(store, file, path, arguments)


def _import_bundle(store: Store, path: Path, arguments: Namespace) -> Iterator[FileOutcome]:
    try:
        for name, content in read_bundle(path):
            yield _import(store, io.BytesIO(content), path / name, arguments)
    except OSError as error:
        yield unreadable(path, error)
    except CoalescopeError as error:
        yield FileOutcome(str(path), "refused", None, error.as_json()["error"])


def _import(store: Store, file: BinaryIO, path: Path, arguments: Namespace) -> FileOutcome:
    asked = UploadRequest(
        path.name,
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
            _receive(file, staged, asked.filename)
            receipt = accept(store.database, store.object_store, staged, asked)
    except CoalescopeError as error:
        return FileOutcome(str(path), "refused", None, error.as_json()["error"])
    shown = receipt_out(receipt).model_dump(mode="json")
    return FileOutcome(str(path), receipt.outcome, shown, None)


def _receive(file: BinaryIO, staged: StagedObject, filename: str) -> None:
    """Copy the file, but no more of it than can be accepted: a device has no end."""
    chunk = file.read(_CHUNK_BYTES)
    is_log = begins_as_run_log(chunk)
    if not is_log and not is_named_as_run_log(filename):
        refuse_binary(chunk)
    while chunk and (is_log or staged.size <= MAX_CSV_BYTES):
        staged.write(chunk)
        chunk = file.read(_CHUNK_BYTES)
