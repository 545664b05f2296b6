# SPDX-License-Identifier: Apache-2.0
"""The header of a stored run log."""

from pathlib import Path
from typing import Any

from coalescope_host import run_log

# what a header may take, and a little more than preamble and padding
_START_BYTES = run_log.DEFAULT_LIMITS.header_bytes + 4096


def read_log_header(path: Path) -> dict[str, Any]:
    """The header of the log at `path`, which was checked when it was stored.

    Only the start of the file is read; to the codec that is a log that was cut off.
    """
    with path.open("rb") as file:
        return dict(run_log.read(file.read(_START_BYTES)).header)
