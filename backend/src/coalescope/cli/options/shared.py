# SPDX-License-Identifier: Apache-2.0
"""Options that several commands have."""

import argparse
from pathlib import Path
from typing import Any

from coalescope.cli import arguments
from coalescope.experiments.records import KINDS

MODEL = "id of a model of the catalogue, or file of one of your own (see `coalescope trace`)"

EXPERIMENT = "name of an experiment, as `coalescope experiments` lists it"
MEASURE = "measure of the glossary, such as throughput_mbps"


def store_options(default: str | None = None) -> argparse.ArgumentParser:
    """Which store. With `default` SUPPRESS, what was typed before a command's action stays."""
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument(
        "--data",
        metavar="DIR",
        type=Path,
        default=default,
        help="folder of the local store (default: COALESCOPE_DATA_DIR, else ./data)",
    )
    return options


def place_options(default: str | None = None) -> argparse.ArgumentParser:
    """The local store or a server; `default` as in `store_options`."""
    options = argparse.ArgumentParser(add_help=False, parents=[store_options(default)])
    server(
        options,
        "work on this server, such as http://host:8000, and not on the local store",
        default=default,
    )
    return options


def server(
    options: argparse._ActionsContainer,
    words: str,
    *,
    required: bool = False,
    default: str | None = None,
) -> None:
    """Which server, and who asks it."""
    options.add_argument(
        "--server",
        metavar="URL",
        type=arguments.server,
        required=required,
        default=default,
        help=words,
    )
    options.add_argument(
        "--token-file",
        metavar="FILE",
        type=Path,
        default=default,
        help="file that holds the server's token (default: the environment's COALESCOPE_TOKEN)",
    )


def output_options(*, default: str | bool = False) -> argparse.ArgumentParser:
    """How the answer is printed; `default` as in `store_options`."""
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument(
        "--json", action="store_true", default=default, help="print JSON instead of text"
    )
    return options


def repeated(options: argparse._ActionsContainer, name: str, **named: Any) -> None:
    """An option that may be given several times: a list, empty without it."""
    options.add_argument(name, action="append", default=[], **named)


def model(parser: argparse.ArgumentParser) -> None:
    """A model of the catalogue, or your own."""
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("model", metavar="MODEL", nargs="?", help=MODEL)
    which.add_argument("--model", metavar="MODEL", dest="model_option", help="the same")


def experiment(parser: argparse.ArgumentParser) -> None:
    """An experiment of the store."""
    parser.add_argument("experiment", metavar="EXPERIMENT", help=EXPERIMENT)


def measure(parser: argparse.ArgumentParser) -> None:
    """A measure of the glossary."""
    parser.add_argument(
        "--measure",
        metavar="MEASURE",
        required=True,
        help=MEASURE,
    )


def where(parser: argparse.ArgumentParser) -> None:
    """Which cells."""
    repeated(
        parser,
        "--where",
        metavar="FACTOR=VALUE",
        type=arguments.assignment,
        help="use only the cells where the factor has this value; may be repeated: several values "
        "of one factor (also VALUE,VALUE) mean any of them",
    )


def without(parser: argparse.ArgumentParser) -> None:
    """Which runs not."""
    parser.add_argument(
        "--without",
        metavar="ID,ID",
        type=arguments.names,
        default=(),
        help="leave these runs out of the answer; nothing is deleted",
    )


def destination(parser: argparse.ArgumentParser) -> None:
    """Where the runs of a file go."""
    parser.add_argument(
        "--experiment",
        metavar="SLUG",
        help="put the runs into this experiment, whatever the files say",
    )
    parser.add_argument("--title", metavar="TEXT", help="title of the experiment, if it is new")
    parser.add_argument(
        "--kind",
        choices=KINDS,
        help="kind of the data (default: what the file says, else that of the experiment, else "
        "measured)",
    )
    parser.add_argument(
        "--citation",
        metavar="TEXT",
        help="where the data comes from, if the experiment is new (default: what the file says)",
    )
    parser.add_argument(
        "--override-source",
        action="store_true",
        help="let --kind and --citation stand, whatever a table says of its own; that is noted",
    )
    repeated(
        parser,
        "--set",
        metavar="NAME=VALUE",
        help="what files of other tools do not say of their runs, such as mtu_bytes=9000; =unknown "
        "if nobody knows it; may be repeated",
    )
    for name, what in (("choice", "can be chosen"), ("no-choice", "nobody chooses, as traffic")):
        repeated(
            parser,
            f"--{name}",
            metavar="FACTOR",
            help=f"a factor of a table that {what}: recommendations obey; may be repeated",
        )


def mapping(parser: argparse.ArgumentParser) -> None:
    """What the columns of a table mean."""
    repeated(
        parser,
        "--map",
        metavar="COLUMN=QUANTITY[:UNIT]",
        type=arguments.mapped_column,
        help="what a column of a table is: a name of the glossary, factor.NAME or measure.NAME; "
        "its values are in UNIT (default: that of the quantity). May be repeated; columns that "
        "are not named are left out. Without it, a table whose columns do not name themselves is "
        "refused with what was seen and what to type",
    )
    parser.add_argument(
        "--decimal",
        choices=("comma", "point"),
        help="with --map: the decimal sign (default: what the file shows)",
    )


def values(parser: argparse.ArgumentParser, when: str = "") -> None:
    """Values of a model's inputs and parameters; `when` says when they count."""
    repeated(
        parser,
        "--set",
        metavar="NAME=VALUE",
        type=arguments.number,
        dest="values",
        help=f"{when}value of an input or parameter; may be repeated",
    )
