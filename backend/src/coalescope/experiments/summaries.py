# SPDX-License-Identifier: Apache-2.0
"""What the list says of each experiment, kept while the experiment stands as it is."""

from functools import partial

from sqlalchemy.engine import Connection

from coalescope.experiments import service
from coalescope.experiments.conditional import tag_of
from coalescope.experiments.description import summarise_experiment
from coalescope.experiments.records import ExperimentRecord
from coalescope.experiments.schemas import ExperimentSummaryOut
from coalescope.fits.cache import LruCache

_MOST = 1000


class Summaries:
    """Of many experiments; those not asked for longest are forgotten."""

    def __init__(self) -> None:
        self._kept: LruCache[ExperimentSummaryOut] = LruCache(_MOST)

    def __call__(self, connection: Connection, record: ExperimentRecord) -> ExperimentSummaryOut:
        """The experiment's entry in the list."""
        return self._kept.get(tag_of(record), partial(_summarised, connection, record))


def _summarised(connection: Connection, record: ExperimentRecord) -> ExperimentSummaryOut:
    summary = summarise_experiment(record, service.list_cells(connection, record))
    return ExperimentSummaryOut.model_validate(summary)
