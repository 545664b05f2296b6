# SPDX-License-Identifier: Apache-2.0
"""The processes that a process began, as the kernel lists them."""

from contextlib import suppress
from pathlib import Path


def children_of(pid: int) -> set[int]:
    """Those that one of its threads began, and that it has not waited for."""
    found: set[int] = set()
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):  # that thread has just ended
            found |= {int(child) for child in listed.read_text().split()}
    return found
