# SPDX-License-Identifier: Apache-2.0
"""Excel workbooks (.xlsx) as rows of text, read without formulas and within bounds."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any, BinaryIO

from coalescope.errors import CoalescopeError
from coalescope.untrusted.archives import ArchiveError, sizes_in_zip
from coalescope.untrusted.bounds import (
    WORKBOOK_BYTES,
    WORKBOOK_CELLS,
    WORKBOOK_DESCRIPTION_BYTES,
    most,
)

if TYPE_CHECKING:  # a library that is imported when needed
    from openpyxl import Workbook

_ZIP, _OLD_EXCEL = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_TYPES, _BOOK = "[Content_Types].xml", "xl/workbook.xml"
#: What is made into a tree before a cell is read.
_DESCRIBES = re.compile(r"\[Content_Types\]\.xml|xl/(workbook|styles)\.xml|docProps/.*|.*\.rels")


def is_workbook(start: bytes) -> bool:
    """Whether a file begins as a spreadsheet program writes it, a form that is read or not."""
    return start.startswith((_ZIP, _OLD_EXCEL))


@contextmanager
def opened(file: BinaryIO) -> Iterator["Book"]:
    """The workbook. Errors: 422 for what is none; 413 for one that is too large.

    What it says of its size is believed: a member that unpacks to more is cut off there.
    """
    from openpyxl import load_workbook  # noqa: PLC0415  not where only CSV is read

    _check(file)
    file.seek(0)
    with _refused_where_damaged():
        book = load_workbook(file, read_only=True, data_only=True, keep_links=False)
    try:
        yield Book(book)
    finally:
        book.close()


class Book:
    """A workbook that is open: all its texts are read when it is opened."""

    def __init__(self, book: "Workbook") -> None:
        self._book = book
        #: the names of the sheets that have cells
        self.sheets = [sheet.title for sheet in book]

    def rows(self, sheet: str) -> Iterator[list[str]]:
        """The rows of a sheet. Errors: 422 where it is not there, or cannot be read; 413."""
        if sheet not in self._book.sheetnames:
            raise CoalescopeError(
                "no_sheet",
                f"The workbook has no sheet {sheet[:80]!r}.",
                where={"field": "sheet"},
                advice=f"Its sheets are {', '.join(self._book.sheetnames)[:500]}.",
            )
        cells = 0
        for row in self._values(sheet):
            cells += len(row)
            if cells > most(WORKBOOK_CELLS):
                why = f"has more than {WORKBOOK_CELLS:,} cells in a sheet, empty ones included"
                raise _too_large(why, WORKBOOK_CELLS)
            yield [_text(value) for value in row]

    def _values(self, sheet: str) -> Iterator[tuple[object, ...]]:
        with _refused_where_damaged():
            chosen: Any = self._book[sheet]
            chosen.reset_dimensions()  # what a file says of them may be wrong
            yield from chosen.iter_rows(values_only=True)


@contextmanager
def _refused_where_damaged() -> Iterator[None]:
    """A damaged file makes the library raise nearly anything. Errors: 422."""
    try:
        yield
    except MemoryError:
        raise  # of the bounds of this process, not of the file
    except Exception as error:
        raise _broken(error) from None


def _check(file: BinaryIO) -> None:
    file.seek(0)
    if file.read(4) == _OLD_EXCEL:
        raise _other("a workbook of an older Excel (.xls)")
    file.seek(0)
    try:
        sizes = sizes_in_zip(file)
    except ArchiveError as error:
        raise _broken(error) from None
    if _BOOK not in sizes:
        is_document = "mimetype" in sizes or _TYPES in sizes
        raise _other("a document (.ods, .docx …)" if is_document else "a zip archive")
    size = sum(sizes.values())
    if size > most(WORKBOOK_BYTES):
        why = f"unpacks to {size:,} bytes; up to {WORKBOOK_BYTES:,} are read"
        raise _too_large(why, WORKBOOK_BYTES)
    described = sum(size for name, size in sizes.items() if _DESCRIBES.fullmatch(name))
    if described > most(WORKBOOK_DESCRIPTION_BYTES):
        why = (
            f"has {described:,} bytes of styles, names and properties; up to "
            f"{WORKBOOK_DESCRIPTION_BYTES:,} are read"
        )
        raise _too_large(why, WORKBOOK_DESCRIPTION_BYTES)


def _too_large(why: str, limit: int) -> CoalescopeError:
    return CoalescopeError(
        "too_large",
        f"The workbook {why}.",
        where={"limit": limit},
        advice="Save the sheet that holds the table as CSV (File, Save As, CSV UTF-8).",
        status=413,
    )


def _other(what: str) -> CoalescopeError:
    return CoalescopeError(
        "not_text",
        f"The file is {what}, which is not read.",
        where={"offset": 0},
        advice="Save the table as CSV in UTF-8 (File, Save As, CSV UTF-8), or as .xlsx.",
    )


def _broken(error: Exception) -> CoalescopeError:
    return CoalescopeError(
        "broken_workbook",
        f"The workbook cannot be read: {str(error)[:200] or type(error).__name__}.",
        where={"offset": 0},
        advice="Open it and save the table as CSV in UTF-8 (File, Save As, CSV UTF-8).",
    )


def _text(value: object) -> str:
    """A cell as a table has it: numbers with a point, moments as ISO 8601."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return str(value)
