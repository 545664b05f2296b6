# SPDX-License-Identifier: Apache-2.0
"""A run log that was cut off, and the longer log of the same run that it is the start of."""

import mmap
from pathlib import Path

from coalescope_host import run_log
from coalescope_host.run_log import Longer, RunLogError

SUPERSEDED = "superseded"
"""The warning of a copy whose run has a longer log now."""


def compare_logs(stored: Path, sent: Path) -> Longer | None:
    """Say whether the log `sent` goes on where `stored` ends, or ends where `stored` goes on.

    `sent` was read: it is sound. None where neither is the start of the other: then they are not
    copies of one log.
    """
    if not stored.stat().st_size:  # damaged: nothing of it is left, and nothing cannot be mapped
        return None
    with stored.open("rb") as one, sent.open("rb") as other:
        here = mmap.mmap(one.fileno(), 0, access=mmap.ACCESS_READ)
        there = mmap.mmap(other.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        return run_log.continuation(here, there)
    except RunLogError:
        return None
