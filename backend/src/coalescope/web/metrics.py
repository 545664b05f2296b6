# SPDX-License-Identifier: Apache-2.0
"""Numbers for Prometheus: requests by route, their duration, and what the store holds."""

import logging
import os
import time
from collections.abc import Iterator

import sqlalchemy as sa
from fastapi import APIRouter, Request, Response
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from sqlalchemy.exc import DBAPIError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coalescope.db.engine import Database
from coalescope.db.tables import experiments, runs, uploads
from coalescope.web.security import is_api_path

_LOG = logging.getLogger("coalescope.requests")

router = APIRouter(include_in_schema=False)

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})


class Metrics:
    """The numbers of one application; where several processes answer, of all of them together."""

    def __init__(self, database: Database) -> None:
        self._store = StoreCollector(database)
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "coalescope_requests",
            "Requests answered",
            ("method", "route", "status"),
            registry=self.registry,
        )
        self.seconds = Histogram(
            "coalescope_request_seconds",
            "From the head of a request to the end of its answer",
            ("route",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.in_progress = Gauge(
            "coalescope_requests_in_progress",
            "Requests that are not answered yet",
            registry=self.registry,
            multiprocess_mode="livesum",
        )
        self.received = Counter(
            "coalescope_upload_bytes",
            "Bytes received as uploads, kept or not",
            registry=self.registry,
        )

    def written(self) -> bytes:
        """All of them in the text format of Prometheus."""
        shown = CollectorRegistry()
        shown.register(self._store)
        if "PROMETHEUS_MULTIPROC_DIR" in os.environ:  # see workers
            MultiProcessCollector(shown)  # type: ignore[no-untyped-call]
            return generate_latest(shown)
        return generate_latest(self.registry) + generate_latest(shown)


class StoreCollector(Collector):
    """What the store holds, counted when it is asked for."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def describe(self) -> list[GaugeMetricFamily]:
        """Nothing is asked of the store when the collector is registered."""
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Count; of a store that does not answer, only that."""
        try:
            counted = self._count()
        except DBAPIError:
            yield GaugeMetricFamily("coalescope_store_up", "Whether the store answers", 0)
            return
        yield GaugeMetricFamily("coalescope_store_up", "Whether the store answers", 1)
        for name, (text, value) in counted.items():
            yield GaugeMetricFamily(f"coalescope_store_{name}", text, value)

    def _count(self) -> dict[str, tuple[str, float]]:
        files = sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(uploads.c.bytes), 0))
        with self._database.read() as connection:
            kept, size = connection.execute(files.select_from(uploads)).one()
            ran = connection.execute(sa.select(sa.func.count()).select_from(runs)).scalar_one()
            shown = experiments.c.deleted_at.is_(None)
            named = sa.select(sa.func.count()).select_from(experiments).where(shown)
            return {
                "uploads": ("Files kept", kept),
                "upload_bytes": ("Bytes of the files kept", size),
                "runs": ("Runs kept", ran),
                "experiments": (
                    "Experiments, without deleted ones",
                    connection.execute(named).scalar_one(),
                ),
            }


class MetricsMiddleware:
    """Counts requests by the template of their route, so that no name makes a series of its own."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, with a clock beside it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        metrics, status = self._metrics, 500
        uploading = scope["method"] == "POST" and scope["path"] == "/api/uploads"

        async def counted_receive() -> Message:
            message = await receive()
            if uploading:
                metrics.received.inc(len(message.get("body", b"")))
            return message

        async def watched_send(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        start = time.perf_counter()
        try:
            with metrics.in_progress.track_inprogress():
                await self._app(scope, counted_receive, watched_send)
        finally:
            route = template(scope)
            method = method_of(scope)
            metrics.requests.labels(method, route, str(status)).inc()
            seconds = time.perf_counter() - start
            metrics.seconds.labels(route).observe(seconds)
            _LOG.info(
                "request",
                extra={
                    "method": method,
                    "route": route,
                    "status": status,
                    "seconds": round(seconds, 6),
                },
            )


def method_of(scope: Scope) -> str:
    """The request's method, "other" for one that nobody knows."""
    return scope["method"] if scope["method"] in _METHODS else "other"


def template(scope: Scope) -> str:
    """The route's path with its parameters' names; "none" under /api, "page" for other files."""
    in_api = is_api_path(scope["path"])
    path = getattr(scope.get("route"), "path", None)
    if not isinstance(path, str):
        return "none" if in_api else "page"
    # a route of an included router knows its path without the prefix
    return f"/api{path}" if in_api and not is_api_path(path) else path


@router.get("/metrics")
def read_metrics(request: Request) -> Response:
    """Answer in the text format of Prometheus."""
    metrics: Metrics = request.app.state.metrics
    return Response(metrics.written(), media_type=CONTENT_TYPE_LATEST)
