# SPDX-License-Identifier: Apache-2.0
"""The header of a stored run log."""

from pathlib import Path
from typing import Any

from coalescope_host import run_log


def read_log_header(path: Path) -> dict[str, Any]:
    """The header of the log at `path`, which was checked when it was stored."""
    return dict(run_log.read(path).header)
