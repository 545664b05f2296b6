# SPDX-License-Identifier: Apache-2.0
"""coalescope check FILE…"""

import shutil
import sys
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coalescope_host.run_log import CheckReport, RunLogError, check

from coalescope.cli.complaints import describe
from coalescope.cli.output import print_json, printable
from coalescope.errors import CoalescopeError
from coalescope.uploads.row_doubts import row_doubts
from coalescope.uploads.service import begins_as_run_log, is_named_as_run_log
from coalescope.uploads.tidy_csv import Table, read_table

_MOST_WARNINGS = 100


def run(arguments: Namespace) -> int:
    """Show what files hold and what is wrong with them; 1 if any is refused or cut off."""
    checked = [_check(path, as_json=arguments.json) for path in arguments.files]
    if arguments.json:
        print_json([report for report, _ in checked])
    return 0 if all(sound for _, sound in checked) else 1


def _check(path: Path, *, as_json: bool) -> tuple[dict[str, Any], bool]:
    """Report on one file, and say whether it is fit to be stored."""
    try:
        with path.open("rb") as file:
            start = file.read(8)
        if begins_as_run_log(start) or is_named_as_run_log(path.name):
            return _check_log(path, as_json=as_json)
        return _check_table(path, as_json=as_json)
    except OSError as error:
        reason = error.strerror or str(error)
        _complain(path, reason)
        fault = {"code": "unreadable", "message": reason, "advice": None}
        return {"file": str(path), "ok": False, "problems": [fault]}, False
    except RunLogError as error:  # too large to be looked at
        _complain(path, error.message)
        fault = {"code": error.code, "message": error.message, "advice": error.problem.advice}
        return {"file": str(path), "ok": False, "problems": [fault]}, False


def _check_log(path: Path, *, as_json: bool) -> tuple[dict[str, Any], bool]:
    report = check(path)
    if not as_json:
        print(report.to_text(min(110, max(60, shutil.get_terminal_size().columns))))
    reason = _why_unsound(report)
    if reason is not None:
        _complain(path, printable(reason))
    return report.to_json(), reason is None


def _why_unsound(report: CheckReport) -> str | None:
    """A log with remarks only is sound; one that was cut off is not whole."""
    errors = (problem for problem in report.problems if problem.severity == "error")
    first = next(errors, None)
    if first is not None:
        return first.message
    if report.complete:
        return None
    return report.problems[0].message if report.problems else "The log is not whole."


def _check_table(path: Path, *, as_json: bool) -> tuple[dict[str, Any], bool]:
    try:
        with path.open("rb") as file:
            table = read_table(file)
    except CoalescopeError as error:
        _complain(path, describe(error))
        problem = error.as_json()["error"]
        problems = problem["problems"] or [problem]
        return {"file": str(path), "ok": False, "problems": problems}, False
    report = _of_table(path, table)
    if not as_json:
        _show_table(path, report)
    return report, True


def _show_table(path: Path, report: Mapping[str, Any]) -> None:
    print(f"{path}\n  A table of {report['rows']} rows, one per {report['per']}.")
    if report["kind"]:
        print(f"  Kind: {report['kind']}")
    print(f"  Factors: {', '.join(report['factors'])}")
    print(f"  Measures: {', '.join(report['measures'])}")
    for warning in report["warnings"]:
        print(f"  Row {warning['where']['row']}: {printable(warning['message'])}")
    print()


def _of_table(path: Path, table: Table) -> dict[str, Any]:
    return {
        "file": str(path),
        "ok": True,
        "per": table.per,
        "rows": len(table.rows),
        "factors": list(dict.fromkeys(name for row in table.rows for name in row.factors)),
        "measures": list(dict.fromkeys(name for row in table.rows for name in row.measures)),
        "kind": table.source.kind,
        "problems": [],
        "warnings": [
            doubt.as_json()
            for row in table.rows
            for doubt in row_doubts(table, row, table.source.kind or "measured")
        ][:_MOST_WARNINGS],
    }


def _complain(path: Path, reason: str) -> None:
    sys.stdout.flush()
    print(f"coalescope: {path}: {reason}", file=sys.stderr)
