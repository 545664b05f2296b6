# SPDX-License-Identifier: Apache-2.0
"""coalescope check FILE…"""

import shutil
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from coalescope_host.run_log import CheckReport, check

from coalescope.cli.complaints import describe
from coalescope.cli.output import print_json
from coalescope.errors import CoalescopeError
from coalescope.uploads.tidy_csv import Table, read_table


def run(arguments: Namespace) -> int:
    """Show what files hold and what is wrong with them; 1 unless all are whole and sound."""
    reports = [_check(path, as_json=arguments.json) for path in arguments.files]
    if arguments.json:
        found = [report for report in reports if report is not None]
        print_json(found[0] if len(arguments.files) == 1 and found else found)
    return 0 if all(report is not None and report["ok"] for report in reports) else 1


def _check(path: Path, *, as_json: bool) -> dict[str, Any] | None:
    """Report on one file as it is read; None if it cannot be."""
    try:
        if path.suffix.lower() == ".csv":
            return _check_table(path, as_json=as_json)
        return _check_log(path, as_json=as_json)
    except OSError as error:
        _complain(path, error.strerror or str(error))
        return None


def _check_log(path: Path, *, as_json: bool) -> dict[str, Any]:
    report = check(path)
    if not as_json:
        print(report.to_text(min(110, max(60, shutil.get_terminal_size().columns))))
    if not report.ok:
        _complain(path, _reason(report))
    return report.to_json()


def _reason(report: CheckReport) -> str:
    return report.problems[0].message if report.problems else "The log is not whole."


def _check_table(path: Path, *, as_json: bool) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            table = read_table(file)
    except CoalescopeError as error:
        _complain(path, describe(error))
        problem = error.as_json()["error"]
        return {"file": str(path), "ok": False, "problems": problem["problems"] or [problem]}
    report = _of_table(path, table)
    if not as_json:
        print(f"{path}\n  A table of {report['rows']} rows, one per {table.per}.")
        print(f"  Factors: {', '.join(report['factors'])}")
        print(f"  Measures: {', '.join(report['measures'])}\n")
    return report


def _of_table(path: Path, table: Table) -> dict[str, Any]:
    return {
        "file": str(path),
        "ok": True,
        "per": table.per,
        "rows": len(table.rows),
        "factors": list(dict.fromkeys(name for row in table.rows for name in row.factors)),
        "measures": list(dict.fromkeys(name for row in table.rows for name in row.measures)),
        "problems": [],
    }


def _complain(path: Path, reason: str) -> None:
    sys.stdout.flush()
    print(f"coalescope: {path}: {reason}", file=sys.stderr)
