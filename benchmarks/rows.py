# SPDX-License-Identifier: Apache-2.0
"""A measured promise, and how a list of them is printed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """What was measured and its bar, in words; whether it holds (None: for reading only)."""

    what: str
    measured: str
    bar: str = ""
    holds: bool | None = None

    @property
    def verdict(self) -> str:
        """The last column."""
        return {True: "holds", False: "MISSED", None: ""}[self.holds]


def table(rows: list[Row]) -> str:
    """The rows under a heading, in aligned columns."""
    cells = [("what", "measured", "bar", "")] + [
        (row.what, row.measured, row.bar, row.verdict) for row in rows
    ]
    widths = [max(len(line[column]) for line in cells) for column in range(4)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    ]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])
