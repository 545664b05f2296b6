# SPDX-License-Identifier: Apache-2.0
"""People are told what became of each file that was imported or uploaded."""

import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import Any

from coalescope.cli.exit_statuses import done_if
from coalescope.cli.fault_texts import faults_text
from coalescope.cli.output import print_json, printable
from coalescope.client.files.outcomes import FileOutcome


def report(outcome: FileOutcome, arguments: Namespace) -> None:
    """Say what became of a file as soon as it is known: reasons on stderr, the rest on stdout."""
    if outcome.error is not None:
        sys.stdout.flush()
        print(
            f"{outcome.outcome:8}{printable(outcome.file)}: {_reason(outcome.error)}",
            file=sys.stderr,
        )
        for line in outcome.lines:
            print(f"        {printable(line)}", file=sys.stderr)
    elif outcome.receipt is not None and not arguments.json:
        runs = outcome.receipt["run_count"]
        slug = printable(outcome.receipt["experiment"]["slug"])
        text = (
            f"{outcome.outcome:8}{printable(outcome.file)}: {slug}, {runs} run{'s' * (runs != 1)}"
        )
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
    return done_if(all(outcome.error is None for outcome in outcomes))


def _reason(error: Mapping[str, Any]) -> str:
    problems = error.get("problems") or [error]
    faults = [(each["message"], each.get("where") or {}, each.get("advice")) for each in problems]
    return faults_text(faults, margin=8)
