# SPDX-License-Identifier: Apache-2.0
"""POST /api/experiments/{slug}/fits and …/nonlinear-fits."""

from collections.abc import Callable, Hashable
from typing import TypeVar

from fastapi import APIRouter, Request

from coalescope.db.engine import Database
from coalescope.experiments.service import get_experiment
from coalescope.fits import nonlinear, service
from coalescope.fits.schemas import (
    FitIn,
    FitOut,
    NonlinearFitIn,
    NonlinearFitOut,
    fit_out,
    nonlinear_fit_out,
)
from coalescope.lru_cache import LruCache
from coalescope.user_models.confinement import confinement
from coalescope.web.concurrency import ConcurrencyLimiter

router = APIRouter(prefix="/experiments", tags=["fits"])

# A fit of a thousand cells is about 200 KB.
KEPT_FITS = 64
T = TypeVar("T")


@router.post("/{slug}/fits", summary="Fit a model")
def create_fit(request: Request, slug: str, body: FitIn) -> FitOut:
    """Fit a model to an experiment's current runs.

    Where cells have several runs, the model is fitted to their means and whole replicates are
    resampled; otherwise rows are, within each MTU. Where the data cannot tell the parameters
    apart, `identifiable` is false, the values are null and `message` says what to measure.
    """
    database: Database = request.app.state.database
    kept: LruCache[FitOut] = request.app.state.fits
    with database.read() as connection:
        experiment = get_experiment(connection, slug)
    asked = body.request(experiment)

    def compute() -> FitOut:
        # No connection is held while the fit runs.
        with database.read() as connection:
            selection = service.select_rows(connection, get_experiment(connection, slug), asked)
        spread = request.app.state.spread if service.is_large(selection, asked) else None
        return fit_out(service.fit(selection, asked, spread))

    key = (experiment.id, experiment.data_version, asked)
    return _answer(request, kept, key, compute)


@router.post("/{slug}/nonlinear-fits", summary="Fit parameters of any model")
def create_nonlinear_fit(request: Request, slug: str, body: NonlinearFitIn) -> NonlinearFitOut:
    """Find parameters of a model of the catalogue, or of your own, by nonlinear least squares.

    Inputs of the model come from factors and measures of those names, or from those that they
    follow from (`delay_us` from `delay_ticks`, `frame_bytes` from `mean_packet_bytes`). Replicates
    are resampled whole. Where the data cannot tell the parameters, `identifiable` is false, the
    values are null and `message` says why. A model of your own has a bound on time and memory.
    """
    database: Database = request.app.state.database
    run = confinement(request.app.state.settings)
    kept: LruCache[NonlinearFitOut] = request.app.state.fits
    asked = body.request()
    with database.read() as connection:
        experiment = get_experiment(connection, slug)

    def compute() -> NonlinearFitOut:
        with database.read() as connection:
            table = nonlinear.select_points(connection, get_experiment(connection, slug), asked)
        return nonlinear_fit_out(nonlinear.fit(table, asked, run))

    key = (experiment.id, experiment.data_version, body.model_dump_json())
    return _answer(request, kept, key, compute)


def _answer(request: Request, kept: LruCache[T], key: Hashable, compute: Callable[[], T]) -> T:
    """What is kept, or computed in turn. Who asks the same as another waits in turn as well."""
    found = kept.find(key)
    if found is not None:
        return found
    computations: ConcurrencyLimiter = request.app.state.computations
    with computations.acquire():
        return kept.get(key, compute)
