# SPDX-License-Identifier: Apache-2.0
"""Where fetched and built parts of guests are kept, and how a folder is made only once."""

import fcntl
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = HERE / "build"


@contextmanager
def alone(build: Path = BUILD) -> Iterator[None]:
    """Hold the build folder's lock: tests in several processes fetch and build only once."""
    build.mkdir(parents=True, exist_ok=True)
    with (build / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def made_once(folder: Path, make: Callable[[Path], None]) -> Path:
    """Return `folder`; if it is not there, `make` fills a temporary one that then takes its name.

    So a folder that is there is whole, whatever interrupted an earlier attempt.
    """
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        make(unfinished)
        unfinished.chmod(0o755)
        unfinished.replace(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder
