# SPDX-License-Identifier: Apache-2.0
"""What can be typed after the commands that keep a store: fill, serve, check, copy it."""

import argparse
from pathlib import Path

from coalescope.cli import arguments
from coalescope.cli.options import shared


def serve(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope serve`."""
    parser.add_argument("--host", help="address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=arguments.port, help="port to listen on (default: 8000)")
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
    parser.add_argument("--server", metavar="URL", required=True, type=arguments.server)
    shared.mapping(parser)
    shared.destination(parser)
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        type=Path,
        help="file that holds the server's token (default: the environment's COALESCOPE_TOKEN)",
    )
    parser.add_argument(
        "--parallel",
        type=arguments.one_to(256),
        default=4,
        metavar="N",
        help="files under way at once (default: %(default)s)",
    )


def export(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope export`."""
    parser.add_argument("experiment", metavar="EXPERIMENT")
    parser.add_argument("--format", choices=("csv", "json", "parquet"), required=True)
    parser.add_argument(
        "--what",
        choices=("cells", "runs"),
        default="cells",
        help="one row per cell with mean, deviation and count, or one per run "
        "(default: %(default)s)",
    )
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
        "--with-logs", action="store_true", help="put the files in that runs came from"
    )
    parser.add_argument(
        "--replace", action="store_true", help="replace a site that this command wrote"
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
    fetch.add_argument("name", metavar="NAME", help="of a data set that `list` names")
    fetch.add_argument(
        "--from",
        dest="copy",
        metavar="FILE",
        type=Path,
        help="a copy of the file on this machine, in place of a download; checked alike",
    )


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
        "admin: also retract, restore and correct runs",
    )
    create.add_argument(
        "--days",
        metavar="N",
        type=arguments.lifetime,
        help="valid for so long (default: until revoked)",
    )
    action("list", "List the tokens: name, scope, state, last use; not the tokens", store, output)
    revoke = action("revoke", "End a token at once", store)
    revoke.add_argument("name", metavar="NAME")


def changes(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope changes`."""
    parser.add_argument(
        "--limit",
        metavar="N",
        type=arguments.one_to(1_000_000),
        default=50,
        help="at most so many, the newest first (default: %(default)s)",
    )
