# SPDX-License-Identifier: Apache-2.0
"""coalescope check FILE…"""

import shutil
import sys
from argparse import Namespace
from pathlib import Path

from coalescope_host.run_log import CheckReport, check

from coalescope.cli.output import print_json


def run(arguments: Namespace) -> int:
    """Show what run logs hold and what is wrong with them; 1 unless all are whole and sound."""
    reports: list[CheckReport] = []
    for path in arguments.files:
        report = _check(path)
        if report is not None:
            reports.append(report)
    if arguments.json:
        found = [report.to_json() for report in reports]
        print_json(found[0] if len(arguments.files) == 1 and found else found)
    else:
        width = min(110, max(60, shutil.get_terminal_size().columns))
        print("\n".join(report.to_text(width) for report in reports), end="")
    sys.stdout.flush()
    for report in reports:
        if not report.ok:
            print(f"coalescope: {report.name}: {_reason(report)}", file=sys.stderr)
    return 0 if len(reports) == len(arguments.files) and all(r.ok for r in reports) else 1


def _check(path: Path) -> CheckReport | None:
    try:
        return check(path)
    except OSError as error:
        print(f"coalescope: {path}: {error.strerror or error}", file=sys.stderr)
        return None


def _reason(report: CheckReport) -> str:
    if report.problems:
        return report.problems[0].message
    return "it is not whole"
