# SPDX-License-Identifier: Apache-2.0
"""Uploaded files as they came, named by their SHA-256: what a store does, and one in a directory.

In the directory an object is written to a temporary file, hashed on the way, and renamed to its
place only after its bytes are on disk; then the directories are made durable as well. When `commit`
returns, a power cut does not take the object away. Temporary files carry a lock while their writer
lives, so the start-up sweep removes only what a dead process left behind. `bucket_store` has the
same in a bucket of a server.
"""

import fcntl
import hashlib
import os
import random
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import NamedTuple, Protocol

from coalescope.errors import read_only
from coalescope.storage.private_files import is_plain, make_folder, new_file, opened

_SHA256 = re.compile(r"[0-9a-f]{64}")
# of the folder in the data folder
LOGS_NAME = "logs"
RUN_LOG_SUFFIX = "runlog"
CSV_SUFFIX = "csv"
FOREIGN_SUFFIX = "tar"
# by content
SUFFIXES = {"run_log": RUN_LOG_SUFFIX, "csv": CSV_SUFFIX, "foreign": FOREIGN_SUFFIX}
_SYNCS_AT_ONCE = 16
_START_BYTES = 8
# of the folders of a group of files: to wake a thread for each costs more than most waits
_FOLDERS_AT_ONCE = 4


class ReadableObject(Protocol):
    """Bytes in a local file: those of an object, or those received so far."""

    @property
    def path(self) -> Path:
        """The file."""

    @property
    def size(self) -> int:
        """Its bytes."""

    @property
    def sha256(self) -> str:
        """Hexadecimal digest of its bytes."""


@dataclass(frozen=True)
class KeptObject:
    """An object, in a local file."""

    path: Path
    sha256: str

    @property
    def size(self) -> int:
        """Its bytes."""
        return self.path.stat().st_size


class StagedObject(ReadableObject, Protocol):
    """Bytes on their way into the store: not an object yet."""

    @property
    def start(self) -> bytes:
        """The first eight bytes received, or as many as there are."""

    def write(self, chunk: bytes | bytearray) -> None:
        """Append bytes."""

    def sync(self) -> None:
        """Wait until the bytes received so far are on disk (not yet an object)."""

    def commit(self, suffix: str) -> None:
        """Make it an object, durably. Repeating an object that is there changes nothing."""


class Contents(NamedTuple):
    """What lies in a store: digest and suffix of each object, and names of what is none."""

    objects: set[tuple[str, str]]
    others: list[str]


class ObjectStore(Protocol):
    """What the features need of a store; a directory here, other stores behind the same calls."""

    def stage(self) -> AbstractContextManager[StagedObject]:
        """Receive bytes; leaving the context without `commit` keeps nothing."""

    def add_all(self, contents: Iterable[bytes], suffix: str) -> list[str]:
        """Make each of these an object, all of them durably; returns their digests.

        Waits for the disk once for all, not for one after another. Every content holds a file
        open: give some hundred at a time.
        """

    def commit_all(self, staged: Sequence[StagedObject], suffix: str) -> None:
        """Make objects of what was staged here, all of them durably, as `commit` does of one."""

    def path(self, sha256: str, suffix: str) -> Path | None:
        """A local file with the object's bytes, or None if there is no such object.

        It may be a copy that the store removes some time later: open it at once.
        """

    def name(self, sha256: str, suffix: str) -> str:
        """Where that object is or would be, for people."""

    def contents(self) -> Contents:
        """Everything that is there, found by names alone."""

    def sweep(self) -> int:
        """Remove what interrupted uploads left behind; returns how many files."""


class DirectoryObjectStore:
    """Objects under `root`/ab/cd/<sha256>.<suffix>; temporary files under `root`/tmp.

    Opened `for_reading`, it makes no folder and refuses to stage anything (503).
    """

    def __init__(self, root: Path, *, for_reading: bool = False) -> None:
        self.root = root
        self._for_reading = for_reading
        self._temporary = root / "tmp"
        # begins its threads when they are needed, and keeps them
        self._pool = ThreadPoolExecutor(_SYNCS_AT_ONCE)
        # directories whose entry in their parent is known to be on disk
        self._durable: set[Path] = set()
        if not for_reading:
            make_folder(self._temporary)

    @contextmanager
    def stage(self) -> Iterator["_StagedFile"]:
        """Receive bytes into a locked temporary file."""
        if self._for_reading:
            raise read_only()
        staged = _StagedFile(self, self._temporary)
        try:
            yield staged
        finally:
            staged.close()

    def add_all(self, contents: Iterable[bytes], suffix: str) -> list[str]:
        """Write all, then sync all at once, then rename, then sync the directories at once."""
        digests = []
        targets = set()
        with ExitStack() as open_files:
            new: dict[Path, _StagedFile] = {}
            for content in contents:
                staged = open_files.enter_context(self.stage())
                staged.write(content)
                digests.append(staged.sha256)
                target = self.target(staged.sha256, suffix)
                targets.add(target)
                if not is_plain(target):
                    new[target] = staged
            list(self._pool.map(_StagedFile.sync, new.values()))
            for target, staged in new.items():
                make_folder(target.parent)
                staged.path.rename(target)
            # those that were there as well: whoever put them there may not have got this far
            places = {p for target in targets for p in (target.parent, target.parent.parent)}
            top = (self.root, self.root.parent) if targets else ()
            list(self._pool.map(sync_directory, {*places, *top}))
        return digests

    def commit_all(self, staged: Sequence[StagedObject], suffix: str) -> None:
        """Move files whose bytes are on disk to their places, then make the places durable."""
        for one in staged:
            one.sync()
        targets = [self.target(one.sha256, suffix) for one in staged]
        for one, target in zip(staged, targets, strict=True):
            make_folder(target.parent)
            one.path.rename(target)
        self._sync_folders({target.parent for target in targets})

    def path(self, sha256: str, suffix: str) -> Path | None:
        """The object's file, or None."""
        target = self.target(sha256, suffix)
        return target if is_plain(target) else None

    def name(self, sha256: str, suffix: str) -> str:
        """The object's path."""
        return str(self.target(sha256, suffix))

    def target(self, sha256: str, suffix: str) -> Path:
        """Where the object of that digest belongs."""
        return self.root / place_of(sha256, suffix)

    def contents(self) -> Contents:
        """Walk the folder; a file in the wrong place is not an object."""
        objects, others = set(), []
        for folder, _, names in os.walk(self.root):
            for name in names:
                path = Path(folder, name)
                found = object_at(path.relative_to(self.root).as_posix())
                if found is None:
                    others.append(str(path))
                else:
                    objects.add(found)
        return Contents(objects, sorted(others))

    def sweep(self) -> int:
        """Remove temporary files that no living process holds."""
        return sweep_parts(self._temporary)

    def _sync_folders(self, folders: Collection[Path]) -> None:
        """Make their entries durable, and their own entries where those may be new."""
        new = {place for folder in folders for place in (folder, folder.parent, self.root)}
        new -= self._durable
        changed = list({*folders, *(place.parent for place in new)})
        threads = min(_FOLDERS_AT_ONCE, 1 + len(changed) // 4)
        mine, *others = (changed[start::threads] for start in range(threads))
        at_work = [self._pool.submit(_sync_in_a_row, share) for share in others]
        _sync_in_a_row(mine)
        for other in at_work:
            other.result()
        self._durable |= new


class ReceivedFile:
    """A temporary file in `folder`, locked by its writer, hashed as it grows."""

    def __init__(self, folder: Path) -> None:
        self.size = 0
        self.start = b""
        self._hash = hashlib.sha256()
        self.path, self._file = _locked_file(folder)

    @property
    def sha256(self) -> str:
        """Digest of the bytes so far."""
        return self._hash.hexdigest()

    def write(self, chunk: bytes | bytearray) -> None:
        """Append bytes."""
        view = memoryview(chunk)
        while view:
            view = view[self._file.write(view) :]
        self._hash.update(chunk)
        if len(self.start) < _START_BYTES:
            self.start += chunk[: _START_BYTES - len(self.start)]
        self.size += len(chunk)

    def close(self) -> None:
        """Remove the file, unless it was renamed."""
        self.path.unlink(missing_ok=True)
        self._file.close()


def _locked_file(folder: Path) -> tuple[Path, FileIO]:
    """Make a temporary file and lock it; again where a sweep removed it before it was locked."""
    while True:
        # a name for itself, which nobody need guess: no question to the kernel for each
        path = folder / f"{random.getrandbits(128):032x}.part"
        file = new_file(path)
        fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file.fileno()).st_nlink:
            return path, file
        file.close()


class _StagedFile(ReceivedFile):
    """Bytes on their way into a directory."""

    def __init__(self, store: DirectoryObjectStore, folder: Path) -> None:
        super().__init__(folder)
        self._store = store
        self._synced = -1

    def sync(self) -> None:
        if self._synced != self.size:
            sync_file(self._file.fileno())
            self._synced = self.size

    def commit(self, suffix: str) -> None:
        self._store.commit_all([self], suffix)


def place_of(sha256: str, suffix: str) -> str:
    """Where in a store the object of that digest belongs: ab/cd/<sha256>.<suffix>."""
    if not _SHA256.fullmatch(sha256):
        raise ValueError(f"not a SHA-256 in lower-case hexadecimal: {sha256!r}")
    return f"{sha256[:2]}/{sha256[2:4]}/{sha256}.{suffix}"


def object_at(place: str) -> tuple[str, str] | None:
    """Digest and suffix of the object that belongs there; None where none does."""
    sha256, _, suffix = place.rpartition("/")[2].partition(".")
    if _SHA256.fullmatch(sha256) and place == place_of(sha256, suffix):
        return sha256, suffix
    return None


def same_bytes(path: Path, sha256: str) -> bool:
    """Whether the file holds the bytes of that digest."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == sha256


def sync_file(descriptor: int) -> None:
    """Wait until the file's bytes are on disk."""
    os.fsync(descriptor)


def sync_directory(path: Path) -> None:
    """Wait until the directory's entries are on disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_in_a_row(folders: Iterable[Path]) -> None:
    for folder in folders:
        sync_directory(folder)


def sweep_parts(folder: Path) -> int:
    """Remove the temporary files in `folder` that no living process holds; returns how many."""
    return sum(_remove_if_unlocked(path) for path in sorted(folder.glob("*.part")))


def _remove_if_unlocked(path: Path) -> bool:
    if not is_plain(path):
        return False
    try:
        with opened(path) as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
    except (BlockingIOError, FileNotFoundError):
        return False
    return True
