# SPDX-License-Identifier: Apache-2.0
"""Who gets in: each refusal stands beside the twin that passes."""

import asyncio
from typing import Any

import httpx
import pytest
from coalescope.errors import CoalescopeError
from coalescope.settings import Settings
from coalescope.web.security import AccessPolicy, access_policy, protect
from coalescope.web.security.headers import SECURITY_HEADERS
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

LOOPBACK = AccessPolicy(loopback=True, asks=False)
OPEN = AccessPolicy(loopback=False, asks=True)
SECRET = "a long secret – ü"


async def _reached(request: Request) -> PlainTextResponse:
    return PlainTextResponse("reached")


def ask(
    policy: AccessPolicy | None,
    method: str = "GET",
    path: str = "/api/experiments",
    port: int = 8000,
    **headers: str | bytes,
) -> httpx.Response:
    """Send one request through the guard (none: the mutant without it)."""
    app = Starlette(routes=[Route("/{path:path}", _reached, methods=["GET", "POST", "DELETE"])])
    if policy is not None:
        protect(app, policy, SECRET)
    wanted = {name.replace("_", "-"): value for name, value in headers.items()}

    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport) as client:
            return await client.request(method, f"http://127.0.0.1:{port}{path}", headers=wanted)

    return asyncio.run(send())


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1:8000", "127.1.2.3:8000", "localhost:8000", "LOCALHOST:8000", "[::1]:8000"],
)
def test_own_hosts_pass(host: str) -> None:
    assert ask(LOOPBACK, host=host).text == "reached"


FOREIGN_HOSTS = [
    "evil.example",
    "evil.example:8000",
    "127.0.0.1",
    "127.0.0.1:8001",
    "localhost:8000.evil.example",
    "localhost.evil.example:8000",
    "[::1]",
    "[::2]:8000",
    "128.0.0.1:8000",
    "127.0.0.1:8000x",
    "127.0.0.1:",
    "",
]


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
@pytest.mark.parametrize("path", ["/", "/api/experiments"])
def test_foreign_hosts_are_turned_away(host: str, path: str) -> None:
    answer = ask(LOOPBACK, path=path, host=host)
    assert answer.status_code == 421
    error = answer.json()["error"]
    assert error["code"] == "foreign_host"
    assert "http://127.0.0.1:8000" in error["advice"]
    assert ask(None, path=path, host=host).text == "reached", "control: only the guard refuses"


def test_the_default_port_need_not_be_named() -> None:
    assert ask(LOOPBACK, port=80, host="localhost").text == "reached"
    assert ask(LOOPBACK, port=8000, host="localhost").status_code == 421


FOREIGN_ORIGINS = [
    "http://evil.example",
    "http://127.0.0.1:3000",
    "http://localhost:8000",
    "https://127.0.0.1",
    "http://127.0.0.1:8000.evil.example",
    "http://user@127.0.0.1:8000",
    "http://[",
    "file://",
    "null",
    "",
]


@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
def test_a_foreign_origin_changes_nothing(origin: str) -> None:
    answer = ask(LOOPBACK, "POST", origin=origin)
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "foreign_origin"
    assert ask(LOOPBACK, "GET", origin=origin).text == "reached", "reading is up to the browser"
    assert ask(None, "POST", origin=origin).text == "reached", "control: only the guard refuses"


def test_own_origin_and_plain_clients_may_write() -> None:
    assert ask(LOOPBACK, "POST").text == "reached"
    assert ask(LOOPBACK, "POST", origin="http://127.0.0.1:8000").text == "reached"
    localhost = ask(LOOPBACK, "POST", host="localhost:8000", origin="http://localhost:8000")
    assert localhost.text == "reached"


@pytest.mark.parametrize(
    ("site", "status"),
    [("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200)],
)
def test_fetch_metadata_is_heeded(site: str, status: int) -> None:
    assert ask(LOOPBACK, "DELETE", sec_fetch_site=site).status_code == status


def test_beyond_loopback_the_api_asks_for_the_token() -> None:
    for path in ("/api", "/api/experiments", "/api/", "/api/health/", "/api/healthy"):
        bare = ask(OPEN, path=path, host="bench.example:8000")
        assert bare.status_code == 401
        assert bare.headers["www-authenticate"] == 'Bearer realm="Coalescope"'
        assert bare.json()["error"]["code"] == "token_required"
    right = "Bearer a long secret – ü".encode()
    assert ask(OPEN, host="bench.example:8000", authorization=right).text == "reached"
    assert ask(OPEN, authorization=right.replace(b"Bearer", b"bearer")).text == "reached"
    for wrong in ("Bearer a long secret", "Bearer ", "Bearer", "Basic YTpi", "a long secret"):
        assert ask(OPEN, authorization=wrong).json()["error"]["code"] == "wrong_token"


def test_health_answers_without_a_token_and_to_reading_alone() -> None:
    assert ask(OPEN, path="/api/health", host="bench.example").text == "reached"
    assert ask(OPEN, path="/api/health", authorization="Bearer wrong").text == "reached"
    assert ask(OPEN, "POST", path="/api/health").status_code == 401
    assert ask(OPEN, path="/api/experiments").status_code == 401
    assert ask(LOOPBACK, path="/api/health", host="evil.example").status_code == 421


def test_page_files_stay_public() -> None:
    for path in ("/", "/assets/index-1a2b.js", "/apiary"):
        assert ask(OPEN, path=path, host="bench.example").text == "reached"


def test_the_token_never_shows() -> None:
    assert "secret" not in ask(OPEN, authorization="Bearer secret").text


def bound(host: str, **more: Any) -> Settings:
    return Settings(host=host, **more)


def test_binding_elsewhere_needs_a_token() -> None:
    for host in ("0.0.0.0", "::", "192.0.2.7", "bench.example", ""):
        for token in (None, ""):
            with pytest.raises(CoalescopeError, match="there is no token") as refused:
                access_policy(bound(host, token=token))
            assert "COALESCOPE_TOKEN" in str(refused.value.advice)
        beyond = AccessPolicy(loopback=False, asks=True)
        assert access_policy(bound(host, token="secret")) == beyond
        assert access_policy(bound(host), stored_tokens=True) == beyond
        public = AccessPolicy(loopback=False, asks=True, public_read=True)
        assert access_policy(bound(host, public_read=True)) == public
    for host in ("127.0.0.1", "127.1.2.3", "localhost", "::1", "[::1]"):
        assert access_policy(bound(host)) == AccessPolicy(loopback=True, asks=False)
        assert access_policy(bound(host, token="secret")) == AccessPolicy(True, asks=True)


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "evil.example"])
def test_security_headers_are_on_answers_and_refusals(host: str) -> None:
    headers = ask(LOOPBACK, host=host).headers
    assert {name: headers[name] for name in SECURITY_HEADERS} == SECURITY_HEADERS
    policy = headers["content-security-policy"]
    assert "script-src 'self' 'wasm-unsafe-eval' blob:;" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-inline" not in policy
    assert "content-security-policy" not in ask(None).headers, "control"
