# SPDX-License-Identifier: Apache-2.0
"""What can be typed after each command. Imports nothing of what they do."""

from argparse import ArgumentParser
from pathlib import Path


def add_sweep_arguments(parser: ArgumentParser) -> None:
    """The arguments of `sweep`."""
    parser.add_argument("plan", nargs="?", metavar="PLAN.toml", type=Path)
    parser.add_argument(
        "--dry-run", action="store_true", help="whether it can be done; changes nothing"
    )
    parser.add_argument(
        "--all", action="store_true", help="with --dry-run: every change and the order, too"
    )
    parser.add_argument(
        "--replicates", metavar="N", help="these blocks only: 3, 1-4 or 1,5 (all of the plan)"
    )
    parser.add_argument(
        "--out", metavar="DIR", type=Path, help="where logs and journal go (the experiment's name)"
    )
    parser.add_argument("--server", metavar="URL", help="send the logs there as they come")
    _add_token_file(parser)
    parser.add_argument(
        "--yes-this-interface",
        metavar="NAME",
        help="use it although the way to this host may lead through it; needs --really too",
    )
    parser.add_argument("--really", action="store_true", help="confirms --yes-this-interface")
    parser.add_argument("--restore", action="store_true", help="the same as the command restore")
    _add_state(parser)


def add_restore_arguments(parser: ArgumentParser) -> None:
    """The arguments of `restore`."""
    _add_state(parser)


def add_upload_arguments(parser: ArgumentParser) -> None:
    """The arguments of `upload`."""
    parser.add_argument("paths", nargs="+", metavar="FILE|DIR", type=Path)
    parser.add_argument("--server", metavar="URL", required=True)
    _add_token_file(parser)


def add_demo_arguments(parser: ArgumentParser) -> None:
    """The arguments of `demo`."""
    parser.add_argument("--replicates", metavar="N", type=int, default=3, help="blocks (3)")
    parser.add_argument(
        "--duration", metavar="SECONDS", type=float, default=0.8, help="of each run's window (0.8)"
    )
    parser.add_argument(
        "--out", metavar="DIR", type=Path, help="keep the logs there (a temporary folder)"
    )
    parser.add_argument(
        "--server", metavar="URL", help="where they are sent (http://127.0.0.1:8000, if it answers)"
    )
    _add_token_file(parser)


def _add_token_file(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--token-file", metavar="FILE", type=Path, help="holds its token (else COALESCOPE_TOKEN)"
    )


def _add_state(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--state", metavar="FILE", type=Path, help="one saved state (all that there are)"
    )
