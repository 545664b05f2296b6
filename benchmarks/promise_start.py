# SPDX-License-Identifier: Apache-2.0
"""The server answers within three seconds of a second start; beside it, bare imports."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rows import Row

COMMAND = Path(sys.executable).with_name("coalescope")
ROUNDS = 3
BAR_S = 3.0


def start_s(folder: str) -> float:
    """From the command to the line that says where it is."""
    begun = time.monotonic()
    command = [str(COMMAND), "serve", "--port", "0", "--data", folder]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        server.stdout.readline()
        took = time.monotonic() - begun
        server.terminate()
    return took


def import_s() -> float:
    """What no server on this framework can do without."""
    begun = time.monotonic()
    subprocess.run([sys.executable, "-c", "import fastapi, sqlalchemy, numpy, uvicorn"], check=True)
    return time.monotonic() - begun


def measure() -> list[Row]:
    """Rows for the report."""
    with tempfile.TemporaryDirectory() as folder:
        first = start_s(folder)
        again = min(start_s(folder) for _ in range(ROUNDS))
    bare = min(import_s() for _ in range(ROUNDS))
    measured = f"{again:.1f} s ({again / bare:.1f} × its imports; the first start {first:.1f} s)"
    return [Row("second start of the server", measured, f"< {BAR_S:.0f} s", again < BAR_S)]
