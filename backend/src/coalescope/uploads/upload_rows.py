# SPDX-License-Identifier: Apache-2.0
"""The rows of one file: its upload, its experiment, its runs."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlalchemy.engine import Connection

from coalescope.experiments.levels import factor_key
from coalescope.experiments.records import ExperimentRecord, Factors
from coalescope.experiments.service import add_notes, describe_columns, ensure_experiment
from coalescope.runs import recording
from coalescope.runs.records import NewRun, RunWarning
from coalescope.storage.object_store import StagedObject
from coalescope.uploads import repository
from coalescope.uploads.incoming import Incoming, UploadRequest
from coalescope.uploads.numbering import numbered, refuse_repeats
from coalescope.uploads.provenance import check_source
from coalescope.uploads.repository import MOST_WARNINGS, upload_row


def store_rows(
    connection: Connection, staged: StagedObject, request: UploadRequest, incoming: Incoming
) -> None:
    """Store what a file holds: its experiment if it is new, its upload, its runs.

    Errors: 409 where it contradicts what is stored.
    """
    cited = {"citation": request.citation} if request.citation else {}
    about = cited if incoming.content == "run_log" else incoming.about
    experiment = ensure_experiment(
        connection,
        incoming.slug,
        incoming.title,
        incoming.kind,
        subtitle=incoming.subtitle,
        source=about,
    )
    if incoming.content == "csv":
        check_source(experiment, about)
        add_notes(connection, experiment, incoming.notes)
    if incoming.content != "run_log":
        describe_columns(connection, experiment, about)
    new = incoming.runs
    if incoming.content == "csv":
        settings, said = _looked_through(new)
        refuse_repeats(connection, experiment, new, settings, per_cell=incoming.per_cell)
        warnings = [*_elsewhere(connection, staged, incoming), *incoming.warnings, *said]
    else:
        new = numbered(connection, experiment, new)
        warnings = [warning for run in new for warning in run.warnings]
    upload_id = insert_upload(connection, staged, request, incoming, experiment, warnings)
    of_upload = (replace(run, upload_id=upload_id) for run in new)
    recording.record_runs(connection, experiment, of_upload, f"uploaded as {request.filename}")


def _elsewhere(
    connection: Connection, staged: StagedObject, incoming: Incoming
) -> Sequence[RunWarning]:
    """That the same bytes are somewhere else, or are there under other names."""
    others = repository.with_bytes(connection, staged.sha256)
    places = list(dict.fromkeys(other.slug for other in others if other.slug != incoming.slug))
    if not places:
        return ()
    return [
        RunWarning(
            "also_elsewhere",
            f"The same file is in {', '.join(places[:5])} as well; its rows count in each.",
            {"experiment": places[0]},
        )
    ]


def insert_upload(
    connection: Connection,
    staged: StagedObject,
    request: UploadRequest,
    incoming: Incoming,
    experiment: ExperimentRecord,
    warnings: Sequence[RunWarning],
) -> int:
    """Insert the row of one file; returns its id."""
    row = upload_row(
        staged.sha256,
        staged.size,
        request.filename,
        incoming.content,
        experiment.id,
        len(incoming.runs),
        warnings,
    )
    if incoming.identity is not None:
        row["identity"] = incoming.identity
    row["mapping"] = None if incoming.mapping is None else incoming.mapping.as_json()
    return repository.insert(connection, row)


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
