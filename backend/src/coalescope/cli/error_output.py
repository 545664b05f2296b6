# SPDX-License-Identifier: Apache-2.0
"""Failures: in words for stderr, and for programs as the API has them."""

from typing import Any

from coalescope.cli.fault_texts import describe, fault_text
from coalescope.cli.output import print_json
from coalescope.cli.shell_hints import as_shell_hint, place
from coalescope.errors import CoalescopeError

_NAMED = "coalescope: "


def explain(error: Exception) -> str | None:
    """Return what to tell the person, or None if the fault is the program's own."""
    match error:
        case CoalescopeError():
            reason: str | None = _as_typed(error)
        case OSError(strerror=str(text)) if error.filename is not None:
            reason = f"{error.filename}: {text}"
        case OSError():  # of a stream that has no name: the disk behind it is full, say
            reason = error.strerror or str(error)
        case UnicodeDecodeError():
            reason = f"a file that should be text is not: {error.reason}"
        case UnicodeEncodeError():
            reason = "an argument is not UTF-8 text"
        case _:
            reason = _of_libraries(error)
    return None if reason is None else f"{_NAMED}{reason}"


def print_document(error: Exception) -> None:
    """Print a failure that can be explained as JSON, with its advice in the words of the shell."""
    if isinstance(error, CoalescopeError):
        said = error.as_json()["error"]
        print_json({"error": {**said, "advice": as_shell_hint(said["advice"])}})
        return
    message = (explain(error) or "").removeprefix(_NAMED)
    told: dict[str, Any] = {
        "code": "failed",
        "message": message,
        "where": {},
        "advice": None,
        "problems": [],
    }
    print_json({"error": told})


def _of_libraries(error: Exception) -> str | None:
    """The same of errors that are not ours; the libraries are loaded where one is raised."""
    from pydantic import ValidationError  # noqa: PLC0415
    from sqlalchemy.exc import DBAPIError  # noqa: PLC0415

    match error:
        case DBAPIError():
            return (
                f"the store cannot be used: {error.orig}\n"
                "  Check the folder given with --data or COALESCOPE_DATA_DIR."
            )
        case ValidationError(title="Settings"):
            return "; ".join(
                f"COALESCOPE_{str(fault['loc'][0]).upper()}: {fault['msg']}"
                for fault in error.errors()
            )
        case _:
            return None


def _as_typed(error: CoalescopeError) -> str:
    """Of what was typed, not of a file: fields are options."""
    if error.problems:
        return describe(error)
    return fault_text(error.message, place(error.where, error.message), as_shell_hint(error.advice))
