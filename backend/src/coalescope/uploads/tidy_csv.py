# SPDX-License-Identifier: Apache-2.0
"""Tidy CSV: one row per run (`replicate`), or one per cell (`n`, MEASURE, MEASURE_sd).

With neither, each row is the one run of its cell.
Everything is checked before anything is stored, and every fault is reported with its row and
column (rows as a spreadsheet counts them, the header being row 1). An empty measure is one that is
not known. No I/O beyond reading the given binary file.
"""

import csv
import io
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO, Literal

from coalescope.errors import CoalescopeError, refused
from coalescope.experiments.levels import factor_key
from coalescope.experiments.records import FactorValue
from coalescope.glossary.quantities import is_own_measure
from coalescope.measures.derived import derive
from coalescope.runs.records import MeasuredValue
from coalescope.untrusted.bounds import (
    FIELD_CHARACTERS,
    FIELDS,
    LEVELS,
    ROW_CHARACTERS,
    ROWS,
    TABLE_BYTES,
    most,
)
from coalescope.uploads.csv_faults import SPLIT_IT, EnoughFaults, Faults
from coalescope.uploads.csv_header import read_header
from coalescope.uploads.csv_row import RowReader, TableRow
from coalescope.uploads.csv_source import SAYS_NOTHING, SourceReader, TableSource
from coalescope.uploads.foreign_files import refuse_foreign
from coalescope.uploads.json_exports import as_table
from coalescope.uploads.plain_text import check_text

# cell, replicate, measure
_Place = tuple[str, int | None, str]


@dataclass(frozen=True)
class Table:
    """A whole file that is right."""

    per: Literal["run", "cell"]
    rows: Sequence[TableRow]
    # columns of measures that are no more: nothing of them is kept
    passed_over: Sequence[str] = ()
    source: TableSource = SAYS_NOTHING
    # units of measures of its own
    units: Mapping[str, str] = field(default_factory=dict)
    # whether it says which run of its cell a row is, or how many stand behind it
    numbered: bool = True

    def about(self, about: Mapping[str, Any]) -> dict[str, Any]:
        """A source with what the header says of measures of its own."""
        own = dict(about.get("measures", {}))
        own |= {name: {**own.get(name, {}), "unit": unit} for name, unit in self.units.items()}
        return {**about, "measures": own} if own else dict(about)


def read_table(file: BinaryIO) -> Table:
    """Read and check a tidy CSV, or a JSON export as the table that it stands for.

    Errors: CoalescopeError (422) with every fault, up to 20.
    """
    check_text(file)
    file = as_table(file)
    refuse_foreign(file)
    collector = Faults()
    try:
        table = _read(file, collector)
    except EnoughFaults:
        raise refused(collector.problems) from None
    if collector.problems:
        raise refused(collector.problems)
    return table


def measures_of(table: Table, row: TableRow) -> Mapping[str, MeasuredValue]:
    """A row's measures; a run's with the ratios that follow: means of ratios are not known."""
    if table.per == "cell":
        return row.measures
    given = {name: measured.value for name, measured in row.measures.items()}
    values = derive(given)
    if len(values) == len(given):
        return row.measures
    return {name: MeasuredValue(value) for name, value in values.items()}


def check_size(size: int, filename: str) -> None:
    """Errors: CoalescopeError (413) for a table that is larger than TABLE_BYTES."""
    if size > most(TABLE_BYTES):
        raise CoalescopeError(
            "too_large",
            f"The table has {size:,} bytes; up to {TABLE_BYTES:,} are read at once.",
            where={"file": filename},
            advice=SPLIT_IT,
            status=413,
        )


def _read(file: BinaryIO, faults: Faults) -> Table:
    with closing(_records(file, faults)) as records:
        return read_records(records, faults)


def read_records(
    records: Iterator[tuple[int, list[str]]], faults: Faults, *, added: int = 0
) -> Table:
    """Check rows, each with its number, the header first; what is wrong goes to `faults`.

    `added`: how many of the columns are not of the file, but number its runs.

    Errors: EnoughFaults where the header is not understood, or too much is wrong.
    """
    header_row, header = next(records, (1, []))
    names = [name.strip() for name in header]
    columns = read_header(names, faults, added)
    per: Literal["run", "cell"] = "cell" if "n" in names else "run"
    numbered = not {"replicate", "n"}.isdisjoint(names)
    if faults.problems:
        raise EnoughFaults  # rows cannot be judged by a header that is not understood
    rows: list[TableRow] = []
    most_rows = min(most(ROWS), most(FIELDS) // len(columns))
    reader = RowReader(columns, faults)
    levels = _Levels(faults)
    seen: dict[_Place, int] = {}
    source = SourceReader(columns, faults)
    for number, fields in records:
        if number - header_row > most_rows:
            _too_many_rows(number, len(columns) - added, most_rows, faults, added)
        if not fields:
            continue
        source.read(number, fields)
        row = reader.read(number, fields)
        if row is not None:
            row = row if numbered else replace(row, replicate=1)
            _check_repeat(row, seen, faults, numbered=numbered)
            rows.append(row)
            levels.note(row)
    if not rows and not faults.problems:
        faults.add("no_rows", "The file has a header and no rows.", "Add the data.", 2)
    passed_over = [column.name for column in columns if column.role == "retired"]
    units = {
        column.name: column.quantity.unit
        for column in columns
        if column.role == "measure" and column.quantity and is_own_measure(column.name)
    }
    return Table(per, rows, passed_over, source.source(), units, numbered)


class _Levels:
    """The levels that each factor has so far."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._of: dict[str, set[FactorValue]] = {}

    def note(self, row: TableRow) -> None:
        """Note those of a row. One too many is a fault that ends the reading."""
        for name, level in row.factors.items():
            known = self._of.setdefault(name, set())
            known.add(level)
            if len(known) > most(LEVELS):
                self._faults.add(
                    "too_many_levels",
                    f"{name} has more than {LEVELS:,} levels.",
                    "What differs from run to run was observed, not set: name it as a measure "
                    "(measure.NAME), or round it to the levels that were set.",
                    row.row,
                    name,
                )
                raise EnoughFaults


def _too_many_rows(number: int, columns: int, most_rows: int, faults: Faults, added: int) -> None:
    each = f"{columns} columns{' and a number for each run' if added else ''}"
    why = "" if most_rows == ROWS else f" With {each}, up to {FIELDS:,} fields are read."
    faults.add(
        "too_many_rows",
        f"The table has more than {most_rows:,} rows, blank ones included.{why}",
        SPLIT_IT,
        number,
    )
    raise EnoughFaults


class Lines:
    """The lines of a text, and no more of them for one row than a row may have."""

    def __init__(self, text: io.TextIOWrapper) -> None:
        self._text = text
        self._left = ROW_CHARACTERS

    def __iter__(self) -> Iterator[str]:
        while line := self._text.readline(self._left + 1):
            self._left -= len(line)
            if self._left < 0:
                raise LongRowError
            yield line

    def row_ends(self) -> None:
        """What comes is of another row."""
        self._left = ROW_CHARACTERS


class LongRowError(Exception):
    """A row has more characters than are read of one."""


def _records(file: BinaryIO, faults: Faults) -> Generator[tuple[int, list[str]], None, None]:
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    number = 0
    lines = Lines(text)
    try:
        for fields in csv.reader(lines, strict=True):
            lines.row_ends()
            number += 1
            blank = not fields or (len(fields) == 1 and not fields[0].strip())
            yield number, [] if blank else fields
    except LongRowError:
        faults.add(
            "long_row",
            f"Row {number + 1} has more than {ROW_CHARACTERS:,} characters.",
            "Check the quotation marks: one that is not closed takes all rows into one field.",
            number + 1,
        )
    except csv.Error as error:
        if str(error).startswith("field larger"):
            faults.add(
                "long_field",
                f"Row {number + 1} has a field of more than {FIELD_CHARACTERS:,} characters.",
                "Check the quotation marks: one that is not closed takes all rows into one field.",
                number + 1,
            )
            return
        faults.add(
            "broken_quoting",
            f"Row {number + 1} cannot be read as CSV: {error}.",
            "Check the quotation marks: a mark inside a quoted field is doubled.",
            number + 1,
        )
    finally:
        text.detach()


def _check_repeat(
    row: TableRow, seen: dict[_Place, int], faults: Faults, *, numbered: bool
) -> None:
    """A run has one row. A cell has one row per measure: counts may differ between measures."""
    key = factor_key(row.factors)
    names = [""] if row.replicate is not None else list(row.measures)
    first = min(seen.setdefault((key, row.replicate, name), row.row) for name in names)
    if first == row.row:
        return
    means = row.replicate is None or not numbered
    what = "cell" if means else f"replicate {row.replicate} of the cell"
    faults.add(
        "duplicate_row",
        f"Row {row.row} repeats the {what} of row {first}.",
        "Keep one of them, or give them different replicate numbers."
        if numbered
        else "Number the runs of each cell in a column 'replicate'; or give one row per cell, and "
        "in 'n' the number of runs behind its mean.",
        row.row,
    )
