# SPDX-License-Identifier: Apache-2.0
"""Bounds on what one client may take: nesting, requests per minute, and time."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
import uvicorn
from coalescope.db import tables
from coalescope.tokens import service
from coalescope.untrusted.nesting import exceeds_depth
from coalescope.web.security.rates import RateLimiter, counted
from coalescope.web.security.scopes import needed_scope
from coalescope.web.security.slow_clients import SlowBodyTimeout, TimeoutH11Protocol
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from timeouts import TIMEOUT_S

from .addresses import filled, server_routes
from .asking import operations

MakeClient = Callable[..., Any]


def test_brackets_are_counted_outside_of_strings() -> None:
    assert not exceeds_depth(2, b'{"a": [1, 2], "b": []}')
    assert exceeds_depth(1, b'{"a": [1, 2], "b": []}')
    assert not exceeds_depth(1, b'["[[[[", "\\"[[["]')
    assert not exceeds_depth(1, b"[][][]")


@pytest.mark.parametrize(
    "text", [b'"' + b'\\"' * 500_000, b'"' + b'\\"' * 500_000 + b"\\", b'"' * 1_000_001]
)
def test_strings_that_do_not_end_take_no_longer(text: bytes) -> None:
    """Than others of their length, which take milliseconds; the square of it would take minutes."""
    assert not exceeds_depth(1, text)
    assert exceeds_depth(0, b"[" + text)
    fastest_s = min(seconds_of(text) for _ in range(3))
    assert fastest_s < 100 * min(seconds_of(b'""' * 500_000) for _ in range(3))


def seconds_of(text: bytes) -> float:
    start = time.process_time()
    exceeds_depth(1, text)
    return time.process_time() - start


def test_deep_json_is_refused_before_it_is_read(make_client: MakeClient) -> None:
    client = make_client()
    for text in (b"[" * 100_000, b'{"path":' * 65 + b"1" + b"}" * 65):
        answer = client.post("/api/links", content=text)
        assert answer.status_code == 422
        assert answer.json()["error"]["code"] == "too_deep"
    flat = client.post("/api/links", content=b'{"path":' * 64 + b"1" + b"}" * 64)
    assert flat.json()["error"]["code"] != "too_deep"


def test_a_store_of_requests_fills_again() -> None:
    rates = RateLimiter(per_minute=60)
    assert [rates.wait_s("a", 0.0) for _ in range(60)] == [0.0] * 60
    assert rates.wait_s("a", 0.0) == pytest.approx(1)
    assert rates.wait_s("b", 0.0) == 0
    assert rates.wait_s("a", 0.5) == pytest.approx(0.5)
    assert rates.wait_s("a", 1.0) == 0
    assert rates.wait_s("a", 1.0) > 0


def test_too_many_costly_requests_wait(make_client: MakeClient) -> None:
    client = make_client(host="0.0.0.0", public_read=True, costly_per_minute=2)
    costly = [client.get("/api/experiments/none/variance") for _ in range(3)]
    assert [answer.status_code == 429 for answer in costly] == [False, False, True]
    assert 1 <= int(costly[2].headers["retry-after"]) <= 30
    assert client.get("/api/experiments").status_code == 200
    here = make_client(costly_per_minute=2)
    alone = [here.get("/api/experiments/none/variance").status_code for _ in range(4)]
    assert 429 not in alone


@pytest.mark.parametrize(
    "path",
    [
        "/api/predictions",
        "/api/models/cpu-overhead/predictions",
        "/api/comparisons",
        "/api/jobs",
        "/api/runs/one/contents",
        "/api/experiments/lab/export",
        "/api/experiments/lab/fits",
        "/api/experiments/lab/replicates",
        "/api/experiments/lab/environment",
        "/previews/explorer/lab.png",
    ],
)
def test_what_takes_long_is_counted(make_client: MakeClient, path: str) -> None:
    client = make_client(host="0.0.0.0", token="mine", costly_per_minute=1)
    asked = [client.get(path, headers={"Authorization": "Bearer mine"}) for _ in range(2)]
    assert [answer.status_code == 429 for answer in asked] == [False, True]


#: What is answered by a look into the store, a bounded page of it, or what is kept ready.
CHEAP = {
    *("GET /api/changes", "GET /api/deleted-experiments", "GET /api/docs", "GET /api/experiments"),
    *("GET /api/experiments/{slug}", "GET /api/experiments/{slug}/cells"),
    *("GET /api/experiments/{slug}/events", "GET /api/experiments/{slug}/runs"),
    *("GET /api/experiments/{slug}/surfaces/{measure}", "GET /api/experiments/{slug}/sweeps"),
    *("GET /api/health", "GET /api/jobs/{job_id}", "GET /api/links/{token}", "GET /api/models"),
    *("GET /api/openapi.json", "HEAD /api/openapi.json", "GET /api/policies"),
    *("GET /api/quantities", "GET /api/ready", "GET /api/runs/{id}"),
    *("GET /api/runs/{id}/environment", "GET /api/runs/{id}/log", "GET /api/uploads"),
    *("GET /api/uploads/{identity}/cells", "GET /l/{token}", "GET /metrics"),
}
#: What an admin alone may do.
OF_ADMINS = {
    *("PATCH /api/experiments/{slug}", "DELETE /api/experiments/{slug}"),
    *("POST /api/experiments/{slug}/restoration", "POST /api/runs/{id}/correction"),
    *("POST /api/runs/{id}/restoration", "POST /api/runs/{id}/retraction"),
}


def test_each_route_is_counted_or_said_to_be_cheap(make_client: MakeClient) -> None:
    """A new one is neither, until somebody says what it costs."""
    routes = [(m, path) for methods, path in server_routes(make_client().app) for m in methods]
    free = {f"{m} {path}" for m, path in routes if counted(m, filled(path, "one")) is None}
    assert free == CHEAP | OF_ADMINS
    for method, path in (each.split() for each in OF_ADMINS):
        assert needed_scope(method, filled(path, "one")) == "admin"


def uploaded(client: Any, token: str, number: int, **more: Any) -> Any:
    table = f"mtu_bytes,replicate,drops\n1500,{number},3\n".encode()
    query = {"filename": "x.csv", "experiment": "lab"}
    shown = {"Authorization": f"Bearer {token}"}
    return client.post("/api/uploads", params=query, content=table, headers=shown, **more)


def test_whoever_adds_too_often_waits(make_client: MakeClient) -> None:
    """Each token for itself, links for themselves; on loopback nobody does."""
    client = make_client(host="0.0.0.0", token="mine", links_per_minute=2, uploads_per_minute=3)
    with client.app.state.database.write() as connection:
        other = service.create(connection, "other", "upload", None)

    def link(token: str, number: int) -> Any:
        shown = {"Authorization": f"Bearer {token}"}
        return client.post("/api/links", json={"path": f"/explorer/x{number}"}, headers=shown)

    links = [link("mine", number) for number in range(3)]
    assert [answer.status_code for answer in links] == [201, 201, 429]
    assert links[2].json()["error"]["code"] == "too_many_requests"
    assert 1 <= int(links[2].headers["retry-after"]) <= 30
    assert [link(other, 7).status_code, link("guess", 8).status_code] == [201, 401]
    files = [uploaded(client, "mine", number).status_code for number in range(4)]
    assert files == [201, 201, 201, 429]
    assert uploaded(client, other, 9).status_code == 201
    with client.app.state.database.read() as connection:
        assert len(connection.execute(sa.select(tables.links)).all()) == 3
        assert len(connection.execute(sa.select(tables.uploads)).all()) == 4
    here = make_client(links_per_minute=1, data_dir=client.app.state.settings.data_dir / "here")
    alone = [here.post("/api/links", json={"path": f"/x{n}"}).status_code for n in range(4)]
    assert alone == [201] * 4


def test_all_that_is_added_is_counted(make_client: MakeClient) -> None:
    """By the description of the API: a new address is counted by itself."""
    found = {
        str(operation): counted(operation.method, operation.at())
        for operation in operations(make_client().app)
        if needed_scope(operation.method, operation.at()) == "upload"
    }
    assert found["POST /api/links"] == "links"
    assert found["POST /api/uploads"] == found["POST /api/experiments"] == "uploads"
    assert found["PUT /api/sweeps/{sweep_id}"] == "uploads"
    assert None not in found.values()


def test_what_is_known_of_clients_is_bounded() -> None:
    rates = RateLimiter(per_minute=60)
    for number in range(30_000):
        rates.wait_s(f"client {number}", 0.0)
    assert len(rates._left) == 10_000
    assert rates.wait_s("client 29999", 0.0) == 0


async def _length(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


def test_a_body_that_trickles_is_refused() -> None:
    app = Starlette(routes=[Route("/", _length, methods=["POST"])])
    app.add_middleware(SlowBodyTimeout, grace_s=2, bytes_per_s=1000)

    async def pieces(count: int, size: int) -> AsyncIterator[bytes]:
        for _ in range(count):
            await asyncio.sleep(0.1)
            yield b"x" * size

    async def send(count: int, size: int) -> httpx.Response:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            return await client.post("/", content=pieces(count, size))

    assert asyncio.run(send(100, 1)).status_code == 408
    steady = asyncio.run(send(25, 10_000))
    assert (steady.status_code, steady.text) == (200, "250000"), "after the time of grace, too"


class Hasty(TimeoutH11Protocol):
    head_s = 2


def test_slow_heads_are_dropped_and_hurt_nobody() -> None:
    """Many connections that never finish their head; beside them, others are served."""
    app = Starlette(routes=[Route("/", _length)])
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    address = listener.getsockname()[:2]
    url = f"http://{address[0]}:{address[1]}"
    server = uvicorn.Server(uvicorn.Config(app, http=Hasty, log_level="error", lifespan="off"))

    async def visit() -> tuple[int, list[bytes]]:
        serving = asyncio.create_task(server.serve([listener]))
        slow = [await asyncio.open_connection(*address) for _ in range(100)]
        for number, (_, writer) in enumerate(slow):
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nX" if number % 2 else b"")
        async with httpx.AsyncClient(base_url=url, timeout=TIMEOUT_S) as client:
            statuses = [(await client.get("/")).status_code for _ in range(20)]
            # trickling on does not buy more time, nor does it on a connection used before
            reader, writer = await asyncio.open_connection(*address)
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert (await reader.read(15)).startswith(b"HTTP/1.1 200")
            writer.write(b"GET / HT")
            ends = [await asyncio.wait_for(r.read(), TIMEOUT_S) for r, _ in slow]
            await asyncio.wait_for(reader.read(), TIMEOUT_S)
        server.should_exit = True
        await serving
        for _, each in [*slow, (reader, writer)]:
            each.close()
        return statuses.count(200), ends

    served, ends = asyncio.run(visit())
    assert served == 20
    assert ends == [b""] * 100
