# SPDX-License-Identifier: Apache-2.0
"""What became of each file that was imported or uploaded."""

import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from coalescope.cli.complaints import faults_text
from coalescope.cli.output import print_json, printable


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


def report(outcome: FileOutcome, arguments: Namespace) -> None:
    """Say what became of a file as soon as it is known: reasons on stderr, the rest on stdout."""
    if outcome.error is not None:
        sys.stdout.flush()
        print(f"{outcome.outcome:8}{outcome.file}: {_reason(outcome.error)}", file=sys.stderr)
        for line in outcome.lines:
            print(f"        {printable(line)}", file=sys.stderr)
    elif outcome.receipt is not None and not arguments.json:
        runs = outcome.receipt["run_count"]
        slug = printable(outcome.receipt["experiment"]["slug"])
        text = f"{outcome.outcome:8}{outcome.file}: {slug}, {runs} run{'s' * (runs != 1)}"
        if outcome.outcome == "known" and arguments.experiment not in (None, slug):
            text += "; these bytes were stored before, and stay where they are"
        print(text)
        for warning in outcome.receipt["warnings"]:
            print(f"        {printable(warning['message'])}")
        sys.stdout.flush()


def conclude(outcomes: Sequence[FileOutcome], arguments: Namespace) -> int:
    """Print the JSON if it is wanted; return the exit status."""
    if arguments.json:
        print_json([outcome.as_json() for outcome in outcomes])
    return 0 if all(outcome.error is None for outcome in outcomes) else 1


def _error(code: str, message: str, advice: str | None) -> dict[str, Any]:
    return {"code": code, "message": message, "where": {}, "advice": advice}


def _reason(error: Mapping[str, Any]) -> str:
    problems = error.get("problems") or [error]
    faults = [(each["message"], each.get("where") or {}, each.get("advice")) for each in problems]
    return faults_text(faults, margin=8)
