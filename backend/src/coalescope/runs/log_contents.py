# SPDX-License-Identifier: Apache-2.0
"""What a stored run log shows of its run."""

import mmap
from pathlib import Path
from typing import Any

from coalescope_host import run_log
from coalescope_host.run_log import RunLogError

from coalescope.errors import CoalescopeError


def read_contents(path: Path, points: int) -> dict[str, Any]:
    """What the log at `path` shows of its run. The file is mapped, not read into memory.

    Errors: CoalescopeError 500, where it is not any more what was checked when it was stored.
    """
    try:
        with path.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return run_log.contents(run_log.read(mapped), points)
    except (RunLogError, ValueError) as error:  # ValueError: nothing is left of it
        raise CoalescopeError(
            "damaged_log",
            f"The stored log cannot be read any more: {error}",
            advice="`coalescope verify` says what is damaged.",
            status=500,
        ) from None
