# SPDX-License-Identifier: Apache-2.0
"""What can be typed: commands, options, and the checks that need no store and no model."""

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple

from coalescope.cli.exit_statuses import told
from coalescope.cli.options import analyses, choices, models, store
from coalescope.cli.options.shared import output_options, place_options, store_options
from coalescope.errors import did_you_mean

_MODULES = "coalescope.cli.commands"


class _Command(NamedTuple):
    """A command; `options` are those that it shares with no other.

    `of_store` works on the local store, `of_place` on that or on a server.
    """

    name: str
    text: str
    options: Callable[[argparse.ArgumentParser], None] | None = None
    of_store: bool = False
    of_place: bool = False
    prints: bool = False


_COMMANDS = (
    _Command("serve", "Serve the page and the API", store.serve, of_store=True),
    _Command("models", "List the models, their inputs, parameters and units", prints=True),
    _Command(
        "quantities",
        "List the names that columns, factors and measures can have, with units and definitions",
        models.quantities,
        prints=True,
    ),
    _Command("predict", "Evaluate a model", models.predict, prints=True),
    _Command(
        "experiments",
        "List the experiments of the local store or a server; rename, describe, delete and "
        "restore them",
        store.experiments,
        of_place=True,
        prints=True,
    ),
    _Command(
        "surface",
        "Print a measure over its two factors",
        analyses.surface,
        of_place=True,
        prints=True,
    ),
    _Command("fit", "Fit a model to an experiment", analyses.fit, of_place=True, prints=True),
    _Command(
        "variance",
        "Say which of two factors moves a measure",
        analyses.variance,
        of_place=True,
        prints=True,
    ),
    _Command(
        "compare",
        "Compare two experiments, or two levels in one",
        analyses.compare,
        of_place=True,
        prints=True,
    ),
    _Command(
        "plan",
        "Say which cells to measure again, and how often",
        analyses.plan,
        of_place=True,
        prints=True,
    ),
    _Command(
        "recommend",
        "Say which setting to choose, and how to set it",
        choices.recommend,
        of_place=True,
        prints=True,
    ),
    _Command(
        "policy",
        "Say what adaptive moderation would choose, and what it costs beside a fixed interval, "
        "for typed traffic or an experiment's; without a name, list the policies",
        choices.policy,
        of_place=True,
        prints=True,
    ),
    _Command("trace", "Write a Python function of yours as a model (runs the file)", models.trace),
    _Command(
        "check",
        "Show what run logs, tables and files of other tools hold and what is wrong with them",
        store.check,
        prints=True,
    ),
    _Command(
        "import",
        "Store run logs, CSV files and files of other tools in the local store",
        store.import_,
        of_store=True,
        prints=True,
    ),
    _Command(
        "upload",
        "Send run logs, CSV files and files of other tools to a server",
        store.upload,
        prints=True,
    ),
    _Command("export", "Write an experiment as CSV, JSON or Parquet", store.export, of_place=True),
    _Command(
        "runs",
        "List an experiment's runs; retract those that must not count, restore or correct them",
        store.runs,
    ),
    _Command(
        "jobs",
        "List the jobs of a server's store: long fits, predictions over large grids; show and "
        "cancel them",
        store.jobs,
        of_place=True,
        prints=True,
    ),
    _Command(
        "verify",
        "Check that everything stored is there, whole and right",
        store.verify,
        of_store=True,
        prints=True,
    ),
    _Command(
        "backup",
        "Copy the store to a folder, also while it is in use",
        store.backup,
        of_store=True,
        prints=True,
    ),
    _Command(
        "restore",
        "Copy a backup to where there is no store yet",
        store.restore,
        of_store=True,
        prints=True,
    ),
    _Command(
        "publish",
        "Write the store as a site of files that needs no server",
        store.publish,
        of_store=True,
    ),
    _Command(
        "migrate",
        "Make the store, or bring it up to date: its schema, and the published data sets",
        of_store=True,
    ),
    _Command(
        "datasets",
        "List the data sets that come with the program, and fetch those that do not",
        store.datasets,
    ),
    _Command("token", "Make, list and revoke a server's tokens", store.token),
    _Command(
        "changes",
        "Say who changed the store, when and how",
        store.changes,
        of_place=True,
        prints=True,
    ),
    _Command("openapi", "Print the description of the API"),
)


class _Parser(argparse.ArgumentParser):
    """Says which of its choices was probably meant."""

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is None or value in action.choices:
            return
        choices = [str(choice) for choice in action.choices]
        near = did_you_mean(str(value), choices)
        raise argparse.ArgumentError(
            action, f"invalid choice: {value!r}. {near}Choose from {', '.join(choices)}."
        )


def build_parser(only: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of all commands; `module` in its result says which module runs.

    With `only` the others have no options, which takes a quarter of the time.
    """
    parser: argparse.ArgumentParser = _Parser(
        prog="coalescope",
        description="Find out, measure and explain what MTU and interrupt coalescing do to a "
        "machine.",
        epilog=f"{told('')} The help of each command says what else it means.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in _COMMANDS:
        if only in (None, command.name):
            _add(command, commands)
        else:
            commands.add_parser(command.name, help=command.text, add_help=False)
    return parser


def _add(
    command: _Command, commands: "argparse._SubParsersAction[argparse.ArgumentParser]"
) -> None:
    shared = {
        store_options: command.of_store,
        place_options: command.of_place,
        output_options: command.prints,
    }
    added = commands.add_parser(
        command.name,
        help=command.text,
        description=command.text + ".",
        parents=[options() for options, has_them in shared.items() if has_them],
        allow_abbrev=False,
    )
    added.set_defaults(
        parser=added, module=f"{_MODULES}.{command.name.replace('import', 'import_files')}"
    )
    if command.options is not None:
        command.options(added)
    for each in [added, *_below(added)]:
        each.epilog = told(command.name)


def _below(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """The parsers of a command's own commands, such as `token create`."""
    return [
        below
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for below in action.choices.values()
    ]


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """What was typed; status 2, and what was probably meant, where it is not understood."""
    typed = list(sys.argv[1:] if argv is None else argv)
    names = [command.name for command in _COMMANDS]
    first = next((word for word in typed if not word.startswith("-")), None)
    parser = build_parser(only=first or "")
    if typed and typed[0].startswith("-") and first is not None:
        name = typed[0].partition("=")[0]
        if name not in {"-h", "--help", "--version"}:
            parser.error(f"{name} stands before the command: options follow it")
    if first is not None and first not in names:
        near = did_you_mean(first, names) or f"The commands are {', '.join(names)}."
        parser.error(f"there is no command {first!r}. {near.rstrip()}")
    if first is not None:
        _refuse_misspelt(parser, first, typed)
    arguments, unknown = parser.parse_known_args(typed)
    if unknown:
        command: argparse.ArgumentParser = arguments.parser
        near = _near(command, unknown[0])
        command.error(f"unrecognized arguments: {' '.join(unknown)}. {near}".rstrip())
    return arguments


def _refuse_misspelt(parser: argparse.ArgumentParser, name: str, typed: Sequence[str]) -> None:
    """End with the option that was meant, also where it is one that must be there."""
    (commands,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    command: argparse.ArgumentParser = commands.choices[name]
    if any(isinstance(action, argparse._SubParsersAction) for action in command._actions):
        return  # the options are those of commands below
    known = {option for action in command._actions for option in action.option_strings}
    for word in typed[: typed.index("--")] if "--" in typed else typed:
        if re.fullmatch(r"--[a-z][a-z-]*(=.*)?", word) and word.partition("=")[0] not in known:
            near = _near(command, word)
            if near:
                command.error(f"unrecognized arguments: {word}. {near}".rstrip())


def _near(command: argparse.ArgumentParser, typed: str) -> str:
    options = [
        option
        for action in command._actions
        if action.help != argparse.SUPPRESS
        for option in action.option_strings
        if option.startswith("--")
    ]
    return did_you_mean(typed.partition("=")[0], options, prefix="--")


class _Version(argparse.Action):
    """Looks the version up only when it is asked for."""

    def __init__(self, option_strings: list[str], dest: str, **_: object) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version  # noqa: PLC0415

        print(f"coalescope {version('coalescope')}")
        parser.exit()
