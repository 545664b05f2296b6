# SPDX-License-Identifier: Apache-2.0
"""What the kernel module's snapshots say of themselves."""

from collections.abc import Iterator

from coalescope_host.run_log import Stream

from coalescope.measures.counters import Window, count_with_bit
from coalescope.runs.records import RunWarning

_NOT_ATOMIC_BIT = 0  # COALESCOPE_NOT_ATOMIC
_UNSTABLE_CLOCK_BIT = 3  # COALESCOPE_UNSTABLE_CLOCK
_TOO_DEEP_BIT = 5  # COALESCOPE_TOO_DEEP


def flagged(stream: Stream, window: Window) -> Iterator[RunWarning]:
    """What to look at before trusting the run."""
    torn = count_with_bit(stream, window, "flags", _NOT_ATOMIC_BIT)
    if torn:
        yield RunWarning(
            "snapshots_not_atomic",
            f"{torn:,} snapshots of the window could not be taken of one instant: their counters "
            "may be some frames apart.",
            {"field": "flags", "snapshots": torn},
        )
    deep = count_with_bit(stream, window, "flags", _TOO_DEEP_BIT)
    if deep:
        yield RunWarning(
            "interrupts_too_deep",
            "Interrupts nested deeper than the kernel module follows: some CPU time has a wrong "
            "owner.",
            {"field": "flags", "snapshots": deep},
        )


def unstable_clock(stream: Stream, window: Window) -> Iterator[RunWarning]:
    """Whether cycles of the window were counted by a clock that turned out not to be one."""
    unstable = count_with_bit(stream, window, "flags", _UNSTABLE_CLOCK_BIT)
    if unstable:
        yield RunWarning(
            "clock_not_stable",
            "The kernel found the time stamp counter not to be stable: what is made of cycles, as "
            "CPU times by owner, is left out.",
            {"field": "flags", "snapshots": unstable},
        )
