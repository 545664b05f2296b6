# SPDX-License-Identifier: Apache-2.0
"""Programs that show notebooks, as they are installed apart (`make test-e2e`), on a free port."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

PROGRAMS = Path(__file__).parents[2] / "build/notebooks/bin/python"


def installed() -> bool:
    """Whether they are there: 360 MB that nothing else needs."""
    return PROGRAMS.is_file()


@contextmanager
def running(command: Sequence[str], folder: Path, ready: str, timeout_s: float) -> Iterator[None]:
    """A program that answers at `ready`; what it keeps of itself goes into the folder."""
    own = {name: str(folder / f".{name.lower()}") for name in _KEPT}
    log = folder / "program.log"
    with log.open("wb") as said:
        process = subprocess.Popen(
            [PROGRAMS, "-m", *command],
            cwd=folder,
            env=os.environ | own,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait(process, ready, log, timeout_s)
        yield
    finally:
        process.terminate()
        try:
            process.wait(timeout=timeout_s)
        finally:
            process.kill()


_KEPT = (
    "JUPYTER_CONFIG_DIR",
    "JUPYTER_DATA_DIR",
    "JUPYTER_RUNTIME_DIR",
    "JUPYTERLAB_SETTINGS_DIR",
    "JUPYTERLAB_WORKSPACES_DIR",
    "IPYTHONDIR",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
)


def _wait(process: subprocess.Popen[bytes], url: str, log: Path, timeout_s: float) -> None:
    end = time.monotonic() + timeout_s
    while process.poll() is None and time.monotonic() < end:
        try:
            with urlopen(url):
                return
        except (URLError, ConnectionError):
            time.sleep(0.1)
    print(log.read_text(errors="replace"), file=sys.stderr)
    raise AssertionError(f"nothing answers at {url}")
