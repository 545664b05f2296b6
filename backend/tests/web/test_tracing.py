# SPDX-License-Identifier: Apache-2.0
"""Spans of requests, uploads and jobs, as a collector gets them."""

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import anyio
import pytest
from coalescope.errors import CoalescopeError
from coalescope.web.tracing import Tracing
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from timeouts import wait_until

MakeClient = Callable[..., Any]
TABLE = b"mtu_bytes,replicate,throughput_mbps\n1500,1,900\n9000,1,990\n"
STEPS = {"receive", "parse", "sync", "rows", "place", "commit"}


class Traced:
    """A server in process, and the spans that it ended."""

    def __init__(self, make_client: MakeClient, *, collected: bool = True) -> None:
        self.exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.client = make_client(provider.get_tracer("tests") if collected else None)

    def spans(self) -> Sequence[ReadableSpan]:
        return self.exporter.get_finished_spans()

    def named(self, name: str) -> ReadableSpan:
        (found,) = [span for span in self.spans() if span.name == name]
        return found


@pytest.fixture
def traced(make_client: MakeClient) -> Traced:
    return Traced(make_client)


def test_an_upload_and_its_steps(traced: Traced) -> None:
    assert traced.client.upload(TABLE, "secret.csv").status_code == 201
    request = traced.named("POST /api/uploads")
    assert request.attributes is not None
    assert request.attributes["http.response.status_code"] == 201
    parts = {span.name: span for span in traced.spans() if span.name.startswith("upload ")}
    assert set(parts) == {f"upload {step}" for step in STEPS}
    of_request = [parts[f"upload {step}"] for step in ("receive", "parse", "sync", "commit")]
    assert [span.parent.span_id for span in of_request if span.parent] == 4 * [
        request.context.span_id
    ]
    assert [span.start_time for span in of_request] == sorted(
        span.start_time or 0 for span in of_request
    )
    written = "".join(span.to_json() for span in traced.spans())
    assert "secret" not in written
    assert f'"coalescope.bytes": {len(TABLE)}' in written


def test_a_caller_may_have_a_span_around_it(traced: Traced) -> None:
    trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
    headers = {"traceparent": f"00-{trace}-{parent}-01"}
    traced.client.get("/api/experiments/none?token=hidden", headers=headers)
    traced.client.get("/api/ready", headers={"traceparent": "00-nonsense"})
    found = traced.named("GET /api/experiments/{slug}")
    assert f"{found.context.trace_id:032x}" == trace
    assert found.parent is not None
    assert f"{found.parent.span_id:016x}" == parent
    assert traced.named("GET /api/ready").parent is None
    assert "hidden" not in found.to_json()


def test_a_job(traced: Traced) -> None:
    client = traced.client
    client.upload(TABLE, "lab.csv")
    fit = {"model": "cpu-overhead", "resamples": 200, "seed": 7}
    asked = client.post("/api/jobs", json={"experiment": "lab", "fit": fit})
    assert asked.status_code == 202, asked.text
    runner = client.app.state.job_runner
    runner.start()
    job_of_it = f"/api/jobs/{asked.json()['id']}"
    wait_until(lambda: client.get(job_of_it).json()["state"] == "failed", "it does not fail")
    runner.stop()
    job = traced.named("job")
    assert job.attributes is not None
    assert job.attributes["coalescope.experiment"] == "lab"
    assert job.attributes["coalescope.uid"] == asked.json()["id"]
    assert [event.name for event in job.events] == ["exception"], "two cells are too few to fit"


def test_nobody_collects_by_default(make_client: MakeClient) -> None:
    traced = Traced(make_client, collected=False)
    assert traced.client.upload(TABLE, "lab.csv").status_code == 201
    assert traced.spans() == ()


@pytest.fixture
def collector() -> Iterator[tuple[str, list[str]]]:
    """The address of a collector, and the names of the spans that it was sent."""
    names: list[str] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            sent = ExportTraceServiceRequest.FromString(body)
            for resource in sent.resource_spans:
                names.extend(s.name for scope in resource.scope_spans for s in scope.spans)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1/traces", names
    server.shutdown()
    server.server_close()


def test_the_setting_alone_sends_to_a_collector(
    make_client: MakeClient, collector: tuple[str, list[str]]
) -> None:
    endpoint, names = collector
    client = make_client(trace_endpoint=endpoint)
    assert client.get("/api/ready").status_code == 200

    async def start_and_end() -> None:
        async with client.app.router.lifespan_context(client.app):
            pass

    anyio.run(start_and_end)
    assert names == ["GET /api/ready"], "sent at the latest when the server ends"


def test_without_the_libraries_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(CoalescopeError, match="not installed"):
        Tracing("http://127.0.0.1:4318/v1/traces")
