# SPDX-License-Identifier: Apache-2.0
"""JSON for programs, aligned text for people."""

import json
import math
import re
import sys
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from coalescope.experiments.records import Choice
from coalescope.untrusted.texts import CONTROL, CONTROL_IN_LINES

Cell = str | int | float | None

_LONGEST_NUMBER = 9  # digits
_NOT_KNOWN = "–"
_MOST_PLACES = 9
_NUMBER = re.compile(r"[-−–]?\d|–$")


def print_json(value: Any) -> None:
    """Print plain data or API schemas as JSON; what is not a number becomes null."""
    json.dump(_plain(value), sys.stdout, indent=2, ensure_ascii=False, allow_nan=False)
    print()


def print_table(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
    """Print rows under their header: numbers to the right, words to the left."""
    texts = [[shown(cell) for cell in row] for row in rows]
    for line in _aligned([list(header), *texts], _numeric_columns(header, rows)):
        print(line)


def print_heading(text: str) -> None:
    """Print a line that separates the parts of a report."""
    print(f"\n{text}")


def _without_exponent(text: str) -> str:
    """1.3e+04 as 13000; what is beyond the digits that people count keeps its exponent."""
    exponent = text.partition("e+")[2]
    return f"{float(text):.0f}" if exponent and int(exponent) < _LONGEST_NUMBER else text


def shown(cell: Cell, digits: int = 6) -> str:
    """A value as people read it: six significant digits, a dash for what is not known."""
    match cell:
        case None:
            return _NOT_KNOWN
        case str():
            return printable(cell)
        case int():
            return str(cell)
        case _ if not math.isfinite(cell):
            return _NOT_KNOWN
        case _ if cell.is_integer() and abs(cell) < 1e15:
            return f"{cell:.0f}"
        case _:
            return _without_exponent(f"{cell:.{digits}g}")


def mean_shown(mean: float, ci95: tuple[float, float] | None) -> str:
    """A mean ± half its interval, both to the digits that this leaves; six without one.

    Half of the interval ends at its first digit, or at its second where the first is a one, as
    `digitsOfHalf` in frontend/src/plots/number.ts.
    """
    if ci95 is None:
        return shown(mean)
    half = (ci95[1] - ci95[0]) / 2
    if not 0 < half < math.inf:
        return f"{shown(mean)} ± {shown(half)}"
    power = math.floor(math.log10(half))
    places = min(1 - power if half / 10.0**power < 2 else -power, _MOST_PLACES)
    digits = max(places, 0)
    # within an interval that is wider than itself, a mean would be rounded away
    least = places if abs(mean) >= half or not mean else 1 - math.floor(math.log10(abs(mean)))
    own = min(max(places, least), _MOST_PLACES)
    return f"{round(mean, own):.{max(own, 0)}f} ± {round(half, places):.{digits}f}"


def chosen_levels(where: Choice) -> list[str]:
    """Each factor that was chosen by, with its level or levels."""
    return [
        f"{name} {' or '.join(map(shown, level if isinstance(level, list) else [level]))}"
        for name, level in where.items()
    ]


def printable(text: str) -> str:
    """Text from a file or a server, without what would steer the terminal it is printed on."""
    return CONTROL.sub("\ufffd", text)


def printable_lines(text: str) -> str:
    """The same of text that may have several lines."""
    return CONTROL_IN_LINES.sub("\ufffd", text)


def print_left_out(runs: Sequence[str]) -> None:
    """Say which runs were left out as asked."""
    if runs:
        print(f"left out as asked: {', '.join(runs)}")


def counted(number: int, noun: str) -> str:
    """A count with its noun, which takes an s: 1 run, 2 runs."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def with_unit(label: str, unit: str) -> str:
    """A column's heading."""
    return f"{label} [{unit}]" if unit else label


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _numeric_columns(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> list[bool]:
    return [
        bool(rows) and all(_NUMBER.match(shown(row[column])) for row in rows)
        for column in range(len(header))
    ]


def _aligned(lines: list[list[str]], to_the_right: list[bool]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, to_the_right, strict=True)
        ).rstrip()
        for line in lines
    ]
