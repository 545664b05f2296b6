# SPDX-License-Identifier: Apache-2.0
"""Running totals of two moments, and what came between them. Pure."""

from collections.abc import Sequence

from coalescope.foreign.records import Counter, Unreadable


def in_order(
    one: Sequence[Counter], other: Sequence[Counter]
) -> tuple[Sequence[Counter], Sequence[Counter]] | None:
    """The earlier first: totals only rise. None where some rose and others fell."""
    first = _by_name(one)
    steps = [c.value - first[key] for c in other if (key := (c.name, c.interface)) in first]
    if not steps:
        return None
    if all(step >= 0.0 for step in steps):
        return one, other
    return (other, one) if all(step <= 0.0 for step in steps) else None


def changed(before: Sequence[Counter], after: Sequence[Counter]) -> list[Counter]:
    """What each that is in both rose by. Errors: Unreadable for one that fell."""
    first = _by_name(before)
    found = []
    for one in after:
        key = (one.name, one.interface)
        if key not in first:
            continue
        if one.value < first[key]:
            raise Unreadable(
                f"The counter {one.name} fell from {first[key]:,.0f} to {one.value:,.0f}: it was "
                "reset, or wrapped.",
                "Take both snapshots again.",
                field=one.field,
            )
        found.append(one._replace(value=one.value - first[key]))
    return found


def _by_name(counters: Sequence[Counter]) -> dict[tuple[str, str | None], float]:
    return {(one.name, one.interface): one.value for one in counters}
