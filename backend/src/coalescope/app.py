# SPDX-License-Identifier: Apache-2.0
"""The application, composed from its parts; every test makes its own from its own settings."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from importlib.metadata import version
from typing import get_args

from anyio import CapacityLimiter
from fastapi import APIRouter, Depends, FastAPI
from fastapi.concurrency import run_in_threadpool
from fastapi.routing import APIRoute
from starlette.datastructures import State
from starlette.routing import BaseRoute
from starlette.types import Lifespan
from starlette.types import Scope as HttpScope

from coalescope.analyses.endpoints import router as analyses
from coalescope.comparisons.endpoints import router as comparisons
from coalescope.datasets.background import BackgroundLoader
from coalescope.db.engine import Database
from coalescope.experiments.endpoints import KEPT_CELLS, weight_of
from coalescope.experiments.endpoints import deleted_router as deleted_experiments
from coalescope.experiments.endpoints import router as experiments
from coalescope.experiments.response_cache import ResponseCacheMiddleware
from coalescope.experiments.summaries import Summaries, SummariesAhead
from coalescope.exports.endpoints import router as exports
from coalescope.fits.endpoints import KEPT_FITS
from coalescope.fits.endpoints import router as fits
from coalescope.glossary.endpoints import router as glossary
from coalescope.jobs.cluster import Cluster
from coalescope.jobs.computing import computing
from coalescope.jobs.endpoints import router as jobs
from coalescope.jobs.runner import JobRunner
from coalescope.links.endpoints import redirects
from coalescope.links.endpoints import router as links
from coalescope.lru_cache import LruCache
from coalescope.page import PageFiles
from coalescope.page.documents import Documents
from coalescope.page.named import NamedThings
from coalescope.page.preload import Preloader
from coalescope.page.route import PageRoute
from coalescope.policies.endpoints import router as policies
from coalescope.predictions.endpoints import router as models
from coalescope.predictions.endpoints import user_router as user_models
from coalescope.previews.endpoints import KEPT_PICTURES
from coalescope.previews.endpoints import router as previews
from coalescope.previews.head import PageHead
from coalescope.recommendations.endpoints import KEPT_CANDIDATES, settings_of
from coalescope.recommendations.endpoints import router as recommendations
from coalescope.runs.endpoints import router as runs
from coalescope.settings import Settings
from coalescope.store import Store, as_it_is, open_store
from coalescope.surfaces.endpoints import router as surfaces
from coalescope.sweeps.endpoints import router as sweeps
from coalescope.sweeps.events import Listeners
from coalescope.tokens.callers import StoredCallers
from coalescope.tokens.endpoints import router as changes
from coalescope.tokens.service import any_valid
from coalescope.untrusted.confinement import OF_THE_SERVER
from coalescope.uploads.endpoints import router as uploads
from coalescope.web.compressed import KEPT_BYTES, CompressedAnswers
from coalescope.web.concurrency import ConcurrencyLimiter
from coalescope.web.error_responses import ERROR_RESPONSES, install_error_handlers
from coalescope.web.head_requests import HeadRequests
from coalescope.web.health import router as health
from coalescope.web.leaving import AnswersAtTheEnd
from coalescope.web.metrics import Metrics, MetricsMiddleware
from coalescope.web.metrics import router as metrics
from coalescope.web.openapi.description import DESCRIPTION, OTHER_ERRORS, TAGS, describe
from coalescope.web.openapi.reference import router as reference
from coalescope.web.query import reject_repeated_parameters
from coalescope.web.security import (
    AccessPolicy,
    BodyLimit,
    Counted,
    RateLimit,
    SlowBodyTimeout,
    access_policy,
    protect,
)
from coalescope.web.tracing import Tracer, Tracing
from coalescope.web.tracing_middleware import TracingMiddleware

_MOST_BODY_BYTES = 2**20
# large ones: each has a process that reads it, then others wait to write
_TABLES_AT_ONCE = 2
_LARGE_LOGS_AT_ONCE = 2
_SUMMARY = "Find out, measure and explain what MTU and interrupt coalescing do to a machine."


def create_app(settings: Settings | None = None, tracer: Tracer | None = None) -> FastAPI:
    """The application of one instance. Opens the store: migrates it and loads the data sets.

    What may not be served is refused before that. Bundles of run logs are loaded once it answers.
    `tracer` takes spans in the place of the collector that the settings may name.
    """
    settings = settings or Settings()
    policy = policy_of(settings)
    tracing = Tracing(settings.trace_endpoint) if settings.trace_endpoint else None
    if tracing is not None:
        tracer = tracing.tracer
    store = open_store(settings, migrates=True, waits_for=lambda slug: False)
    loader = BackgroundLoader(store.database, store.object_store, store.waiting)
    cluster = Cluster(settings.dask_scheduler) if settings.dask_scheduler else None
    runner = JobRunner(
        store.database, computing(store.database, settings, cluster), settings.jobs_at_once, tracer
    )

    @asynccontextmanager
    async def lifespan(running: FastAPI) -> AsyncIterator[None]:
        ahead = SummariesAhead(store.database, running.state.summarised, settings.data_dir)
        for begin in (loader.start, runner.start, ahead.start):
            begin()
        yield
        runner.take_no_more()
        OF_THE_SERVER.end_what_is_under_way()
        for end in (loader.stop, runner.stop, ahead.stop):
            await run_in_threadpool(end)
        if cluster is not None:
            cluster.close()
        if tracing is not None:
            await run_in_threadpool(tracing.close)
        store.close()

    app = _with_routes(lifespan)
    app.state.dataset_loader = loader
    app.state.spread = None if cluster is None else cluster.map
    app.state.job_runner = runner
    app.state.tables_at_once = CapacityLimiter(_TABLES_AT_ONCE)
    app.state.large_logs_at_once = CapacityLimiter(_LARGE_LOGS_AT_ONCE)
    _keep_state(app, settings, store)
    install_error_handlers(app)
    head, named = _head(store, settings, app.state), NamedThings(store.database, settings)
    page = PageFiles(settings.page_dir, head, named)
    app.router.default = Documents(settings.documents_dir, page)
    describe(app, policy.is_open)
    _add_outermost_middleware(app, policy, tracer)
    return app


def policy_of(settings: Settings) -> AccessPolicy:
    """Who may talk to a server with these settings; of its store no byte is changed.

    Errors: CoalescopeError where nobody has a token that needs one, or where the store cannot be
    read, or is a newer one.
    """
    with as_it_is(settings, migrates=True) as database:
        if database is None:
            return access_policy(settings)
        with database.read() as connection:
            return access_policy(settings, stored_tokens=any_valid(connection))


def _with_routes(lifespan: Lifespan[FastAPI]) -> FastAPI:
    """The framework's application, which knows the addresses and nothing of a store."""
    return FastAPI(
        routes=_routes(),
        title="Coalescope",
        summary=_SUMMARY,
        description=DESCRIPTION,
        openapi_tags=TAGS,
        version=version("coalescope"),
        lifespan=lifespan,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=_operation_id,
        separate_input_output_schemas=False,
    )


def _keep_state(app: FastAPI, settings: Settings, store: Store) -> None:
    """What endpoints find in their request's application."""
    app.state.settings = settings
    app.state.database = store.database
    app.state.object_store = store.object_store
    app.state.computations = ConcurrencyLimiter(settings.fits_at_once)
    app.state.fits = LruCache(KEPT_FITS)
    app.state.recommendations = LruCache(KEPT_CANDIDATES, settings_of)
    app.state.summarised = Summaries()
    app.state.judged = LruCache(KEPT_CELLS, weight_of)
    app.state.pictures = LruCache(KEPT_PICTURES)
    app.state.listeners = Listeners()
    app.state.metrics = Metrics(store.database)


def _add_outermost_middleware(app: FastAPI, policy: AccessPolicy, tracer: Tracer | None) -> None:
    """What a request passes on its way to an endpoint: the last that is added here comes first."""
    settings: Settings = app.state.settings
    database: Database = app.state.database
    app.add_middleware(
        BodyLimit, most=_MOST_BODY_BYTES, streamed={"/api/uploads", "/api/uploads/look"}
    )
    app.add_middleware(SlowBodyTimeout)
    if not policy.loopback:
        kinds: tuple[Counted, ...] = get_args(Counted)
        most = {kind: getattr(settings, f"{kind}_per_minute") for kind in kinds}
        app.add_middleware(RateLimit, per_minute=most)
    app.add_middleware(ResponseCacheMiddleware, database=database)
    app.add_middleware(CompressedAnswers, kept=LruCache[bytes](KEPT_BYTES, weigh=len))
    protect(app, policy, _secret(settings), StoredCallers(database))
    app.add_middleware(MetricsMiddleware, metrics=app.state.metrics)
    if tracer is not None:
        app.add_middleware(TracingMiddleware, tracer=tracer)
    app.add_middleware(HeadRequests)
    app.add_middleware(AnswersAtTheEnd)


def _head(store: Store, settings: Settings, state: State) -> Callable[[HttpScope], str]:
    """What stands in the head of the page's documents."""
    card = PageHead(store.database, settings)
    ahead = Preloader(store.database, settings, state.fits, state.judged, state.summarised)
    return lambda scope: card(scope) + ahead(scope)


def _secret(settings: Settings) -> str | None:
    return settings.token.get_secret_value() or None if settings.token is not None else None


@cache
def _routes() -> list[BaseRoute]:
    """The same for all applications: to read the types of all endpoints takes a tenth of a second.

    They know nothing of an application; endpoints find theirs in the request.
    """
    every = APIRouter(generate_unique_id_function=_operation_id)
    for other in (redirects, previews, metrics):
        every.include_router(other)
    every.routes.append(PageRoute())
    # all at one level: at each, an address is looked up twice
    # in this order they are tried: each before the one that is asked for costs some microseconds
    for feature in (
        uploads,
        health,
        glossary,
        models,
        user_models,
        experiments,
        surfaces,
        fits,
        jobs,
        analyses,
        comparisons,
        recommendations,
        policies,
        exports,
        runs,
        sweeps,
        deleted_experiments,
        changes,
        links,
        reference,
    ):
        # with the prefix here, the types are not read to look for empty paths
        every.include_router(
            feature,
            prefix="/api",
            responses=ERROR_RESPONSES | OTHER_ERRORS,
            dependencies=[Depends(reject_repeated_parameters)],
        )
    return every.routes


def _operation_id(route: APIRoute) -> str:
    """Clients name their calls after the endpoint functions."""
    return route.name
