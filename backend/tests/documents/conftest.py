# SPDX-License-Identifier: Apache-2.0
"""Somebody who types what the documents show."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from manuals import ROOT
from timeouts import TIMEOUT_S, wait_until

DATA_SET = "geist-2005-nfs"
SERVING = "coalescope serve "
PROGRAMS = {
    "coalescope": f"{sys.executable} -m coalescope",
    "coalescope-host": f"{sys.executable} -m coalescope_host",
    "coalescope-logger": str(ROOT / "driver/logger/coalescope-logger"),
}


class Reader:
    """Somebody who types what a page says, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        (folder / "bin").mkdir()
        for name, command in PROGRAMS.items():
            (folder / "bin" / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
            (folder / "bin" / name).chmod(0o755)
        # one data set of all that come with the program: stores are copied and published here
        shutil.copytree(ROOT / "datasets" / DATA_SET, folder / "shipped" / DATA_SET)
        own = {name: text for name, text in os.environ.items() if "COALESCOPE" not in name}
        self.environment = own | {
            "PATH": f"{folder / 'bin'}:{own['PATH']}",
            "COALESCOPE_DATASETS_DIR": str(folder / "shipped"),
        }
        self.server: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """Of the server that the reader started."""
        return f"http://127.0.0.1:{self.port}"

    def type(self, text: str) -> str:
        """Run a fence; what serves goes on."""
        if text.startswith(SERVING):
            self.serve(text.strip())
            return ""
        return self.run("bash", "-e", "-c", text.replace(":8000", f":{self.port}"))

    def serve(self, command: str) -> None:
        assert "\n" not in command
        self.server = subprocess.Popen(
            [*command.split(), "--port", str(self.port)],
            cwd=self.folder,
            env=self.environment,
            executable=self.folder / "bin" / "coalescope",
            stdout=subprocess.DEVNULL,
        )
        wait_until(self.answers, "nobody answers")

    def answers(self) -> bool:
        assert self.server is not None
        assert self.server.poll() is None, "the server ended"
        with socket.socket() as asking:
            return asking.connect_ex(("127.0.0.1", self.port)) == 0

    def run(self, *command: str, status: int = 0) -> str:
        """What a command printed, which ends with that status."""
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        assert done.returncode == status, f"{command[-1]}\n{done.stdout}{done.stderr}"
        return done.stdout


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    made = Reader(tmp_path)
    yield made
    if made.server is not None:
        made.server.terminate()
        made.server.wait(TIMEOUT_S)
