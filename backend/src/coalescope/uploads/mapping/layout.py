# SPDX-License-Identifier: Apache-2.0
"""How a text is laid out as a table: its encoding, what separates columns, where the header is."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import BinaryIO

from coalescope.errors import CoalescopeError
from coalescope.untrusted.bounds import COLUMNS, NAME_CHARACTERS, most
from coalescope.uploads.mapping.decimals import number
from coalescope.uploads.tidy_csv import Lines

#: What separates columns, and how it is called.
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars", " ": "spaces"}
ENCODINGS = ("utf-8", "utf-16", "windows-1252")
_SAMPLE_BYTES = 1 << 17
_SAMPLE_ROWS = 200
_NO_TABLE = (False, 0.0, 0)
_ALIKE = 0.8  # of all rows
_TITLES = 40  # rows that may stand above the header
_COMMENT = re.compile(r"\s*(#|//|%|sep=.?$)")
_SAYS_SEPARATOR = re.compile(r"sep=(.)", re.IGNORECASE)
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Layout:
    """How a table stands in its file.

    Attributes:
        encoding: one of ENCODINGS; of a workbook, utf-8.
        separator: one of SEPARATORS; of a workbook, empty.
        header_row: the row that names the columns, the first being 1; 0 where none does.
        sheet: of a workbook, the sheet that is read.
    """

    encoding: str = "utf-8"
    separator: str = ","
    header_row: int = 1
    sheet: str = ""


def is_comment(fields: Sequence[str]) -> bool:
    """Whether a row is a remark for people: it begins with #, % or //."""
    return bool(fields) and _COMMENT.match(fields[0]) is not None


def is_blank(fields: Sequence[str]) -> bool:
    """Whether nothing stands in a row."""
    return not any(field.strip() for field in fields)


def look_at_text(file: BinaryIO) -> Layout:
    """The layout of a text. Errors: CoalescopeError 422 where it is none, or has no columns."""
    start = file.read(_SAMPLE_BYTES)
    file.seek(0)
    encoding = _encoding(start)
    text = start.decode("utf-8-sig" if encoding == "utf-8" else encoding, errors="ignore")
    lines = list(io.StringIO(text, newline=""))
    if len(start) == _SAMPLE_BYTES:
        lines = lines[:-1]  # it may be cut off
    lines = lines[:_SAMPLE_ROWS]
    said = _SAYS_SEPARATOR.fullmatch(lines[0].strip()) if lines else None
    if said is not None and said[1] in SEPARATORS:
        return Layout(encoding, said[1], header_row_of(list(records_of(lines, said[1]))))
    found = [
        (_score(rows, separator), separator, rows)
        for separator in SEPARATORS
        if (rows := list(records_of(lines, separator)))
    ]
    score, separator, rows = max(found, key=lambda one: one[0], default=(_NO_TABLE, ",", []))
    if score == _NO_TABLE:
        raise CoalescopeError(
            "no_columns",
            "No columns were found in the file.",
            where={"row": 1},
            advice="A table has a row that names its columns, and a row for each run, separated by "
            f"{', '.join(SEPARATORS.values())}.",
        )
    return Layout(encoding, separator, header_row_of(rows))


def records_of(lines: Iterable[str], separator: str) -> Iterator[list[str]]:
    """The rows of a text, those without content and remarks among them, so that rows can be told.

    Errors: csv.Error where quotation marks do not fit.
    """
    if separator == " ":
        return (line.split() for line in lines)
    return csv.reader(lines, delimiter=separator, skipinitialspace=True)


def read_records(file: BinaryIO, layout: Layout) -> Iterator[list[str]]:
    """All rows of a file in this layout. Errors: csv.Error, UnicodeError, LongRowError."""
    encoding = "utf-8-sig" if layout.encoding == "utf-8" else layout.encoding
    text = io.TextIOWrapper(file, encoding=encoding, newline="", errors="strict")
    try:
        lines = Lines(text)
        for fields in records_of(lines, layout.separator):
            lines.row_ends()
            yield fields
    finally:
        text.detach()


def named_columns(rows: Sequence[Sequence[str]], header_row: int) -> list[str]:
    """The names of the columns, each once; `rows` are the first of the file.

    A name that is missing is the column's number, and one that is there twice has it behind it.
    Errors: CoalescopeError 422 for too many.
    """
    if header_row:
        given = [_name(field) for field in rows[header_row - 1]]
        if is_comment(rows[header_row - 1]):
            given[0] = _COMMENT.sub("", given[0]).strip()
            given = given[1:] if not given[0] else given
    else:
        given = [""] * max((len(row) for row in rows if not is_comment(row)), default=0)
    if len(given) > most(COLUMNS):
        raise CoalescopeError(
            "too_many_columns",
            f"The table has {len(given):,} columns; up to {COLUMNS:,} are read.",
            where={"row": header_row or 1},
            advice="Leave out what was not set or observed: a table has a row, not a column, for "
            "each run.",
        )
    names: dict[str, None] = {}
    for position, name in enumerate(given, start=1):
        once = name or f"column {position}"
        while once in names:
            once = f"{once} ({position})"
        names[once] = None
    return list(names)


def _name(field: str) -> str:
    return " ".join(field[: 4 * NAME_CHARACTERS].split())[:NAME_CHARACTERS]


def _encoding(start: bytes) -> str:
    if start.startswith(_UTF16):
        return "utf-16"
    if b"\0" in start:
        raise CoalescopeError(
            "not_text",
            "The file is neither a run log nor a table.",
            where={"offset": start.index(b"\0")},
            advice="Save the table as CSV in UTF-8, or as .xlsx.",
        )
    try:
        start.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data" or len(start) - error.start > 3:
            return "windows-1252"
    return "utf-8"


def _data(rows: Sequence[Sequence[str]]) -> list[tuple[int, Sequence[str]]]:
    return [
        (row, fields)
        for row, fields in enumerate(rows, start=1)
        if not is_blank(fields) and not is_comment(fields)
    ]


def _width(data: Sequence[tuple[int, Sequence[str]]]) -> int:
    widths = Counter(len(fields) for _, fields in data if len(fields) > 1)
    return widths.most_common(1)[0][0] if widths else 0


def _score(rows: Sequence[Sequence[str]], separator: str) -> tuple[bool, float, int]:
    """How well rows look like a table: a header of words, all of one width, many columns.

    Spaces are in every text: they separate columns only where all rows are alike.
    """
    data = _data(rows)
    width = _width(data)
    if not width:
        return _NO_TABLE
    header = next(fields for _, fields in data if len(fields) >= width)
    share = sum(len(fields) == width for _, fields in data) / len(data)
    numbers = any(_is_number(field) for _, fields in data for field in fields)
    alike = sum(len(fields) in (width, len(header)) for _, fields in data) / len(data)
    if separator == " " and (alike < _ALIKE or not numbers):
        return _NO_TABLE
    return (not any(_is_number(field) for field in header), share, width)


def header_row_of(rows: Sequence[Sequence[str]]) -> int:
    """The row that names the columns: the first of full width, unless it is one of numbers.

    A row of titles with gaps, as spreadsheets have above their names, gives way to a row below it
    that has words in all columns.
    """
    data = _data(rows)
    width = _width(data)
    wide = [(row, fields) for row, fields in islice(data, _TITLES) if len(fields) >= width]
    if not wide:
        return 0
    row, first = wide[0]
    if all(not field.strip() or _is_number(field) for field in first):
        return _named_by_remark(rows[: row - 1], width)
    words = takewhile(lambda one: not any(map(_is_number, one[1])), wide)
    return next((at for at, names in words if all(name.strip() for name in names)), row)


def _named_by_remark(above: Sequence[Sequence[str]], width: int) -> int:
    """The remark above the data that names their columns, `# mtu delay cpu`; 0 where none does."""
    for row in range(len(above), 0, -1):
        fields = above[row - 1]
        if is_comment(fields):
            return row if len(named_columns(above, row)) >= width else 0
    return 0


def _is_number(field: str) -> bool:
    return number(field, ".") is not None or number(field, ",") is not None
