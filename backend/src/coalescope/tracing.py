# SPDX-License-Identifier: Apache-2.0
"""Spans for OpenTelemetry, where somebody collects them: requests, steps of an upload, jobs.

Off unless COALESCOPE_TRACE_ENDPOINT is set, and its libraries are not imported before. A span names
routes, sizes and states; never addresses with their queries, headers, bodies or file names.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coalescope.errors import CoalescopeError
from coalescope.operation.metrics import method_of, template


class Tracer(Protocol):
    """What is used of opentelemetry.trace.Tracer."""

    def start_as_current_span(
        self, name: str, *more: Any, **named: Any
    ) -> AbstractContextManager[Any]:
        """A span around a context, below the one that is there."""


# Who collects the spans of this request or job; threads that serve it have it too.
TRACER: ContextVar[Tracer | None] = ContextVar("TRACER", default=None)


@contextmanager
def span(name: str, **attributes: str | int | float) -> Iterator[None]:
    """A part of what is under way; nothing where nobody collects. Failures are noted and go on."""
    tracer = TRACER.get()
    if tracer is None:
        yield
        return
    named = {f"coalescope.{key}": value for key, value in attributes.items()}
    with tracer.start_as_current_span(name, attributes=named):
        yield


class Tracing:
    """Sends spans to a collector in batches, from a thread of its own."""

    def __init__(self, endpoint: str) -> None:
        try:
            # not installed by all
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415
                OTLPSpanExporter,
            )
            from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
            from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
            from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
        except ModuleNotFoundError as error:
            raise CoalescopeError(
                "not_installed",
                f"COALESCOPE_TRACE_ENDPOINT needs {error.name}, which is not installed.",
                advice="pip install -r requirements-scale.lock",
                status=500,
            ) from None
        self._provider = TracerProvider(resource=Resource.create({"service.name": "coalescope"}))
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
        self.tracer: Tracer = self._provider.get_tracer("coalescope")

    def close(self) -> None:
        """Send what is left."""
        self._provider.shutdown()


class Traced:
    """A span around each request, below the caller's where a `traceparent` header names it."""

    def __init__(self, app: ASGIApp, tracer: Tracer) -> None:
        from opentelemetry.propagate import extract  # noqa: PLC0415  not installed by all
        from opentelemetry.trace import SpanKind, StatusCode  # noqa: PLC0415

        self._app = app
        self._tracer = tracer
        self._caller = extract
        self._kind = SpanKind.SERVER
        self._error = StatusCode.ERROR

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on inside a span that is named by its route."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 500

        async def watched_send(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        method = method_of(scope)
        before = TRACER.set(self._tracer)
        try:
            with self._tracer.start_as_current_span(
                method, context=self._caller(_sent_by(scope)), kind=self._kind
            ) as request:
                try:
                    await self._app(scope, receive, watched_send)
                finally:
                    route = template(scope)
                    request.update_name(f"{method} {route}")
                    request.set_attribute("http.request.method", method)
                    request.set_attribute("http.route", route)
                    request.set_attribute("http.response.status_code", status)
                    if status >= 500:
                        request.set_status(self._error)
        finally:
            TRACER.reset(before)


def _sent_by(scope: Scope) -> Mapping[str, str]:
    """The one header that says below which span of the caller's this belongs."""
    parent = Headers(scope=scope).get("traceparent")
    return {} if parent is None else {"traceparent": parent}
