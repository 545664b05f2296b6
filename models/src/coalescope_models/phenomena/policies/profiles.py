# SPDX-License-Identifier: Apache-2.0
"""Profiles of DIM that suit one traffic, where the shipped ones do not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise

from .dim import Dim
from .events import Policy, Run

Profile = tuple[int, ...]

_LEVELS = 5


def profiles_to(longest_us: float) -> list[Profile]:
    """Return profiles that end near an interval: five whole microseconds, rising.

    One doubles from level to level, as the shipped ones nearly do, and one rises evenly. DIM stays
    at the end of its profile while a longer interval brings fewer interrupts and nothing less.
    """
    top = max(round(longest_us), _LEVELS - 1)
    doubling = tuple(round(top / 2**k) for k in reversed(range(_LEVELS)))
    even = tuple(round(top * (k + 1) / _LEVELS) for k in range(_LEVELS))
    closest = tuple(range(top - _LEVELS + 1, top + 1))
    rising = [p for p in (doubling, even) if all(a < b for a, b in pairwise(p))]
    return list(dict.fromkeys(rising)) or [closest]


def cheapest_profile(
    run: Callable[[Policy], Run], price: Callable[[Run], float], longest_us: Iterable[float]
) -> Profile:
    """Return the profile that is cheapest over a traffic.

    Args:
        run: `replay` or `simulate` with everything but the policy given; called for each profile.
        price: what a run costs, positive.
        longest_us: where profiles may end; at least one.
    """
    profiles = dict.fromkeys(p for top in longest_us for p in profiles_to(top))
    return min(profiles, key=lambda profile: price(run(Dim(profile))))
