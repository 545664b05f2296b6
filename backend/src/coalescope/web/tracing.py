# SPDX-License-Identifier: Apache-2.0
"""Spans for OpenTelemetry, where somebody collects them: requests, steps of an upload, jobs.

Off unless COALESCOPE_TRACE_ENDPOINT is set, and its libraries are not imported before. A span names
routes, sizes and states; never addresses with their queries, headers, bodies or file names.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

from coalescope.errors import CoalescopeError


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
