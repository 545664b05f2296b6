# SPDX-License-Identifier: Apache-2.0
"""A file as rows and named columns, be it text or a workbook, packed or not."""

import csv
import gzip
import io
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import BinaryIO

from coalescope.errors import CoalescopeError
from coalescope.untrusted.bounds import COLUMNS, ROW_CHARACTERS, ROWS, TABLE_BYTES, most
from coalescope.uploads.csv_faults import SPLIT_IT
from coalescope.uploads.foreign_files import refuse_foreign
from coalescope.uploads.mapping import workbook
from coalescope.uploads.mapping.layout import (
    Layout,
    header_row_of,
    is_blank,
    is_comment,
    look_at_text,
    named_columns,
    read_records,
)
from coalescope.uploads.tidy_csv import LongRowError

_GZIP = b"\x1f\x8b"
_FIRST_ROWS = 200
_SHEETS_TRIED = 20


@dataclass(frozen=True)
class Grid:
    """A table as it stands in its file.

    Attributes:
        packed: the file is compressed by gzip.
        names: of the columns, each once.
        first: the first rows as they stand there, those above the header too.
    """

    content: BinaryIO
    packed: bool
    layout: Layout
    names: Sequence[str]
    first: Sequence[Sequence[str]]

    def rows(self) -> Iterator[tuple[int, Sequence[str]]]:
        """Each row of data with its number, the file's first being 1, and a field for each column.

        Errors: CoalescopeError 422 with the row that cannot be read, has fields too many, or is
        one too many.
        """
        row = 0
        try:
            for row, fields in enumerate(_rows(self.content, self.layout), start=1):
                if row - self.layout.header_row > most(ROWS):
                    raise _too_many_rows(row)
                if len(fields) > most(COLUMNS):
                    raise self._too_many_fields(row, fields)
                if row <= self.layout.header_row or is_blank(fields) or is_comment(fields):
                    continue
                yield row, self._filled(row, fields)
        except LongRowError:
            raise _long_row(row + 1) from None
        except (csv.Error, UnicodeError) as error:
            raise CoalescopeError(
                "broken_quoting" if isinstance(error, csv.Error) else "not_text",
                f"Row {row + 1} cannot be read: {error}.",
                where={"row": row + 1},
                advice="Check its quotation marks and characters, or save the table as CSV UTF-8.",
            ) from None

    def _filled(self, row: int, fields: Sequence[str]) -> Sequence[str]:
        more = len(fields) - len(self.names)
        if more > 0 and not is_blank(fields[-more:]):
            raise self._too_many_fields(row, fields)
        return [*fields[: len(self.names)], *[""] * -more]

    def _too_many_fields(self, row: int, fields: Sequence[str]) -> CoalescopeError:
        return CoalescopeError(
            "row_length",
            f"Row {row} has {len(fields)} fields, the header has {len(self.names)}.",
            where={"row": row},
            advice="A text that has the separator in it needs quotation marks.",
        )


def open_grid(file: BinaryIO, layout: Layout | None = None) -> Grid:
    """Find the table in a file; `layout`: as it is known to stand there.

    Errors: CoalescopeError 422 for what is no table, 413 for one that is too large.
    """
    content, packed = _unpacked(file)
    start = content.read(8)
    content.seek(0)
    if not start:
        raise CoalescopeError(
            "empty_file",
            "The file is empty.",
            where={"row": 1},
            advice="Send a table with a row that names its columns, and a row for each run.",
        )
    if layout is not None and workbook.is_workbook(start) != bool(layout.sheet):
        raise _wrong_layout()
    if workbook.is_workbook(start):
        with workbook.opened(content) as book:
            layout = layout or _look_at_book(book)
            content = _sheet_as_text(book, layout)
    else:
        layout = layout or _look(content)
    first = _first(content, layout)
    if layout.header_row > len(first):
        raise _wrong_layout()
    return Grid(content, packed, layout, named_columns(first, layout.header_row), first)


def _wrong_layout() -> CoalescopeError:
    return CoalescopeError(
        "wrong_layout",
        "The layout that is given is not that of this file.",
        where={"field": "layout"},
        advice="Leave the layout out: it is found.",
    )


def _look(content: BinaryIO) -> Layout:
    refuse_foreign(content)
    return look_at_text(content)


def _look_at_book(book: workbook.Book) -> Layout:
    """The first sheet that has columns."""
    for sheet in book.sheets[:_SHEETS_TRIED]:
        rows = list(islice(book.rows(sheet), _FIRST_ROWS))
        if any(sum(bool(field.strip()) for field in row) > 1 for row in rows):
            return Layout("utf-8", "", header_row_of([_trimmed(row) for row in rows]), sheet)
    raise CoalescopeError(
        "no_columns",
        "No sheet of the workbook has columns.",
        where={"row": 1},
        advice="A table has a row that names its columns, and a row for each run.",
    )


def _trimmed(row: Sequence[str]) -> list[str]:
    """Without the empty fields at the end, which a sheet has where another row is longer."""
    width = max((place for place, field in enumerate(row, start=1) if field.strip()), default=0)
    return list(row[:width])


def _rows(content: BinaryIO, layout: Layout) -> Iterator[list[str]]:
    content.seek(0)
    return read_records(content, replace(layout, separator=layout.separator or ","))


def _sheet_as_text(book: workbook.Book, layout: Layout) -> BinaryIO:
    """The rows of a sheet as CSV, since they are read several times. One text may be in many cells.

    Errors: CoalescopeError 413 where they are more than a table may be, 422 for a row too many.
    """
    found = io.BytesIO()
    text = io.TextIOWrapper(found, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text)
    for number, row in enumerate(book.rows(layout.sheet), start=1):
        if number - layout.header_row > most(ROWS):
            raise _too_many_rows(number)
        writer.writerow(_trimmed(row))
        if found.tell() > most(TABLE_BYTES):
            raise _too_large()
    text.detach()
    return found


def _first(content: BinaryIO, layout: Layout) -> Sequence[Sequence[str]]:
    try:
        return list(islice(_rows(content, layout), max(_FIRST_ROWS, layout.header_row)))
    except LongRowError:
        raise _long_row(1) from None
    except (csv.Error, UnicodeError) as error:
        raise CoalescopeError(
            "not_text",
            f"The file cannot be read as {layout.encoding}: {str(error)[:200]}.",
            where={"row": 1},
            advice="Save the table as CSV in UTF-8.",
        ) from None


def _too_large() -> CoalescopeError:
    return CoalescopeError(
        "too_large",
        f"The table unpacks to more than the {TABLE_BYTES:,} bytes that are read at once.",
        where={"limit": TABLE_BYTES},
        advice=SPLIT_IT,
        status=413,
    )


def _too_many_rows(row: int) -> CoalescopeError:
    return CoalescopeError(
        "too_many_rows",
        f"The table has more than {ROWS:,} rows, blank ones included.",
        where={"row": row},
        advice=SPLIT_IT,
    )


def _long_row(row: int) -> CoalescopeError:
    return CoalescopeError(
        "long_row",
        f"Row {row} or one after it has more than {ROW_CHARACTERS:,} characters.",
        where={"row": row},
        advice="Check the quotation marks: one that is not closed takes all rows into one field.",
    )


def _unpacked(file: BinaryIO) -> tuple[BinaryIO, bool]:
    start = file.read(2)
    file.seek(0)
    if start != _GZIP:
        return file, False
    try:
        with gzip.open(file) as packed:
            content = packed.read(TABLE_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise CoalescopeError(
            "bad_bundle",
            f"The file is packed with gzip and cannot be unpacked: {error}.",
            where={"offset": 0},
            advice="Pack it again, or send it unpacked.",
        ) from None
    if len(content) > TABLE_BYTES:
        raise _too_large()
    return io.BytesIO(content), True
