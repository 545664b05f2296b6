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
from coalescope.uploads.numbering import numbered, refuse_repeats
from coalescope.uploads.parsed_upload import ParsedUpload, UploadRequest
from coalescope.uploads.provenance import check_source
from coalescope.uploads.repository import MOST_WARNINGS, upload_row


def store_rows(
    connection: Connection, staged: StagedObject, request: UploadRequest, parsed: ParsedUpload
) -> None:
    """Store what a file holds: its experiment if it is new, its upload, its runs.

    Errors: 409 where it contradicts what is stored.
    """
    cited = {"citation": request.citation} if request.citation else {}
    about = cited if parsed.content == "run_log" else parsed.about
    experiment = ensure_experiment(
        connection,
        parsed.slug,
        parsed.title,
        parsed.kind,
        subtitle=parsed.subtitle,
        source=about,
    )
    if parsed.content == "csv":
        check_source(experiment, about)
        add_notes(connection, experiment, parsed.notes)
    if parsed.content != "run_log":
        describe_columns(connection, experiment, about)
    new = parsed.runs
    if parsed.content == "csv":
        settings, said = _looked_through(new)
        refuse_repeats(connection, experiment, new, settings, per_cell=parsed.per_cell)
        warnings = [*_elsewhere(connection, staged, parsed), *parsed.warnings, *said]
    else:
        new = numbered(connection, experiment, new)
        warnings = [warning for run in new for warning in run.warnings]
    upload_id = insert_upload(connection, staged, request, parsed, experiment, warnings)
    of_upload = (replace(run, upload_id=upload_id) for run in new)
    recording.record_runs(connection, experiment, of_upload, f"uploaded as {request.filename}")


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


def insert_upload(
    connection: Connection,
    staged: StagedObject,
    request: UploadRequest,
    parsed: ParsedUpload,
    experiment: ExperimentRecord,
    warnings: Sequence[RunWarning],
) -> int:
    """Insert the row of one file; returns its id."""
    row = upload_row(
        staged.sha256,
        staged.size,
        request.filename,
        parsed.content,
        experiment.id,
        len(parsed.runs),
        warnings,
    )
    if parsed.identity is not None:
        row["identity"] = parsed.identity
    row["mapping"] = None if parsed.mapping is None else parsed.mapping.as_json()
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
