# SPDX-License-Identifier: Apache-2.0
"""coalescope check FILE…"""

import shutil
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import Any

from coalescope_host.run_log import CheckReport, RunLogError, report_text

from coalescope.cli.exit_statuses import done_if
from coalescope.cli.fault_texts import describe
from coalescope.cli.output import counted, print_json, printable
from coalescope.client.files.given import GivenFile, given_files
from coalescope.client.files.outcomes import FileOutcome
from coalescope.errors import CoalescopeError, Problem
from coalescope.foreign import records
from coalescope.foreign.registry import is_foreign
from coalescope.settings import Settings
from coalescope.uploads.checking import MOST_WARNINGS, check_foreign, check_table
from coalescope.uploads.file_kinds import begins_as_run_log, is_named_as_run_log
from coalescope.uploads.reading import Reading


def run(arguments: Namespace) -> int:
    """Show what files hold and what is wrong with them; 1 if any is refused or cut off."""
    reading = Reading.within(Settings())
    with given_files(arguments.files, read_twice=True) as given:
        checked = [_check(file, reading, as_json=arguments.json) for file in given]
    if arguments.json:
        print_json([report for report, _ in checked])
    return done_if(all(sound for _, sound in checked))


def _check(
    file: GivenFile | FileOutcome, reading: Reading, *, as_json: bool
) -> tuple[dict[str, Any], bool]:
    """Report on one file, and say whether it is fit to be stored."""
    if isinstance(file, FileOutcome):
        assert file.error is not None
        return _unfit(file.file, file.error["code"], file.error["message"], file.error["advice"])
    try:
        return _check_by_kind(file, reading, as_json=as_json)
    except OSError as error:
        return _unfit(file.shown, "unreadable", error.strerror or str(error), None)
    except RunLogError as error:  # too large to be looked at
        return _unfit(file.shown, error.code, error.message, error.problem.advice)
    except CoalescopeError as error:
        _complain(file.shown, describe(error))
        problem = error.as_json()["error"]
        problems = problem["problems"] or [problem]
        return {"file": file.shown, "ok": False, "problems": problems}, False


def _check_by_kind(
    file: GivenFile, reading: Reading, *, as_json: bool
) -> tuple[dict[str, Any], bool]:
    """Errors: CoalescopeError, RunLogError, OSError for what cannot be read."""
    with file.path.open("rb") as content:
        start = content.read(8)
    if begins_as_run_log(start) or is_named_as_run_log(file.name):
        return _check_log(file, reading, as_json=as_json)
    if is_foreign(file.path):
        return _check_foreign(file, reading, as_json=as_json)
    return _check_table(file, reading, as_json=as_json)


def _unfit(shown: str, code: str, message: str, advice: str | None) -> tuple[dict[str, Any], bool]:
    _complain(shown, message)
    fault = {"code": code, "message": message, "advice": advice}
    return {"file": shown, "ok": False, "problems": [fault]}, False


def _check_log(file: GivenFile, reading: Reading, *, as_json: bool) -> tuple[dict[str, Any], bool]:
    report = reading.checked_log(file.path, file.shown)
    if not as_json:
        width = min(110, max(60, shutil.get_terminal_size().columns))
        print(report_text(report, width))
    reason = _why_unsound(report)
    if reason is not None:
        _complain(file.shown, printable(reason))
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


def _check_table(
    file: GivenFile, reading: Reading, *, as_json: bool
) -> tuple[dict[str, Any], bool]:
    report = {"file": file.shown, **reading.checked(file.path, check_table, file.name)}
    if not as_json:
        _show_table(report)
    return report, True


def _check_foreign(
    file: GivenFile, reading: Reading, *, as_json: bool
) -> tuple[dict[str, Any], bool]:
    found = reading.checked(file.path, check_foreign, file.name)
    if isinstance(found, Problem):
        return _unfit(file.shown, found.code, found.message, found.advice)
    format_name, said = found
    of_all = [*(record for run in said.runs for record in run.records), *said.beside]
    shown = [
        {"quantity": r.quantity, "value": r.value, "unit": r.unit, "field": r.field, "host": r.host}
        for r in of_all
    ]
    if not as_json:
        print(f"{printable(file.shown)}\n  A file of {format_name}{_extent(said)}.")
        for line in _record_lines(of_all)[:MOST_WARNINGS]:
            print(printable(f"  {line}"))
        print()
    return {
        "file": file.shown,
        "ok": True,
        "format": format_name,
        "runs": len(said.runs),
        "records": shown,
        "counters": len(said.counters),
        "problems": [],
        "warnings": list(said.notes),
    }, True


def _extent(reading: records.Reading) -> str:
    """How many runs a file has; where it has none, what it takes to make some of it."""
    if reading.runs:
        return f", {counted(len(reading.runs), 'run')}"
    if reading.counters:
        totals = counted(len(reading.counters), "running total")
        return f", {totals}: a run needs two such files, from before and after it"
    return ": of no run, but of what the host was or did meanwhile"


def _record_lines(of_all: Sequence[records.Record]) -> list[str]:
    """One line for each quantity of a field, host and interface; samples of it as their range."""
    together: dict[tuple[object, ...], list[records.Record]] = {}
    for number, one in enumerate(of_all):
        itself = None if _is_number(one.value) else number
        key = (one.quantity, one.field, one.host, one.interface, itself)
        together.setdefault(key, []).append(one)
    return [_record_line(same) for same in together.values()]


def _record_line(same: Sequence[records.Record]) -> str:
    first = same[0]
    value = str(first.value)
    if _is_number(first.value):
        ends = dict.fromkeys(f"{end(one.value for one in same):.6g}" for end in (min, max))
        value = " to ".join(ends)
    samples = "" if len(same) == 1 else f", {len(same)} samples"
    return f"{' '.join(filter(None, (first.quantity, value, first.unit)))}{samples} ({first.field})"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _show_table(report: Mapping[str, Any]) -> None:
    rows = counted(report["rows"], "row")
    print(f"{printable(report['file'])}\n  A table of {rows}, one per {report['per']}.")
    if report["kind"]:
        print(f"  Kind: {report['kind']}")
    print(f"  Factors: {', '.join(map(printable, report['factors']))}")
    print(f"  Measures: {', '.join(map(printable, report['measures']))}")
    for warning in report["warnings"]:
        print(f"  Row {warning['where']['row']}: {printable(warning['message'])}")
    print()


def _complain(shown: str, reason: str) -> None:
    sys.stdout.flush()
    print(f"coalescope: {printable(shown)}: {reason}", file=sys.stderr)
