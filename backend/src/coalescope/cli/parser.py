# SPDX-License-Identifier: Apache-2.0
"""What can be typed: commands, options, and the checks that need no store and no model."""

import argparse
from collections.abc import Callable
from typing import NamedTuple

from coalescope.cli import asking_options as asking
from coalescope.cli import keeping_options as keeping
from coalescope.cli.shared_options import output_options, store_options

_MODULES = "coalescope.cli.commands"


class _Command(NamedTuple):
    """A command; `options` are those that it shares with no other."""

    name: str
    text: str
    options: Callable[[argparse.ArgumentParser], None] | None = None
    of_store: bool = False
    prints: bool = False


_COMMANDS = (
    _Command("serve", "Serve the page and the API", keeping.serve, of_store=True),
    _Command("models", "List the models, their inputs, parameters and units", prints=True),
    _Command("predict", "Evaluate a model", asking.predict, prints=True),
    _Command("experiments", "List the experiments of the local store", of_store=True, prints=True),
    _Command(
        "surface",
        "Print a measure over its two factors",
        asking.surface,
        of_store=True,
        prints=True,
    ),
    _Command("fit", "Fit a model to an experiment", asking.fit, of_store=True, prints=True),
    _Command(
        "variance",
        "Say which of two factors moves a measure",
        asking.variance,
        of_store=True,
        prints=True,
    ),
    _Command(
        "compare",
        "Compare two experiments, or two levels in one",
        asking.compare,
        of_store=True,
        prints=True,
    ),
    _Command(
        "plan",
        "Say which cells to measure again, and how often",
        asking.plan,
        of_store=True,
        prints=True,
    ),
    _Command(
        "recommend",
        "Say which setting to choose, and how to set it",
        asking.recommend,
        of_store=True,
        prints=True,
    ),
    _Command(
        "policy",
        "Say what adaptive moderation would choose, and what it costs beside a fixed interval, "
        "for typed traffic or an experiment's; without a name, list the policies",
        asking.policy,
        of_store=True,
        prints=True,
    ),
    _Command("trace", "Write a Python function of yours as a model (runs the file)", asking.trace),
    _Command(
        "check",
        "Show what run logs and tables hold and what is wrong with them",
        keeping.check,
        prints=True,
    ),
    _Command(
        "import",
        "Store run logs, CSV files and tar archives of run logs in the local store",
        keeping.import_,
        of_store=True,
        prints=True,
    ),
    _Command("upload", "Send run logs and CSV files to a server", keeping.upload, prints=True),
    _Command(
        "export", "Write an experiment as CSV, JSON or Parquet", keeping.export, of_store=True
    ),
    _Command(
        "verify",
        "Check that everything stored is there, whole and right",
        keeping.verify,
        of_store=True,
        prints=True,
    ),
    _Command(
        "backup",
        "Copy the store to a folder, also while it is in use",
        keeping.backup,
        of_store=True,
        prints=True,
    ),
    _Command(
        "restore",
        "Copy a backup to where there is no store yet",
        keeping.restore,
        of_store=True,
        prints=True,
    ),
    _Command(
        "publish",
        "Write the store as a site of files that needs no server",
        keeping.publish,
        of_store=True,
    ),
    _Command("token", "Make, list and revoke a server's tokens", keeping.token),
    _Command(
        "changes",
        "Say who changed the store, when and how",
        keeping.changes,
        of_store=True,
        prints=True,
    ),
    _Command("openapi", "Print the description of the API"),
)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands; `module` in its result says which module runs."""
    parser = argparse.ArgumentParser(
        prog="coalescope",
        description="Find out, measure and explain what MTU and interrupt coalescing do to a "
        "machine.",
        epilog="Exit status: 0 fine, 1 the input is wrong (the reason is on stderr), 2 usage.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    store, output = store_options(), output_options()
    for command in _COMMANDS:
        added = commands.add_parser(
            command.name,
            help=command.text,
            description=command.text + ".",
            parents=[*[store] * command.of_store, *[output] * command.prints],
            allow_abbrev=False,
        )
        added.set_defaults(module=f"{_MODULES}.{command.name.replace('import', 'import_files')}")
        if command.options is not None:
            command.options(added)
    return parser


class _Version(argparse.Action):
    """Looks the version up only when it is asked for."""

    def __init__(self, option_strings: list[str], dest: str, **_: object) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version  # noqa: PLC0415

        print(f"coalescope {version('coalescope')}")
        parser.exit()
