# SPDX-License-Identifier: Apache-2.0
"""POST /api/experiments/{slug}/fits and …/nonlinear-fits."""

from fastapi import APIRouter, Request

from coalescope.database import Database
from coalescope.experiments.service import get_experiment
from coalescope.fits import nonlinear, service
from coalescope.fits.cache import LatestAnswers
from coalescope.fits.schemas import (
    FitIn,
    FitOut,
    NonlinearFitIn,
    NonlinearFitOut,
    fit_out,
    nonlinear_fit_out,
)

router = APIRouter(prefix="/experiments", tags=["fits"])

# A fit of a thousand cells is about 200 KB.
KEPT_FITS = 64


@router.post("/{slug}/fits", summary="Fit a model")
def create_fit(request: Request, slug: str, body: FitIn) -> FitOut:
    """Fit a model to an experiment's current runs.

    Where cells have several runs, the model is fitted to their means and whole replicates are
    resampled; otherwise rows are, within each MTU. Where the data cannot tell the parameters
    apart, `identifiable` is false, the values are null and `message` says what to measure.
    """
    database: Database = request.app.state.database
    kept: LatestAnswers[FitOut] = request.app.state.fits
    asked = body.request()
    with database.read() as connection:
        experiment = get_experiment(connection, slug)

    def compute() -> FitOut:
        # No connection is held while the fit runs.
        with database.read() as connection:
            selection = service.select_rows(connection, get_experiment(connection, slug), asked)
        return fit_out(service.fit(selection, asked))

    return kept.get((experiment.id, experiment.data_version, asked), compute)


@router.post("/{slug}/nonlinear-fits", summary="Fit parameters of any model")
def create_nonlinear_fit(request: Request, slug: str, body: NonlinearFitIn) -> NonlinearFitOut:
    """Find parameters of a model of the catalogue, or of one's own, by nonlinear least squares.

    Inputs of the model come from factors and measures of those names, or from those that they
    follow from (`delay_us` from `delay_ticks`, `frame_bytes` from `mean_packet_bytes`). Replicates
    are resampled whole. Where the data cannot tell the parameters, `identifiable` is false, the
    values are null and `message` says why.
    """
    database: Database = request.app.state.database
    kept: LatestAnswers[NonlinearFitOut] = request.app.state.fits
    asked = body.request()
    with database.read() as connection:
        experiment = get_experiment(connection, slug)

    def compute() -> NonlinearFitOut:
        with database.read() as connection:
            table = nonlinear.select_points(connection, get_experiment(connection, slug), asked)
        return nonlinear_fit_out(nonlinear.fit(table, asked))

    return kept.get((experiment.id, experiment.data_version, body.model_dump_json()), compute)
