# SPDX-License-Identifier: Apache-2.0
"""A run log that was cut off, and the longer log of the same run that it is the start of.

Logs are only ever appended to, so a copy that was cut off is, up to its last whole block, the start
of the whole log, byte for byte.
"""

import mmap
from pathlib import Path
from typing import Literal

from coalescope_host import run_log
from coalescope_host.run_log import RunLogError

Longer = Literal["longer", "no longer"]
_STEP_BYTES = 1 << 20

SUPERSEDED = "superseded"
"""The warning of a copy whose run has a longer log now."""


def compare_logs(stored: Path, sent: Path) -> Longer | None:
    """Say whether the log `sent` goes on where `stored` ends, or ends where `stored` goes on.

    None where neither is the start of the other: then they are not copies of one log.
    """
    if not stored.stat().st_size:  # damaged: nothing of it is left, and nothing cannot be mapped
        return None
    with stored.open("rb") as one, sent.open("rb") as other:
        here = mmap.mmap(one.fileno(), 0, access=mmap.ACCESS_READ)
        there = mmap.mmap(other.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        here_bytes, there_bytes = run_log.read(here).read_bytes, run_log.read(there).read_bytes
    except RunLogError:
        return None
    common = min(here_bytes, there_bytes)
    for start in range(0, common, _STEP_BYTES):
        end = min(start + _STEP_BYTES, common)
        if here[start:end] != there[start:end]:
            return None
    return "longer" if there_bytes > here_bytes else "no longer"
