# SPDX-License-Identifier: Apache-2.0
"""A file read by a mapping: its rows become those of a tidy table, and are checked as such."""

import re
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from coalescope.errors import CoalescopeError, Problem, did_you_mean, refused
from coalescope.glossary.units import scale
from coalescope.untrusted.bounds import FIELDS
from coalescope.uploads.csv_faults import EnoughFaults, Faults
from coalescope.uploads.mapping.decimals import DecimalSign, is_known, number, numbers_of
from coalescope.uploads.mapping.grid import Grid, open_grid
from coalescope.uploads.mapping.records import MappedColumn, TableMapping
from coalescope.uploads.tidy_csv import Table, read_records

_LOOKED_AT = 20_000  # rows that tell a decimal sign
_NUMBERS = frozenset({"replicate", "n", "order"})


@dataclass(frozen=True)
class MappedTable:
    """A table and the mapping that it was read by, with all that was found.

    Attributes:
        repeated: rows of the same setting, which nothing numbers, were taken as runs of it.
    """

    table: Table
    mapping: TableMapping
    repeated: bool


def read_mapped(file: BinaryIO, mapping: TableMapping) -> MappedTable:
    """Read and check a file by a mapping.

    Errors: CoalescopeError 422 with every fault, up to 20, by the columns of the file; 413.
    """
    return read_grid(open_grid(file, mapping.layout), mapping)


def read_grid(grid: Grid, mapping: TableMapping) -> MappedTable:
    """Read and check what stands in a file. Errors: as read_mapped."""
    resolved = resolve(grid, mapping)
    faults = Faults()
    rows = _Rows(grid, resolved.columns, faults)
    try:
        with closing(iter(rows)) as records:
            table = read_records(records, faults, added=int(rows.numbers))
    except EnoughFaults:
        raise _refused(faults.problems, resolved) from None
    if faults.problems:
        raise _refused(faults.problems, resolved)
    table = replace(table, numbered=table.numbered and not rows.numbers)
    return MappedTable(table, resolved, rows.repeated)


def settle(path: Path, mapping: TableMapping) -> TableMapping:
    """As `resolve`, of the table in a file. Errors: as `resolve` and `open_grid`."""
    with path.open("rb") as file:
        return resolve(open_grid(file, mapping.layout), mapping)


def resolve(grid: Grid, mapping: TableMapping) -> TableMapping:
    """The mapping with layout and decimal signs, so that it says the same of these bytes for ever.

    Errors: 422 for a column that is not there, or whose decimal sign may be either.
    """
    there = set(grid.names)
    for column in mapping.columns:
        if column.column not in there:
            raise CoalescopeError(
                "no_column",
                f"The file has no column {column.column!r}.",
                where={"column": column.column},
                advice=f"{did_you_mean(column.column, grid.names)}Its columns are "
                f"{', '.join(grid.names)[:500]}.",
            )
    signs = _decimal_signs(grid, [one for one in mapping.columns if one.decimal is None])
    columns = [replace(one, decimal=one.decimal or signs[one.column]) for one in mapping.columns]
    return TableMapping(tuple(columns), grid.layout)


def _decimal_signs(grid: Grid, columns: Sequence[MappedColumn]) -> Mapping[str, DecimalSign]:
    if not columns:
        return {}
    texts = texts_of(grid, _LOOKED_AT)
    usual = usual_sign(texts)
    found: dict[str, DecimalSign] = {}
    for column in columns:
        numbers = numbers_of(texts[column.column], usual)
        if _is_numeric(column) and numbers.numeric and not numbers.sure:
            example = next(text for text in texts[column.column] if "." in text or "," in text)
            raise CoalescopeError(
                "decimal_sign",
                f"Column {column.column!r}: {example[:40]!r} has decimals, or counts thousands.",
                where={"column": column.column},
                advice="Say the decimal sign: --decimal comma or --decimal point on the command "
                "line, decimal of the column in a mapping.",
            )
        found[column.column] = numbers.decimal
    return found


def texts_of(grid: Grid, most: int) -> Mapping[str, Sequence[str]]:
    """The texts of each column, of at most so many rows, and fields."""
    most = min(most, FIELDS // max(1, len(grid.names)))
    rows = [fields for _, fields in islice(grid.rows(), most)]
    return {name: [fields[place] for fields in rows] for place, name in enumerate(grid.names)}


def usual_sign(texts: Mapping[str, Sequence[str]]) -> DecimalSign | None:
    """The decimal sign that some columns have for sure; None where none or both are."""
    sure = {
        numbers.decimal
        for column in texts.values()
        if (numbers := numbers_of(column)).numeric and numbers.marked and numbers.sure
    }
    return sure.pop() if len(sure) == 1 else None


def _is_numeric(column: MappedColumn) -> bool:
    meant = column.meant
    return meant.role in _NUMBERS or (meant.quantity is not None and not meant.quantity.text)


class _Rows:
    """The rows of a file as those of a tidy table, the header first."""

    def __init__(self, grid: Grid, columns: Sequence[MappedColumn], faults: Faults) -> None:
        self._grid = grid
        self._columns = columns
        self._faults = faults
        roles = {column.meant.role for column in columns}
        #: whether runs of the same setting are numbered here, in the order of the file
        self.numbers = not roles & {"replicate", "n"}
        self.repeated = False

    def __iter__(self) -> Generator[tuple[int, list[str]], None, None]:
        header = [column.header for column in self._columns]
        yield self._grid.layout.header_row, [*header, *(["replicate"] if self.numbers else [])]
        places = {name: place for place, name in enumerate(self._grid.names)}
        readers = [_Field(column, places[column.column]) for column in self._columns]
        set_ = [p for p, one in enumerate(self._columns) if "factor" in one.meant.role]
        seen: Counter[tuple[str, ...]] = Counter()
        for row, fields in self._grid.rows():
            texts = [reader.read(fields) for reader in readers]
            wrong = [one for one, text in zip(readers, texts, strict=True) if text is None]
            for reader in wrong:
                self._not_a_number(row, reader, fields)
            if wrong:
                continue
            known = [text for text in texts if text is not None]
            if self.numbers:
                setting = tuple(known[place] for place in set_)
                seen[setting] += 1
                self.repeated = self.repeated or seen[setting] > 1
                known.append(str(seen[setting]))
            yield row, known

    def _not_a_number(self, row: int, reader: "_Field", fields: Sequence[str]) -> None:
        name, text = reader.column.header, fields[reader.place]
        self._faults.add(
            "not_a_number",
            f"Row {row}, column {reader.column.column}: {text[:40]!r} is no number with a decimal "
            f"{'comma' if reader.column.decimal == ',' else 'point'}.",
            "Choose the other decimal sign, or correct the field; one that is not known is empty.",
            row,
            name,
            text,
        )


class _Field:
    """Reads one column of a row."""

    def __init__(self, column: MappedColumn, place: int) -> None:
        self.column = column
        self.place = place
        meant = column.meant
        self._decimal: DecimalSign = column.decimal or "."
        self._numeric = _is_numeric(column)
        own = column.quantity.startswith("measure.") or meant.quantity is None
        self._scale = (
            Decimal(1) if own or meant.quantity is None else scale(column.unit, meant.quantity)
        )
        self._free = meant.role == "free factor"

    def read(self, fields: Sequence[str]) -> str | None:
        """The text of a tidy table; None where a number was to be there."""
        text = fields[self.place].strip()
        if not self._numeric:
            level = number(text, self._decimal) if self._free else None
            return text if level is None else _plain(level)
        if not is_known(text):
            return ""
        value = number(text, self._decimal)
        assert self._scale is not None
        return None if value is None else _plain(value * self._scale)


def _plain(value: Decimal) -> str:
    """A number as a tidy table has it: 1500, not 1.50E+3."""
    if value == value.to_integral_value() and abs(value.adjusted()) < 30:
        return str(int(value))
    return format(value.normalize(), "f") if abs(value.adjusted()) < 30 else str(value)


def _refused(problems: Sequence[Problem], mapping: TableMapping) -> CoalescopeError:
    """The faults, by the columns of the file."""
    names = {column.header: column.column for column in mapping.columns}
    names |= {column.meant.name: column.column for column in mapping.columns}
    return refused([_by_column_of_file(problem, names) for problem in problems])


def _by_column_of_file(problem: Problem, names: Mapping[str, str]) -> Problem:
    """The fault, with what the file calls its column."""
    name = str(problem.where.get("column"))
    if name not in names:
        return problem
    own = names[name]
    message = re.sub(rf"(?<![\w.]){re.escape(name)}(?![\w.]\w)", lambda _: own, problem.message)
    return replace(problem, message=message, where={**problem.where, "column": own})
