# SPDX-License-Identifier: Apache-2.0
"""Runs of stored logs follow when measures come to mean something else.

What people decided about a run stays: its cell, its number, whether it is retracted.
"""

import logging

from coalescope.db.engine import Database
from coalescope.errors import CoalescopeError
from coalescope.measures import DEFINITIONS
from coalescope.runs import recording
from coalescope.runs.records import NewRun
from coalescope.storage.object_store import RUN_LOG_SUFFIX, KeptObject, ObjectStore
from coalescope.uploads import repository
from coalescope.uploads.parsed_upload import UploadRequest
from coalescope.uploads.reading import Reading

_LOG = logging.getLogger("coalescope.uploads")
_AT_ONCE = 200


def measure_again(database: Database, store: ObjectStore, reading: Reading) -> int:
    """Measure every log that was measured under older definitions; returns how many there were.

    Each batch is a transaction, so a start that is cut short goes on with the next one. A log that
    cannot be read is left as it is, and named: `coalescope verify` says more.
    """
    done = 0
    while True:
        with database.read() as connection:
            batch = repository.measured_before(connection, DEFINITIONS, _AT_ONCE)
        if not batch:
            return done
        if not done:
            _LOG.warning("Measures have new definitions: stored run logs are measured again.")
        found = {log.run_uid: new for log in batch if (new := _measured(store, log, reading))}
        with database.write() as connection:
            recording.measure_again(connection, found, f"measures as of definitions {DEFINITIONS}")
            repository.set_measured(connection, [log.upload_id for log in batch], DEFINITIONS)
        done += len(batch)


def _measured(store: ObjectStore, log: repository.MeasuredLog, reading: Reading) -> NewRun | None:
    path = store.path(log.sha256, RUN_LOG_SUFFIX)
    if path is None:
        _LOG.error("%s is not in the store: its run keeps its measures.", log.filename)
        return None
    try:
        request = UploadRequest(log.filename, experiment=log.experiment)
        return reading.of_stored().log(KeptObject(path, log.sha256), request).runs[0]
    except CoalescopeError as error:
        _LOG.error("%s: %s Its run keeps its measures.", log.filename, error.message)
        return None
