# SPDX-License-Identifier: Apache-2.0
"""Failures in words, for stderr."""

from collections.abc import Mapping, Sequence

from pydantic import ValidationError
from sqlalchemy.exc import DBAPIError

from coalescope.cli.output import printable
from coalescope.cli.wording import in_shell, place
from coalescope.errors import CoalescopeError
from coalescope.web.security import UnsafeBinding


def explain(error: Exception) -> str | None:
    """Return what to tell the person, or None if the fault is the program's own."""
    match error:
        case CoalescopeError():
            reason = _as_typed(error)
        case UnsafeBinding():
            reason = str(error)
        case OSError(strerror=str(text)) if error.filename is not None:
            reason = f"{error.filename}: {text}"
        case OSError():  # of a stream that has no name: the disk behind it is full, say
            reason = error.strerror or str(error)
        case UnicodeDecodeError():
            reason = f"a file that should be text is not: {error.reason}"
        case UnicodeEncodeError():
            reason = "an argument is not UTF-8 text"
        case DBAPIError():
            reason = (
                f"the store cannot be used: {error.orig}\n"
                "  Check the folder given with --data or COALESCOPE_DATA_DIR."
            )
        case ValidationError(title="Settings"):
            reason = "; ".join(
                f"COALESCOPE_{str(fault['loc'][0]).upper()}: {fault['msg']}"
                for fault in error.errors()
            )
        case _:
            return None
    return f"coalescope: {reason}"


def _as_typed(error: CoalescopeError) -> str:
    """Of what was typed, not of a file: fields are options."""
    if error.problems:
        return describe(error)
    return fault_text(error.message, place(error.where, error.message), in_shell(error.advice))


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
