# SPDX-License-Identifier: Apache-2.0
"""The levels of each side, as people write them."""

from collections.abc import Sequence

from coalescope.errors import CoalescopeError


def levels_of_sides(
    given: Sequence[tuple[str, str]],
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """FACTOR=VALUE is for both sides, a.FACTOR=VALUE and b.FACTOR=VALUE for one."""
    both = [pair for pair in given if not pair[0].startswith(("a.", "b."))]

    def own(letter: str) -> list[tuple[str, str]]:
        return [(name[2:], level) for name, level in given if name.startswith(f"{letter}.")]

    return both + own("a"), both + own("b")


SPLIT = "^[^=]+=[^:]+:[^:]+$"


def sides_of(split: str | None) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Levels of both sides from FACTOR=LEVEL:LEVEL. Errors: 422 for another form."""
    if split is None:
        return [], []
    name, equals, levels = split.partition("=")
    parts = levels.split(":")
    if not (name and equals and len(parts) == 2 and all(parts)):
        raise CoalescopeError(
            "wrong_split",
            f"{split[:80]!r} is not of the form FACTOR=LEVEL:LEVEL.",
            where={"field": "split"},
            advice="As in driver_version=1.0:1.1.",
        )
    return [(name, parts[0])], [(name, parts[1])]
