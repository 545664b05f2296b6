# SPDX-License-Identifier: Apache-2.0
"""Read two experiments, or two selections of one, and compare them."""

from coalescope_models.vocabulary.quantity import Better
from sqlalchemy.engine import Connection

from coalescope.analyses.replicates import cells_asked_for
from coalescope.comparisons.compared import Compared
from coalescope.comparisons.matching import Chosen, compare_cells
from coalescope.experiments.levels import Where
from coalescope.experiments.records import ExperimentRecord
from coalescope.runs.service import cells_in_sequence, replicates_of


def compare_experiments(
    connection: Connection,
    a: tuple[ExperimentRecord, Where],
    b: tuple[ExperimentRecord, Where],
    measure: str,
    better: Better | None = None,
) -> Compared:
    """Compare two experiments, or two selections of one: see `compare_cells`."""

    def chosen(experiment: ExperimentRecord, where: Where) -> Chosen:
        cells = cells_in_sequence(connection, experiment, measure=measure).cells
        wanted = [cell.id for cell in cells_asked_for(cells, measure, where)]
        return Chosen(experiment, cells, where, replicates_of(connection, wanted, measure))

    return compare_cells(chosen(*a), chosen(*b), measure, better)
