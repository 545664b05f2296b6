# SPDX-License-Identifier: Apache-2.0
"""How tests wait: for the event itself, and for as long as a busy machine may take to get there."""

import functools
import time
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")

#: Far more than anything here takes: what hangs is given up, what is slow is not.
PATIENCE_S = 120.0
TIMES = 6
MOST_TIMES = 10
OFTEN = 0.05  # of the time


def wait_until(holds: Callable[[], T], otherwise: str) -> T:
    """What it returns once that is true; where it never is, `otherwise` is said."""
    end = time.monotonic() + PATIENCE_S
    while not (found := holds()):
        assert time.monotonic() < end, otherwise
        time.sleep(0.01)
    return found


def measured_again(test: Callable[P, None]) -> Callable[P, None]:
    """A test of how long something takes: again, if tasks had to wait for a CPU while it ran.

    The kernel says so (pressure stall information). That is the one disturbance it knows: on a
    machine with CPUs to spare the first failure stands, and so it does where the kernel is silent.
    """

    @functools.wraps(test)
    def measured(*arguments: P.args, **named: P.kwargs) -> None:
        for _ in range(TIMES - 1):
            begun, waited_before = time.monotonic(), _waited_for_a_cpu_s()
            try:
                return test(*arguments, **named)
            except AssertionError as error:
                waited = (_waited_for_a_cpu_s() - waited_before) / (time.monotonic() - begun)
                if waited < OFTEN:
                    raise
                print(f"measured again, as tasks waited for a CPU {waited:.0%} of it: {error}")
        return test(*arguments, **named)

    return measured


def _waited_for_a_cpu_s() -> float:
    """For how long, since it booted, some task has waited; 0 where the kernel does not say."""
    try:
        some = Path("/proc/pressure/cpu").read_text(encoding="ascii").splitlines()[0]
    except OSError:
        return 0.0
    return int(some.rpartition("total=")[2]) / 1e6


def undisturbed(measure: Callable[[], T], disturbance: Callable[[T], str]) -> T:
    """What was measured when nothing disturbed it.

    Args:
        measure: what is repeated; it asserts nothing.
        disturbance: names what has disturbed a measurement; nothing where there was none.
    """
    for _ in range(MOST_TIMES):
        measured = measure()
        if not (named := disturbance(measured)):
            return measured
        print(f"measured again: {named}")
    raise AssertionError(f"disturbed in each of {MOST_TIMES} measurements; the last: {named}")
