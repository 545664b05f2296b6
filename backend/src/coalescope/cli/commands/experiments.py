# SPDX-License-Identifier: Apache-2.0
"""coalescope experiments."""

from argparse import Namespace

from coalescope.cli.local_store import local_store
from coalescope.cli.output import print_json, print_table
from coalescope.experiments.description import summarise_experiment
from coalescope.experiments.schemas import ExperimentSummaryOut
from coalescope.experiments.service import list_cells, list_experiments


def run(arguments: Namespace) -> int:
    """List the experiments."""
    with local_store(arguments) as store, store.database.read() as connection:
        found = [
            ExperimentSummaryOut.model_validate(
                summarise_experiment(record, list_cells(connection, record))
            )
            for record in list_experiments(connection)
        ]
    if arguments.json:
        print_json(found)
        return 0
    print_table(
        ("experiment", "kind", "cells", "runs", "replicates", "factors", "title"),
        [
            (
                experiment.slug,
                experiment.kind,
                experiment.cells,
                experiment.runs,
                experiment.replicates_label,
                " × ".join(factor.name for factor in experiment.factors),
                experiment.title,
            )
            for experiment in found
        ],
    )
    return 0
