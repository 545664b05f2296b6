# SPDX-License-Identifier: Apache-2.0
"""How tests wait: for the event itself, and for as long as a busy machine may take to get there."""

import functools
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from disturbance import Watch

T = TypeVar("T")
P = ParamSpec("P")

#: Far more than anything here takes: what hangs is given up, what is slow is not.
TIMEOUT_S = 120.0
TIMES = 6
MOST_TIMES = 10
#: Begins each line that says so; `repeats` counts them.
AGAIN = "measured again"


def wait_until(holds: Callable[[], T], otherwise: str) -> T:
    """What it returns once that is true; where it never is, `otherwise` is said."""
    end = time.monotonic() + TIMEOUT_S
    while not (found := holds()):
        assert time.monotonic() < end, otherwise
        time.sleep(0.01)
    return found


def retried_if_disturbed(test: Callable[P, None]) -> Callable[P, None]:
    """A test of how long something takes: again, if others used the CPUs while it ran.

    That is the one disturbance it knows (`disturbance`): where nobody else used them the first
    failure stands, whatever the test's own processes took from each other.
    """

    @functools.wraps(test)
    def measured(*arguments: P.args, **named: P.kwargs) -> None:
        for _ in range(TIMES - 1):
            watch = Watch()
            try:
                return test(*arguments, **named)
            except AssertionError as error:
                if not (said := watch.said()):
                    raise
                print(f"{AGAIN}, as {said}: {error}")
        return test(*arguments, **named)

    return measured


def undisturbed(
    measure: Callable[[], T], disturbance: Callable[[T], str], most_times: int = MOST_TIMES
) -> T:
    """What was measured when nothing disturbed it.

    Args:
        measure: what is repeated; it asserts nothing.
        disturbance: names what has disturbed a measurement; nothing where there was none.
        most_times: how often to measure before that is a failure of its own.
    """
    for _ in range(most_times):
        measured = measure()
        if not (named := disturbance(measured)):
            return measured
        print(f"{AGAIN}: {named}")
    raise AssertionError(f"disturbed in each of {most_times} measurements; the last: {named}")
