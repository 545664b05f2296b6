# SPDX-License-Identifier: Apache-2.0
"""A span around each request."""

from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coalescope.web.metrics import method_of, template
from coalescope.web.tracing import TRACER, Tracer


class TracingMiddleware:
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
