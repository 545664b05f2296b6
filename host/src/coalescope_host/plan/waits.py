# SPDX-License-Identifier: Apache-2.0
"""Which factors make packets wait, and which of them a limit bounds. Pure.

The server's recommendations and `tune` ask by it alike.
"""

from collections.abc import Collection, Mapping, Sequence

from .factors import WAITS, WAITS_LESS, log_name

#: By which packets wait, under the names that plans, runs and models have for them.
ROWS = tuple((*row, *(named for own in row if (named := log_name(own)) != own)) for row in WAITS)
#: What a name of a time, or of a rate, ends with.
_TIMES = ("_us", "_ns", "_ticks", "_hz")

Limits = Collection[tuple[str, str]]
"""Factors that are limited, with "at most" or "at least"."""


def bounds_a_wait(limits: Limits) -> bool:
    """Whether any of the limits says how long a packet may wait somewhere."""
    return any(_is_limited(name, limits) for row in ROWS for name in row)


def free_waits(limits: Limits, settings: Collection[Mapping[str, object]]) -> list[tuple[str, ...]]:
    """Of each row what varies and no limit bounds: its times, or counts where no time does."""
    found: list[tuple[str, ...]] = []
    for row in ROWS:
        varied = [n for n in row if len({setting.get(n) for setting in settings}) > 1]
        bounding: Sequence[str] = [n for n in varied if n.endswith(_TIMES)] or varied
        if free := tuple(n for n in bounding if not _is_limited(n, limits)):
            found.append(free)
    return found


def side_of(wait: str) -> str:
    """On which side a limit bounds a wait: a rate waits longer the smaller it is."""
    return "at least" if wait in WAITS_LESS else "at most"


def _is_limited(wait: str, limits: Limits) -> bool:
    return (wait, side_of(wait)) in limits
