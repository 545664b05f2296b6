# SPDX-License-Identifier: Apache-2.0
"""Store files that were read: bytes, experiment, uploads and runs. A file is a batch of one.

Run logs that came at the same time are a larger batch: they share a transaction and one wait for
the disk. Files of a data set, whose bytes are in the object store already, get the same rows.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from coalescope.db.engine import AuditContext, Database, tell
from coalescope.errors import CoalescopeError
from coalescope.experiments.levels import canonical_factors, factor_key
from coalescope.experiments.records import ExperimentRecord, Factors
from coalescope.experiments.service import (
    add_notes,
    check_same_kind,
    describe_columns,
    ensure_experiment,
)
from coalescope.runs import recording
from coalescope.runs.history import happened_to
from coalescope.runs.records import NewRun, RunWarning
from coalescope.storage.object_store import SUFFIXES, ObjectStore, StagedObject
from coalescope.uploads import repository
from coalescope.uploads.numbering import numbered, refuse_repeats
from coalescope.uploads.parsed_upload import ParsedUpload, UploadRequest
from coalescope.uploads.provenance import check_source
from coalescope.uploads.receipt import RUNS_SHOWN, Receipt, ReceivedRun
from coalescope.uploads.repository import MOST_WARNINGS
from coalescope.web.tracing import span


@dataclass(frozen=True)
class IncomingFile:
    """A file that was received, synced and read, and who sent it."""

    staged: StagedObject
    request: UploadRequest
    parsed: ParsedUpload
    cause: AuditContext | None

    @property
    def identity(self) -> str:
        """What makes it one upload."""
        return self.parsed.identity or self.staged.sha256

    @property
    def reason(self) -> str:
        """Why its runs are there."""
        return f"uploaded as {self.request.filename}"


@dataclass(frozen=True)
class _Rows:
    """What a file is stored as: its runs as they are numbered, and what is said of the upload."""

    runs: Sequence[NewRun]
    warnings: Sequence[RunWarning]


def store_batch(
    database: Database, store: ObjectStore, files: Sequence[IncomingFile]
) -> list[Receipt | Exception]:
    """Store one file, or run logs of one experiment; returns when all is on disk.

    Returns the receipt of each, in order, or why nothing was kept of it: CoalescopeError where it
    contradicts what is stored, IntegrityError where its bytes or its run are stored already.
    Errors of the disk and of the database are raised, and nothing was acknowledged then.
    """
    try:
        # waits for the lock, and at its end for the disk
        with (
            span("upload commit", files=len(files)),
            database.write(within=files[0].parsed.slug) as connection,
        ):
            with span("upload rows", runs=sum(len(file.parsed.runs) for file in files)):
                receipts = _store_rows(connection, files)
            with span("upload place"):
                suffix = SUFFIXES[files[0].parsed.content]
                store.commit_all([file.staged for file in files], suffix)
            for file in files:
                _tell(connection, file)
    except (CoalescopeError, IntegrityError) as error:
        if isinstance(error, CoalescopeError) and error.status >= 500:
            raise  # of the store: it would be the same for each alone
        if len(files) == 1:
            return [error]
        # one of them spoilt it: alone, each is told what is its own
        return [_store_alone(database, store, file) for file in files]
    return list(receipts)


def _store_alone(database: Database, store: ObjectStore, file: IncomingFile) -> Receipt | Exception:
    try:
        (outcome,) = store_batch(database, store, [file])
    except Exception as error:  # for its sender: others of the batch may be stored by now
        return error
    return outcome


def _tell(connection: Connection, file: IncomingFile) -> None:
    runs = file.parsed.runs
    if file.cause is not None and runs:
        first = next(iter(runs)).uid
        what = happened_to(file.parsed.slug, first, file.reason, len(runs))
        tell(connection, what, file.cause)


def _store_rows(connection: Connection, files: Sequence[IncomingFile]) -> list[Receipt]:
    """Errors: 409 where one contradicts what is stored."""
    experiment = _experiment_of(connection, files)
    if files[0].parsed.content == "csv":
        found = [_rows_of_table(connection, experiment, file) for file in files]
    else:
        found = _rows_of_recordings(connection, experiment, files)
    rows = [
        upload_row(file, experiment, of_file.warnings)
        for file, of_file in zip(files, found, strict=True)
    ]
    ids = repository.insert_all(connection, rows)
    new = (
        (replace(run, upload_id=id_), file.reason)
        for file, of_file, id_ in zip(files, found, ids, strict=True)
        for run in of_file.runs
    )
    # as if one had come after the other: the version does not tell who met whom
    recording.record_runs(connection, experiment, new, changes=len(files))
    return [
        Receipt(
            "stored",
            repository.inserted(id_, row, experiment),
            [_received(run) for run in islice(of_file.runs, RUNS_SHOWN)],
        )
        for id_, row, of_file in zip(ids, rows, found, strict=True)
    ]


def _experiment_of(connection: Connection, files: Sequence[IncomingFile]) -> ExperimentRecord:
    """The experiment of all these, made as the first describes it if it is new.

    Errors: 409 where one is of another kind, or says other things of it.
    """
    parsed, request = files[0].parsed, files[0].request
    about = parsed.about
    if parsed.content == "run_log":
        about = {"citation": request.citation} if request.citation else {}
    experiment = ensure_experiment(
        connection, parsed.slug, parsed.title, parsed.kind, subtitle=parsed.subtitle, source=about
    )
    for file in files[1:]:
        check_same_kind(experiment, file.parsed.kind)
    if parsed.content == "csv":
        check_source(experiment, about)
        add_notes(connection, experiment, parsed.notes)
    if parsed.content != "run_log":
        describe_columns(connection, experiment, about)
    return experiment


def _rows_of_recordings(
    connection: Connection, experiment: ExperimentRecord, files: Sequence[IncomingFile]
) -> list[_Rows]:
    """Run logs and other tools' files: runs that keep or get their replicate numbers."""
    runs = iter(
        numbered(connection, experiment, [run for file in files for run in file.parsed.runs])
    )
    own = [list(islice(runs, len(file.parsed.runs))) for file in files]
    return [_Rows(each, [warning for run in each for warning in run.warnings]) for each in own]


def _rows_of_table(
    connection: Connection, experiment: ExperimentRecord, file: IncomingFile
) -> _Rows:
    """Errors: 409 for rows that repeat what is stored."""
    parsed = file.parsed
    settings, said = _looked_through(parsed.runs)
    refuse_repeats(connection, experiment, parsed.runs, settings, per_cell=parsed.per_cell)
    return _Rows(
        parsed.runs, [*_elsewhere(connection, file.staged, parsed), *parsed.warnings, *said]
    )


def _elsewhere(
    connection: Connection, staged: StagedObject, parsed: ParsedUpload
) -> Sequence[RunWarning]:
    """That the same bytes are somewhere else, or are there under other names."""
    others = repository.with_bytes(connection, staged.sha256)
    places = list(dict.fromkeys(other.slug for other in others if other.slug != parsed.slug))
    if not places:
        return ()
    return [
        RunWarning(
            "also_elsewhere",
            f"The same file is in {', '.join(places[:5])} as well; its rows count in each.",
            {"experiment": places[0]},
        )
    ]


def _looked_through(new: Iterable[NewRun]) -> tuple[list[Factors], list[RunWarning]]:
    """The settings of runs, each once, and the first warnings.

    In one go: runs of a large table are unpacked each time that they are gone through.
    """
    settings: dict[str, Factors] = {}
    warnings: list[RunWarning] = []
    for run in new:
        settings.setdefault(factor_key(run.factors), run.factors)
        if len(warnings) < MOST_WARNINGS:
            warnings += run.warnings
    return list(settings.values()), warnings


def upload_row(
    file: IncomingFile, experiment: ExperimentRecord, warnings: Sequence[RunWarning]
) -> repository.UploadRow:
    """The row of a file that came in."""
    row = repository.upload_row(
        file.staged.sha256,
        file.staged.size,
        file.request.filename,
        file.parsed.content,
        experiment.id,
        len(file.parsed.runs),
        warnings,
    )
    mapping = None if file.parsed.mapping is None else file.parsed.mapping.as_json()
    return row | {"identity": file.identity, "mapping": mapping}


def _received(run: NewRun) -> ReceivedRun:
    return ReceivedRun(run.uid, canonical_factors(run.factors), run.replicate, run.partial)


@dataclass(frozen=True)
class ReceivedLog:
    """A run log of a data set that was measured, and whose bytes are in the object store."""

    run: NewRun
    sha256: str
    bytes: int
    filename: str


def note_logs(
    connection: Connection, experiment: ExperimentRecord, logs: Sequence[ReceivedLog]
) -> list[NewRun]:
    """Note the files of a data set; returns the runs to be recorded.

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
