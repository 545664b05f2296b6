# SPDX-License-Identifier: Apache-2.0
"""Files of other tools as an upload."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from coalescope.db.timestamps import as_utc
from coalescope.errors import Problem, refused
from coalescope.foreign.bundle import read_bundle
from coalescope.foreign.given import Given, read_given
from coalescope.foreign.joining import join, too_many_runs
from coalescope.foreign.registry import ReadFile, read_file
from coalescope.foreign.runs import JoinedRun
from coalescope.glossary.quantities import is_own_measure
from coalescope.measures.audits import date_doubts
from coalescope.measures.consistency import contradictions
from coalescope.measures.plausibility import doubts
from coalescope.runs.factors import check_factors
from coalescope.runs.records import MeasuredValue, NewRun, RunWarning
from coalescope.untrusted.bounds import FOREIGN_RUNS, most
from coalescope.uploads.csv_faults import MAX_PROBLEMS
from coalescope.uploads.csv_files import slug_from
from coalescope.uploads.parsed_upload import ParsedUpload, UploadRequest

_FROM = "imported_from"


def parse_foreign(path: Path, request: UploadRequest) -> ParsedUpload:
    """The runs in an archive of other tools' files.

    Errors: 422 with the file and field of every fault, and with what has to be said of the runs.
    """
    with path.open("rb") as file:
        bundle = read_bundle(file)
    given = read_given(bundle.given)
    runs = joined_runs(bundle.files, given)
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in bundle.files.items()}
    new = [_new_run(run, digests, request) for run in runs]
    stem = PurePosixPath(request.filename).stem
    units = {r.quantity: r.unit for run in runs for r in run.values.values()}
    own = {name: {"unit": unit} for name, unit in units.items() if is_own_measure(name)}
    about: dict[str, Any] = {"measures": own} if own else {}
    if request.citation is not None:
        about["citation"] = request.citation
    return ParsedUpload(
        "foreign",
        request.experiment or slug_from(request.filename),
        request.title or stem,
        request.kind,
        new,
        (),
        about=about,
    )


def joined_runs(files: Mapping[str, bytes], given: Given) -> list[JoinedRun]:
    """The runs in these files. Errors: 422, all faults together."""
    read: list[ReadFile] = []
    faults: list[Problem] = []
    count = 0
    for name, content in sorted(files.items()):
        match read_file(name, content):
            case None:
                faults.append(_unknown(name))
            case Problem() as fault:
                faults.append(fault)
            case found:
                read.append(found)
                count += len(found.reading.runs)
        if count > most(FOREIGN_RUNS):
            raise refused([too_many_runs()])
    if not faults:
        runs, faults = join(read, given)
        if not faults and runs:
            return runs
    raise refused(_once(faults)[:MAX_PROBLEMS] or [_nothing(files)])


def _once(faults: Sequence[Problem]) -> list[Problem]:
    """The same question of several runs is asked once."""
    found: dict[tuple[str, object], Problem] = {}
    for fault in faults:
        name = fault.where.get("field") if fault.code == "setting_missing" else fault.message
        found.setdefault((fault.code, name), fault)
    return list(found.values())


def _new_run(run: JoinedRun, digests: Mapping[str, str], request: UploadRequest) -> NewRun:
    check_factors(run.factors)
    environment = _environment(run, digests)
    numbers = {name: float(record.value) for name, record in run.values.items()}
    recorded_at = _recorded_at(run)
    kind = request.kind or "measured"
    return NewRun(
        uid=_uid(run, digests),
        factors=run.factors,
        replicate=None,
        content="foreign",
        measures={
            name: MeasuredValue(float(record.value), None, record.n)
            for name, record in run.values.items()
        },
        environment=environment,
        warnings=[
            *(RunWarning("imported", note) for note in run.notes),
            *contradictions(numbers, environment, run.factors),
            *doubts(numbers, environment, run.factors, kind),
            *date_doubts(recorded_at),
        ],
        recorded_at=recorded_at,
    )


def _uid(run: JoinedRun, digests: Mapping[str, str]) -> str:
    """The same wherever the run comes from: a number counts within its first file."""
    of_file = digests[run.files[0]] if run.identity.isdigit() else ""
    return str(uuid5(NAMESPACE_URL, f"coalescope:foreign:{of_file}:{run.identity}"))


def _environment(run: JoinedRun, digests: Mapping[str, str]) -> dict[str, Any]:
    """What is known of where it ran; and of each value which file and field it is from."""
    found: dict[str, Any] = {}
    for path, value in run.facts.items():
        group, _, name = path.partition(".")
        if name:
            found.setdefault(group, {})[name] = value
        else:
            found[group] = value
    records = {**run.origins, **run.values}
    found[_FROM] = {name: f"{record.file}: {record.field}" for name, record in records.items()}
    found["imported_files"] = {name: digests[name] for name in run.files}
    return found


def _recorded_at(run: JoinedRun) -> str | None:
    if run.window is None or run.window.days:
        return None
    try:
        return as_utc(datetime.fromtimestamp(run.window.start_s, UTC))
    except (OverflowError, ValueError, OSError):  # of no year that a date can have
        return None


def _unknown(name: str) -> Problem:
    return Problem(
        "unknown_format",
        f"{name} is of no format that is read here.",
        {"file": name},
        "docs/imported-formats.md lists them. Leave the file out.",
    )


def _nothing(files: Mapping[str, bytes]) -> Problem:
    return Problem(
        "nothing_measured",
        "The files hold settings, and nothing that was measured.",
        {"file": ", ".join(sorted(files))[:200]},
        "Give them together with what was measured.",
    )
