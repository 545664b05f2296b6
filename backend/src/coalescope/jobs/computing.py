# SPDX-License-Identifier: Apache-2.0
"""What a job computes: the fit that its question asks for, on the data as it is then."""

from coalescope_models.fitting import Over
from pydantic import BaseModel

from coalescope.database import Database
from coalescope.experiments.service import get_experiment
from coalescope.fits import nonlinear
from coalescope.fits import service as linear
from coalescope.fits.schemas import fit_out, nonlinear_fit_out
from coalescope.jobs.runner import Compute
from coalescope.jobs.schemas import JobIn
from coalescope.settings import Settings
from coalescope.user_models.confinement import confinement

# Ten minutes on one core, where a request has ten seconds.
_PATIENCE = 60


def computing(database: Database, settings: Settings, spread: Over | None) -> Compute:
    """How jobs are computed here. No connection is held while a fit runs."""

    def compute(question: JobIn) -> BaseModel:
        if question.fit is not None:
            asked = question.fit.request()
            with database.read() as connection:
                experiment = get_experiment(connection, question.experiment)
                selection = linear.select_rows(connection, experiment, asked, _PATIENCE)
            return fit_out(linear.fit(selection, asked, spread))
        assert question.nonlinear_fit is not None
        wanted = question.nonlinear_fit.request()
        with database.read() as connection:
            experiment = get_experiment(connection, question.experiment)
            points = nonlinear.select_points(connection, experiment, wanted, _PATIENCE)
        return nonlinear_fit_out(nonlinear.fit(points, wanted, confinement(settings)))

    return compute
