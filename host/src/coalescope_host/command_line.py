# SPDX-License-Identifier: Apache-2.0
"""The commands of the host tools."""

import argparse
import importlib
import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from .run.arguments import add_sweep_arguments, add_upload_arguments
from .run_log import CheckReport, check


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Exit status: 0 fine, 1 the input is wrong, 2 usage."""
    parser = argparse.ArgumentParser(
        prog="coalescope-host", description="Tools for the machine under test."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    checking = commands.add_parser(
        "check", help="say what run logs hold and what is wrong with them, with offsets"
    )
    checking.add_argument("files", nargs="+", metavar="FILE", type=Path)
    checking.add_argument("--json", action="store_true", help="print JSON")
    add_sweep_arguments(
        commands.add_parser("sweep", help="run every cell of a plan, and leave the hosts as found")
    )
    add_upload_arguments(commands.add_parser("upload", help="send run logs to a store"))
    options = parser.parse_args(arguments)
    if options.command == "check":
        return run_check(options.files, as_json=options.json)
    # only now: a check needs no more than the standard library, and starts at once
    commands_of_sweep = importlib.import_module(".run.command", __package__)
    run = {"sweep": commands_of_sweep.run_sweep, "upload": commands_of_sweep.run_upload}
    return int(run[options.command](options))


def run_check(files: Sequence[Path], *, as_json: bool) -> int:
    """Print the reports of some logs. 1 if any is refused, cut off or cannot be opened."""
    reports: list[CheckReport] = []
    failed = False
    for path in files:
        try:
            reports.append(check(path))
        except OSError as error:
            failed = True
            print(f"{path}: {error.strerror or error}", file=sys.stderr)  # noqa: T201
    if as_json:
        listed = [report.to_json() for report in reports]
        document = listed[0] if len(files) == 1 and listed else listed
        print(json.dumps(document, indent=2, ensure_ascii=False))  # noqa: T201
    else:
        width = min(110, max(60, shutil.get_terminal_size().columns))
        print("\n".join(report.to_text(width) for report in reports), end="")  # noqa: T201
    return 1 if failed or not all(report.complete for report in reports) else 0
