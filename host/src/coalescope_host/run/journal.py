# SPDX-License-Identifier: Apache-2.0
"""What a sweep has done so far: JSON lines, each on disk before the sweep goes on.

The first line says which sweep it is. A last line that was cut off, at whatever byte, is what was
not yet done; it is removed when the sweep goes on. Only one sweep at a time has a journal open.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from io import BufferedReader, FileIO
from pathlib import Path, PurePath
from types import TracebackType
from typing import Any

from coalescope_host.plain_files import own
from coalescope_host.terminal import LinesError

NAME = "journal.jsonl"
FORMAT = 1
_MOST_BYTES = 1 << 28
_LONGEST_LINE_BYTES = 1 << 22
#: What readers of a line rely on, by its type.
_RELIED_ON: Mapping[str, Mapping[str, type]] = {
    "sweep": {"plan": dict, "seed": int},
    "run": {"id": str, "status": str},
    "upload": {"run": str, "outcome": str},
}

Entry = Mapping[str, Any]


class JournalError(LinesError):
    """A journal cannot be used: where, why, what to do."""


class Journal:
    """The journal of one output folder, open for appending."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / NAME
        try:
            # what did not get to the disk is not kept
            self._file = FileIO(self.path, "a+", opener=own)
        except OSError as error:
            raise _not_open(self.path, error) from None
        try:
            self._lock()
            self.entries = self._read()
        except BaseException:
            self._file.close()
            raise
        sync_folder(folder)

    def append(self, **entry: object) -> None:
        """Write one line; when this returns it is on disk.

        Raises:
            JournalError: if it cannot be, as on a full disk; then nothing of it is there.
        """
        self.extend([entry])

    def extend(self, entries: Iterable[Entry]) -> None:
        """Write a line for each at once, or, as `append`, none."""
        added = list(entries)
        lines = (json.dumps(entry, ensure_ascii=False, default=str) for entry in added)
        left = memoryview("".join(f"{line}\n" for line in lines).encode())
        start = self._file.seek(0, os.SEEK_END)
        try:
            while left:
                left = left[os.write(self._file.fileno(), left) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            # no half line may stay in front of the next one
            os.ftruncate(self._file.fileno(), start)
            raise JournalError(
                f"{self.path} cannot be written: {error.strerror}. "
                "The same command goes on from what is in it."
            ) from None
        self.entries += added

    def clear(self) -> None:
        """Forget every line: another sweep begins in this folder."""
        os.ftruncate(self._file.fileno(), 0)
        os.fsync(self._file.fileno())
        self.entries.clear()

    @property
    def head(self) -> Entry | None:
        """The first line, which says which sweep this is; None before it began."""
        return self.entries[0] if self.entries else None

    def of_type(self, kind: str) -> Iterator[Entry]:
        """All lines of a type, oldest first."""
        return (entry for entry in self.entries if entry.get("type") == kind)

    def close(self) -> None:
        """Close the file, which lets another sweep have it."""
        self._file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise JournalError(
                f"{self.path.parent} is in use by another sweep: wait for it, or choose --out."
            ) from None

    def _read(self) -> list[Entry]:
        self._file.seek(0)
        content = self._file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise JournalError(
                f"{self.path} has more than {_MOST_BYTES:,} bytes. Choose another folder with "
                "--out."
            )
        whole = content.rfind(b"\n") + 1
        entries = [
            _entry(self.path, number, line)
            for number, line in enumerate(content[:whole].splitlines(), 1)
        ]
        if entries and (entries[0].get("type") != "sweep" or entries[0].get("format") != FORMAT):
            raise JournalError(
                f"{self.path}: the first line is not that of a sweep of format {FORMAT}. "
                "Choose another folder with --out."
            )
        if whole < len(content):
            os.ftruncate(self._file.fileno(), whole)
            os.fsync(self._file.fileno())
        return entries


def read_head(folder: Path) -> Entry | None:
    """The first line of a folder's journal, without opening it for a sweep; None without one."""
    path = folder / NAME
    if not path.exists():
        return None
    try:
        with BufferedReader(FileIO(path, opener=own)) as file:
            line = file.readline(_LONGEST_LINE_BYTES)
    except OSError as error:
        raise _not_open(path, error) from None
    return _entry(path, 1, line) if line.endswith(b"\n") else None


def _not_open(path: Path, error: OSError) -> JournalError:
    return JournalError(
        f"{path} cannot be used: {error.strerror}. Choose another folder with --out."
    )


def _entry(path: Path, number: int, line: bytes) -> Entry:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        entry = None
    if not isinstance(entry, dict) or not _has_its_shape(entry):
        raise JournalError(
            f"{path}, line {number}: this is no line of a journal; the file was changed or "
            "damaged. Restore it from a copy, or choose another folder with --out."
        )
    return entry


def _has_its_shape(entry: Entry) -> bool:
    """Whether a line says what every reader of its type relies on."""
    kind = entry.get("type")
    if not isinstance(kind, str):
        return False
    is_other = kind == "sweep" and entry.get("format") != FORMAT
    relied_on = {} if is_other else _RELIED_ON.get(kind, {})
    return all(isinstance(entry.get(name), of) for name, of in relied_on.items()) and _is_below(
        entry.get("log", "")
    )


def _is_below(log: object) -> bool:
    """Whether a run's log is one of this folder: it is sent to a server."""
    return isinstance(log, str) and not PurePath(log).is_absolute() and ".." not in log.split("/")


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
