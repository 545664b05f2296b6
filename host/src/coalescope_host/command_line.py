# SPDX-License-Identifier: Apache-2.0
"""The commands of the host tools."""

from __future__ import annotations

import argparse
import importlib
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import NoReturn

from .commands import arguments as of
from .commands.answer import Answer
from .exit_statuses import DONE, FAILED, INTERRUPTED, USAGE, statuses_of, told
from .plan.registry import MEANINGS
from .run_log import CheckReport, check, report_lines
from .spelling import suggestion
from .terminal import (
    PipeClosed,
    end_quietly,
    in_words,
    one_line,
    print_json,
    print_lines,
    say,
    show_steering,
)

VERSION = "0.1.0"
COMMANDS: Mapping[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "check": (
        "say what run logs hold and what is wrong with them, with offsets",
        of.add_check_arguments,
    ),
    "demo": ("measure a surface of this machine, without a second host", of.add_demo_arguments),
    "sweep": (
        "run every cell of a plan or of its options, and leave the hosts as found",
        of.add_sweep_arguments,
    ),
    "tune": (
        "find what to set for a goal, in as few runs as it takes; leave the host as found",
        of.add_tune_arguments,
    ),
    "init": ("look at an interface and a peer, and write a plan", of.add_init_arguments),
    "calibrate": (
        "compare the delays that a device is asked for with those that it does",
        of.add_calibrate_arguments,
    ),
    "snapshot": (
        "keep what surrounds an interface: settings, driver, kernel, CPUs",
        of.add_snapshot_arguments,
    ),
    "diff": (
        "say what differs between the surroundings of two hosts, or of before and after",
        of.add_diff_arguments,
    ),
    "upload": ("send run logs to a server", of.add_upload_arguments),
    "restore": ("put back what a sweep that died left changed", of.add_restore_arguments),
}
_WITH_FACTORS = ("sweep", "tune")


class Parser(argparse.ArgumentParser):
    """Says also to programs that the command line is wrong, where it asks for JSON."""

    as_json = False

    def error(self, message: str) -> NoReturn:
        """End with the status of wrong usage."""
        if Parser.as_json:
            Answer(self.prog.rpartition(" ")[2], as_json=True).end(USAGE, "usage", message)
        super().error(one_line(message))


def parsers() -> tuple[argparse.ArgumentParser, Mapping[str, argparse.ArgumentParser]]:
    """The parser of the whole command line, and that of each command."""
    parser = Parser(
        prog="coalescope-host",
        description="Tools for the machine under test.",
        epilog=f"{told(statuses_of(''))} The help of each command says what else it means.",
    )
    parser.add_argument("-V", "--version", action="version", version=f"%(prog)s {VERSION}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    known: dict[str, argparse.ArgumentParser] = {}
    for name, (does, add_arguments) in COMMANDS.items():
        known[name] = commands.add_parser(
            name,
            help=does,
            description=f"{does[0].upper()}{does[1:]}.",
            epilog=told(statuses_of(name)),
            allow_abbrev=False,
        )
        add_arguments(known[name])
        known[name].add_argument(
            "-j", "--json", action="store_true", help="print the answer as JSON"
        )
    return parser, known


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: see `exit_statuses`."""
    show_steering()
    try:
        try:
            status = _run(sys.argv[1:] if arguments is None else arguments)
        finally:
            sys.stdout.flush()  # of --help, too, which ends with SystemExit
    except PipeClosed:
        return end_quietly()
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:  # the disk behind the output is full, say
        say(f"coalescope-host: {in_words(error)}")
        end_quietly()
        return FAILED
    return status


def _run(typed: Sequence[str]) -> int:
    Parser.as_json = not {"-j", "--json"}.isdisjoint(typed)
    parser, known = parsers()
    _refuse_command(parser, typed, known)
    for word in typed[:1]:
        if word in known:
            _refuse_misspelt(known[word], typed[1:], factors=word in _WITH_FACTORS)
    options, unknown = parser.parse_known_args(typed)
    if unknown and options.command not in _WITH_FACTORS:
        known[options.command].error(f"unrecognized arguments: {' '.join(unknown)}")
    options.unknown = unknown
    if options.command == "check":
        return run_check(options.files, as_json=options.json)
    # only now: a check needs no more than the standard library, and starts at once
    importlib.import_module(".commands.programs", __package__).add_to_path()
    command = importlib.import_module(f".commands.{options.command}", __package__)
    return int(command.run(options))


def _refuse_command(
    parser: argparse.ArgumentParser, typed: Sequence[str], known: Iterable[str]
) -> None:
    """End with the command that was probably meant, where the first word is none."""
    first = next((word for word in typed if not word.startswith("-")), None)
    if first is None or first in known:
        return
    meant = suggestion(first, known) or " coalescope-host --help lists all."
    parser.error(f"there is no command {first}.{meant}")


def _refuse_misspelt(
    parser: argparse.ArgumentParser, typed: Sequence[str], *, factors: bool
) -> None:
    """End with the option that was probably meant: also where it is one that must be there.

    `factors`: what is none of the options may be a factor.
    """
    known = {
        option
        for action in parser._actions
        if action.help != argparse.SUPPRESS
        for option in action.option_strings
        if option.startswith("--")
    }
    words = {f"--{word}" for word in MEANINGS} if factors else set[str]()
    for word in typed:
        name = word.partition("=")[0]
        if not re.fullmatch(r"--[a-z][a-z-]*", name) or name in known | words:
            continue
        meant = suggestion(name, sorted(known), prefix="--")
        if meant and _likeness(name, known) > _likeness(name, words):
            parser.error(f"{name} is no option of it.{meant}")


def _likeness(name: str, words: Iterable[str]) -> float:
    return max((SequenceMatcher(None, name, word).ratio() for word in words), default=0.0)


def run_check(files: Sequence[Path], *, as_json: bool) -> int:
    """Print the reports of some logs; the status says whether each is whole."""
    reports: list[CheckReport] = []
    unread: list[dict[str, object]] = []
    for path in files:
        try:
            reports.append(check(path))
        except OSError as error:
            reason = error.strerror or str(error)
            fault = {"code": "unreadable", "message": reason, "advice": None}
            unread.append({"file": str(path), "ok": False, "problems": [fault]})
            say(f"{path}: {reason}")
    if as_json:
        print_json([*(report.to_json() for report in reports), *unread])
    else:
        width = min(110, max(60, shutil.get_terminal_size().columns))
        for number, report in enumerate(reports):
            print_lines(sys.stdout, [*([""] if number else []), *report_lines(report, width)])
    return FAILED if unread or not all(report.complete for report in reports) else DONE
