# SPDX-License-Identifier: Apache-2.0
"""The commands of the host tools."""

import argparse
import importlib
import json
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from .commands import arguments as of
from .run_log import CheckReport, check

VERSION = "0.1.0"
COMMANDS: Mapping[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "demo": ("measure a surface of this machine, without a second host", of.add_demo_arguments),
    "sweep": (
        "run every cell of a plan or of its options, and leave the hosts as found",
        of.add_sweep_arguments,
    ),
    "init": ("look at an interface and a peer, and write a plan", of.add_init_arguments),
    "calibrate": (
        "compare the delays that a device is asked for with those that it does",
        of.add_calibrate_arguments,
    ),
    "upload": ("send run logs to a store", of.add_upload_arguments),
    "restore": ("put back what a sweep that died left changed", of.add_restore_arguments),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Exit status: 0 fine, 1 it went wrong, 2 usage or plan."""
    parser = argparse.ArgumentParser(
        prog="coalescope-host", description="Tools for the machine under test."
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {VERSION}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    checking = commands.add_parser(
        "check", help="say what run logs hold and what is wrong with them, with offsets"
    )
    checking.add_argument("files", nargs="+", metavar="FILE", type=Path)
    checking.add_argument("--json", action="store_true", help="print JSON")
    for name, (does, add_arguments) in COMMANDS.items():
        add_arguments(
            commands.add_parser(
                name, help=does, description=f"{does.capitalize()}.", allow_abbrev=False
            )
        )
    options, unknown = parser.parse_known_args(arguments)
    if unknown and options.command != "sweep":
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    options.unknown = unknown
    if options.command == "check":
        return run_check(options.files, as_json=options.json)
    # only now: a check needs no more than the standard library, and starts at once
    importlib.import_module(".commands.programs", __package__).add_to_path()
    command = importlib.import_module(f".commands.{options.command}", __package__)
    return int(command.run(options))


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
