# SPDX-License-Identifier: Apache-2.0
"""What is packed in an archive that somebody sent, file by file, within bounds. Standard library.

Tar archives, compressed or not, are read here and not by `tarfile`, which takes headers that extend
others whole into memory, calls itself for each of them, and looks through some at the cost of their
square. Names are told as they are, and never become paths here.

Sources: tar(5), pax(1) for the headers; 512 bytes a block, numbers in octal or in base 256.
"""

import bz2
import gzip
import lzma
import struct
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol

from coalescope.untrusted.bounds import (
    ARCHIVE_BYTES,
    ARCHIVE_HEADER_BYTES,
    ARCHIVE_MEMBERS,
    ARCHIVE_MEMORY_BYTES,
    ARCHIVE_SECONDS,
    ZIP_DIRECTORY_BYTES,
)

_GZIP, _ZIP, _XZ, _BZIP2 = b"\x1f\x8b", b"PK\x03\x04", b"\xfd7zXZ\x00", b"BZh"
_TAR, _TAR_AT = b"ustar", 257
START_BYTES = _TAR_AT + len(_TAR)
_BLOCK = 512
_READ_BYTES = 1 << 16
_BROKEN = (
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    lzma.LZMAError,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,  # a way of packing that is not known
    RuntimeError,  # a password is wanted
    ValueError,
)


class ArchiveError(Exception):
    """An archive cannot be read, and why. `code` is that of the error that people are shown."""

    def __init__(self, why: str, code: str = "bad_bundle") -> None:
        super().__init__(why)
        self.code = code


class Readable(Protocol):
    """What bytes are read from, one after the other."""

    def read(self, size: int, /) -> bytes:
        """At most so many bytes; none at the end."""


def is_zip(start: bytes) -> bool:
    """Whether a file that begins so is a zip archive, or a document that is kept as one."""
    return start.startswith(_ZIP)


def is_tar_or_packed(start: bytes) -> bool:
    """Whether a file that begins so is a tar archive or compressed, or both."""
    return start[_TAR_AT:].startswith(_TAR) or start.startswith((_GZIP, _XZ, _BZIP2))


def members_of_zip(path: Path, endings: tuple[str, ...]) -> Iterator[tuple[str, Readable]]:
    """Name and bytes of each file of a zip archive whose name ends so, to be read before the next.

    Errors: ArchiveError, from what is yielded too.
    """
    with _named(), path.open("rb") as packed, zipfile.ZipFile(_AtMost(packed)) as archive:
        found = archive.infolist()
        if len(found) > ARCHIVE_MEMBERS:
            raise _too_many()
        left = _Left()
        for member in found:
            if not member.is_dir() and member.filename.endswith(endings):
                with archive.open(member) as content:
                    yield member.filename, _Counted(content, left)


def sizes_in_zip(packed: IO[bytes]) -> dict[str, int]:
    """The files of a zip archive, by name, and what each says that it unpacks to; no more comes.

    Errors: ArchiveError.
    """
    with _named(), zipfile.ZipFile(_AtMost(packed)) as archive:
        found = archive.infolist()
        if len(found) > ARCHIVE_MEMBERS:
            raise _too_many()
        return {member.filename: member.file_size for member in found}


def is_document(path: Path) -> bool:
    """Whether a zip archive is a spreadsheet or another document. Errors: ArchiveError."""
    with _named(), path.open("rb") as packed, zipfile.ZipFile(_AtMost(packed)) as archive:
        names = archive.NameToInfo
        return "[Content_Types].xml" in names or "mimetype" in names


def members_of_tar(path: Path, endings: tuple[str, ...]) -> Iterator[tuple[str, Readable]]:
    """The same of a tar archive, compressed or not.

    What is compressed by gzip and no tar archive has one file without a name, whatever its ending.

    Errors: ArchiveError.
    """
    with _named(), path.open("rb") as packed:
        start = packed.read(START_BYTES)
        packed.seek(0)
        unpacked = _Forward(_decompressed(packed, start))
        first = unpacked.peek(_BLOCK)
        if not _is_header(first) and (len(first) < _BLOCK or first.strip(b"\0")):
            if not start.startswith(_GZIP):
                raise ArchiveError(
                    "it is compressed, but no tar archive"
                    if start.startswith((_XZ, _BZIP2))
                    else "it is no tar archive"
                )
            yield "", unpacked
            return
        for name, member in _members(unpacked):
            if name.endswith(endings):
                yield name, member


def members_of_plain_tar(file: IO[bytes]) -> Iterator[tuple[str, Readable]]:
    """The same of a tar archive that is not compressed, whatever its files' names.

    Errors: ArchiveError.
    """
    with _named():
        yield from _members(_Forward(file))


@contextmanager
def _named() -> Iterator[None]:
    """What goes wrong over an archive is an ArchiveError."""
    try:
        yield
    except _BROKEN as error:
        raise ArchiveError(f"{error}" or type(error).__name__) from None
    except (MemoryError, RecursionError):
        raise ArchiveError("to unpack it takes more memory than there is") from None


class _Left:
    """What unpacking an archive may still yield and take."""

    def __init__(self) -> None:
        self._bytes = ARCHIVE_BYTES
        self._seconds = ARCHIVE_SECONDS

    def read(self, content: Readable, size: int) -> bytes:
        """Bytes of what is packed in it. Errors: ArchiveError, also where that is too much."""
        began = time.thread_time()
        with _named():
            data = content.read(min(size, _READ_BYTES))
        self._seconds -= time.thread_time() - began
        self._bytes -= len(data)
        if self._bytes < 0:
            raise ArchiveError(f"it unpacks to more than {ARCHIVE_BYTES:,} bytes", "too_large")
        if self._seconds < 0:
            most = f"{ARCHIVE_SECONDS:g} s of CPU time"
            raise ArchiveError(f"to unpack it takes more than {most}", "took_too_long")
        return data


class _Counted:
    """A file whose bytes count."""

    def __init__(self, content: Readable, left: _Left) -> None:
        self._content = content
        self._left = left

    def read(self, size: int, /) -> bytes:
        return self._left.read(self._content, size)


class _AtMost:
    """A zip archive's file, of which no more is read at once than its directory may have."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        most = ZIP_DIRECTORY_BYTES
        data = self._file.read(most + 1 if size < 0 else min(size, most + 1))
        if len(data) > most:
            raise ArchiveError(f"its directory has more than {most:,} bytes", "too_large")
        return data


class _Forward:
    """Unpacked bytes, read once from the beginning to the end; all of them count."""

    def __init__(self, content: Readable) -> None:
        self._content = content
        self._left = _Left()
        self._ahead = b""

    def peek(self, size: int) -> bytes:
        """The next bytes, which are read again."""
        self._ahead = self.exactly(size)
        return self._ahead

    def read(self, size: int, /) -> bytes:
        if self._ahead:
            data, self._ahead = self._ahead[:size], self._ahead[size:]
            return data
        return self._left.read(self._content, size) if size else b""

    def exactly(self, size: int) -> bytes:
        """So many bytes, or all that there are."""
        found = bytearray()
        while len(found) < size and (data := self.read(size - len(found))):
            found += data
        return bytes(found)

    def skip(self, size: int) -> None:
        """Pass over so many bytes, or all that there are."""
        while size > 0 and (data := self.read(min(size, _READ_BYTES))):
            size -= len(data)


class _Member:
    """One file in a tar archive."""

    def __init__(self, archive: _Forward, size: int) -> None:
        self._archive = archive
        self._left = size
        self._filling = -size % _BLOCK

    def read(self, size: int, /) -> bytes:
        data = self._archive.read(min(size, self._left))
        if self._left and size and not data:
            raise ArchiveError("it ends inside a file")
        self._left -= len(data)
        return data

    def pass_over(self) -> None:
        """Go on behind it."""
        self._archive.skip(self._left + self._filling)
        self._left = 0


def _members(archive: _Forward) -> Iterator[tuple[str, _Member]]:
    """Plain files, one after the other. Links, devices and folders are passed over."""
    said: dict[str, str] = {}  # of the file that comes next
    header_bytes = 0
    for _ in range(ARCHIVE_MEMBERS):
        header = archive.exactly(_BLOCK)
        if not header.strip(b"\0"):
            return
        if not _is_header(header):
            raise ArchiveError("a header in it is damaged")
        size, kind = _number(header[124:136]), header[156:157]
        header_bytes += _BLOCK
        if kind in b"xgLK":
            header_bytes += size
            if header_bytes > ARCHIVE_HEADER_BYTES:
                most = f"{ARCHIVE_HEADER_BYTES:,} bytes"
                raise ArchiveError(f"what it says of one file is longer than {most}", "too_large")
            said |= _said(kind, archive.exactly(size))
            archive.skip(-size % _BLOCK)
            continue
        size = int(said.get("size", size))
        name = said.get("path") or _name(header)
        member = _Member(archive, size)
        if kind in b"\x000" and not any(name.startswith("GNU.sparse") for name in said):
            yield name, member
        member.pass_over()
        said, header_bytes = {}, 0
    raise _too_many()


def _too_many() -> ArchiveError:
    return ArchiveError(f"it holds more than {ARCHIVE_MEMBERS:,} files", "too_large")


def _is_header(block: bytes) -> bool:
    """Whether its checksum is right, which is counted with blanks in its own place."""
    if len(block) != _BLOCK:
        return False
    try:
        told = _number(block[148:156])
    except ArchiveError:
        return False
    return told == sum(block[:148]) + 8 * ord(" ") + sum(block[156:])


def _number(field: bytes) -> int:
    if field[0] & 0x80:
        return int.from_bytes(bytes([field[0] & 0x3F]) + field[1:], "big")
    text = field.split(b"\0")[0].strip() or b"0"
    if not text.isdigit() or b"8" in text or b"9" in text:
        raise ArchiveError("a number in a header is damaged")
    return int(text, 8)


def _name(header: bytes) -> str:
    name, _, _ = header[:100].partition(b"\0")
    before, _, _ = header[345:500].partition(b"\0")
    is_posix = header[257:263] == b"ustar\0"
    return (before + b"/" + name if before and is_posix else name).decode("utf-8", "replace")


def _said(kind: bytes, content: bytes) -> dict[str, str]:
    """What a header says that extends the next one."""
    if kind == b"L":
        return {"path": content.partition(b"\0")[0].decode("utf-8", "replace")}
    return dict(_records(content)) if kind == b"x" else {}


def _records(content: bytes) -> Iterator[tuple[str, str]]:
    """`LENGTH NAME=VALUE` and a line break, one after the other; the length is of all of it."""
    while content.strip(b"\0"):
        digits = content[:8].partition(b" ")[0]
        if not digits.isdigit():
            raise ArchiveError("a header in it is damaged")
        record, content = content[: int(digits)], content[int(digits) :]
        name, equals, value = record[len(digits) + 1 : -1].partition(b"=")
        text = value.decode("utf-8", "replace")
        if not equals or (name == b"size" and not (text.isdecimal() and len(text) < 20)):
            raise ArchiveError("a header in it is damaged")
        yield name.decode("utf-8", "replace"), text


def _decompressed(file: IO[bytes], start: bytes) -> Readable:
    if start.startswith(_GZIP):
        return gzip.GzipFile(fileobj=file)
    if start.startswith(_XZ):
        return _Streams(file, lambda: lzma.LZMADecompressor(memlimit=ARCHIVE_MEMORY_BYTES))
    if start.startswith(_BZIP2):
        return _Streams(file, bz2.BZ2Decompressor)
    return file


class _Streams:
    """Compressed streams, one after the other, unpacked as they are read.

    `lzma.open` would take as much memory as the file asks for.
    """

    def __init__(
        self, file: IO[bytes], begin: Callable[[], lzma.LZMADecompressor | bz2.BZ2Decompressor]
    ) -> None:
        self._file = file
        self._begin = begin
        self._stream = begin()

    def read(self, size: int, /) -> bytes:
        while True:
            packed = b""
            if self._stream.eof:
                packed = self._stream.unused_data.lstrip(b"\0") or self._file.read(_READ_BYTES)
                if not packed:
                    return b""
                self._stream = self._begin()
            elif self._stream.needs_input:
                packed = self._file.read(_READ_BYTES)
                if not packed:
                    raise EOFError("it is cut off")
            try:
                data = self._stream.decompress(packed, size)
            except OSError as error:  # what bz2 says of damaged data
                raise ArchiveError(str(error)) from None
            if data:
                return data
