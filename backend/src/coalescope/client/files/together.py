# SPDX-License-Identifier: Apache-2.0
"""Files of other tools among those that were typed: sent as one, since a run may need several."""

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from pathlib import Path, PurePosixPath

from coalescope.client.files.given import GivenFile
from coalescope.client.files.outcomes import FileOutcome, refused, unreadable
from coalescope.foreign.bundle import write_bundle
from coalescope.foreign.given import read_given
from coalescope.foreign.registry import MOST_BYTES, is_foreign

_NAMED = 3


def with_foreign_together(
    given: Iterable[GivenFile | FileOutcome], pairs: Sequence[str], folder: Path
) -> Iterator[GivenFile | FileOutcome]:
    """The same files, but those of other tools at the end, as one that is kept in `folder`.

    Errors: 422 for pairs that are no NAME=VALUE, or name nothing that can be set.
    """
    read_given(pairs)
    foreign = []
    for file in given:
        if isinstance(file, GivenFile) and _is_foreign(file.path):
            foreign.append(file)
        else:
            yield file
    if foreign:
        yield _together(foreign, pairs, folder)
    elif pairs:
        message = "Levels are set of files of other tools, and none of these is one."
        yield refused(", ".join(pairs), "nothing_to_set", message, "Leave it out.")


def _is_foreign(path: Path) -> bool:
    try:
        return is_foreign(path)
    except OSError:
        return False  # said where it is opened


def _together(
    files: Sequence[GivenFile], pairs: Sequence[str], folder: Path
) -> GivenFile | FileOutcome:
    name, names = _names([file.shown for file in files])
    shown = files[0].shown if len(files) == 1 else _shown(files)
    size = sum(file.path.stat().st_size for file in files)
    if size > MOST_BYTES:
        advice = "Give fewer of them at once."
        message = f"They have {size:,} bytes; up to {MOST_BYTES:,} are read at once."
        return refused(shown, "too_large", message, advice)
    try:
        contents = [file.path.read_bytes() for file in files]
    except OSError as error:
        return unreadable(shown, error)
    kept = folder / "foreign.tar"
    kept.write_bytes(write_bundle(pairs, dict(zip(names, contents, strict=True))))
    return GivenFile(kept, shown, f"{name}.tar")


def _shown(files: Sequence[GivenFile]) -> str:
    """The files by their names, as far as a line holds them."""
    named = [file.shown for file in files[:_NAMED]]
    more = len(files) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def _names(shown: Sequence[str]) -> tuple[str, list[str]]:
    """A name for all of them, and each one's below the folder that they have in common.

    Folders that say a level, such as `mtu_bytes=9000`, stay.
    """
    paths = [PurePosixPath(os.path.normpath(name)) for name in shown]
    parts = [tuple(part for part in path.parts if part not in ("/", "..")) for path in paths]
    columns = zip(*(one[:-1] for one in parts), strict=False)
    common = [column[0] for column in takewhile(lambda same: len(set(same)) == 1, columns)]
    while any("=" in part for part in common):
        common.pop()
    below = ["/".join(one[len(common) :]) for one in parts]
    name = common[-1] if common and len(shown) > 1 else PurePosixPath(parts[0][-1]).name
    return name.partition(".")[0] or "files", below
