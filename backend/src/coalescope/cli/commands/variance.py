# SPDX-License-Identifier: Apache-2.0
"""coalescope variance EXPERIMENT --measure M --factors A,B."""

from argparse import Namespace

from coalescope.analyses.schemas import VarianceOut
from coalescope.analyses.variance import two_factors
from coalescope.cli.output import (
    print_heading,
    print_json,
    print_left_out,
    print_table,
    printable,
    with_unit,
)
from coalescope.cli.places import analysing
from coalescope.glossary.quantities import require_measure


def run(arguments: Namespace) -> int:
    """Print the analysis of variance."""
    factors = two_factors(",".join(arguments.factors))
    asked = arguments.measure, factors, arguments.where, arguments.without
    with analysing(arguments) as source:
        about = source.experiment(arguments.experiment)
        found = VarianceOut.model_validate(source.variance(arguments.experiment, *asked))
    if arguments.json:
        print_json(found)
    else:
        print(f"{printable(about['title'])} ({about['kind']})")
        _print(found)
    return 0


def _print(found: VarianceOut) -> None:
    label = require_measure(found.measure).label
    print(f"{with_unit(label, found.unit)} of {found.n} runs")
    print_left_out(found.without)
    print()
    print_table(
        ("effect", "share [%]", "degrees of freedom", "F", "p"),
        [(e.name, e.share_percent, e.degrees_of_freedom, e.f, e.p_value) for e in found.effects],
    )
    if found.message:
        print_heading(found.message)
