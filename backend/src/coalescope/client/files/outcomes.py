# SPDX-License-Identifier: Apache-2.0
"""What became of each file that was imported or uploaded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class FileOutcome:
    """One file's fate.

    Attributes:
        file: as it was typed.
        outcome: stored, known, refused (the file is wrong) or failed (something else is).
        receipt: what the store says of it; None unless stored or known.
        error: why not, in the API's error shape; None if stored or known.
        lines: what else a person is told.

    """

    file: str
    outcome: str
    receipt: Mapping[str, Any] | None
    error: Mapping[str, Any] | None
    lines: Sequence[str] = ()

    def as_json(self) -> dict[str, Any]:
        """The outcome as plain data."""
        return {
            "file": self.file,
            "outcome": self.outcome,
            "receipt": self.receipt,
            "error": self.error,
        }


def failed(file: str, code: str, message: str, advice: str | None = None) -> FileOutcome:
    """The outcome of a file that was never judged."""
    return FileOutcome(file, "failed", None, _error(code, message, advice))


def refused(file: str, code: str, message: str, advice: str | None = None) -> FileOutcome:
    """The outcome of a file that is wrong."""
    return FileOutcome(file, "refused", None, _error(code, message, advice))


def unreadable(file: str, error: OSError) -> FileOutcome:
    """The outcome of a file that cannot be opened."""
    return failed(file, "unreadable", error.strerror or str(error))


def _error(code: str, message: str, advice: str | None) -> dict[str, Any]:
    return {"code": code, "message": message, "where": {}, "advice": advice}
