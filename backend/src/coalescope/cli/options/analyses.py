# SPDX-License-Identifier: Apache-2.0
"""What can be typed after the commands that analyse experiments."""

import argparse

from coalescope_models.inference.methods import METHODS

from coalescope.cli import arguments
from coalescope.cli.exit_statuses import ExitStatus
from coalescope.cli.options import shared


def surface(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope surface`."""
    shared.experiment(parser)
    parser.add_argument("measure", metavar="MEASURE", help=shared.MEASURE)
    shared.where(parser)
    parser.add_argument("--x", metavar="FACTOR", help="factor along the rows' axis")
    parser.add_argument("--y", metavar="FACTOR", help="factor along the columns' axis")


def fit(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope fit`."""
    shared.experiment(parser)
    shared.model(parser)
    parser.add_argument(
        "--method",
        choices=(*METHODS, "all"),
        action="append",
        dest="methods",
        help="of a linear fit (default: the one that the data set names as its paper's, else ols; "
        "with --output, robust is the only other one): "
        "ols, least squares of all runs in percent of their cell; ols-hc3, the same with "
        "HC3 standard errors in place of resamples; wls, weighed by how the "
        "replicates' spread goes with the response; robust, which outlying runs do not move; "
        "whitened, for counts that err: a model that the replicates reject distorts it most; "
        "paper-tls, total least squares as in Geist et al. 2005, whose result depends on the units "
        "of the counts; may be repeated",
    )
    parser.add_argument(
        "--base",
        action="store_true",
        help="of a linear fit: find also the CPU time that passes without traffic, per second",
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
        help="with --output: the parameters to find, within the domains of the glossary, or the "
        "range that a model of your own gives",
    )
    shared.repeated(
        parser,
        "--hold",
        metavar="NAME=VALUE",
        type=arguments.number,
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
    shared.where(parser)
    shared.without(parser)
    shared.repeated(
        parser,
        "--pool",
        metavar="FACTOR",
        help="take cells that differ in this factor only for one; may be repeated",
    )
    parser.add_argument(
        "--resamples",
        metavar="N",
        type=arguments.count,
        help="bootstrap resamples behind the intervals (default: 10000, with --output 1000)",
    )
    parser.add_argument(
        "--seed",
        metavar="N",
        type=arguments.count,
        default=1,
        help="seed of the bootstrap (default: %(default)s)",
    )
    parser.add_argument(
        "--job",
        action="store_true",
        help="with --server: ask for it as a job, which may take sixty times as long as a request; "
        "how far it is stands on stderr, and Ctrl-C cancels it",
    )


def variance(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope variance`."""
    shared.experiment(parser)
    shared.measure(parser)
    parser.add_argument(
        "--factors", metavar="A,B", type=arguments.two_names, required=True, help="the two factors"
    )
    shared.where(parser)
    shared.without(parser)


def compare(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope compare`."""
    parser.add_argument("experiment", metavar="A", help="experiment to compare with")
    parser.add_argument(
        "other",
        metavar="B",
        nargs="?",
        help="experiment that is compared (default: A, with --split)",
    )
    shared.repeated(
        parser,
        "--measure",
        metavar="MEASURE",
        required=True,
        help=f"{shared.MEASURE}; may be repeated",
    )
    shared.where(parser)
    shared.repeated(
        parser,
        "--split",
        type=arguments.two_levels,
        metavar="FACTOR=LEVEL:LEVEL",
        help="only cells of the first level on side A, of the second on side B; may be repeated",
    )
    parser.add_argument(
        "--better",
        choices=("more", "less"),
        help="whether more or less of the measure is better (default: as the glossary says)",
    )
    parser.add_argument(
        "--fail-if-worse",
        action="store_true",
        help="say of each measure whether B is worse, overall or in a cell; exit status "
        f"{ExitStatus.WORSE:d} where one is, beyond what --allow allows and beyond chance (where "
        "none is, any is called worse in at most 5 %% of the builds, by Holm's correction); else "
        f"{ExitStatus.NOT_KNOWN:d} where it is not known of one (single runs, runs that depend on "
        "each other, settings that B lacks or that differ, runs that do not say when they were "
        f"recorded); else {ExitStatus.DONE:d}",
    )
    shared.repeated(
        parser,
        "--allow",
        metavar="[MEASURE=]PERCENT",
        type=arguments.allowance,
        help="with --fail-if-worse: how much worse does not count, such as 2%% or latency_us=5%% "
        "(default: 0%%); may be repeated",
    )
    parser.add_argument(
        "--same-session",
        action="store_true",
        help="with --fail-if-worse: say that both sides were recorded in one session, where the "
        "runs do not say when",
    )


def plan(parser: argparse.ArgumentParser) -> None:
    """Of `coalescope plan`."""
    shared.experiment(parser)
    shared.measure(parser)
    parser.add_argument(
        "--width",
        metavar="PERCENT",
        type=arguments.positive_percent,
        required=True,
        help="wanted half width of each 95 %% interval, in percent of the mean",
    )
    shared.where(parser)
    shared.without(parser)
