# SPDX-License-Identifier: Apache-2.0
"""Tidy CSV: one row per run (`replicate`), or one per cell (`n`, MEASURE, MEASURE_sd).

Everything is checked before anything is stored, and every fault is reported with its row and
column (rows as a spreadsheet counts them, the header being row 1). An empty measure is one that is
not known. No I/O beyond reading the given binary file.
"""

import csv
import io
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import BinaryIO, Literal

from coalescope_models.quantity import Quantity

from coalescope.errors import CoalescopeError, Problem, refused
from coalescope.experiments.levels import factor_key
from coalescope.experiments.records import FactorValue
from coalescope.exports.formulas import as_meant
from coalescope.measures.derived import derive
from coalescope.runs.factors import CONTROL, LARGEST_LEVEL, LONGEST_LEVEL
from coalescope.runs.records import MeasuredValue
from coalescope.uploads.columns import Column, classify, unknown_column

MAX_PROBLEMS = 20
# cell, replicate, measure
_Place = tuple[str, int | None, str]
MAX_ROWS = 100_000
MAX_CSV_BYTES = 32 * 2**20
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_INTEGER = re.compile(r"\+?\d{1,9}")
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row: a run (n = 1) or a cell's means; `row` as a spreadsheet counts it."""

    row: int
    factors: dict[str, FactorValue]
    replicate: int | None
    measures: dict[str, MeasuredValue]


@dataclass(frozen=True)
class Table:
    """A whole file that is right."""

    per: Literal["run", "cell"]
    rows: Sequence[TableRow]


class _Faults(Exception):  # noqa: N818  the collected outcome, not an error of its own
    """Enough faults have been found."""


class _Collector:
    """Faults of one file, up to MAX_PROBLEMS."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def add(
        self,
        code: str,
        message: str,
        advice: str,
        row: int,
        column: str | None = None,
        value: str | None = None,
    ) -> None:
        where: dict[str, str | int | float | None] = {"row": row}
        if column is not None:
            where["column"] = column
        if value is not None:
            where["value"] = value[:LONGEST_LEVEL]
        self.keep(Problem(code=code, message=message, where=where, advice=advice))

    def keep(self, problem: Problem) -> None:
        self.problems.append(problem)
        if len(self.problems) >= MAX_PROBLEMS:
            raise _Faults


def read_table(file: BinaryIO) -> Table:
    """Read and check a tidy CSV. Errors: CoalescopeError (422) with every fault, up to 20."""
    _check_bytes(file)
    collector = _Collector()
    try:
        table = _read(file, collector)
    except _Faults:
        raise refused(collector.problems) from None
    if collector.problems:
        raise refused(collector.problems)
    return table


def measures_of(table: Table, row: TableRow) -> Mapping[str, MeasuredValue]:
    """A row's measures; a run's with the ratios that follow: means of ratios are not known."""
    if table.per == "cell":
        return row.measures
    values = derive({name: measured.value for name, measured in row.measures.items()})
    return {name: MeasuredValue(value) for name, value in values.items()}


def check_size(size: int, filename: str) -> None:
    """Errors: CoalescopeError (413) for a table that is larger than MAX_CSV_BYTES."""
    if size > MAX_CSV_BYTES:
        raise CoalescopeError(
            "too_large",
            f"The table has {size:,} bytes; up to {MAX_CSV_BYTES:,} are read at once.",
            where={"file": filename},
            advice="Split it into several files with the same header.",
            status=413,
        )


def _read(file: BinaryIO, faults: _Collector) -> Table:
    with closing(_records(file, faults)) as records:
        return _read_records(records, faults)


def _read_records(records: Iterator[tuple[int, list[str]]], faults: _Collector) -> Table:
    names = [name.strip() for name in next(records, (1, []))[1]]
    columns = _header(names, faults)
    per: Literal["run", "cell"] = "cell" if "n" in names else "run"
    if faults.problems:
        raise _Faults  # rows cannot be judged by a header that is not understood
    rows: list[TableRow] = []
    seen: dict[_Place, int] = {}
    for number, fields in records:
        if not fields:
            continue
        row = _row(number, fields, columns, faults)
        if row is not None:
            _check_repeat(row, seen, faults)
            rows.append(row)
        if len(rows) > MAX_ROWS:
            faults.add(
                "too_many_rows",
                f"The table has more than {MAX_ROWS:,} rows.",
                "Split it into several files with the same header.",
                number,
            )
            raise _Faults
    if not rows and not faults.problems:
        faults.add("no_rows", "The file has a header and no rows.", "Add the data.", 2)
    return Table(per, rows)


def refuse_binary(start: bytes) -> None:
    """Refuse a file from its first bytes if they cannot be a table's. Errors: 422 with offset."""
    if b"\0" in start:
        _check_bytes(io.BytesIO(start))


def _check_bytes(file: BinaryIO) -> None:
    """Refuse what is not UTF-8 text, with the offset of the first byte that is not."""
    start = file.read(4)
    if start.startswith(_UTF16):
        raise _not_text("The file is UTF-16 text.", 0, "Save it as CSV in UTF-8.")
    file.seek(0)
    offset, blank = 0, True
    tail = b""
    while chunk := file.read(1 << 16):
        data = tail + chunk
        nul = data.find(b"\0")
        if nul >= 0:
            raise _not_text(
                "The file is neither a run log nor text.",
                offset - len(tail) + nul,
                "Send a .runlog file as it was written, or a CSV table.",
            )
        try:
            text = data.decode("utf-8")
            tail = b""
        except UnicodeDecodeError as error:
            if error.reason != "unexpected end of data" or len(data) - error.start > 3:
                raise _not_text(
                    "The file is neither a run log nor UTF-8 text.",
                    offset - len(tail) + error.start,
                    "Send a .runlog file as it was written, or save the table as CSV in UTF-8.",
                ) from None
            text, tail = data[: error.start].decode("utf-8"), data[error.start :]
        offset += len(chunk)
        blank = blank and not text.strip("\ufeff \t\r\n")
    if tail:
        raise _not_text("The text ends inside a character.", offset - len(tail), "Send it whole.")
    if blank:
        raise CoalescopeError(
            "empty_file",
            "The file is empty.",
            where={"row": 1},
            advice="Send a run log, or a CSV table with a header and rows.",
        )
    file.seek(0)


def _not_text(message: str, offset: int, advice: str) -> CoalescopeError:
    return CoalescopeError("not_text", message, where={"offset": offset}, advice=advice)


def _records(file: BinaryIO, faults: _Collector) -> Generator[tuple[int, list[str]], None, None]:
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    number = 0
    try:
        for fields in csv.reader(text, strict=True):
            number += 1
            blank = not fields or (len(fields) == 1 and not fields[0].strip())
            yield number, [] if blank else fields
    except csv.Error as error:
        faults.add(
            "broken_quoting",
            f"Row {number + 1} cannot be read as CSV: {error}.",
            "Check the quotation marks: a mark inside a quoted field is doubled.",
            number + 1,
        )
    finally:
        text.detach()


def _header(names: list[str], faults: _Collector) -> list[Column]:
    if _wrong_delimiter(names, faults):
        return []
    columns: list[Column] = []
    for position, name in enumerate(names, start=1):
        column = classify(name)
        if column is None:
            faults.keep(unknown_column(name, position))
        elif any(column.name == other.name for other in columns):
            faults.add("duplicate_column", f"Column {name!r} is there twice.", "Keep one.", 1, name)
        else:
            columns.append(column)
    if not faults.problems:
        _check_header(columns, faults)
    return columns


def _wrong_delimiter(names: list[str], faults: _Collector) -> bool:
    if len(names) != 1:
        return False
    for mark, name in ((";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars")):
        if mark in names[0]:
            faults.add(
                "wrong_delimiter",
                f"The columns are separated by {name}.",
                "Separate columns by commas, and write decimals with a point.",
                1,
            )
            return True
    return False


def _check_header(columns: Sequence[Column], faults: _Collector) -> None:
    roles = {column.role for column in columns}
    measured = {column.name for column in columns if column.role == "measure"}
    if not roles & {"replicate", "n"}:
        faults.add(
            "missing_column",
            "There is neither a column 'replicate' nor a column 'n'.",
            "One row per run: number the runs of each cell in 'replicate'. One row per cell: "
            "give the number of runs behind its mean in 'n'.",
            1,
        )
    if {"replicate", "n"} <= roles:
        faults.add(
            "run_or_cell",
            "There are both a column 'replicate' and a column 'n'.",
            "A row is one run (replicate) or one cell's mean (n), not both: remove one.",
            1,
        )
    if not roles & {"factor", "free factor"}:
        faults.add(
            "missing_column",
            "There is no factor column.",
            "Add what was varied, for example mtu_bytes, delay_us, workload or factor.<name>.",
            1,
        )
    if not measured:
        faults.add(
            "missing_column",
            "There is no measure column.",
            "Add what was measured, for example throughput_mbps.",
            1,
        )
    for column in columns:
        if column.role != "sd":
            continue
        if "n" not in roles:
            faults.add(
                "sd_without_n",
                f"Column {column.name!r} is a deviation, but the rows are single runs.",
                "Give the number of runs behind each mean in 'n', or remove the deviation.",
                1,
                column.name,
            )
        if column.measure not in measured:
            faults.add(
                "sd_without_mean",
                f"Column {column.name!r} has no column {column.measure!r} beside it.",
                "Add the means, or remove the deviation.",
                1,
                column.name,
            )


def _row(
    number: int, fields: list[str], columns: Sequence[Column], faults: _Collector
) -> TableRow | None:
    before = len(faults.problems)
    if len(fields) != len(columns):
        _wrong_length(number, fields, columns, faults)
        return None
    reader = _RowReader(number, faults)
    texts = {column.name: field.strip() for column, field in zip(columns, fields, strict=True)}
    factors = {
        column.name: level
        for column in columns
        if column.role in ("factor", "free factor")
        and (level := reader.level(column, texts[column.name])) is not None
    }
    counts = {
        column.name: reader.count(column.name, texts[column.name])
        for column in columns
        if column.role in ("replicate", "n")
    }
    means = {
        column.name: value
        for column in columns
        if column.role == "measure"
        and (value := reader.number(column, texts[column.name])) is not None
    }
    deviations = {
        str(column.measure): value
        for column in columns
        if column.role == "sd" and (value := reader.deviation(column, texts)) is not None
    }
    n = counts.get("n", 1)
    if len(faults.problems) > before or n is None:
        return None
    reader.check_deviations(deviations, means, n)
    if not means:
        faults.add(
            "no_value", "The row has no measured value.", "Fill one in, or remove it.", number
        )
    if len(faults.problems) > before:
        return None
    measures = {name: MeasuredValue(mean, deviations.get(name), n) for name, mean in means.items()}
    return TableRow(number, factors, counts.get("replicate"), measures)


def _wrong_length(
    number: int, fields: list[str], columns: Sequence[Column], faults: _Collector
) -> None:
    advice = "Check for a missing or an extra comma; a text with a comma needs quotation marks."
    if len(fields) > len(columns):
        advice += " Decimals are written with a point."
    faults.add(
        "row_length",
        f"Row {number} has {len(fields)} fields, the header has {len(columns)}.",
        advice,
        number,
    )


class _RowReader:
    """Reads the fields of one row, noting faults."""

    def __init__(self, row: int, faults: _Collector) -> None:
        self.row = row
        self.faults = faults

    def level(self, column: Column, text: str) -> FactorValue | None:
        """A factor's level; None after a fault."""
        if not text:
            self._fault(
                "missing_factor",
                f"Row {self.row} does not say its {column.name}.",
                "Every row needs a level for every factor.",
                column.name,
            )
            return None
        if column.quantity is not None and not column.quantity.text:
            return self.number(column, text)
        if (
            column.quantity is None
            and _NUMBER.fullmatch(text)
            and abs(float(text)) <= LARGEST_LEVEL
        ):
            return float(text)
        if len(text) > LONGEST_LEVEL or CONTROL.search(text):
            self._fault(
                "bad_text",
                f"The level of {column.name} is too long or has control characters.",
                f"Use plain text of at most {LONGEST_LEVEL} characters.",
                column.name,
                text,
            )
            return None
        return as_meant(text)

    def number(self, column: Column, text: str) -> float | None:
        """A number in its quantity's domain; None if empty or after a fault."""
        if not text:
            return None
        value = self._float(column.name, text)
        quantity = column.quantity
        if value is None or quantity is None or quantity.contains(value):
            return value
        self._fault(
            "out_of_domain",
            f"{column.name} = {text} is not possible: {_domain(quantity)}.",
            f"{quantity.label} is in {quantity.unit or 'plain numbers'}; check value and unit.",
            column.name,
            text,
        )
        return None

    def deviation(self, column: Column, texts: dict[str, str]) -> float | None:
        """A standard deviation: not negative, and only beside a mean."""
        text = texts[column.name]
        if not text:
            return None
        value = self._float(column.name, text)
        if value is None:
            return None
        if value < 0:
            self._fault(
                "out_of_domain",
                f"{column.name} = {text} is not possible: a deviation is not negative.",
                "Give the sample standard deviation.",
                column.name,
                text,
            )
            return None
        if not texts.get(str(column.measure)):
            self._fault(
                "sd_without_mean",
                f"Row {self.row} has {column.name} but no {column.measure}.",
                "Fill the mean in, or remove the deviation.",
                column.name,
                text,
            )
            return None
        return value

    def count(self, name: str, text: str) -> int | None:
        """A whole number: n from 1, replicate from 0."""
        least = 1 if name == "n" else 0
        value = int(text) if _INTEGER.fullmatch(text) else None
        if value is None or value < least:
            self._fault(
                "bad_count",
                f"{name} must be a whole number from {least}, not {text!r}.",
                "n counts the runs behind a mean; replicate numbers the runs of a cell.",
                name,
                text,
            )
            return None
        return value

    def check_deviations(
        self, deviations: dict[str, float], means: dict[str, float], n: int
    ) -> None:
        """One run has no deviation."""
        for name in deviations:
            if n < 2:
                self._fault(
                    "sd_without_n",
                    f"Row {self.row} gives {name}_sd for n = {n}: one run has no deviation.",
                    "Give the number of runs behind the mean in 'n', or leave the deviation empty.",
                    f"{name}_sd",
                )

    def _float(self, name: str, text: str) -> float | None:
        if _NUMBER.fullmatch(text):
            value = float(text)
            if abs(value) <= LARGEST_LEVEL:
                return value
        code, advice = "not_a_number", "Write a plain decimal number, or leave the field empty."
        if _DECIMAL_COMMA.fullmatch(text):
            code, advice = "decimal_comma", "Write decimals with a point."
        elif text.lower().lstrip("+-") in ("nan", "inf", "infinity") or _NUMBER.fullmatch(text):
            code, advice = "not_finite", "Leave the field empty where the value is not known."
        self._fault(
            code,
            f"Row {self.row}, column {name}: {text[:40]!r} is not a number that can be used.",
            advice,
            name,
            text,
        )
        return None

    def _fault(
        self, code: str, message: str, advice: str, column: str, value: str | None = None
    ) -> None:
        self.faults.add(code, message, advice, self.row, column, value)


def _domain(quantity: Quantity) -> str:
    low, high = quantity.domain
    if low is not None and high is not None:
        return f"it lies between {low:g} and {high:g}"
    return f"it is at least {low:g}" if low is not None else f"it is at most {high:g}"


def _check_repeat(row: TableRow, seen: dict[_Place, int], faults: _Collector) -> None:
    """A run has one row. A cell has one row per measure: counts may differ between measures."""
    key = factor_key(row.factors)
    names = [""] if row.replicate is not None else list(row.measures)
    first = min(seen.setdefault((key, row.replicate, name), row.row) for name in names)
    if first == row.row:
        return
    what = "cell" if row.replicate is None else f"replicate {row.replicate} of the cell"
    faults.add(
        "duplicate_row",
        f"Row {row.row} repeats the {what} of row {first}.",
        "Keep one of them, or give them different replicate numbers.",
        row.row,
    )
