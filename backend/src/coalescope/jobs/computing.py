# SPDX-License-Identifier: Apache-2.0
"""What a job computes: what its question asks for, a fit on the data as it is then."""

from coalescope_models.inference.fitting import Over

from coalescope.db.engine import Database
from coalescope.experiments.service import get_experiment
from coalescope.fits import nonlinear
from coalescope.fits import service as linear
from coalescope.fits.schemas import fit_out, nonlinear_fit_out
from coalescope.jobs.runner import Calculate, Prepare
from coalescope.jobs.schemas import JobIn
from coalescope.predictions.schemas import prediction_out
from coalescope.predictions.sweeps import sweep
from coalescope.settings import Settings
from coalescope.user_models.confinement import confinement

# Ten minutes on one core, where a request has ten seconds.
_PATIENCE = 60


def computing(database: Database, settings: Settings, spread: Over | None) -> Prepare:
    """How jobs are computed here. No connection is held while a fit runs."""

    def prepare(question: JobIn) -> Calculate:
        if question.prediction is not None:
            grid = question.prediction
            return lambda: prediction_out(sweep(grid.model, grid.values, grid.spans(), spread))
        assert question.experiment is not None
        if question.fit is not None:
            with database.read() as connection:
                experiment = get_experiment(connection, question.experiment)
                asked = question.fit.request(experiment)
                selection = linear.select_rows(connection, experiment, asked, _PATIENCE)
            return lambda: fit_out(linear.fit(selection, asked, spread))
        assert question.nonlinear_fit is not None
        free = question.nonlinear_fit.request()
        with database.read() as connection:
            experiment = get_experiment(connection, question.experiment)
            points = nonlinear.select_points(connection, experiment, free, _PATIENCE)
        return lambda: nonlinear_fit_out(nonlinear.fit(points, free, confinement(settings)))

    return prepare
