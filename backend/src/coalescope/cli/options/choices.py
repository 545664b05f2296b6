# SPDX-License-Identifier: Apache-2.0
"""What can be typed after the commands that choose what to set."""

import argparse

from coalescope.cli import arguments
from coalescope.cli.options import shared
from coalescope.recommendations.forms import FORMS


def recommend(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope recommend`."""
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("experiment", metavar="EXPERIMENT", nargs="?", help=shared.EXPERIMENT)
    source.add_argument(
        "--model",
        metavar="MODEL",
        help=f"choose among predictions: {shared.MODEL}",
    )
    goal = parser.add_argument_group("goal")
    for sense in ("maximise", "minimise"):
        shared.repeated(
            goal,
            f"--{sense}",
            metavar="MEASURE",
            help="a measure, such as throughput_mbps or latency_us; may be repeated",
        )
    shared.repeated(
        goal,
        "--weight",
        metavar="MEASURE=W",
        type=arguments.number,
        help="what a relative change of the measure is worth beside the others' (default: 1); may "
        "be repeated",
    )
    goal.add_argument(
        "--balance",
        action="store_true",
        help="of two measures, choose the knee of the curve between their best settings: from "
        "there, either way loses a larger share of one than it gains of the other",
    )
    for bound in ("at-most", "at-least"):
        shared.repeated(
            goal,
            f"--{bound}",
            metavar="NAME=VALUE",
            type=arguments.number,
            help="a bound that the setting must keep, on a measure or on a factor such as "
            "delay_us; may be repeated",
        )
    shared.repeated(
        goal,
        "--within",
        metavar="MEASURE=PERCENT",
        type=arguments.percent_of,
        help="no further than this from the best of a measure; where a cost is minimised and "
        "nothing is said of the throughput, it is kept within 1 %% of its best; may be repeated",
    )
    shared.repeated(
        goal,
        "--within-current",
        metavar="MEASURE=PERCENT",
        type=arguments.percent_of,
        help="no more than this worse than with what is set now; where nothing is said of a "
        "latency or of the delay, latency is kept within 10 %%; what is lost (drops, datagrams, "
        "segments retransmitted) is, too, chance aside; may be repeated",
    )
    goal.add_argument(
        "--unguarded",
        action="store_true",
        help="rank what is aimed at alone: keep no throughput and no latency, let packets be lost, "
        "and ask for no limit on the delay",
    )
    shared.repeated(
        goal,
        "--current",
        metavar="FACTOR=VALUE",
        type=arguments.assignment,
        help="what is set now: the answer is compared with it, and changes as little of it as it "
        "can; may be repeated",
    )
    goal.add_argument(
        "--tolerance",
        metavar="PERCENT",
        type=arguments.percent,
        help="a loss that does not matter (default: 2, and 5 with --balance, whose loss is a share "
        "of what choosing can change)",
    )
    shared.where(parser)
    shared.without(parser)
    shared.values(parser, "with --model: ")
    shared.repeated(
        parser,
        "--choose",
        metavar="NAME=V,V,…",
        type=arguments.levels,
        help="with --model: what can be chosen, with the levels there are; may be repeated",
    )
    parser.add_argument(
        "--interface", metavar="NAME", help="write the commands that set the answer on it"
    )
    parser.add_argument(
        "--driver", metavar="NAME", help="driver of the interface, as `ethtool -i` shows it"
    )
    parser.add_argument(
        "--kernel",
        metavar="VERSION",
        help="kernel of its host, as `uname -r` shows it (default: the newest that is known)",
    )
    parser.add_argument(
        "--as",
        dest="form",
        choices=tuple(FORMS),
        help="write only what keeps the setting after a restart, for this system",
    )
    parser.add_argument("--seed", type=arguments.count, default=1, help=argparse.SUPPRESS)


def policy(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope policy`."""
    parser.add_argument("policy", metavar="POLICY", nargs="?", help="name of an adaptive policy")
    parser.add_argument(
        "experiment",
        metavar="EXPERIMENT",
        nargs="?",
        help="play the packet rate and mean packet that it recorded, beside the delays that it "
        "measured; as one stream, or as --clients that wait",
    )
    shared.where(parser)
    open_loop = parser.add_argument_group("packets that come whatever the receiver does")
    shared.repeated(
        open_loop,
        "--phase",
        metavar="RATE:BYTES:MS",
        type=arguments.phase,
        dest="phases",
        help="packets per second, bytes of each, and for how many milliseconds, as in "
        "80000:1518:200; may be repeated: one phase follows the other",
    )
    open_loop.add_argument(
        "--random", action="store_true", help="packets come at random (Poisson), not evenly spaced"
    )
    closed = parser.add_argument_group("clients that wait for their reply")
    closed.add_argument(
        "--clients", metavar="N", type=arguments.one_to(10_000), help="number of clients"
    )
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
        help="size of each reply, which is one packet (default: %(default)s)",
    )
    closed.add_argument(
        "--duration",
        metavar="MS",
        type=arguments.positive,
        default=200.0,
        help="milliseconds to watch them, or an experiment's stream, for (default: %(default)s)",
    )
    parser.add_argument(
        "--propose",
        action="store_true",
        help="look for a profile of DIM that suits the traffic, where no shipped one fits",
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
        help="fixed intervals to try beside it, in µs (default: 0 to 256, as drivers have them; "
        "with EXPERIMENT, the delays that it measured)",
    )
    parser.add_argument(
        "--seed",
        metavar="N",
        type=arguments.count,
        default=1,
        help="seed of --random (default: %(default)s)",
    )
