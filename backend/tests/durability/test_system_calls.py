# SPDX-License-Identifier: Apache-2.0
"""What the kernel saw, by strace: file, folders and write-ahead log are synced before the answer.

Python cannot hide anything from this: SQLite's own calls are among it.
"""

import re
import shutil
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from .conftest import Server

_CALLS = "fsync,fdatasync,rename,renameat,renameat2,sendto,write,writev"
_SYNC = re.compile(r"\b(?:fsync|fdatasync)\(\d+<([^>]*)>")
_RENAME = re.compile(r'\brename\w*\((?:AT_FDCWD[^,]*, )?"([^"]+)", (?:AT_FDCWD[^,]*, )?"([^"]+)"')


def seen_in(trace: Path) -> list[tuple[str, ...]]:
    """("sync", path), ("rename", from, to) and ("answer",) to an upload, in order.

    An answer counts where its call begins, what another thread interrupted in the trace where
    it ended.
    """
    begun: dict[str, str] = {}
    seen: list[tuple[str, ...]] = []
    for line in trace.read_text(errors="replace").splitlines():
        process, _, call = line.partition(" ")
        call = call.strip()
        if call.endswith("<unfinished ...>"):
            if "201 Created" in call:
                seen.append(("answer",))
            else:
                begun[process] = call
            continue
        if "resumed>" in call:
            call = begun.pop(process, "") + call
        if "201 Created" in call:
            seen.append(("answer",))
        elif found := _SYNC.search(call):
            assert call.rstrip().endswith("= 0"), call
            seen.append(("sync", found[1]))
        elif found := _RENAME.search(call):
            seen.append(("rename", found[1], found[2]))
    return seen


def seen_until_the_answer(trace: Path) -> list[tuple[str, ...]]:
    """The same without the answer and what came after it."""
    seen = seen_in(trace)
    assert ("answer",) in seen, "no answer in the trace"
    return seen[: seen.index(("answer",))]


def check_many(seen: list[tuple[str, ...]], data: Path) -> None:
    """Fail unless before each answer there is a file more that is on disk, with its rows."""
    answers = 0
    for index, call in enumerate(seen):
        if call[0] == "answer":
            answers += 1
            assert stored_in(seen[:index], data) >= answers, f"answer {answers} came too early"
    assert answers


def stored_in(seen: list[tuple[str, ...]], data: Path) -> int:
    """How many files were synced, then put in place, then had place and rows synced."""
    count = 0
    for index, call in enumerate(seen):
        if call[0] == "rename" and ("sync", call[1]) in seen[:index]:
            after, folder = seen[index:], ("sync", str(Path(call[2]).parent))
            if folder in after:
                wal = ("sync", str(data / "coalescope.sqlite-wal"))
                count += wal in after[after.index(folder) :]
    return count


def check(seen: list[tuple[str, ...]], data: Path) -> list[tuple[str, ...]]:
    """Fail unless all is on disk, in order; returns the syncs that this takes."""
    (rename,) = (index for index, call in enumerate(seen) if call[0] == "rename")
    _, source, target = seen[rename]
    folder, wal = Path(target).parent, data / "coalescope.sqlite-wal"
    assert ("sync", source) in seen[:rename], "renamed before its bytes were on disk"
    needed = [("sync", str(path)) for path in (folder, folder.parent, data / "logs", wal)]
    after = seen[rename:]
    for call in needed:
        assert call in after, f"{call[1]} was not synced"
    last_of_rows = len(after) - after[::-1].index(needed[-1])
    assert last_of_rows > after.index(needed[0]), "rows came before their file was in place"
    return [("sync", source), *needed]


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_all_is_on_disk_before_the_answer(tmp_path: Path, make_log: Callable[..., bytes]) -> None:
    trace = tmp_path / "trace"
    strace = ["strace", "-f", "-y", "-s", "300", "-e", f"trace={_CALLS}", "-o", str(trace)]
    server = Server(tmp_path / "data", wrapped=strace)
    try:
        trace.write_text("")  # what the start did is not about this upload
        assert server.upload(make_log()).status_code == 201
    finally:
        server.stop(signal.SIGTERM)
    seen = seen_until_the_answer(trace)
    for without in check(seen, tmp_path / "data"):  # negative controls
        with pytest.raises(AssertionError):
            check([call for call in seen if call != without], tmp_path / "data")


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_of_uploads_at_once_each_is_on_disk_before_its_answer(
    tmp_path: Path, make_log: Callable[..., bytes]
) -> None:
    trace = tmp_path / "trace"
    strace = ["strace", "-f", "-y", "-s", "300", "-e", f"trace={_CALLS}", "-o", str(trace)]
    server = Server(tmp_path / "data", wrapped=strace)

    def send_twelve() -> None:
        with ThreadPoolExecutor(6) as pool:
            answers = pool.map(server.upload, [make_log(replicate=n) for n in range(12)])
            assert {answer.status_code for answer in answers} == {201}

    try:
        trace.write_text("")
        send_twelve()
    finally:
        server.stop(signal.SIGTERM)
    seen = seen_in(trace)
    assert seen.count(("answer",)) == 12
    seen = seen[: len(seen) - seen[::-1].index(("answer",))]  # not what the end did
    check_many(seen, tmp_path / "data")
    # negative controls: answers that came before the last sync of rows, or of a folder
    last = max(i for i, call in enumerate(seen) if call[0] == "sync" and call[1].endswith("-wal"))
    renamed = [str(Path(call[2]).parent) for call in seen if call[0] == "rename"]
    for wrong in (
        [call for i, call in enumerate(seen) if i != last],
        [call for call in seen if call != ("sync", renamed[0])],
    ):
        with pytest.raises(AssertionError, match="too early"):
            check_many(wrong, tmp_path / "data")
