# SPDX-License-Identifier: Apache-2.0
"""What can be typed: commands, options, and the checks that need no store and no model."""

import argparse
from pathlib import Path

from coalescope.cli import arguments
from coalescope.experiments.records import KINDS

_COMMANDS = "coalescope.cli.commands"
_MODEL = "id of a model of the catalogue, or file of one of your own (see `coalescope trace`)"
METHODS = ("paper-tls", "whitened", "ols")


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
    _variance(
        command("variance", "Say which of two factors moves a measure", store, output),
    )
    _compare(command("compare", "Compare two experiments, or two levels in one", store, output))
    _plan(command("plan", "Say which cells to measure again, and how often", store, output))
    _recommend(
        command("recommend", "Say which setting to choose, and how to set it", store, output)
    )
    _policy(
        command(
            "policy",
            "Say what adaptive moderation would choose, and what it costs beside a fixed interval, "
            "for typed traffic or an experiment's; without a name, list the policies",
            store,
            output,
        )
    )
    _trace(command("trace", "Write a Python function of yours as a model (runs the file)"))
    _check(
        command("check", "Show what run logs and tables hold and what is wrong with them", output)
    )
    _import(
        command(
            "import",
            "Store run logs, CSV files and tar archives of run logs in the local store",
            store,
            output,
        )
    )
    _upload(command("upload", "Send run logs and CSV files to a server", output))
    _export(command("export", "Write an experiment as CSV, JSON or Parquet", store))
    _verify(
        command("verify", "Check that everything stored is there, whole and right", store, output)
    )
    _backup(command("backup", "Copy the store to a folder, also while it is in use", store, output))
    _restore(command("restore", "Copy a backup to where there is no store yet", store, output))
    _publish(command("publish", "Write the store as a site of files that needs no server", store))
    _token(command("token", "Make, list and revoke a server's tokens"), store, output)
    _changes(command("changes", "Say who changed the store, when and how", store, output))
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


def _without(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--without",
        metavar="ID,ID",
        type=arguments.names,
        default=(),
        help="leave these runs out of the answer; nothing is deleted",
    )


def _where(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--where",
        metavar="FACTOR=VALUE",
        type=arguments.assignment,
        action="append",
        default=[],
        help="use only the cells where the factor has this value; may be repeated",
    )


def _serve(parser: argparse.ArgumentParser) -> None:
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


def _model(parser: argparse.ArgumentParser) -> None:
    """A model of the catalogue, or one's own."""
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("model", metavar="MODEL", nargs="?", help=_MODEL)
    which.add_argument("--model", metavar="MODEL", dest="model_option", help="the same")


def _predict(parser: argparse.ArgumentParser) -> None:
    _model(parser)
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        type=arguments.number,
        action="append",
        default=[],
        dest="values",
        help="value of an input or parameter; may be repeated",
    )
    parser.add_argument(
        "--over",
        metavar="NAME=LO:HI:N",
        type=arguments.number_range,
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
    _model(parser)
    parser.add_argument(
        "--method",
        choices=(*METHODS, "all"),
        action="append",
        dest="methods",
        help="of a linear fit: total least squares as in Geist et al. 2005 (the default), the same "
        "weighed by the noise of replicates, ordinary least squares; noisy counts bias all but the "
        "whitened one, whose intervals then cover best; may be repeated",
    )
    parser.add_argument(
        "--output",
        metavar="NAME",
        help="fit any model: its output that is compared with the response",
    )
    parser.add_argument(
        "--free",
        metavar="NAME,…",
        type=arguments.names,
        help="with --output: the parameters to find, within their sliders",
    )
    parser.add_argument(
        "--hold",
        metavar="NAME=VALUE",
        type=arguments.number,
        action="append",
        default=[],
        help="with --output: value of another parameter, or of an input that was not recorded; "
        "may be repeated",
    )
    parser.add_argument(
        "--weighting",
        choices=("relative", "absolute"),
        default="relative",
        help="with --output: weigh deviations in percent or in their unit (default: %(default)s)",
    )
    parser.add_argument(
        "--response",
        metavar="MEASURE",
        help="the measure to fit (default: with --output that of its name, else the one that most "
        "runs have; of equals, what receiving alone cost)",
    )
    _where(parser)
    _without(parser)
    parser.add_argument(
        "--pool",
        metavar="FACTOR",
        action="append",
        default=[],
        help="take cells that differ in this factor only for one; may be repeated",
    )
    parser.add_argument(
        "--resamples",
        type=arguments.count,
        help="bootstrap resamples behind the intervals (default: 10000, with --output 1000)",
    )
    parser.add_argument(
        "--seed",
        type=arguments.count,
        default=1,
        help="seed of the bootstrap (default: %(default)s)",
    )


def _variance(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("experiment", metavar="EXPERIMENT")
    _measure(parser)
    parser.add_argument(
        "--factors", metavar="A,B", type=arguments.names, required=True, help="the two factors"
    )
    _where(parser)
    _without(parser)


def _compare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("experiment", metavar="A", help="experiment to compare with")
    parser.add_argument(
        "other",
        metavar="B",
        nargs="?",
        help="experiment that is compared (default: A, with --split)",
    )
    _measure(parser)
    _where(parser)
    parser.add_argument(
        "--split",
        metavar="FACTOR=LEVEL:LEVEL",
        help="only cells of the first level on side A, of the second on side B",
    )
    parser.add_argument(
        "--better",
        choices=("more", "less"),
        help="which is better (default: as the glossary says)",
    )
    parser.add_argument(
        "--fail-if-worse",
        metavar="PERCENT",
        type=arguments.not_negative,
        help="exit with status 1 if B is worse by more than this, overall or in a cell where that "
        "is beyond chance; without replicates nothing is known of chance, and any difference "
        "beyond it fails: measure each setting at least three times",
    )


def _plan(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("experiment", metavar="EXPERIMENT")
    _measure(parser)
    parser.add_argument(
        "--width",
        metavar="PERCENT",
        type=arguments.positive,
        required=True,
        help="wanted half width of each 95 %% interval, in percent of the mean",
    )
    _where(parser)
    _without(parser)


def _measure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--measure",
        metavar="MEASURE",
        required=True,
        help="of the glossary, such as throughput_mbps",
    )


def _recommend(parser: argparse.ArgumentParser) -> None:
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("experiment", metavar="EXPERIMENT", nargs="?")
    source.add_argument(
        "--model",
        metavar="MODEL",
        help=f"choose among predictions: {_MODEL}",
    )
    goal = parser.add_argument_group("goal")
    for sense in ("maximise", "minimise"):
        goal.add_argument(
            f"--{sense}",
            metavar="MEASURE",
            action="append",
            default=[],
            help="a measure, such as throughput_mbps or latency_us; may be repeated",
        )
    goal.add_argument(
        "--weight",
        metavar="MEASURE=W",
        type=arguments.number,
        action="append",
        default=[],
        help="what a relative change of it is worth (default: 1)",
    )
    goal.add_argument(
        "--balance",
        action="store_true",
        help="of two measures, choose the knee of the curve between their best settings: from "
        "there, either way loses a larger share of one than it gains of the other",
    )
    for bound in ("at-most", "at-least"):
        goal.add_argument(
            f"--{bound}",
            metavar="MEASURE=VALUE",
            type=arguments.number,
            action="append",
            default=[],
            help="a bound that the setting must keep; may be repeated",
        )
    goal.add_argument(
        "--tolerance",
        metavar="PERCENT",
        type=arguments.not_negative,
        help="a loss that does not matter (default: 1, and 5 with --balance, whose loss is a share "
        "of what choosing can change)",
    )
    _where(parser)
    _without(parser)
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        type=arguments.number,
        action="append",
        default=[],
        dest="values",
        help="with --model: value of an input or parameter; may be repeated",
    )
    parser.add_argument(
        "--choose",
        metavar="NAME=V,V,…",
        type=arguments.levels,
        action="append",
        default=[],
        help="with --model: what can be chosen, with the levels there are; may be repeated",
    )
    parser.add_argument("--interface", metavar="NAME", help="write the commands for it")
    parser.add_argument("--driver", metavar="NAME", help="of the interface, as ethtool -i shows it")
    parser.add_argument("--seed", type=arguments.count, default=1, help=argparse.SUPPRESS)


def _policy(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("policy", metavar="POLICY", nargs="?", help="name of an adaptive policy")
    parser.add_argument(
        "experiment",
        metavar="EXPERIMENT",
        nargs="?",
        help="play the packet rate and mean packet that it recorded, beside the delays that it "
        "measured; as one stream, or as --clients that wait",
    )
    _where(parser)
    open_loop = parser.add_argument_group("packets that come whatever the receiver does")
    open_loop.add_argument(
        "--phase",
        metavar="RATE:BYTES:MS",
        type=arguments.phase,
        action="append",
        default=[],
        dest="phases",
        help="packets per second, bytes of each, and for how many milliseconds; may be repeated, "
        "one phase follows the other",
    )
    open_loop.add_argument(
        "--random", action="store_true", help="packets come at random (Poisson), not evenly spaced"
    )
    closed = parser.add_argument_group("clients that wait for their reply")
    closed.add_argument("--clients", metavar="N", type=arguments.one_to(10_000), help="how many")
    closed.add_argument(
        "--round-trip",
        metavar="US",
        type=arguments.at_least_one,
        default=100.0,
        help="microseconds from a processed reply to the client's next one (default: %(default)s)",
    )
    closed.add_argument(
        "--frame-bytes",
        metavar="BYTES",
        type=arguments.one_to(65_536),
        default=1518,
        help="of each reply, one packet (default: %(default)s)",
    )
    closed.add_argument(
        "--duration",
        metavar="MS",
        type=arguments.positive,
        default=200.0,
        help="milliseconds to watch them, or an experiment's stream, for (default: %(default)s)",
    )
    price = parser.add_argument_group("what counts")
    price.add_argument(
        "--interrupt-cost",
        metavar="US",
        type=arguments.zero_to(1e6),
        default=3.0,
        help="microseconds of CPU time for each interrupt (default: %(default)s)",
    )
    price.add_argument(
        "--packet-cost",
        metavar="US",
        type=arguments.zero_to(1e6),
        default=1.5,
        help="microseconds of CPU time for each packet (default: %(default)s)",
    )
    price.add_argument(
        "--wait-weight",
        metavar="W",
        type=arguments.zero_to(1000),
        default=0.1,
        help="microseconds of CPU time that a microsecond of a packet's waiting is worth (default: "
        "%(default)s)",
    )
    parser.add_argument(
        "--intervals",
        metavar="US,US,…",
        type=arguments.intervals,
        help="fixed intervals to try beside it (default: 0 to 256 µs, as drivers have them; with "
        "EXPERIMENT, the delays that it measured)",
    )
    parser.add_argument(
        "--seed", type=arguments.count, default=1, help="of --random (default: %(default)s)"
    )


def _trace(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE.py", type=Path, help="your own file: it is run on this machine"
    )
    parser.add_argument(
        "--function",
        metavar="NAME",
        help="the function in it (default: the only one that takes xp)",
    )
    parser.add_argument(
        "--write", metavar="FILE", type=Path, help="write to this file, not to stdout"
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
    parser.add_argument("--server", metavar="URL", required=True, type=arguments.server)
    _destination(parser)
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


def _export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("experiment", metavar="EXPERIMENT")
    parser.add_argument("--format", choices=("csv", "json", "parquet"), required=True)
    parser.add_argument(
        "--what",
        choices=("cells", "runs"),
        default="cells",
        help="one row per cell with mean, deviation and count, or one per run "
        "(default: %(default)s)",
    )
    _without(parser)
    parser.add_argument(
        "--output", metavar="FILE", type=Path, help="write to this file, not to stdout"
    )


def _verify(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--deep",
        action="store_true",
        help="also measure every stored file anew and compare with what its runs say",
    )


def _backup(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "directory",
        metavar="DIR",
        type=Path,
        help="a new folder, or an earlier backup: then only new files are copied",
    )


def _restore(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", metavar="BACKUP", type=Path, help="folder of a backup")


def _publish(parser: argparse.ArgumentParser) -> None:
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


def _token(
    parser: argparse.ArgumentParser, store: argparse.ArgumentParser, output: argparse.ArgumentParser
) -> None:
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


def _changes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--limit",
        metavar="N",
        type=arguments.one_to(1_000_000),
        default=50,
        help="at most so many, the newest first (default: %(default)s)",
    )
