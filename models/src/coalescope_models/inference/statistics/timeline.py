# SPDX-License-Identifier: Apache-2.0
"""When runs were recorded: their sequence, and what was recorded together.

Standard library only: the page's Python needs it too.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Literal, TypeVar

#: Seconds between two runs from which on they are of two sessions: a night, not a cable.
PAUSE_S = 4 * 3600.0

#: What runs can be recorded in together: a block that a table names, a session between two pauses,
#: or a round, in which each setting was measured once before any was measured again.
Cluster = Literal["block", "session", "round"]
_T = TypeVar("_T")


@dataclass(frozen=True)
class Timeline:
    """When each of n runs was recorded, as far as it is known.

    Attributes:
        positions: place of each run in the sequence of all, from 0; None where that is not known.
        clusters: label of what each was recorded in; None where all were recorded together, or
            nothing is known.
        kind: what the labels are of; None without labels.
        apart: whether pauses are known to part all of them; not where a clock may have been set.
        contradicted: whether numbers and clock contradict each other, so that there are no
            positions.
    """

    positions: tuple[int, ...] | None
    clusters: tuple[Hashable, ...] | None
    kind: Cluster | None
    apart: bool = False
    contradicted: bool = False

    @property
    def known(self) -> bool:
        """Whether anything is known of the sequence."""
        return self.positions is not None or self.clusters is not None

    def of(self, rows: Sequence[int]) -> Timeline:
        """Return the same for some of the runs; their places stay those among all."""
        return Timeline(
            None if self.positions is None else tuple(self.positions[row] for row in rows),
            None if self.clusters is None else tuple(self.clusters[row] for row in rows),
            self.kind,
            self.apart,
            self.contradicted,
        )


def timeline(
    orders: Sequence[int | None],
    blocks: Sequence[Hashable | None],
    replicates: Sequence[int | None],
    moments_s: Sequence[float | None],
    tables: Sequence[Hashable] = (),
) -> Timeline:
    """Put runs in sequence, and find what was recorded together.

    The sequence is that of the sessions, and within each that of the orders, where they number all
    runs: a clock may be wrong, or begin anew. Sweeps of one session may number their runs alike:
    then it is that of the moments, and of the orders among equal ones. Where a session has only
    smaller numbers than one before it, either a clock was set back within a sweep, or they are of
    two sweeps: the sequence is not known.

    Of several tables neither orders nor replicates compare, and blocks of one name are several: the
    sequence is that of the moments. It is not known, either, where the orders of one table
    contradict these, within a session, too.

    Args:
        orders: place of each run in its sweep or table, [n].
        blocks: what each was recorded in, as a table says it, [n].
        replicates: number of each within its cell, [n].
        moments_s: start of each, in seconds since any epoch, [n].
        tables: which numbers each and names its block, [n]; empty: one does of all.
    """
    sessions = _sessions(moments_s)
    against = _against_the_clock(orders, sessions)
    if len(set(tables)) > 1:
        against = _contradicts_in_one(tables, orders, sessions, moments_s)
        blocks = [
            None if block is None else (table, block)
            for table, block in zip(tables, blocks, strict=True)
        ]
        orders = replicates = [None] * len(orders)
    positions = None if against else _positions(orders, moments_s, sessions)
    named = _known(blocks)
    if named is not None and len(set(named)) > 1:
        pairs = set(zip(named, sessions, strict=True))
        apart = not against and len(pairs) == len(set(sessions))
        return Timeline(positions, tuple(named), "block", apart, against)
    if len(set(sessions)) > 1:
        return Timeline(positions, sessions, "session", not against, against)
    numbers = _known(replicates)
    if positions is not None and numbers is not None and _one_after_another(numbers, positions):
        return Timeline(positions, tuple(numbers), "round")
    return Timeline(positions, None, None, contradicted=against)


def _known(values: Sequence[_T | None]) -> list[_T] | None:
    found = [value for value in values if value is not None]
    return found if len(found) == len(values) else None


def _positions(
    orders: Sequence[int | None], moments_s: Sequence[float | None], sessions: Sequence[int]
) -> tuple[int, ...] | None:
    known, numbers = _known(moments_s), _known(orders)
    keys: Sequence[tuple[float, ...]] = (
        [] if numbers is None else list(zip(sessions, numbers, strict=True))
    )
    if len(set(keys)) < len(orders) and known is not None:
        keys = list(zip(known, numbers or [0] * len(known), strict=True))
    if len(set(keys)) < len(orders):
        return None
    place = {key: position for position, key in enumerate(sorted(keys))}
    return tuple(place[key] for key in keys)


def _sessions(moments_s: Sequence[float | None]) -> tuple[int, ...]:
    """Number the session of each run; one for all where some moment is not known."""
    known = _known(moments_s)
    if known is None:
        return (0,) * len(moments_s)
    starts = [later for earlier, later in pairwise(sorted(known)) if later - earlier > PAUSE_S]
    return tuple(bisect_right(starts, moment) for moment in known)


def _against_the_clock(orders: Sequence[int | None], sessions: Sequence[int]) -> bool:
    """Whether some session has only smaller numbers than one that is earlier by the clock."""
    numbers: dict[int, list[int]] = {}
    for session, number in zip(sessions, orders, strict=True):
        if number is not None:
            numbers.setdefault(session, []).append(number)
    in_time = [numbers[session] for session in sorted(numbers)]
    return any(max(later) < min(earlier) for earlier, later in combinations(in_time, 2))


def _contradicts_in_one(
    tables: Sequence[Hashable],
    orders: Sequence[int | None],
    sessions: Sequence[int],
    moments_s: Sequence[float | None],
) -> bool:
    """Whether the orders of some table contradict the clock, between sessions or within one."""
    for table in set(tables):
        rows = [row for row, own in enumerate(tables) if own == table]
        numbers = [orders[row] for row in rows]
        if _against_the_clock(numbers, [sessions[row] for row in rows]):
            return True
        if _steps_back(numbers, [sessions[row] for row in rows], [moments_s[row] for row in rows]):
            return True
    return False


def _steps_back(
    orders: Sequence[int | None], sessions: Sequence[int], moments_s: Sequence[float | None]
) -> bool:
    """Whether a run of a session is earlier by the clock than one of a smaller number.

    Nothing tells it of a session in which a number is there twice: it has several sweeps.
    """
    runs: dict[int, list[tuple[int, float]]] = {}
    for session, number, moment in zip(sessions, orders, moments_s, strict=True):
        if number is not None and moment is not None:
            runs.setdefault(session, []).append((number, moment))
    return any(
        len({number for number, _ in own}) == len(own)
        and any(later < earlier for (_, earlier), (_, later) in pairwise(sorted(own)))
        for own in runs.values()
    )


def _one_after_another(numbers: Sequence[int], positions: Sequence[int]) -> bool:
    """Whether all runs of one number came before any of the next."""
    places: dict[int, list[int]] = {}
    for number, position in zip(numbers, positions, strict=True):
        places.setdefault(number, []).append(position)
    spans = sorted((min(own), max(own)) for own in places.values())
    return len(spans) > 1 and all(last < first for (_, last), (first, _) in pairwise(spans))
