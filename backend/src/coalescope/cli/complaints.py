# SPDX-License-Identifier: Apache-2.0
"""Failures in words, for stderr."""

from collections.abc import Mapping

from pydantic import ValidationError

from coalescope.errors import CoalescopeError
from coalescope.security import UnsafeBinding


def explain(error: Exception) -> str | None:
    """Return what to tell the person, or None if the fault is the program's own."""
    match error:
        case CoalescopeError():
            return "coalescope: " + describe(error)
        case UnsafeBinding():
            return f"coalescope: {error}"
        case OSError(strerror=str(reason)) if error.filename is not None:
            return f"coalescope: {error.filename}: {reason}"
        case OSError():
            return f"coalescope: {error}"
        case ValidationError(title="Settings"):
            faults = (f"COALESCOPE_{fault['loc'][0]!s}".upper() for fault in error.errors())
            reasons = (fault["msg"] for fault in error.errors())
            return "\n".join(
                f"coalescope: {fault}: {reason}"
                for fault, reason in zip(faults, reasons, strict=True)
            )
        case _:
            return None


def describe(error: CoalescopeError) -> str:
    """Message, place and advice; all faults where there are several."""
    if not error.problems:
        return fault_text(error.message, error.where, error.advice)
    faults = (fault_text(fault.message, fault.where, fault.advice) for fault in error.problems)
    return "\n".join([f"{len(error.problems)} faults", *faults])


def fault_text(
    message: str,
    where: Mapping[str, str | int | float | None],
    advice: str | None,
    indent: int = 2,
) -> str:
    """Message with its place; the advice, if there is one, on a line of its own."""
    place = ", ".join(f"{name} {value}" for name, value in where.items() if value is not None)
    text = f"{message} ({place})" if place else message
    return f"{text}\n{' ' * indent}{advice}" if advice else text
