# SPDX-License-Identifier: Apache-2.0
"""How tests wait: for the event itself, and for as long as a busy machine may take to get there."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

#: Far more than anything here takes: what hangs is given up, what is slow is not.
PATIENCE_S = 120.0


def wait_until(holds: Callable[[], T], otherwise: str) -> T:
    """What it returns once that is true; where it never is, `otherwise` is said."""
    end = time.monotonic() + PATIENCE_S
    while not (found := holds()):
        assert time.monotonic() < end, otherwise
        time.sleep(0.01)
    return found
