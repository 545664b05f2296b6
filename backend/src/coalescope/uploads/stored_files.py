# SPDX-License-Identifier: Apache-2.0
"""The files that were acknowledged, as the database knows them: what is verified and copied."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy.engine import Connection

from coalescope.database import Database
from coalescope.object_store import RUN_LOG_SUFFIX, SUFFIXES, ObjectStore
from coalescope.runs.records import NewRun
from coalescope.uploads import repository
from coalescope.uploads.csv_files import understand_csv
from coalescope.uploads.incoming import UploadRequest
from coalescope.uploads.run_logs import understand_run_log
from coalescope.uploads.superseding import SUPERSEDED


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
            )
        )
    return found


def without_rows(database: Database, store: ObjectStore) -> list[tuple[str, str]]:
    """Digest and suffix of each object that no upload names.

    An upload that is under way may be among them.
    """
    objects = store.contents().objects
    with database.read() as connection:
        known = {(file.sha256, file.suffix) for file in stored_files(connection)}
    return sorted(objects - known)


def measured_anew(file: StoredFile, path: Path) -> Sequence[NewRun]:
    """The runs of a stored file as this program understands them now. Errors: CoalescopeError."""
    request = UploadRequest(file.filename, experiment=file.experiment, environment=file.environment)
    if file.suffix == RUN_LOG_SUFFIX:
        return understand_run_log(path, request).runs
    return understand_csv(path, file.bytes, file.sha256, request).runs
