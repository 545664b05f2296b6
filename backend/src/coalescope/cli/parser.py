# SPDX-License-Identifier: Apache-2.0
"""What can be typed: commands, options, and the checks that need no store and no model."""

import argparse
import math
from pathlib import Path
from typing import NamedTuple

from coalescope.experiments.records import KINDS

_COMMANDS = "coalescope.cli.commands"


class Range(NamedTuple):
    """NAME=LO:HI:N, as `--over` takes it."""

    name: str
    lo: float
    hi: float
    n: int


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
    store = _store_options()
    output = _output_options()

    def command(
        name: str, text: str, *parents: argparse.ArgumentParser, **defaults: object
    ) -> argparse.ArgumentParser:
        module = f"{_COMMANDS}.{name.replace('import', 'import_files')}"
        added = commands.add_parser(
            name, help=text, description=text + ".", parents=parents, allow_abbrev=False
        )
        added.set_defaults(module=module, **defaults)
        return added

    _serve(command("serve", "Serve the page and the API", store))
    command("models", "List the models, their inputs, parameters and units", output)
    _predict(command("predict", "Evaluate a model", output))
    command("experiments", "List the experiments of the local store", store, output)
    _surface(command("surface", "Print a measure over its two factors", store, output))
    _fit(command("fit", "Fit a model to an experiment", store, output))
    _check(
        command("check", "Show what run logs and tables hold and what is wrong with them", output)
    )
    _import(command("import", "Store run logs and CSV files in the local store", store, output))
    _upload(command("upload", "Send run logs and CSV files to a server", output))
    _export(command("export", "Write an experiment as CSV or JSON", store))
    command("openapi", "Print the description of the API")
    return parser


class _Version(argparse.Action):
    """Looks the version up only when it is asked for."""

    def __init__(self, option_strings: list[str], dest: str, **_: object) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version  # noqa: PLC0415

        print(f"coalescope {version('coalescope')}")
        parser.exit()


def _store_options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument(
        "--data",
        metavar="DIR",
        type=Path,
        help="folder of the local store (default: COALESCOPE_DATA_DIR, else ./data)",
    )
    return options


def _output_options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument("--json", action="store_true", help="print JSON instead of text")
    return options


def _where(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--where",
        metavar="FACTOR=VALUE",
        type=assignment,
        action="append",
        default=[],
        help="use only the cells where the factor has this value; may be repeated",
    )


def _serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", help="address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=_port, help="port to listen on (default: 8000)")


def _predict(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        type=number,
        action="append",
        default=[],
        dest="values",
        help="value of an input or parameter; may be repeated",
    )
    parser.add_argument(
        "--over",
        metavar="NAME=LO:HI:N",
        type=number_range,
        action="append",
        default=[],
        help="let an input or parameter run from LO to HI in N points; may be repeated",
    )


def _surface(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("experiment", metavar="EXPERIMENT")
    parser.add_argument("measure", metavar="MEASURE")
    _where(parser)
    parser.add_argument("--x", metavar="FACTOR", help="factor along the rows' axis")
    parser.add_argument("--y", metavar="FACTOR", help="factor along the columns' axis")


def _fit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("experiment", metavar="EXPERIMENT")
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument(
        "--method",
        choices=("paper-tls", "ols"),
        default="paper-tls",
        help="total least squares as in Geist et al. 2005, or ordinary least squares "
        "(default: %(default)s)",
    )
    _where(parser)
    parser.add_argument(
        "--resamples",
        type=_count,
        default=10_000,
        help="bootstrap resamples behind the intervals (default: %(default)s)",
    )
    parser.add_argument(
        "--seed", type=_count, default=1, help="seed of the bootstrap (default: %(default)s)"
    )


def _check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path)


def _import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
    _destination(parser)


def _destination(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--experiment", metavar="SLUG", help="put the runs there, whatever the files say"
    )
    parser.add_argument("--title", help="title of the experiment, if it is new")
    parser.add_argument("--kind", choices=KINDS, help="kind of the data (default: measured)")
    parser.add_argument("--citation", help="where the data comes from, if the experiment is new")


def _upload(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
    parser.add_argument("--server", metavar="URL", required=True, type=_server)
    _destination(parser)
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        type=Path,
        help="file that holds the server's token (default: the environment's COALESCOPE_TOKEN)",
    )
    parser.add_argument(
        "--parallel",
        type=_count,
        default=4,
        metavar="N",
        help="files under way at once (default: %(default)s)",
    )


def _export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("experiment", metavar="EXPERIMENT")
    parser.add_argument("--format", choices=("csv", "json"), required=True)
    parser.add_argument(
        "--what",
        choices=("cells", "runs"),
        default="cells",
        help="one row per cell with mean, deviation and count, or one per run "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--output", metavar="FILE", type=Path, help="write to this file, not to stdout"
    )


def assignment(text: str) -> tuple[str, str]:
    """NAME=VALUE, both as text."""
    name, separator, value = text.partition("=")
    if not separator or not name.strip() or not value.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    return name.strip(), value.strip()


def number(text: str) -> tuple[str, float]:
    """NAME=VALUE with a finite number."""
    name, value = assignment(text)
    return name, _finite(value)


def number_range(text: str) -> Range:
    """NAME=LO:HI:N with finite bounds and a whole N."""
    name, value = assignment(text)
    parts = value.split(":")
    if len(parts) != 3:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=LO:HI:N")
    return Range(name, _finite(parts[0]), _finite(parts[1]), _count(parts[2]))


def _finite(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text!r} is not a finite number")
    return value


def _count(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is negative")
    return value


def _port(text: str) -> int:
    value = _count(text)
    if value > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port (0 to 65535)")
    return value


def _server(text: str) -> str:
    from urllib.parse import urlsplit  # noqa: PLC0415

    try:
        parts = urlsplit(text)
        sound = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        sound = False
    if not sound:
        raise argparse.ArgumentTypeError(f"{text!r} is not an address such as http://host:8000")
    return text.rstrip("/")
