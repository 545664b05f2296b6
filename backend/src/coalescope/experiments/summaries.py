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

# An entry of 144 cells with five measures is 3.4 KB as text, and several times that as objects.
KEPT_BYTES = 2**25


class Summaries:
    """Of many experiments, as text; those not asked for longest are forgotten."""

    def __init__(self) -> None:
        self._kept: LruCache[bytes] = LruCache(KEPT_BYTES, len)

    def __call__(self, connection: Connection, record: ExperimentRecord) -> ExperimentSummaryOut:
        """The experiment's entry in the list."""
        kept = self._kept.get(tag_of(record), partial(_summarised, connection, record))
        return ExperimentSummaryOut.model_validate_json(kept)


def _summarised(connection: Connection, record: ExperimentRecord) -> bytes:
    summary = summarise_experiment(record, service.list_cells(connection, record))
    return ExperimentSummaryOut.model_validate(summary).model_dump_json().encode()
