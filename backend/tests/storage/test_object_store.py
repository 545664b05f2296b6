# SPDX-License-Identifier: Apache-2.0
"""Objects: named by content, durable when committed, gone when not."""

import hashlib
import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from coalescope.storage import object_store
from coalescope.storage.object_store import DirectoryObjectStore, StagedObject
from hypothesis import given, settings
from hypothesis import strategies as st

CONTENT = b"a run log, as far as the store is concerned"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def store(tmp_path: Path) -> DirectoryObjectStore:
    return DirectoryObjectStore(tmp_path / "logs")


def put(store: DirectoryObjectStore, content: bytes = CONTENT) -> None:
    with store.stage() as staged:
        staged.write(content)
        staged.commit("runlog")


def files(store: DirectoryObjectStore) -> list[Path]:
    return sorted(path for path in store.root.rglob("*") if path.is_file())


def test_an_object_is_found_by_its_content(store: DirectoryObjectStore) -> None:
    put(store)
    path = store.path(SHA256, "runlog")
    assert path == store.root / SHA256[:2] / SHA256[2:4] / f"{SHA256}.runlog"
    assert path.read_bytes() == CONTENT
    assert store.path(SHA256, "csv") is None
    assert files(store) == [path]


def test_repeating_an_object_changes_nothing(store: DirectoryObjectStore) -> None:
    put(store)
    put(store)
    assert [path.read_bytes() for path in files(store)] == [CONTENT]


def test_what_is_not_committed_is_gone(store: DirectoryObjectStore) -> None:
    def fail() -> None:
        with store.stage() as staged:
            staged.write(CONTENT)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert files(store) == []


@settings(deadline=None)  # it waits for a disk
@given(chunks=st.lists(st.binary(max_size=300), max_size=8))
def test_bytes_and_digest_are_those_written(
    tmp_path_factory: pytest.TempPathFactory, chunks: list[bytes]
) -> None:
    store = DirectoryObjectStore(tmp_path_factory.mktemp("store"))
    with store.stage() as staged:
        for chunk in chunks:
            staged.write(chunk)
        assert staged.path.read_bytes() == b"".join(chunks)
        assert staged.size == sum(map(len, chunks))
        assert staged.start == b"".join(chunks)[:8]
        assert staged.sha256 == hashlib.sha256(b"".join(chunks)).hexdigest()


@pytest.mark.parametrize(
    "name", ["", "../../etc/passwd", SHA256.upper(), SHA256[:-1], SHA256 + "0"]
)
def test_only_digests_name_objects(store: DirectoryObjectStore, name: str) -> None:
    with pytest.raises(ValueError, match="not a SHA-256"):
        store.path(name, "runlog")


def test_a_sweep_between_making_and_locking_a_file_loses_no_upload(
    store: DirectoryObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when another process opens the store in that moment."""
    lock, swept = object_store.fcntl.flock, []

    def late(file: Any, operation: int) -> None:
        if not swept:
            swept.append(0)
            swept[0] = store.sweep()
        lock(file, operation)

    monkeypatch.setattr(object_store.fcntl, "flock", late)
    put(store)
    assert swept == [1]
    assert store.path(SHA256, "runlog").read_bytes() == CONTENT


def test_the_sweep_removes_only_what_nobody_writes(store: DirectoryObjectStore) -> None:
    left = store.root / "tmp" / "dead.part"
    left.write_bytes(b"half a log")
    with store.stage() as staged:
        staged.write(CONTENT)
        assert store.sweep() == 1
        assert not left.exists()
        assert staged.path.exists()
        staged.commit("runlog")
    assert store.path(SHA256, "runlog") is not None


# --- durability: the order of system calls


class Calls:
    """fsync and rename as they happen: ("sync", path) and ("rename", from, to)."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seen: list[tuple[str, ...]] = []
        fsync, rename = os.fsync, os.rename

        def spy_fsync(descriptor: int) -> None:
            self.seen.append(("sync", str(Path(f"/proc/self/fd/{descriptor}").readlink())))
            fsync(descriptor)

        def spy_rename(source: Any, target: Any, **more: Any) -> None:
            self.seen.append(("rename", str(source), str(target)))
            rename(source, target, **more)

        monkeypatch.setattr(os, "fsync", spy_fsync)
        monkeypatch.setattr(os, "rename", spy_rename)


def check_durable(seen: list[tuple[str, ...]], root: Path, objects: int = 1) -> None:
    """Each file before its rename, then every directory from its own up to the root's parent."""
    renames = [index for index, call in enumerate(seen) if call[0] == "rename"]
    assert len(renames) == objects
    for rename in renames:
        _, source, target = seen[rename]
        assert ("sync", source) in seen[:rename], "the file was renamed before it was on disk"
        directory = Path(target).parent
        synced = [call[1] for call in seen[rename:] if call[0] == "sync"]
        for path in (directory, directory.parent, root, root.parent):
            assert str(path) in synced, f"{path} was not made durable"


def test_commit_waits_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Calls(monkeypatch)
    store = DirectoryObjectStore(tmp_path / "logs")
    put(store)
    check_durable(calls.seen, store.root)


def _no_sync(_: Any) -> None:
    pass


class _RenameOnly:
    """What a store does that waits for nothing."""

    def __init__(self, store: DirectoryObjectStore) -> None:
        self._store = store

    def __call__(self, staged: Sequence[StagedObject], suffix: str) -> None:
        for one in staged:
            target = self._store.target(one.sha256, suffix)
            target.parent.mkdir(parents=True, exist_ok=True)
            one.path.rename(target)


@pytest.mark.parametrize("mutant", ["no file sync", "no directory sync", "rename only"])
def test_a_store_that_does_not_wait_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mutant: str
) -> None:
    """Negative controls."""
    calls = Calls(monkeypatch)
    store = DirectoryObjectStore(tmp_path / "logs")
    if mutant == "no file sync":
        monkeypatch.setattr(object_store, "sync_file", _no_sync)
    elif mutant == "no directory sync":
        monkeypatch.setattr(object_store, "sync_directory", _no_sync)
    else:
        monkeypatch.setattr(store, "commit_all", _RenameOnly(store))
    put(store)
    with pytest.raises(AssertionError):
        check_durable(calls.seen, store.root)


def test_a_second_object_syncs_its_own_directories(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = DirectoryObjectStore(tmp_path / "logs")
    put(store)
    calls = Calls(monkeypatch)
    put(store, b"another")
    directory = store.target(hashlib.sha256(b"another").hexdigest(), "runlog").parent
    synced = [call[1] for call in calls.seen if call[0] == "sync"]
    assert {str(directory), str(directory.parent), str(store.root)} <= set(synced)


def test_a_failing_sync_is_not_an_object(
    store: DirectoryObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="Input/output"):
        put(store)
    assert files(store) == []


# --- many at once


def commit_together(store: DirectoryObjectStore, count: int) -> None:
    with ExitStack() as received:
        staged = [received.enter_context(store.stage()) for _ in range(count)]
        for number, one in enumerate(staged):
            one.write(str(number).encode())
        store.commit_all(staged, "runlog")


@pytest.mark.parametrize("count", [1, 2, 3, 20])
def test_objects_that_came_together_wait_for_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    calls = Calls(monkeypatch)
    store = DirectoryObjectStore(tmp_path / "logs")
    commit_together(store, count)
    check_durable(calls.seen, store.root, count)


@pytest.mark.parametrize("number", range(9))
def test_one_folder_that_is_not_on_disk_is_told(
    store: DirectoryObjectStore, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Whichever thread meets it."""
    sync_directory = object_store.sync_directory
    folder = store.target(hashlib.sha256(str(number).encode()).hexdigest(), "runlog").parent

    def fail_there(path: Path) -> None:
        if path == folder:
            raise OSError(5, "Input/output error")
        sync_directory(path)

    monkeypatch.setattr(object_store, "sync_directory", fail_there)
    with pytest.raises(OSError, match="Input/output"):
        commit_together(store, 9)


def put_all(store: DirectoryObjectStore, count: int = 30) -> list[str]:
    return store.add_all((str(i % (count - 1)).encode() for i in range(count)), "runlog")


def test_many_objects_at_once(store: DirectoryObjectStore) -> None:
    """Digests in the order of the contents; one that comes twice is there once."""
    digests = put_all(store)
    assert digests == [hashlib.sha256(str(i % 29).encode()).hexdigest() for i in range(30)]
    found = {path.stem: path.read_bytes() for path in files(store)}
    assert found == {digests[i]: str(i).encode() for i in range(29)}
    assert put_all(store) == digests
    assert len(files(store)) == 29
    assert store.add_all([], "runlog") == []


def test_many_objects_wait_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Calls(monkeypatch)
    store = DirectoryObjectStore(tmp_path / "logs")
    put_all(store)
    check_durable(calls.seen, store.root, 29)


@pytest.mark.parametrize("mutant", ["sync_file", "sync_directory"])
def test_many_objects_that_do_not_wait_are_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mutant: str
) -> None:
    """Negative controls."""
    calls = Calls(monkeypatch)
    store = DirectoryObjectStore(tmp_path / "logs")
    monkeypatch.setattr(object_store, mutant, _no_sync)
    put_all(store)
    with pytest.raises(AssertionError):
        check_durable(calls.seen, store.root, 29)


def test_a_link_in_the_place_of_an_object_is_not_followed(
    store: DirectoryObjectStore, tmp_path: Path
) -> None:
    """Whoever planted it may be after a file that only the server's user may read."""
    secret = tmp_path / "secret"
    secret.write_bytes(b"of the server's user alone")
    put(store)
    place = store.target(SHA256, "runlog")
    place.unlink()
    place.symlink_to(secret)
    assert store.path(SHA256, "runlog") is None
    assert store.add_all([CONTENT], "runlog") == [SHA256]
    assert (place.is_symlink(), place.read_bytes()) == (False, CONTENT)
    assert secret.read_bytes() == b"of the server's user alone"


def test_a_sweep_passes_over_what_is_no_plain_file(
    store: DirectoryObjectStore, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(CONTENT)
    temporary = store.root / "tmp"
    (temporary / "left.part").write_bytes(CONTENT)
    (temporary / "link.part").symlink_to(victim)
    os.mkfifo(temporary / "pipe.part")  # opened to be read, it would wait for a writer for ever
    assert store.sweep() == 1
    assert sorted(path.name for path in temporary.iterdir()) == ["link.part", "pipe.part"]
    assert victim.read_bytes() == CONTENT
