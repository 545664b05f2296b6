# SPDX-License-Identifier: Apache-2.0
"""A real server process, under a command that does something to it, and what it left behind."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
from coalescope.store import open_for_reading
from coalescope.uploads.reading import Reading
from coalescope.verification.service import Report, verify
from timeouts import TIMEOUT_S


class Server:
    """`coalescope serve` on a folder of its own; `wrapped` comes before the command."""

    def __init__(self, data: Path, *options: str, wrapped: Sequence[str] = ()) -> None:
        self.data = data
        (data.parent / "none").mkdir(exist_ok=True)
        none = str(data.parent / "none")
        environment = os.environ | {
            "COALESCOPE_DATA_DIR": str(data),
            "COALESCOPE_DATASETS_DIR": none,
            "COALESCOPE_PAGE_DIR": none,
        }
        command = [*wrapped, sys.executable, "-m", "coalescope", "serve", "--port", "0", *options]
        self.process = subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        found = re.search(r"http://\S+", said)
        assert found, f"the server did not come up: {said}"
        self.url = found[0]

    def upload(
        self, content: bytes, filename: str = "x.runlog", through: httpx.Client | None = None
    ) -> httpx.Response:
        """Over a connection of its own, or one that is kept."""
        return (through or httpx).post(
            f"{self.url}/api/uploads",
            params={"filename": filename},
            content=content,
            timeout=TIMEOUT_S,
        )

    def stop(self, how: int = signal.SIGTERM) -> None:
        """End it and what it is wrapped in."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, how)
        self.process.wait(TIMEOUT_S)
        assert self.process.stdout is not None
        self.process.stdout.close()


def look(data: Path, *, deep: bool = True) -> Report:
    """What `coalescope verify` says of a folder."""
    store = open_for_reading(data)
    try:
        return verify(store.database, store.object_store, Reading() if deep else None)
    finally:
        store.close()


@contextmanager
def syncs_fail(process: int, *chosen: str) -> Iterator[None]:
    """A disk that fails a process's calls to sync; strace's words choose which."""
    strace = ["strace", "-f", "-e", "trace=fsync,fdatasync", "-o", "/dev/null", *chosen]
    attached = [*strace, "-p", str(process)]
    with subprocess.Popen(attached, stderr=subprocess.PIPE, text=True) as disk:
        try:
            assert disk.stderr is not None
            while "attached" not in (said := disk.stderr.readline()):
                assert said, "strace ended"
            yield
        finally:
            disk.terminate()
