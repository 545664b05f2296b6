# SPDX-License-Identifier: Apache-2.0
"""Settings that stay only if somebody says so in time: whoever cut off his own way in gets it back.

Until then the way back is on disk, and a process waits to go it should this one die or hang.
"""

from collections.abc import Callable

from coalescope_host.plan.factors import Levels

from .bench import Bench
from .sweeping import put_back

Confirmation = Callable[[Callable[[], None]], bool]
"""Waits for somebody to say that settings may stay; calls its argument often. Whether one did."""


def try_out(bench: Bench, levels: Levels, confirmed: Confirmation) -> bool:
    """Set, and keep it if that is confirmed; else, and on every failure, put back. Whether kept.

    Raises:
        RestoreError: if something could not be put back.
    """
    state = bench.host.save()
    bench.guard.arm(state)
    kept = False
    try:
        bench.host.apply(levels)
        kept = confirmed(bench.alive)
    finally:
        if kept:
            bench.guard.disarm()
        else:
            put_back(bench, state)
    return kept
