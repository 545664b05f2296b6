# SPDX-License-Identifier: Apache-2.0
"""coalescope import FILE…"""

from argparse import Namespace
from pathlib import Path

from coalescope.cli.file_outcomes import FileOutcome, conclude, report, unreadable
from coalescope.cli.local_store import local_store
from coalescope.errors import CoalescopeError
from coalescope.store import Store
from coalescope.uploads.endpoints import receipt_out
from coalescope.uploads.incoming import UploadRequest
from coalescope.uploads.service import accept

_CHUNK_BYTES = 1 << 20


def run(arguments: Namespace) -> int:
    """Store files; 1 unless all of them are in the store."""
    outcomes = []
    with local_store(arguments, create=True) as store:
        for path in arguments.files:
            outcomes.append(_import(store, path, arguments))
            report(outcomes[-1], arguments)
    return conclude(outcomes, arguments)


def _import(store: Store, path: Path, arguments: Namespace) -> FileOutcome:
    asked = UploadRequest(
        path.name, arguments.experiment, arguments.title, arguments.kind, arguments.citation
    )
    try:
        file = path.open("rb")
    except OSError as error:
        return unreadable(path, error)
    try:
        with file, store.object_store.stage() as staged:
            while chunk := file.read(_CHUNK_BYTES):
                staged.write(chunk)
            receipt = accept(store.database, store.object_store, staged, asked)
    except CoalescopeError as error:
        return FileOutcome(str(path), "refused", None, error.as_json()["error"])
    shown = receipt_out(receipt).model_dump(mode="json")
    return FileOutcome(str(path), receipt.outcome, shown, None)
