# SPDX-License-Identifier: Apache-2.0
"""What can be typed after each command. Imports nothing of what they do."""

from __future__ import annotations

import os
import shlex
from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, _ActionsContainer
from collections.abc import Callable
from pathlib import Path

from coalescope_host.exit_statuses import FAILED
from coalescope_host.plan.registry import MEANINGS
from coalescope_host.tuning import losses
from coalescope_host.tuning.question import QUANTITIES

CALIBRATED_US = (0, 1, 2, 4, 8, 16, 32, 50, 64, 100, 128, 250, 500, 1000)
"""What `calibrate` asks for where nothing else is said."""


def add_check_arguments(parser: ArgumentParser) -> None:
    """The arguments of `check`."""
    parser.add_argument("files", nargs="+", metavar="FILE", type=Path, help="run log")


def add_sweep_arguments(parser: ArgumentParser) -> None:
    """The arguments of `sweep`."""
    parser.add_argument(
        "plan",
        nargs="?",
        metavar="PLAN.toml|INTERFACE",
        help="plan file, or interface to sweep without one",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="check whether it can be done; change nothing"
    )
    parser.add_argument(
        "--all", action="store_true", help="with --dry-run: list every change and the order too"
    )
    parser.add_argument(
        "--replicates", metavar="N", help="run only these replicates: 3, 1-4 or 1,5 (default: all)"
    )
    parser.add_argument(
        "--cells",
        metavar="FILE",
        type=Path,
        help="run only the cells that `coalescope plan … --json` says to measure again, as often "
        "as it says",
    )
    _add_folder(parser)
    _add_sending(parser)
    parser.add_argument(
        "--restore",
        action="store_true",
        help="put back what a sweep that died left changed, as the command restore does",
    )
    _add_state(parser)
    without = parser.add_argument_group(
        "without a plan",
        "Any factor by the name that the field has for it, with its levels: --mtu 1500,9000 "
        "--rx-usecs 0,25,50 --gro on,off. --replicates N then means N blocks (default: 3).",
    )
    _add_peers(without)
    without.add_argument(
        "--workload",
        metavar="NAME,NAME",
        default="tcp",
        help="traffic: udp, tcp, rr, or several of them (default: %(default)s)",
    )
    _add_what_is_run(without)


def add_tune_arguments(parser: ArgumentParser) -> None:
    """The arguments of `tune`."""
    parser.add_argument(
        "plan",
        metavar="INTERFACE|PLAN.toml",
        help="interface to tune, or plan file whose cells are the settings to choose among",
    )
    parser.add_argument(
        "--goal",
        metavar="|".join(QUANTITIES),
        required=True,
        help="what to improve: cpu or energy (per GB received), throughput, or p50, p99 or p99.9 "
        "of the latency",
    )
    parser.add_argument(
        "--under",
        metavar="LIMIT",
        action="append",
        default=[],
        help="limit to keep: cpu=30%%, p99=200us, throughput=900Mb/s (at least), delay=100us (of "
        "the setting itself); may be repeated",
    )
    parser.add_argument(
        "--any-wait",
        action="store_true",
        help="let packets wait as long as it takes: guard no latency, and ask for no limit on it "
        "where only a cost is aimed at",
    )
    parser.add_argument(
        "--within",
        metavar="PERCENT",
        type=_number("percent"),
        default=1.0,
        help="let the throughput lie at most so far below its best; 100: do not limit it "
        "(default: %(default)g)",
    )
    parser.add_argument(
        "--loss-within",
        metavar="PERCENT|any",
        type=_loss,
        default=losses.WITHIN_PERCENT,
        help="let so much more be lost than now (drops, datagrams, segments retransmitted), chance "
        "aside; any: do not limit it (default: %(default)g)",
    )
    parser.add_argument(
        "--budget",
        metavar="RUNS|TIME",
        help="limit of runs or of time: 40, 20m (default: twice as many runs as settings, but at "
        "least 40)",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="say what would be tried first; change nothing"
    )
    parser.add_argument(
        "--apply", action="store_true", help="set the answer; it stays only if you confirm it"
    )
    parser.add_argument(
        "--confirm-within",
        metavar="SECONDS",
        type=_number("seconds"),
        default=60.0,
        help="with --apply: time to confirm it (default: %(default)g)",
    )
    _add_folder(parser)
    _add_sending(parser)
    without = parser.add_argument_group(
        "without a plan",
        "Candidates by the names of the field: --mtu 1500,9000 --rx-usecs 0,25,50. Without any: "
        "delays that the driver takes, and adaptive moderation where it has that.",
    )
    _add_peers(without)
    without.add_argument(
        "--workload",
        metavar="NAME",
        help="traffic: udp, tcp, rr, or a workload of the plan (default: rr for a latency, else "
        "tcp)",
    )
    _add_what_is_run(without, "HOST-INTERFACE-tune-GOAL")


def _add_what_is_run(group: _ActionsContainer, experiment: str = "HOST-INTERFACE") -> None:
    group.add_argument(
        "--duration",
        metavar="SECONDS",
        type=_number("seconds"),
        default=10,
        help="measured time of each run (default: %(default)s)",
    )
    group.add_argument(
        "--experiment", metavar="SLUG", help=f"name of the experiment (default: {experiment})"
    )
    for word in MEANINGS:
        group.add_argument(f"--{word}", dest=f"factor {word}", help=SUPPRESS)


def add_init_arguments(parser: ArgumentParser) -> None:
    """The arguments of `init`."""
    parser.add_argument("interface", metavar="INTERFACE", help="network interface")
    _add_peers(parser)
    parser.add_argument(
        "--out",
        metavar="FILE",
        type=Path,
        default=Path("plan.toml"),
        help="plan file to write (default: %(default)s)",
    )
    _add_force(parser)


def add_calibrate_arguments(parser: ArgumentParser) -> None:
    """The arguments of `calibrate`."""
    parser.add_argument("interface", metavar="INTERFACE", help="network interface")
    _add_peers(parser)
    parser.add_argument(
        "--packet-rate",
        metavar="HZ",
        type=_number("packets per second"),
        default=100_000,
        help="packets per second that the peer sends (default: %(default)s)",
    )
    parser.add_argument(
        "--rx-usecs",
        metavar="US,US",
        type=_whole_numbers,
        default=list(CALIBRATED_US),
        help=f"delays to ask for, in µs (default: {','.join(map(str, CALIBRATED_US))})",
    )
    parser.add_argument(
        "--rx-frames",
        metavar="N,N",
        type=_whole_numbers,
        help="numbers of frames to ask for with each delay, where the driver has rx-frames "
        "(default: 4,64)",
    )
    parser.add_argument(
        "--textfile",
        metavar="FILE.prom",
        type=_textfile,
        help="write the delays for Prometheus, too: a file in the folder of the node exporter's "
        "textfile collector",
    )
    _add_folder(parser)
    _add_sending(parser)


def _textfile(text: str) -> Path:
    """A file that the collector reads, in a folder that takes it: a minute is measured first."""
    path = Path(text)
    if path.suffix != ".prom":
        raise ArgumentTypeError(f"{text} must end in .prom: the collector reads no other files")
    if path.is_dir() or not os.access(path.parent, os.W_OK | os.X_OK):
        raise ArgumentTypeError(f"{text} cannot be written: is its folder there, and yours?")
    return path


def _number(unit: str) -> Callable[[str], float]:
    """A number in that unit."""

    def number(text: str) -> float:
        try:
            return float(text.removesuffix("%") if unit == "percent" else text)
        except ValueError:
            raise ArgumentTypeError(f"{text} must be a number, in {unit}") from None

    return number


def _loss(text: str) -> float | None:
    """A percentage; None for any."""
    return None if text == "any" else _number("percent, or any")(text.removesuffix("%"))


def _whole(text: str) -> int:
    """A whole number."""
    try:
        return int(text)
    except ValueError:
        raise ArgumentTypeError(f"{text} must be a whole number") from None


def _shell_words(text: str) -> str:
    """Words as a shell divides them."""
    try:
        shlex.split(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text}: {str(error).lower()}") from None
    return text


def _whole_numbers(text: str) -> list[int]:
    """Numbers joined by commas."""
    numbers = text.split(",")
    if not all(number.isdecimal() for number in numbers):
        raise ArgumentTypeError(f"{text} must be whole numbers joined by commas")
    return [int(number) for number in numbers]


def _add_sending(parser: ArgumentParser) -> None:
    _add_server(parser, "send the logs to this server as they come")
    parser.add_argument(
        "--yes-this-interface",
        metavar="NAME",
        help="use this interface although the way to this host may lead through it; needs --really",
    )
    parser.add_argument("--really", action="store_true", help="confirm --yes-this-interface")


def _add_peers(parser: _ActionsContainer) -> None:
    parser.add_argument(
        "--peer",
        metavar="USER@HOST",
        action="append",
        default=[],
        help="host that sends, reached by ssh; may be repeated",
    )
    parser.add_argument(
        "--ssh-options",
        metavar="TEXT",
        type=_shell_words,
        default="",
        help='options of ssh to peers: "-p 2222 -i key"',
    )


def add_restore_arguments(parser: ArgumentParser) -> None:
    """The arguments of `restore`."""
    _add_state(parser)


def add_snapshot_arguments(parser: ArgumentParser) -> None:
    """The arguments of `snapshot`."""
    parser.add_argument("interface", metavar="INTERFACE", help="network interface")
    parser.add_argument(
        "--out", metavar="FILE", type=Path, help="write to this file, not to stdout"
    )
    _add_force(parser)
    parser.add_argument("--redact-host", action="store_true", help="leave out the host's name")


def add_diff_arguments(parser: ArgumentParser) -> None:
    """The arguments of `diff`."""
    for name in ("before", "after"):
        parser.add_argument(name, metavar=name.upper(), type=Path, help="snapshot or run log")
    parser.add_argument(
        "--exit-code",
        action="store_true",
        help=f"end with status {FAILED} where something differs",
    )


def add_upload_arguments(parser: ArgumentParser) -> None:
    """The arguments of `upload`."""
    parser.add_argument(
        "paths", nargs="+", metavar="FILE|DIR", type=Path, help="run log, or folder of run logs"
    )
    _add_server(parser, "address of the server, such as http://host:8000", required=True)


def add_demo_arguments(parser: ArgumentParser) -> None:
    """The arguments of `demo`."""
    parser.add_argument(
        "--replicates",
        metavar="N",
        type=_whole,
        default=3,
        help="runs of each setting, one in each block (default: %(default)s)",
    )
    parser.add_argument(
        "--duration",
        metavar="SECONDS",
        type=_number("seconds"),
        default=0.8,
        help="measured time of each run (default: %(default)s)",
    )
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        help="keep the logs in this folder (default: do not keep them)",
    )
    _add_server(
        parser, "send the logs to this server (default: http://127.0.0.1:8000, if it answers)"
    )


def _add_server(parser: ArgumentParser, words: str, *, required: bool = False) -> None:
    parser.add_argument("--server", metavar="URL", required=required, help=words)
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        type=Path,
        help="file that holds the server's token (default: the environment's COALESCOPE_TOKEN)",
    )


def _add_folder(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        help="folder for logs and journal (default: the experiment's name)",
    )


def _add_force(parser: ArgumentParser) -> None:
    parser.add_argument("--force", action="store_true", help="write over a file that is there")


def _add_state(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--state",
        metavar="FILE",
        type=Path,
        help="put back this saved state only (default: all that are saved)",
    )
