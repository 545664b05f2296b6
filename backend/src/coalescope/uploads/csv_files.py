# SPDX-License-Identifier: Apache-2.0
"""A tidy CSV as an upload."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO
from uuid import NAMESPACE_URL, uuid5

from coalescope.errors import CoalescopeError, did_you_mean
from coalescope.experiments.choice import with_choices
from coalescope.experiments.levels import factor_key
from coalescope.experiments.service import MAX_SLUG
from coalescope.runs.records import NewRun, RunWarning
from coalescope.uploads.csv_row import TableRow
from coalescope.uploads.mapping.reading import read_mapped
from coalescope.uploads.mapping.records import TableMapping
from coalescope.uploads.parsed_upload import ParsedUpload, UploadRequest
from coalescope.uploads.provenance import Provenance, provenance
from coalescope.uploads.row_doubts import row_doubts
from coalescope.uploads.tidy_csv import Table, check_size, measures_of, read_table

# pairs of rows that are named
_MOST_SAMPLES = 20
_ONE_RUN_EACH = RunWarning(
    "one_run_each",
    "There is neither a column 'replicate' nor a column 'n': each row is taken as the one run of "
    "its cell, which has no interval.",
)
_MIDNIGHT = "T00:00:00.000Z"


_REPEATED = RunWarning(
    "runs_numbered",
    "Rows of the same setting were taken as runs of it, numbered in the order of the file. If they "
    "differ in a column that was left out, say what it is.",
)


def identity_of(sha256: str, slug: str, mapping: TableMapping | None) -> str:
    """What makes a table one upload: its bytes, where it goes, and what its columns mean."""
    said = json.dumps([sha256, slug, mapping.text() if mapping else None])
    return hashlib.sha256(said.encode()).hexdigest()


def understand_csv(
    path: Path, size: int, sha256: str, request: UploadRequest, identity: str | None = None
) -> ParsedUpload:
    """Read and check the table at `path`; without an experiment, the file's name gives one.

    `identity` is that of an upload that is stored, whose runs are told by it.

    Errors: CoalescopeError (422) with row and column of every fault; 413 for a table that is
    larger than TABLE_BYTES.
    """
    check_size(size, request.filename)
    slug = request.experiment or slug_from(request.filename)
    with path.open("rb") as file:
        read = _read(file, request)
    table = read.table
    identity = identity or identity_of(sha256, slug, read.mapping)
    settled = provenance(table.source, request)
    runs = [_run(table, row, identity, settled) for row in table.rows]
    title = request.title or table.source.title or PurePosixPath(request.filename).stem
    warnings = [*settled.overridden, *(_passed_over(name) for name in table.passed_over)]
    warnings += islice(_samples(runs), _MOST_SAMPLES)
    if read.repeated:
        warnings.append(_REPEATED)
    elif not table.numbered:
        warnings.append(_ONE_RUN_EACH)
    return ParsedUpload(
        "csv",
        slug,
        title,
        settled.kind,
        runs,
        warnings,
        per_cell=table.per == "cell",
        subtitle=table.source.subtitle,
        about=_with_choices(table.about(settled.about), table, request),
        notes=[warning.message for warning in settled.overridden],
        identity=identity,
        mapping=read.mapping,
    )


def _run(table: Table, row: TableRow, identity: str, settled: Provenance) -> NewRun:
    measures = measures_of(table, row)
    doubts = row_doubts(row, measures, settled.kind, means=table.per == "cell")
    return NewRun(
        uid=str(uuid5(NAMESPACE_URL, f"coalescope:csv:{identity}:{row.row}")),
        factors=row.factors,
        replicate=row.replicate,
        content="csv",
        measures=measures,
        csv_row=row.row,
        recorded_at=row.recorded_at,
        order=row.order,
        block=row.block,
        warnings=[*settled.overridden, *doubts],
    )


@dataclass(frozen=True)
class _Read:
    """A table, by whose names it was read, and whether rows of one setting were numbered here."""

    table: Table
    mapping: TableMapping | None = None
    repeated: bool = False


def _read(file: BinaryIO, request: UploadRequest) -> _Read:
    if request.mapping is None:
        return _Read(read_table(file))
    mapped = read_mapped(file, request.mapping)
    return _Read(mapped.table, mapped.mapping, mapped.repeated)


def _with_choices(
    about: Mapping[str, Any], table: Table, request: UploadRequest
) -> Mapping[str, Any]:
    """What is said of factors. Errors: 422 for one that the table does not have."""
    known = {name for row in table.rows for name in row.factors}
    for name in (*request.choice, *request.no_choice):
        near = "" if name in known else did_you_mean(name, sorted(known))
        if name not in known or {name} <= {*request.choice} & {*request.no_choice}:
            raise CoalescopeError(
                "wrong_choice",
                f"The table has no factor {name[:80]!r}."
                if name not in known
                else f"{name} is said to be for choice, and not to be.",
                where={"field": name[:80]},
                advice=f"{near}Its factors are {', '.join(sorted(known))}.",
            )
    return with_choices(about, request.choice, request.no_choice)


def _passed_over(name: str) -> RunWarning:
    return RunWarning(
        "measure_retired",
        f"Column {name!r} was passed over: this measure is no more, as it counted all tasks in the "
        "interface's network namespace. If its values are interface and workload together, name "
        f"the column {name.replace('receiver_', 'traffic_')}.",
        {"column": name},
    )


def _samples(runs: Sequence[NewRun]) -> Iterator[RunWarning]:
    """Replicates that began at one moment. A date alone is midnight: it tells no moment."""
    began: dict[tuple[str, str], int | None] = {}
    for run in runs:
        if run.recorded_at is None or run.recorded_at.endswith(_MIDNIGHT):
            continue
        first = began.setdefault((factor_key(run.factors), run.recorded_at), run.csv_row)
        if first != run.csv_row:
            yield RunWarning(
                "same_moment",
                f"Rows {first} and {run.csv_row} are of one cell and began at the same moment. If "
                "they are samples of one run, they are no replicates: store their mean as one row.",
                {"row": run.csv_row, "column": "recorded_at"},
            )


def slug_from(filename: str) -> str:
    """An experiment's name from a file's. Errors: 422 if no letter or digit is in it."""
    stem = PurePosixPath(filename).stem.lower()
    slug = re.sub(r"[^a-z0-9]+", "-", stem).strip("-")[:MAX_SLUG].strip("-")
    if not slug:
        raise CoalescopeError(
            "no_experiment",
            f"No experiment is named, and the file name {filename!r} gives none.",
            where={"field": "experiment"},
            advice="Name one with the upload (--experiment on the command line).",
        )
    return slug
