# SPDX-License-Identifier: Apache-2.0
"""Somebody types that settings may stay, while there is time."""

import os
import select
import sys
import time
from collections.abc import Callable

from coalescope_host.terminal import say

WORD = "keep"
_STEP_S = 0.2


def typed(within_s: float) -> Callable[[Callable[[], None]], bool]:
    """Waits for the word on standard input; an input that ends says nothing."""

    def confirmed(alive: Callable[[], None]) -> bool:
        say(
            f"It is set. Type {WORD} and Enter within {within_s:g} s, or it is put back as it was "
            "(as it is if this connection is lost)."
        )
        end = time.monotonic() + within_s
        said = b""
        while time.monotonic() < end:
            alive()
            if not select.select([sys.stdin], [], [], _STEP_S)[0]:
                continue
            more = os.read(sys.stdin.fileno(), 4096)
            if not more:
                say("Nobody can answer here: standard input has ended.")
                return False
            *lines, said = (said + more).split(b"\n")
            if any(line.strip() == WORD.encode() for line in lines):
                return True
        return False

    return confirmed
