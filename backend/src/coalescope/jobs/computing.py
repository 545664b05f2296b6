# SPDX-License-Identifier: Apache-2.0
"""What a job computes: what its question asks for, a fit on the data as it is then."""

from functools import partial

from coalescope.db.engine import Database
from coalescope.experiments.service import get_experiment
from coalescope.fits import nonlinear
from coalescope.fits import service as linear
from coalescope.fits.schemas import fit_out, nonlinear_fit_out
from coalescope.jobs.cluster import Cluster
from coalescope.jobs.runner import Calculate, Prepare
from coalescope.jobs.schemas import JobIn
from coalescope.jobs.underway import Underway
from coalescope.predictions.schemas import prediction_out
from coalescope.predictions.sweeps import sweep
from coalescope.settings import Settings

# Ten minutes on one core, where a request has ten seconds.
_PATIENCE = 60


def computing(database: Database, settings: Settings, cluster: Cluster | None) -> Prepare:
    """How jobs are computed: here, or in large parts by a cluster.

    No connection is held while a fit runs.
    """

    def prepare(question: JobIn, underway: Underway) -> Calculate:
        here = underway.over_threads
        spread = here if cluster is None else partial(cluster.map, underway=underway)
        if question.prediction is not None:
            grid = question.prediction
            return lambda: prediction_out(sweep(grid.model, grid.values, grid.spans(), spread))
        assert question.experiment is not None
        if question.fit is not None:
            with database.read() as connection:
                experiment = get_experiment(connection, question.experiment)
                asked = question.fit.request(experiment)
                selection = linear.select_rows(connection, experiment, asked, _PATIENCE)
            over = spread if linear.is_large(selection, asked) else here
            return lambda: fit_out(linear.fit(selection, asked, over))
        assert question.nonlinear_fit is not None
        free = question.nonlinear_fit.request()
        with database.read() as connection:
            experiment = get_experiment(connection, question.experiment)
            points = nonlinear.select_points(connection, experiment, free, _PATIENCE)
        return lambda: nonlinear_fit_out(nonlinear.fit(points, free, underway.run(settings)))

    return prepare
