# SPDX-License-Identifier: Apache-2.0
"""The files that a command was given: themselves, those in folders and archives, or stdin."""

import gzip
import lzma
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path, PurePosixPath
from typing import IO

from coalescope.cli.file_outcomes import FileOutcome, refused, unreadable

STDIN = "-"
TAKEN = (".runlog", ".csv")
ARCHIVES = (".tar", ".tar.gz", ".tar.xz", ".tar.bz2", ".tgz", ".zip")
_MOST_BYTES = 1 << 33
_CHUNK_BYTES = 1 << 20
_GZIP, _ZIP, _XZ, _BZIP2 = b"\x1f\x8b", b"PK\x03\x04", b"\xfd7zXZ\x00", b"BZh"
_TAR, _TAR_AT = b"ustar", 257
_PACKED = (_GZIP, _XZ, _BZIP2)
_BROKEN = (
    tarfile.TarError,
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    lzma.LZMAError,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
)


@dataclass(frozen=True)
class GivenFile:
    """One file to be read.

    Attributes:
        path: where its bytes are.
        shown: what people call it: as it was typed, or what was typed and its place in that.

    """

    path: Path
    shown: str

    @property
    def name(self) -> str:
        """Its own name, without folders."""
        return PurePosixPath(self.shown).name


class _TooMuchError(Exception):
    """An archive unpacks to more than is unpacked."""


@contextmanager
def given_files(typed: Sequence[Path]) -> Iterator[Iterator[GivenFile | FileOutcome]]:
    """What was typed as single files, one after the other, and what cannot be had as an outcome.

    What is unpacked stays for as long as the context does.
    """
    with tempfile.TemporaryDirectory(prefix="coalescope-") as folder:
        yield _each(typed, Path(folder))


def _each(typed: Sequence[Path], unpacked: Path) -> Iterator[GivenFile | FileOutcome]:
    places = (unpacked / str(number) for number in count())
    for path in typed:
        try:
            if str(path) == STDIN:
                yield from _in_file(_kept(sys.stdin.buffer, next(places)), "stdin", places)
            elif path.is_dir():
                yield from _in_folder(path)
            else:
                yield from _in_file(path, str(path), places)
        except OSError as error:
            yield unreadable(str(path), error)


def _in_folder(folder: Path) -> Iterator[GivenFile | FileOutcome]:
    found = [
        path
        for path in sorted(folder.rglob("*"))
        if path.suffix in TAKEN
        and path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]
    yield from (GivenFile(path, str(path)) for path in found)
    if not found:
        yield _without(str(folder), "folder")


def _in_file(path: Path, shown: str, places: Iterator[Path]) -> Iterator[GivenFile | FileOutcome]:
    """The file itself, or what is packed in it; by its first bytes, whatever its name says."""
    start = _start(path) if path.is_file() else b""
    try:
        if start.startswith(_ZIP) and not _is_workbook(path):
            yield from _unpacked(_of_zip(path), shown, places)
        elif start[_TAR_AT:].startswith(_TAR) or start.startswith(_PACKED):
            yield from _of_tar_or_one(path, start, shown, places)
        elif shown.endswith(ARCHIVES) and path.is_file():
            yield refused(shown, "bad_bundle", "The archive cannot be read: it is none.")
        else:
            yield GivenFile(path, shown)
    except _BROKEN as error:
        yield refused(shown, "bad_bundle", f"The archive cannot be read: {error}.")
    except _TooMuchError:
        yield refused(
            shown,
            "too_large",
            f"It unpacks to more than {_MOST_BYTES:,} bytes.",
            "Unpack it first.",
        )


def _of_tar_or_one(
    path: Path, start: bytes, shown: str, places: Iterator[Path]
) -> Iterator[GivenFile | FileOutcome]:
    if tarfile.is_tarfile(path):
        yield from _unpacked(_of_tar(path), shown, places)
    elif start.startswith(_GZIP):
        with gzip.open(path) as file:
            kept = _kept(file, next(places))
        yield GivenFile(kept, shown.removesuffix(".gz"))
    else:
        yield refused(
            shown, "bad_bundle", "It is compressed, but no tar archive.", "Decompress it first."
        )


def _unpacked(
    members: Iterator[tuple[str, IO[bytes]]], shown: str, places: Iterator[Path]
) -> Iterator[GivenFile | FileOutcome]:
    found, left = False, _MOST_BYTES
    for name, file in members:
        with file:
            kept = _kept(file, next(places), left)
        left -= kept.stat().st_size
        found = True
        yield GivenFile(kept, f"{shown}/{name}")
    if not found:
        yield _without(shown, "archive")


def _of_tar(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    with tarfile.open(path, "r|*") as archive:
        for member in archive:
            if member.isfile() and member.name.endswith(TAKEN):
                file = archive.extractfile(member)
                assert file is not None
                yield member.name, file


def _of_zip(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if not member.is_dir() and member.filename.endswith(TAKEN):
                yield member.filename, archive.open(member)


def _is_workbook(path: Path) -> bool:
    """Whether it is a spreadsheet, or another document that is kept as a zip archive."""
    with zipfile.ZipFile(path) as archive:
        return "[Content_Types].xml" in archive.namelist() or "mimetype" in archive.namelist()


def _kept(file: IO[bytes] | gzip.GzipFile, place: Path, most: int = _MOST_BYTES) -> Path:
    size = 0
    with place.open("xb") as kept:
        while chunk := file.read(_CHUNK_BYTES):
            size += len(chunk)
            if size > most:
                raise _TooMuchError
            kept.write(chunk)
    return place


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_TAR_AT + len(_TAR))


def _without(shown: str, what: str) -> FileOutcome:
    return refused(
        shown,
        "nothing_in_it",
        f"The {what} holds no file that ends in {' or '.join(TAKEN)}.",
        "Name the files themselves.",
    )
