# SPDX-License-Identifier: Apache-2.0
"""coalescope variance EXPERIMENT --measure M --factors A,B."""

from argparse import Namespace

from coalescope.analyses import service, variance
from coalescope.analyses.schemas import variance_out
from coalescope.cli.local_store import experiment_of, local_store
from coalescope.cli.output import (
    print_heading,
    print_json,
    print_left_out,
    print_table,
    printable,
    with_unit,
)


def run(arguments: Namespace) -> int:
    """Print the analysis of variance."""
    factors = variance.two_factors(",".join(arguments.factors))
    with local_store(arguments) as store, store.database.read() as connection:
        experiment = experiment_of(connection, arguments)
        found = service.analyse_variance(
            connection,
            experiment,
            arguments.measure,
            factors,
            arguments.where,
            arguments.without,
        )
    if arguments.json:
        print_json(variance_out(found))
    else:
        _print(found)
    return 0


def _print(found: variance.Variance) -> None:
    print(f"{printable(found.experiment.title)} ({found.experiment.kind})")
    print(f"{with_unit(found.measure.label, found.measure.unit)} of {found.n} runs")
    print_left_out(found.without)
    print()
    print_table(
        ("effect", "share [%]", "degrees of freedom", "F", "p"),
        [(e.name, e.share_percent, e.degrees_of_freedom, e.f, e.p_value) for e in found.effects],
    )
    if found.message:
        print_heading(found.message)
