# SPDX-License-Identifier: Apache-2.0
"""What can be typed after `sweep` and `upload`. Imports nothing of what they do."""

from argparse import ArgumentParser
from pathlib import Path


def add_sweep_arguments(parser: ArgumentParser) -> None:
    """The arguments of `sweep`."""
    parser.add_argument("plan", nargs="?", metavar="PLAN.toml", type=Path)
    parser.add_argument(
        "--dry-run", action="store_true", help="say every change and the order; change nothing"
    )
    parser.add_argument(
        "--replicates", metavar="N", help="these blocks only: 3, 1-4 or 1,5 (all of the plan)"
    )
    parser.add_argument(
        "--out", metavar="DIR", type=Path, help="where logs and journal go (the experiment's name)"
    )
    parser.add_argument("--server", metavar="URL", help="send the logs there as they come")
    parser.add_argument(
        "--token-file", metavar="FILE", type=Path, help="holds its token (else COALESCOPE_TOKEN)"
    )
    parser.add_argument(
        "--yes-this-interface",
        metavar="NAME",
        help="use it although the way to this host may lead through it; needs --really too",
    )
    parser.add_argument("--really", action="store_true", help="… and that was no slip")
    parser.add_argument(
        "--restore", action="store_true", help="put back what a sweep that died left changed"
    )
    parser.add_argument(
        "--state", metavar="FILE", type=Path, help="with --restore: the saved state, if not all"
    )


def add_upload_arguments(parser: ArgumentParser) -> None:
    """The arguments of `upload`."""
    parser.add_argument("paths", nargs="+", metavar="FILE|DIR", type=Path)
    parser.add_argument("--server", metavar="URL", required=True)
    parser.add_argument("--token-file", metavar="FILE", type=Path)
