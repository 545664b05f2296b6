# SPDX-License-Identifier: Apache-2.0
"""Whether what the kernel shows in /proc and /sys can be written: containers have it read-only."""

from __future__ import annotations

import os
from pathlib import Path


def read_only(path: Path) -> str | None:
    """Why nobody can write there, whoever asks; None where it can be tried."""
    try:
        flags = os.statvfs(path).f_flag
    except OSError:  # what is not there is told otherwise
        return None
    return f"{path} is mounted read-only here" if flags & os.ST_RDONLY else None
