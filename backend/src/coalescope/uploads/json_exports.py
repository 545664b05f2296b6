# SPDX-License-Identifier: Apache-2.0
"""A JSON export that comes back: as the table that the same export writes as CSV.

Everything that a table is checked for holds for it, too. A row of what is said about it is an entry
of `runs` or `cells` and the header's 1: the first entry is row 2. Standard library only.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from io import BytesIO
from typing import Any, BinaryIO, TypeVar

from coalescope.errors import CoalescopeError
from coalescope.experiments.levels import factor_key
from coalescope.experiments.records import CellRecord, ExperimentRecord, Factors, SummaryRecord
from coalescope.exports.means import told_of_means
from coalescope.exports.records import ExportedRun
from coalescope.exports.source_columns import source_columns
from coalescope.exports.tables import Columns, csv_of_cells, csv_of_runs, own_units
from coalescope.runs.records import MeasuredValue
from coalescope.untrusted.bounds import EXPORT_BYTES, most
from coalescope.untrusted.json_texts import parsed

_START = re.compile(rb'\s*\{\s*"format":\s*\d+,\s*"experiment":')
_START_BYTES = 4096
_WHEN = ("order", "block", "recorded_at")
_Document = Mapping[str, Any]
_Record = TypeVar("_Record", ExportedRun, CellRecord)


def as_table(file: BinaryIO) -> BinaryIO:
    """The file itself, or where it is a JSON export the CSV of the same.

    Errors: CoalescopeError 422 for an export that was changed so that it is none.
    """
    start = file.read(_START_BYTES)
    file.seek(0)
    if not _START.match(start):
        return file
    content = file.read(most(EXPORT_BYTES + 1))
    if len(content) > most(EXPORT_BYTES):
        raise CoalescopeError(
            "too_large",
            f"The JSON export has more than {EXPORT_BYTES:,} bytes.",
            where={"row": 1},
            advice="Send the CSV of the same export, which may be larger.",
        )
    try:
        document = parsed(content)
    except ValueError as error:
        raise _changed(f"it is no JSON: {str(error)[:200]}") from None
    try:
        return BytesIO("".join(_csv(document)).encode())
    except UnicodeEncodeError:
        raise _changed("a text of it has half a character") from None


def _csv(document: _Document) -> Iterator[str]:
    if document["format"] != 1:
        raise _changed(f"its format is {document['format']!r:.20}, and 1 is known")
    experiment = _experiment(document["experiment"])
    if "runs" in document:
        return _runs(experiment, list(_entries(document["runs"], "runs", _run)))
    cells = list(_entries(document.get("cells"), "cells", _cell))
    return _cells(*told_of_means(experiment, cells, _reasons(document)))


def _experiment(said: Any) -> ExperimentRecord:
    if not isinstance(said, dict) or not isinstance(said.get("source"), dict):
        raise _changed("it does not say its experiment and source")
    measures = said["source"].get("measures", {})
    if not isinstance(measures, dict) or not all(isinstance(m, dict) for m in measures.values()):
        raise _changed("its source says of measures what is no object")
    title, subtitle, kind = (said.get(name, "") for name in ("title", "subtitle", "kind"))
    if not all(isinstance(text, str) for text in (title, subtitle, kind)):
        raise _changed("title, subtitle and kind are texts")
    return ExperimentRecord(0, "", title, subtitle, kind, said["source"], 0, "", "")


def _reasons(document: _Document) -> Mapping[str, str]:
    """By measure, why its intervals are not those of independent replicates."""
    said = document.get("intervals", {})
    if not isinstance(said, dict) or not all(isinstance(why, str) for why in said.values()):
        raise _changed("what it says of intervals is no text by measure")
    return said


def _entries(found: Any, name: str, made: Callable[[int, _Document], _Record]) -> Iterator[_Record]:
    if not isinstance(found, list):
        raise _changed("it has no list of runs or cells")
    for number, entry in enumerate(found, start=1):
        try:
            yield made(number, entry)
        except (KeyError, TypeError, AttributeError) as error:
            why = f"entry {number} of {name} is not of its form ({str(error)[:100]})"
            raise _changed(why, number + 1) from None


def _run(number: int, entry: _Document) -> ExportedRun:
    values = {
        name: MeasuredValue(_number(of["value"]), _known(of["sd"]), _count(of["n"]))
        for name, of in entry["measures"].items()
    }
    replicate = entry["replicate"]
    return ExportedRun(
        str(number),
        0,
        _factors(entry),
        None if replicate is None else _count(replicate),
        False,
        "csv",
        entry.get("recorded_at"),
        entry.get("order"),
        entry.get("block"),
        values,
    )


def _cell(number: int, entry: _Document) -> CellRecord:
    summaries = {
        name: SummaryRecord(_count(of["n"]), _number(of["mean"]), _known(of["sd"]), None)
        for name, of in entry["measures"].items()
    }
    return CellRecord(number, _factors(entry), 0, 0, summaries)


def _factors(entry: _Document) -> Factors:
    factors: Factors = entry["factors"]
    for level in factors.values():
        if isinstance(level, bool) or not isinstance(level, str | int | float):
            raise TypeError("a level is a text or a number")
    return factors


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("a value is a number")
    return value


def _known(value: Any) -> float | None:
    return None if value is None else _number(value)


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("a count is a whole number")
    return value


def _runs(experiment: ExperimentRecord, runs: list[ExportedRun]) -> Iterator[str]:
    values = [of for run in runs for of in run.measures.items()]
    means = any(of.n > 1 for _, of in values)
    known = {name for run in runs for name in _WHEN if getattr(run, name) is not None}
    columns = _columns(
        experiment,
        [run.factors for run in runs],
        "n" if means else "replicate",
        values,
        () if means else tuple(name for name in _WHEN if name in known),
    )
    cells = {key: n for n, key in enumerate({factor_key(run.factors) for run in runs})}
    placed = [replace(run, cell_id=cells[factor_key(run.factors)]) for run in runs]
    used: dict[int, set[int]] = {}
    for run in placed:
        if run.replicate is not None:
            used.setdefault(run.cell_id, set()).add(run.replicate)
    return csv_of_runs(columns, placed, used)


def _cells(experiment: ExperimentRecord, cells: list[CellRecord]) -> Iterator[str]:
    values = [of for cell in cells for of in cell.measures.items()]
    columns = _columns(experiment, [cell.factors for cell in cells], "n", values, ())
    return csv_of_cells(columns, cells)


def _columns(
    experiment: ExperimentRecord,
    settings: Iterable[Factors],
    count: str,
    values: Iterable[tuple[str, MeasuredValue | SummaryRecord]],
    when: tuple[str, ...],
) -> Columns:
    values = list(values)
    return Columns(
        list(dict.fromkeys(name for factors in settings for name in factors)),
        count,
        list(dict.fromkeys(name for name, _ in values)),
        frozenset(name for name, of in values if count == "n" and of.sd is not None),
        when,
        own_units(experiment.source),
        experiment.kind,
        source_columns(experiment),
    )


def _changed(why: str, row: int | None = None) -> CoalescopeError:
    return CoalescopeError(
        "bad_export",
        f"This begins as a JSON export, but {why}.",
        where={} if row is None else {"row": row},
        advice="Export it again, and send the file as it was written; or send the CSV.",
    )
