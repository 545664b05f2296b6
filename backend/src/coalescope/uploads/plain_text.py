# SPDX-License-Identifier: Apache-2.0
"""Whether a file is UTF-8 text, as tables are."""

import io
from typing import BinaryIO

from coalescope.errors import CoalescopeError

_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_PARQUET = b"PAR1"
_ZIP, _OLD_EXCEL, _GZIP = b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x1f\x8b"

#: What to do with a table whose columns do not name themselves.
SAY_WHAT_THEY_ARE = (
    "Say what the columns are: the page asks at /upload, the command line takes "
    "--map COLUMN=QUANTITY[:UNIT]."
)


def refuse_binary(start: bytes) -> None:
    """Refuse a file from its first bytes if they cannot be a table's. Errors: 422 with offset."""
    if b"\0" in start or start.startswith((_ZIP, _OLD_EXCEL, _GZIP)):
        check_text(io.BytesIO(start))


def check_text(file: BinaryIO) -> None:
    """Refuse what is not UTF-8 text, with the offset of the first byte that is not."""
    start = file.read(4)
    if start.startswith(_UTF16):
        raise _not_text("The file is UTF-16 text.", 0, SAY_WHAT_THEY_ARE)
    if start == _ZIP:
        raise _not_text("The file is a workbook (.xlsx) or an archive.", 0, SAY_WHAT_THEY_ARE)
    if start == _OLD_EXCEL:
        raise _not_text(
            "The file is a workbook of an older Excel (.xls), which is not read.",
            0,
            "Save the table as CSV in UTF-8 (File, Save As, CSV UTF-8), or as .xlsx.",
        )
    if start.startswith(_GZIP):
        raise _not_text("The file is packed with gzip.", 0, SAY_WHAT_THEY_ARE)
    if start == _PARQUET:
        raise _not_text(
            "The file is Parquet, which is written and not read here.",
            0,
            "Export the same experiment as JSON or CSV: both come back as they were.",
        )
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
