# SPDX-License-Identifier: Apache-2.0
"""Archives in the kernel's initramfs format ("newc"), without root and the same each time.

Source: Documentation/driver-api/early-userspace/buffer-format.rst of Linux.
"""

import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

_ALIGNMENT = 4


@dataclass(frozen=True)
class Entry:
    """A file, folder or symbolic link of an archive; `data` is the content, or the link's aim."""

    name: str
    mode: int
    data: bytes = b""


def folder(name: str) -> Entry:
    """Return an empty folder."""
    return Entry(name, stat.S_IFDIR | 0o755)


def file(name: str, data: bytes, *, executable: bool = False) -> Entry:
    """Return a file."""
    return Entry(name, stat.S_IFREG | (0o755 if executable else 0o644), data)


def link(name: str, aim: str) -> Entry:
    """Return a symbolic link."""
    return Entry(name, stat.S_IFLNK | 0o777, aim.encode())


def below(root: Path, name: str = "") -> Iterator[Entry]:
    """Return what stands in a folder, under `name` in the archive."""
    for path in sorted(root.rglob("*")):
        inside = str(PurePosixPath(name) / path.relative_to(root).as_posix())
        if path.is_symlink():
            yield link(inside, str(path.readlink()))
        elif path.is_dir():
            yield folder(inside)
        else:
            yield file(inside, path.read_bytes(), executable=bool(path.stat().st_mode & 0o100))


def parents(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries after the folders that they stand in."""
    listed = list(entries)
    names = {str(above) for entry in listed for above in PurePosixPath(entry.name).parents} - {"."}
    return [folder(name) for name in sorted(names)] + listed


def write(output: BinaryIO, entries: Iterable[Entry]) -> None:
    """Write one archive; archives that follow each other are unpacked one after the other."""
    number = 0
    for number, entry in enumerate(entries, 1):
        _write_entry(output, number, entry)
    _write_entry(output, number + 1, Entry("TRAILER!!!", 0))


def _write_entry(output: BinaryIO, number: int, entry: Entry) -> None:
    name = entry.name.encode() + b"\0"
    links = 2 if stat.S_ISDIR(entry.mode) else 1
    owner_and_times = (0, 0, links, 0)
    devices = (0, 0, 0, 0)
    fields = (number, entry.mode, *owner_and_times, len(entry.data), *devices, len(name), 0)
    head = b"070701" + b"".join(b"%08x" % field for field in fields) + name
    output.write(_padded(head))
    output.write(_padded(entry.data))


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % _ALIGNMENT)
