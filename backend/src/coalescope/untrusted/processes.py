# SPDX-License-Identifier: Apache-2.0
"""Processes of our own code that the server starts, and what they are given."""

import os
import sys

# Where Python and its libraries are; settings, which hold secrets, are not among it.
_KEPT = ("PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "LANG")
# One thread: others would be counted as memory that the work takes.
_THREADS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def python(code: str, *given: str) -> tuple[str, ...]:
    """The command of a process of our own code; it runs no file of the folder it starts in."""
    return (sys.executable, "-P", "-c", code, *given)


def plain_environment() -> dict[str, str]:
    """The environment of a process that has to know nothing of the server."""
    return {name: os.environ[name] for name in _KEPT if name in os.environ} | _THREADS
