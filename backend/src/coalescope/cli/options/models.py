# SPDX-License-Identifier: Apache-2.0
"""What can be typed after the commands that are about models."""

import argparse
from pathlib import Path

from coalescope.cli import arguments
from coalescope.cli.options import shared


def quantities(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope quantities`."""
    parser.add_argument(
        "words",
        metavar="WORD",
        nargs="*",
        help="only those with all these words in name or definition, such as latency",
    )


def predict(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope predict`."""
    shared.model(parser)
    shared.values(parser)
    shared.repeated(
        parser,
        "--over",
        metavar="NAME=LO:HI:N",
        type=arguments.number_range,
        help="let an input or parameter run from LO to HI in N points; may be repeated",
    )


def trace(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope trace`."""
    parser.add_argument(
        "file", metavar="FILE.py", type=Path, help="your own file: it is run on this machine"
    )
    parser.add_argument(
        "--function",
        metavar="NAME",
        help="the function in it (default: the only one that takes xp)",
    )
    shared.repeated(
        parser,
        "--source",
        metavar="INPUT=NAME",
        type=arguments.assignment,
        dest="sources",
        help="fits take this input from that factor or measure, such as factor.load (default: the "
        "one of the input's own name); may be repeated",
    )
    parser.add_argument(
        "--write", metavar="FILE", type=Path, help="write to this file, not to stdout"
    )
