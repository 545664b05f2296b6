# SPDX-License-Identifier: Apache-2.0
"""What processes that the server begins are given."""

import os

# Where Python and its libraries are; settings, which hold secrets, are not among it.
_KEPT = ("PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "LANG")
# One thread: others would be counted as memory that the work takes.
_THREADS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def plain_environment() -> dict[str, str]:
    """The environment of a process that has to know nothing of the server."""
    return {name: os.environ[name] for name in _KEPT if name in os.environ} | _THREADS
