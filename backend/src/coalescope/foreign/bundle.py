# SPDX-License-Identifier: Apache-2.0
"""Files of other tools and what people said of them, as one: a tar archive that is always the same.

Equal files with equal words make equal bytes, so that sending them again changes nothing. What was
said stands in it, too: the runs follow from the archive alone.
"""

import io
import json
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, BinaryIO, Protocol, cast

from coalescope.errors import CoalescopeError
from coalescope.foreign.registry import MOST_BYTES
from coalescope.untrusted.archives import ArchiveError, Readable, members_of_plain_tar
from coalescope.untrusted.json_texts import parsed

GIVEN = "given.json"
_FORMAT = 1
MOST_FILES = 10_000
_TAR, _TAR_AT = b"ustar", 257
_FIRST = GIVEN.encode()


class Writable(Protocol):
    """What an archive is written to."""

    def write(self, data: bytes, /) -> object:
        """Append these bytes."""


@dataclass(frozen=True)
class Bundle:
    """What an archive holds: what was given, as NAME=VALUE, and the files by their names."""

    given: Sequence[str]
    files: Mapping[str, bytes]


def is_bundle(start: bytes) -> bool:
    """Whether a file that begins so is an archive as `write_bundle` writes it."""
    return start.startswith(_FIRST) and start[_TAR_AT:].startswith(_TAR)


def write_bundle(given: Sequence[str], files: Mapping[str, bytes]) -> bytes:
    """The archive of these files."""
    kept = io.BytesIO()
    bundle_into(kept, given, {name: io.BytesIO(content) for name, content in files.items()})
    return kept.getvalue()


def bundle_into(kept: Writable, given: Sequence[str], files: Mapping[str, BinaryIO]) -> None:
    """Write the archive of these files, piece by piece: no file is in memory as a whole."""
    said = json.dumps({"format": _FORMAT, "set": sorted(given)}, ensure_ascii=False).encode()
    sink = cast(IO[bytes], kept)  # all that a stream is asked for
    with tarfile.open(fileobj=sink, mode="w|", format=tarfile.PAX_FORMAT) as archive:
        for name, file in [(GIVEN, io.BytesIO(said)), *sorted(files.items())]:
            member = tarfile.TarInfo(name)
            member.size, member.mode = file.seek(0, io.SEEK_END), 0o644
            file.seek(0)
            archive.addfile(member, file)


def read_bundle(file: BinaryIO) -> Bundle:
    """What the archive holds. Errors: 422 where it is none, or beyond its bounds."""
    files: dict[str, bytes] = {}
    left = MOST_BYTES
    try:
        for count, (name, content) in enumerate(members_of_plain_tar(file)):
            files[name] = _at_most(left + 1, content)
            left -= len(files[name])
            if left < 0 or count > MOST_FILES:
                raise _bad(f"It holds more than {MOST_BYTES:,} bytes or {MOST_FILES:,} files.")
    except ArchiveError as error:
        raise _bad(f"It cannot be read: {error}.") from None
    return Bundle(_given(files.pop(GIVEN, b"")), files)


def _at_most(size: int, content: Readable) -> bytes:
    found = bytearray()
    while len(found) < size and (data := content.read(size - len(found))):
        found += data
    return bytes(found)


def _given(content: bytes) -> list[str]:
    try:
        said = parsed(content)
    except ValueError:
        said = None
    if not isinstance(said, dict) or said.get("format") != _FORMAT:
        raise _bad(f"It does not begin with {GIVEN} of format {_FORMAT}.")
    given = said.get("set")
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise _bad(f"In {GIVEN}, 'set' is no list of NAME=VALUE.")
    return given


def _bad(why: str) -> CoalescopeError:
    return CoalescopeError(
        "bad_bundle",
        f"This is an archive of other tools' files. {why}",
        where={"field": GIVEN},
        advice="Import the files themselves: `coalescope import FILE…` makes the archive.",
    )
