# SPDX-License-Identifier: Apache-2.0
"""The files that were acknowledged, as the database knows them: what is verified and copied."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy.engine import Connection

from coalescope.db.engine import Database
from coalescope.runs.records import NewRun
from coalescope.storage.object_store import (
    FOREIGN_SUFFIX,
    RUN_LOG_SUFFIX,
    SUFFIXES,
    KeptObject,
    ObjectStore,
)
from coalescope.uploads import repository
from coalescope.uploads.mapping.records import mapping_of
from coalescope.uploads.parsed_upload import UploadRequest
from coalescope.uploads.reading import Reading
from coalescope.uploads.receipt import SUPERSEDED


@dataclass(frozen=True)
class StoredFile:
    """A file that was acknowledged, as the database knows it."""

    sha256: str
    suffix: str
    bytes: int
    filename: str
    experiment: str
    # of its runs; none counts where a longer log of the same run took its place
    missing_runs: int
    superseded: bool
    # facts of where its run was recorded that the log itself does not hold
    environment: Mapping[str, Any]
    # by which the runs of a table are told
    identity: str
    mapping: Mapping[str, Any] | None


def stored_files(connection: Connection) -> list[StoredFile]:
    """All files that were acknowledged, oldest first."""
    found = []
    for upload, runs_there, source in repository.list_with_runs(connection):
        superseded = any(warning["code"] == SUPERSEDED for warning in upload.warnings)
        found.append(
            StoredFile(
                upload.sha256,
                SUFFIXES[upload.content],
                upload.bytes,
                upload.filename,
                upload.slug,
                0 if superseded else upload.run_count - runs_there,
                superseded,
                source.get("environment", {}),
                upload.identity,
                upload.mapping,
            )
        )
    return found


def orphaned_objects(database: Database, store: ObjectStore) -> list[tuple[str, str]]:
    """Digest and suffix of each object that no upload names.

    An upload that is under way may be among them.
    """
    objects = store.contents().objects
    with database.read() as connection:
        known = {(file.sha256, file.suffix) for file in stored_files(connection)}
    return sorted(objects - known)


def remeasured(file: StoredFile, path: Path, reading: Reading) -> Sequence[NewRun]:
    """The runs of a stored file as this program understands them now.

    Its bytes are those that were acknowledged: what bounds files that come in is not asked again.

    Errors: CoalescopeError.
    """
    reading = reading.of_stored()
    kept = KeptObject(path, file.sha256)
    request = UploadRequest(
        file.filename,
        experiment=file.experiment,
        environment=file.environment,
        mapping=None if file.mapping is None else mapping_of(file.mapping),
    )
    if file.suffix == RUN_LOG_SUFFIX:
        return reading.log(kept, request).runs
    if file.suffix == FOREIGN_SUFFIX:
        return reading.foreign(kept, request).runs
    return reading.table(kept, request, file.identity).runs
