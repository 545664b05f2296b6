# SPDX-License-Identifier: Apache-2.0
"""What can be typed after the commands that keep a store: fill, serve, check, copy it."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import get_args

from coalescope.cli import arguments
from coalescope.cli.options import shared
from coalescope.runs.records import State


def serve(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope serve`."""
    parser.add_argument(
        "--host", metavar="ADDRESS", help="address to listen on (default: 127.0.0.1)"
    )
    parser.add_argument(
        "--port",
        metavar="N",
        type=arguments.port,
        help="port to listen on; 0 takes any free one (default: 8000)",
    )
    parser.add_argument(
        "--workers",
        type=arguments.one_to(64),
        metavar="N",
        help="processes that answer side by side (default: 1)",
    )
    parser.add_argument(
        "--read-only",
        action="store_true",
        default=None,
        help="serve what is there and refuse every change; the folder need not be writable",
    )


def _files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        type=Path,
        help="a run log, a table (CSV, xlsx), or a file of another tool (iperf3, sar, ethtool …), "
        "also gzipped; a folder, tar or zip archive of them; - for stdin",
    )


def check(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope check`."""
    _files(parser)


def import_(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope import`."""
    _files(parser)
    shared.mapping(parser)
    shared.destination(parser)


def upload(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope upload`."""
    _files(parser)
    shared.server(parser, "address of the server, such as http://host:8000", required=True)
    shared.mapping(parser)
    shared.destination(parser)
    parser.add_argument(
        "--parallel",
        type=arguments.one_to(256),
        default=4,
        metavar="N",
        help="number of files to send at once (default: %(default)s)",
    )


def export(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope export`."""
    shared.experiment(parser)
    parser.add_argument(
        "--format",
        choices=("csv", "json", "parquet"),
        required=True,
        help="format of the output; parquet needs --output, and is not imported again",
    )
    parser.add_argument(
        "--what",
        choices=("cells", "runs"),
        default="cells",
        help="one row per cell with mean, deviation and count, or one per run "
        "(default: %(default)s)",
    )
    shared.where(parser)
    shared.without(parser)
    parser.add_argument(
        "--output", metavar="FILE", type=Path, help="write to this file, not to stdout"
    )


def verify(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope verify`."""
    parser.add_argument(
        "--deep",
        action="store_true",
        help="also measure every stored file anew and compare with what its runs say",
    )


def backup(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope backup`."""
    parser.add_argument(
        "directory",
        metavar="DIR",
        type=Path,
        help="a new folder, or an earlier backup: then only new files are copied",
    )


def restore(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope restore`."""
    parser.add_argument("directory", metavar="BACKUP", type=Path, help="folder of a backup")


def publish(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope publish`."""
    parser.add_argument("directory", metavar="DIR", type=Path, help="folder to write; new or empty")
    parser.add_argument(
        "--at",
        metavar="URL",
        type=arguments.site,
        help="address that the site will have; unknown addresses then show the page (404.html)",
    )
    parser.add_argument(
        "--with-logs", action="store_true", help="include the files that runs came from"
    )
    parser.add_argument(
        "--replace", action="store_true", help="replace a site that this command wrote there"
    )


def datasets(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope datasets`, whose actions each have their own."""
    actions = parser.add_subparsers(metavar="ACTION", dest="action", required=True)
    text = "List the data sets, and where those come from that are not shipped"
    actions.add_parser(
        "list",
        help=text,
        description=text + ".",
        parents=[shared.output_options()],
        allow_abbrev=False,
    )
    text = "Fetch a data set from its authors, check that it is the one recorded, and store it"
    fetch = actions.add_parser(
        "fetch",
        help=text,
        description=text + ". What is fetched and its licence are said before the download.",
        parents=[shared.store_options()],
        allow_abbrev=False,
    )
    fetch.add_argument(
        "name", metavar="NAME", help="name of a data set, as `coalescope datasets list` shows it"
    )
    fetch.add_argument(
        "--from",
        dest="copy",
        metavar="FILE",
        type=Path,
        help="read this copy of the file in place of a download; it is checked alike",
    )


def _listing_actions(parser: argparse.ArgumentParser) -> Callable[..., argparse.ArgumentParser]:
    """Make actions of a command that lists without one: of a name, its help, and what else."""
    parents = [
        shared.place_options(argparse.SUPPRESS),
        shared.output_options(default=argparse.SUPPRESS),
    ]
    actions = parser.add_subparsers(metavar="ACTION", dest="action")

    def action(name: str, text: str, more: str = "") -> argparse.ArgumentParser:
        return actions.add_parser(
            name, help=text, description=f"{text}.{more}", parents=parents, allow_abbrev=False
        )

    return action


def experiments(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope experiments`, which lists them, and whose actions each have their own."""
    action = _listing_actions(parser)
    listing = action("list", "List the experiments, as without an action")
    listing.add_argument(
        "--deleted",
        action="store_true",
        help="list those that were deleted and can be restored",
    )
    shipped = " Published data sets, which come with the program, stay as they are."
    rename = action(
        "rename", "Give an experiment another title", f" Its name, the address, stays.{shipped}"
    )
    shared.experiment(rename)
    rename.add_argument("title", metavar="TITLE", help="the new title, at most 200 characters")
    describe = action(
        "describe",
        "Say anew what an experiment is",
        f" What is not named stays; an empty TEXT removes it.{shipped}",
    )
    shared.experiment(describe)
    for name, what in (
        ("subtitle", "one line below the title"),
        ("citation", "where the data comes from, in one line"),
        ("url", "address of the data's source"),
        ("licence", "under which licence the data is, in one line"),
        ("how-made", "how the data was made"),
    ):
        describe.add_argument(f"--{name}", metavar="TEXT", help=what)
    describe.add_argument(
        "--note",
        metavar="TEXT",
        action="append",
        help="something to know about the data; may be repeated, and replaces all notes",
    )
    delete = action(
        "delete",
        "Show experiments no more; all of them stay in the store, and can be restored",
        shipped,
    )
    _several(delete, shared.EXPERIMENT)
    restore = action("restore", "Show experiments again that were deleted")
    _several(restore, "name of a deleted experiment, as `list --deleted` shows it")


def _several(parser: argparse.ArgumentParser, which: str) -> None:
    parser.add_argument("experiments", metavar="EXPERIMENT", nargs="+", help=which)


def runs(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope runs`, whose actions each have their own."""
    place, output = shared.place_options(), shared.output_options()
    actions = parser.add_subparsers(metavar="ACTION", dest="action", required=True)
    text = "List an experiment's runs: identity, status, setting, file"
    listing = actions.add_parser(
        "list", help=text, description=f"{text}.", parents=[place, output], allow_abbrev=False
    )
    shared.experiment(listing)
    shared.where(listing)
    listing.add_argument(
        "--state",
        choices=get_args(State),
        help="list only these: current runs count, and are whole or cut off (partial)",
    )
    listing.add_argument(
        "--limit",
        metavar="N",
        type=arguments.one_to(1_000_000),
        default=100,
        help="number of runs to list, in the order they were stored (default: %(default)s)",
    )
    for name, text in (
        ("retract", "Let runs count no more: they stay in the store, and can be restored"),
        ("restore", "Let runs count again that were retracted"),
    ):
        _change_of_runs(
            actions.add_parser(
                name, help=text, description=f"{text}.", parents=[place], allow_abbrev=False
            )
        )
    text = "Set right what runs say of their setting: they move to the right cell"
    correct = actions.add_parser(
        "correct",
        help=text,
        description=f"{text}. All of the runs are corrected, or none; with --server they are "
        "corrected one after the other, until one is refused.",
        parents=[place],
        allow_abbrev=False,
    )
    _change_of_runs(correct)
    shared.repeated(
        correct,
        "--set",
        metavar="FACTOR=LEVEL",
        help="the right level of a factor, such as mtu_bytes=9000; =unknown removes the factor; "
        "may be repeated",
    )
    correct.add_argument(
        "--replicate",
        metavar="N",
        type=arguments.count,
        help="the right replicate number, of one run",
    )


def _change_of_runs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", help="identity of a run, as `list` shows it"
    )
    parser.add_argument(
        "--reason",
        metavar="TEXT",
        required=True,
        type=arguments.reason,
        help="why, for the run's history",
    )


def jobs(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope jobs`, which lists them, and whose actions each have their own."""
    action = _listing_actions(parser)
    listing = action("list", "List the jobs, the newest first, as without an action")
    listing.add_argument("--experiment", metavar="SLUG", help="list only this experiment's")
    listing.add_argument(
        "--limit",
        metavar="N",
        type=arguments.one_to(100),
        default=20,
        help="number of jobs to list (default: %(default)s)",
    )
    show = action("show", "Say how a job is, and print its result once it is done")
    cancel = action(
        "cancel",
        "End a job before it is done, whoever asked for it",
        " What computes it stops within seconds; asked again, its question is a new job.",
    )
    for each in (show, cancel):
        each.add_argument("job", metavar="JOB", help="identity of a job, as `list` shows it")


def token(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope token`, whose actions each have their own."""
    store, output = shared.store_options(), shared.output_options()
    actions = parser.add_subparsers(metavar="ACTION", dest="action", required=True)

    def action(name: str, text: str, *parents: argparse.ArgumentParser) -> argparse.ArgumentParser:
        return actions.add_parser(
            name, help=text, description=text + ".", parents=parents, allow_abbrev=False
        )

    create = action("create", "Make a token and print it, once", store)
    create.add_argument("name", metavar="NAME", help="whose it is; changes are noted under it")
    create.add_argument(
        "--scope",
        choices=("read", "upload", "admin"),
        required=True,
        help="read: look and compute; upload: also add runs, sweeps, experiments and short links; "
        "admin: also retract, restore and correct runs, and rename, describe, delete and restore "
        "experiments",
    )
    create.add_argument(
        "--days",
        metavar="N",
        type=arguments.lifetime,
        help="days until it expires (default: valid until it is revoked)",
    )
    action("list", "List the tokens: name, scope, state, last use; not the tokens", store, output)
    revoke = action("revoke", "End a token at once", store)
    revoke.add_argument("name", metavar="NAME", help="name of a token, as `list` shows it")


def changes(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope changes`."""
    parser.add_argument(
        "--limit",
        metavar="N",
        type=arguments.one_to(1_000_000),
        default=50,
        help="number of changes to list, newest first (default: %(default)s)",
    )
