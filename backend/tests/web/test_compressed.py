# SPDX-License-Identifier: Apache-2.0
"""Large answers are compressed for whoever takes that; small ones and files are not."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import anyio
import httpx
import pytest
from coalescope.lru_cache import LruCache
from coalescope.web.compressed import CompressedAnswers
from starlette.middleware.gzip import GZipResponder
from starlette.responses import Response

EXPERIMENT = "/api/experiments/geist-2005-nfs"


@pytest.fixture
def published(make_client: Callable[..., Any], datasets: Path) -> Any:
    return make_client(datasets_dir=datasets)


def packing(app: Any, most_bytes: int = 2**20) -> CompressedAnswers:
    return CompressedAnswers(app, LruCache(most_bytes, weigh=len))


def both_ways(client: Any, path: str) -> tuple[Any, Any]:
    """The answers to who takes it as it is, and to who takes gzip."""
    plain = client.get(path, headers={"Accept-Encoding": "identity"})
    packed = client.get(path, headers={"Accept-Encoding": "gzip"})
    assert plain.status_code == packed.status_code == 200
    assert "content-encoding" not in plain.headers
    assert packed.content == plain.content
    return plain, packed


@pytest.mark.fault("B20")
def test_large_answers_are_compressed(published: Any) -> None:
    paths = [f"{EXPERIMENT}/cells", f"{EXPERIMENT}/runs", "/api/models", "/api/openapi.json"]
    for path in paths:
        plain, packed = both_ways(published, path)
        assert packed.headers["content-encoding"] == "gzip", path
        assert "Accept-Encoding" in packed.headers["vary"], path
        assert int(packed.headers["content-length"]) < len(plain.content) / 2, path


def test_small_ones_are_not(published: Any) -> None:
    for path in ("/api/health", f"{EXPERIMENT}/cells?mtu_bytes=1500&delay_ticks=10"):
        plain, packed = both_ways(published, path)
        assert "content-encoding" not in packed.headers, path
        assert packed.headers["content-length"] == str(len(plain.content)), path


def test_exports_are_compressed_piece_by_piece(published: Any) -> None:
    for file_format in ("csv", "json"):
        _, packed = both_ways(published, f"{EXPERIMENT}/export?format={file_format}")
        assert packed.headers["content-encoding"] == "gzip", file_format


def test_what_is_compressed_in_itself_is_sent_as_it_is() -> None:
    log = bytes(2**15)
    app = packing(Response(log, media_type="application/octet-stream"))

    async def ask() -> httpx.Response:
        way = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=way, base_url="http://test") as client:
            return await client.get("/api/runs/1/log", headers={"Accept-Encoding": "gzip"})

    sent = anyio.run(ask)
    assert "content-encoding" not in sent.headers
    assert sent.content == log


def counted(app: CompressedAnswers, monkeypatch: pytest.MonkeyPatch, times: int) -> list[bytes]:
    """What was packed while an answer was asked for so often."""
    packed: list[bytes] = []
    whole = GZipResponder.apply_compression

    async def watched(self: GZipResponder, body: bytes, *, more_body: bool) -> bytes:
        packed.append(body)
        return await whole(self, body, more_body=more_body)

    monkeypatch.setattr(GZipResponder, "apply_compression", watched)

    async def ask() -> None:
        way = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=way, base_url="http://test") as client:
            for _ in range(times):
                sent = await client.get("/api/cells", headers={"Accept-Encoding": "gzip"})
                assert sent.headers["content-encoding"] == "gzip"
                assert sent.content == packed[-1]

    anyio.run(ask)
    return packed


def test_an_answer_is_packed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async def same(scope: Any, receive: Any, send: Any) -> None:
        await Response(b"1," * 2**16, media_type="application/json")(scope, receive, send)

    assert len(counted(packing(same), monkeypatch, 3)) == 1


def test_what_an_address_says_anew_is_packed_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    said = iter(range(3))

    async def changing(scope: Any, receive: Any, send: Any) -> None:
        await Response(f"{next(said)},".encode() * 2**16)(scope, receive, send)

    assert len(counted(packing(changing), monkeypatch, 3)) == 3


def test_no_more_is_kept_than_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    said = iter([0, 1, 2, 0, 0])

    async def changing(scope: Any, receive: Any, send: Any) -> None:
        await Response(Random(next(said)).randbytes(2**15))(scope, receive, send)

    # each is larger than the bound: the last alone is kept
    assert len(counted(packing(changing, 10_000), monkeypatch, 5)) == 4


def test_the_tag_of_an_answer_is_the_same_either_way(published: Any) -> None:
    plain, packed = both_ways(published, f"{EXPERIMENT}/cells")
    assert packed.headers["etag"] == plain.headers["etag"]
    again = {"Accept-Encoding": "gzip", "If-None-Match": packed.headers["etag"]}
    assert published.get(f"{EXPERIMENT}/cells", headers=again).status_code == 304
