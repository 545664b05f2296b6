# SPDX-License-Identifier: Apache-2.0
"""Large answers are compressed for whoever takes that; small ones and files are not."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from coalescope.web.compressed import CompressedAnswers
from starlette.responses import Response

EXPERIMENT = "/api/experiments/geist-2005-nfs"


@pytest.fixture
def published(make_client: Callable[..., Any], datasets: Path) -> Any:
    return make_client(datasets_dir=datasets)


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
    app = CompressedAnswers(Response(log, media_type="application/octet-stream"))

    async def ask() -> httpx.Response:
        way = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=way, base_url="http://test") as client:
            return await client.get("/api/runs/1/log", headers={"Accept-Encoding": "gzip"})

    sent = anyio.run(ask)
    assert "content-encoding" not in sent.headers
    assert sent.content == log


def test_the_tag_of_an_answer_is_the_same_either_way(published: Any) -> None:
    plain, packed = both_ways(published, f"{EXPERIMENT}/cells")
    assert packed.headers["etag"] == plain.headers["etag"]
    again = {"Accept-Encoding": "gzip", "If-None-Match": packed.headers["etag"]}
    assert published.get(f"{EXPERIMENT}/cells", headers=again).status_code == 304
