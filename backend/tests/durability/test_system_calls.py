# SPDX-License-Identifier: Apache-2.0
"""What the kernel saw, by strace: file, folders and write-ahead log are synced before the answer.

Python cannot hide anything from this: SQLite's own calls are among it.
"""

import re
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Server

_CALLS = "fsync,fdatasync,rename,renameat,renameat2,sendto,write,writev"
_SYNC = re.compile(r"\b(?:fsync|fdatasync)\(\d+<([^>]*)>")
_RENAME = re.compile(r'\brename\w*\((?:AT_FDCWD[^,]*, )?"([^"]+)", (?:AT_FDCWD[^,]*, )?"([^"]+)"')


def seen_until_the_answer(trace: Path) -> list[tuple[str, ...]]:
    """("sync", path) and ("rename", from, to) in order, up to the answer to the upload.

    A call that another thread interrupted in the trace counts where it ended.
    """
    begun: dict[str, str] = {}
    seen: list[tuple[str, ...]] = []
    for line in trace.read_text(errors="replace").splitlines():
        process, _, call = line.partition(" ")
        call = call.strip()
        if call.endswith("<unfinished ...>"):
            if "201 Created" in call:
                return seen
            begun[process] = call
            continue
        if "resumed>" in call:
            call = begun.pop(process, "") + call
        if "201 Created" in call:
            return seen
        if found := _SYNC.search(call):
            assert call.rstrip().endswith("= 0"), call
            seen.append(("sync", found[1]))
        elif found := _RENAME.search(call):
            seen.append(("rename", found[1], found[2]))
    raise AssertionError("no answer in the trace")


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
