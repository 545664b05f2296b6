# SPDX-License-Identifier: Apache-2.0
"""What can be typed after each command. Imports nothing of what they do."""

from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, _ActionsContainer
from pathlib import Path

from coalescope_host.plan.registry import MEANINGS

CALIBRATED_US = (0, 1, 2, 4, 8, 16, 32, 50, 64, 100, 128, 250, 500, 1000)
"""What `calibrate` asks for where nothing else is said."""


def add_check_arguments(parser: ArgumentParser) -> None:
    """The arguments of `check`."""
    parser.add_argument("files", nargs="+", metavar="FILE", type=Path)


def add_sweep_arguments(parser: ArgumentParser) -> None:
    """The arguments of `sweep`."""
    parser.add_argument(
        "plan",
        nargs="?",
        metavar="PLAN.toml|INTERFACE",
        help="a plan, or what to sweep",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="whether it can be done; changes nothing"
    )
    parser.add_argument(
        "--all", action="store_true", help="with --dry-run: every change and the order, too"
    )
    parser.add_argument(
        "--replicates", metavar="N", help="only these replicates: 3, 1-4 or 1,5 (all)"
    )
    parser.add_argument(
        "--cells",
        metavar="FILE",
        type=Path,
        help="only the cells that `coalescope plan … --json` says to measure again, as often",
    )
    parser.add_argument(
        "--out", metavar="DIR", type=Path, help="where logs and journal go (the experiment's name)"
    )
    _add_sending(parser)
    parser.add_argument("--restore", action="store_true", help="the same as the command restore")
    _add_state(parser)
    without = parser.add_argument_group(
        "without a plan",
        "Any factor by the name that the field has for it, with its levels: --mtu 1500,9000 "
        "--rx-usecs 0,25,50 --gro on,off. --replicates N then means N blocks (3).",
    )
    _add_peers(without)
    without.add_argument("--workload", metavar="NAMES", default="tcp", help="of udp, tcp, rr (tcp)")
    _add_what_is_run(without)


def add_tune_arguments(parser: ArgumentParser) -> None:
    """The arguments of `tune`."""
    parser.add_argument(
        "plan",
        metavar="INTERFACE|PLAN.toml",
        help="what to tune, or a plan whose cells are the settings to choose among",
    )
    parser.add_argument(
        "--goal",
        metavar="WORD",
        required=True,
        help="cpu or energy for what is received, throughput, p50, p99 or p99.9 of the latency",
    )
    parser.add_argument(
        "--under",
        metavar="LIMIT",
        action="append",
        default=[],
        help="what must be kept: cpu=30%%, p99=200us, throughput=900Mb/s (at least); repeatable",
    )
    parser.add_argument(
        "--within",
        metavar="PERCENT",
        type=float,
        default=1.0,
        help="how far the throughput may lie below its best; 100: as far as it likes (1)",
    )
    parser.add_argument(
        "--budget",
        metavar="RUNS|TIME",
        help="at most so many runs, or so long: 40, 20m (twice as many runs as settings, but 40)",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="what would be tried first; changes nothing"
    )
    parser.add_argument(
        "--apply", action="store_true", help="set the answer, which stays if you confirm it"
    )
    parser.add_argument(
        "--confirm-within",
        metavar="SECONDS",
        type=float,
        default=60.0,
        help="with --apply: for how long it waits for that (60)",
    )
    parser.add_argument(
        "--out", metavar="DIR", type=Path, help="where logs and journal go (the experiment's name)"
    )
    _add_sending(parser)
    without = parser.add_argument_group(
        "without a plan",
        "Candidates by the names of the field: --mtu 1500,9000 --rx-usecs 0,25,50. Without any: "
        "delays that the driver takes, and adaptive moderation where it has that.",
    )
    _add_peers(without)
    without.add_argument(
        "--workload", metavar="NAME", help="udp, tcp, rr, or one of the plan's (rr for a latency)"
    )
    _add_what_is_run(without)


def _add_what_is_run(group: _ActionsContainer) -> None:
    group.add_argument(
        "--duration", metavar="SECONDS", type=float, default=10, help="of each run's window (10)"
    )
    group.add_argument("--experiment", metavar="SLUG", help="its name (HOST-INTERFACE)")
    for word in MEANINGS:
        group.add_argument(f"--{word}", dest=f"factor {word}", help=SUPPRESS)


def add_init_arguments(parser: ArgumentParser) -> None:
    """The arguments of `init`."""
    parser.add_argument("interface", metavar="INTERFACE")
    _add_peers(parser)
    parser.add_argument(
        "--out", metavar="FILE", type=Path, default=Path("plan.toml"), help="(plan.toml)"
    )
    parser.add_argument("--force", action="store_true", help="although the file is there")


def add_calibrate_arguments(parser: ArgumentParser) -> None:
    """The arguments of `calibrate`."""
    parser.add_argument("interface", metavar="INTERFACE")
    _add_peers(parser)
    parser.add_argument(
        "--packet-rate", metavar="HZ", type=float, default=100_000, help="of the peer (100000)"
    )
    parser.add_argument(
        "--rx-usecs",
        metavar="US,US",
        type=_whole_numbers,
        default=list(CALIBRATED_US),
        help=f"what is asked for ({','.join(map(str, CALIBRATED_US))})",
    )
    parser.add_argument(
        "--rx-frames",
        metavar="N,N",
        type=_whole_numbers,
        help="with each of them, where the driver has rx-frames (4,64)",
    )
    parser.add_argument("--out", metavar="DIR", type=Path, help="where logs and journal go")
    _add_sending(parser)


def _whole_numbers(text: str) -> list[int]:
    """Numbers joined by commas."""
    numbers = text.split(",")
    if not all(number.isdecimal() for number in numbers):
        raise ArgumentTypeError(f"{text} must be whole numbers joined by commas")
    return [int(number) for number in numbers]


def _add_sending(parser: ArgumentParser) -> None:
    parser.add_argument("--server", metavar="URL", help="send the logs there as they come")
    _add_token_file(parser)
    parser.add_argument(
        "--yes-this-interface",
        metavar="NAME",
        help="use it although the way to this host may lead through it; needs --really too",
    )
    parser.add_argument("--really", action="store_true", help="confirms --yes-this-interface")


def _add_peers(parser: _ActionsContainer) -> None:
    parser.add_argument(
        "--peer", metavar="USER@HOST", action="append", default=[], help="ssh to a sending host"
    )
    parser.add_argument(
        "--ssh-options", metavar="TEXT", default="", help='of ssh to peers: "-p 2222 -i key"'
    )


def add_restore_arguments(parser: ArgumentParser) -> None:
    """The arguments of `restore`."""
    _add_state(parser)


def add_snapshot_arguments(parser: ArgumentParser) -> None:
    """The arguments of `snapshot`."""
    parser.add_argument("interface", metavar="INTERFACE")
    parser.add_argument("--out", metavar="FILE", type=Path, help="where it goes (printed)")
    parser.add_argument("--force", action="store_true", help="although the file is there")
    parser.add_argument("--redact-host", action="store_true", help="leave out the host's name")


def add_diff_arguments(parser: ArgumentParser) -> None:
    """The arguments of `diff`."""
    for name in ("before", "after"):
        parser.add_argument(name, metavar=name.upper(), type=Path, help="a snapshot, or a run log")
    parser.add_argument(
        "--exit-code", action="store_true", help="end with status 1 where something differs"
    )


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
