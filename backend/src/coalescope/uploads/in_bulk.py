# SPDX-License-Identifier: Apache-2.0
"""Many run logs at once, whose bytes are in the object store already."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy.engine import Connection

from coalescope.experiments.records import ExperimentRecord
from coalescope.runs import recording
from coalescope.runs.records import NewRun
from coalescope.uploads import repository


@dataclass(frozen=True)
class ReceivedLog:
    """A run log that was stored and measured."""

    run: NewRun
    sha256: str
    bytes: int
    filename: str


def with_uploads(
    connection: Connection, experiment: ExperimentRecord, logs: Sequence[ReceivedLog]
) -> list[NewRun]:
    """Note the files; returns the runs to be recorded.

    A log that people uploaded, or whose run they uploaded in other bytes, is left as it is.
    """
    known = set(repository.known(connection, [log.sha256 for log in logs]))
    known_runs = set(recording.taken(connection, [log.run.uid for log in logs]))
    new = [log for log in logs if log.sha256 not in known and log.run.uid not in known_runs]
    rows = [
        repository.upload_row(
            log.sha256, log.bytes, log.filename, "run_log", experiment.id, 1, log.run.warnings
        )
        for log in new
    ]
    ids = repository.insert_all(connection, rows)
    return [replace(log.run, upload_id=id_) for log, id_ in zip(new, ids, strict=True)]


def forget(connection: Connection, upload_ids: Sequence[int]) -> None:
    """Remove what was noted of files whose runs are gone; their bytes stay."""
    repository.delete(connection, upload_ids)
