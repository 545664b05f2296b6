# SPDX-License-Identifier: Apache-2.0
"""The files that a command was given: themselves, those in folders and archives, or stdin."""

import errno
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from coalescope_host.run_log import Limits

from coalescope.client.files.outcomes import FileOutcome, refused, unreadable
from coalescope.foreign.registry import is_foreign
from coalescope.untrusted.archives import (
    START_BYTES,
    ArchiveError,
    Readable,
    is_document,
    is_tar_or_packed,
    is_zip,
    members_of_tar,
    members_of_zip,
)
from coalescope.untrusted.bounds import ARCHIVE_BYTES

STDIN = "-"
TAKEN = (".runlog", ".csv")
ARCHIVES = (".tar", ".tar.gz", ".tar.xz", ".tar.bz2", ".tgz", ".zip")
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True)
class GivenFile:
    """One file to be read.

    Attributes:
        path: where its bytes are.
        shown: what people call it: as it was typed, or what was typed and its place in that.
        sent_as: its name, where that does not follow from what people call it.

    """

    path: Path
    shown: str
    sent_as: str | None = None

    @property
    def name(self) -> str:
        """Its own name, without folders."""
        return self.sent_as or PurePosixPath(self.shown).name


@contextmanager
def given_files(
    typed: Sequence[Path], *, read_twice: bool = False
) -> Iterator[Iterator[GivenFile | FileOutcome]]:
    """What was typed as single files, one after the other, and what cannot be had as an outcome.

    Whoever reads them more than once gets copies of pipes, which can be read only once.
    What is unpacked stays for as long as the context does.
    """
    with tempfile.TemporaryDirectory(prefix="coalescope-") as folder:
        yield _each(typed, Path(folder), read_twice)


def _each(
    typed: Sequence[Path], unpacked: Path, read_twice: bool
) -> Iterator[GivenFile | FileOutcome]:
    places = (unpacked / str(number) for number in count())
    for path in typed:
        try:
            if str(path) == STDIN:
                yield from _in_stream(_standard_input(), "stdin", places)
            elif path.is_dir():
                yield from _in_folder(path)
            elif read_twice and path.is_fifo():
                with path.open("rb") as stream:
                    yield from _in_stream(stream, str(path), places)
            else:
                yield from _in_file(path, str(path), places)
        except OSError as error:
            yield unreadable(str(path), error)


def _in_stream(
    stream: BinaryIO, shown: str, places: Iterator[Path]
) -> Iterator[GivenFile | FileOutcome]:
    """A copy of what can be read only once, or what is packed in it."""
    kept = _kept(stream, next(places), Limits().file_bytes)
    yield from _in_file(kept, shown, places)


def _standard_input() -> BinaryIO:
    if sys.stdin is None:  # by the shell: <&-
        raise OSError(errno.EBADF, "standard input is closed")
    return sys.stdin.buffer


def _in_folder(folder: Path) -> Iterator[GivenFile | FileOutcome]:
    """A link in it is not followed: whoever made the folder may have no right to what it names."""
    found = [
        path
        for path in sorted(folder.rglob("*"))
        if not any(part.startswith(".") for part in path.relative_to(folder).parts)
        and (path.is_symlink() or path.is_file())
        and (path.suffix in TAKEN or (not path.is_symlink() and is_foreign(path)))
    ]
    for path in found:
        if path.is_symlink():
            yield refused(
                str(path),
                "symbolic_link",
                "It is a symbolic link, which is not followed in a folder.",
                "Name the file itself.",
            )
        else:
            yield GivenFile(path, str(path))
    if not found:
        yield _without(str(folder), "folder", ", and none of another tool that is read")


def _in_file(path: Path, shown: str, places: Iterator[Path]) -> Iterator[GivenFile | FileOutcome]:
    """The file itself, or what is packed in it; by its first bytes, whatever its name says."""
    start = _start(path) if path.is_file() else b""
    try:
        if is_foreign(path):
            yield GivenFile(path, shown)
        elif is_zip(start) and not is_document(path):
            yield from _unpacked(members_of_zip(path, TAKEN), shown, places)
        elif is_tar_or_packed(start):
            yield from _unpacked(members_of_tar(path, TAKEN), shown, places)
        elif shown.endswith(ARCHIVES) and path.is_file():
            yield refused(shown, "bad_bundle", "The archive cannot be read: it is none.")
        else:
            yield GivenFile(path, shown)
    except ArchiveError as error:
        message = f"The archive cannot be read: {error}."
        yield refused(shown, error.code, message, "Unpack it first.")


def _unpacked(
    members: Iterator[tuple[str, Readable]], shown: str, places: Iterator[Path]
) -> Iterator[GivenFile | FileOutcome]:
    found = False
    for name, file in members:
        found = True
        kept = _kept(file, next(places))
        yield GivenFile(kept, f"{shown}/{name}" if name else shown.removesuffix(".gz"))
    if not found:
        yield _without(shown, "archive", "")


def _kept(file: Readable, place: Path, most: int = ARCHIVE_BYTES) -> Path:
    """A copy of the file, or the beginning of one that is larger than anything that is taken."""
    size = 0
    with place.open("xb") as kept:
        while size <= most and (chunk := file.read(_CHUNK_BYTES)):
            size += kept.write(chunk)
    return place


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(START_BYTES)


def _without(shown: str, what: str, others: str) -> FileOutcome:
    return refused(
        shown,
        "nothing_in_it",
        f"The {what} holds no file that ends in {' or '.join(TAKEN)}{others}.",
        "Name the files themselves.",
    )
