# SPDX-License-Identifier: Apache-2.0
"""Faults in words: what is wrong, where, and what to do. Imports neither store nor server."""

from collections.abc import Mapping, Sequence

from coalescope.cli.output import printable
from coalescope.errors import CoalescopeError


def describe(error: CoalescopeError) -> str:
    """Message, place and advice; all faults where there are several."""
    if not error.problems:
        return fault_text(error.message, error.where, error.advice)
    return faults_text([(fault.message, fault.where, fault.advice) for fault in error.problems])


def faults_text(
    faults: Sequence[tuple[str, Mapping[str, str | int | float | None], str | None]],
    margin: int = 0,
) -> str:
    """How many there are, and each below; faults in a row that share an advice have it once.

    Args:
        faults: message, place and advice of each.
        margin: spaces before each line but the first.
    """
    if len(faults) == 1:
        return fault_text(*faults[0], indent=max(margin, 2))
    lines = [f"{len(faults)} faults"]
    for number, (message, where, advice) in enumerate(faults, start=1):
        last = number == len(faults) or faults[number][2] != advice
        lines.append(fault_text(message, where, advice if last else None, margin + 2))
    return f"\n{' ' * margin}".join(lines)


def fault_text(
    message: str,
    where: Mapping[str, str | int | float | None],
    advice: str | None,
    indent: int = 2,
) -> str:
    """Message with its place; the advice, if there is one, on a line of its own."""
    place = ", ".join(f"{name} {value}" for name, value in where.items() if value is not None)
    text = printable(f"{message} ({place})" if place else message)
    return f"{text}\n{' ' * indent}{printable(advice)}" if advice else text
