# SPDX-License-Identifier: Apache-2.0
"""Who may put an answer in a frame: embeds in any page, everything else in none."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

MakeClient = Callable[..., Any]


def directives(policy: str) -> dict[str, set[str]]:
    return {name: set(values) for name, *values in (part.split() for part in policy.split(";"))}


@pytest.fixture
def client(make_client: MakeClient, tmp_path: Path) -> Any:
    folder = tmp_path / "dist"
    folder.mkdir()
    (folder / "index.html").write_text("<head></head>")
    (folder / "sandbox.html").write_text("the sandbox")
    return make_client(page_dir=folder)


@pytest.mark.parametrize(
    "path", ["/", "/explorer/x", "/embed", "/embedded/x", "/api/health", "/api/nothing", "/a.js"]
)
def test_the_page_is_framed_by_nobody(client: Any, path: str) -> None:
    headers = client.get(path).headers
    assert headers["x-frame-options"] == "DENY"
    assert directives(headers["content-security-policy"])["frame-ancestors"] == {"'none'"}


@pytest.mark.parametrize("path", ["/embed/explorer/x", "/embed/models/cpu-overhead", "/embed/y"])
def test_embeds_are_framed_by_anybody_and_run_no_python(client: Any, path: str) -> None:
    headers = client.get(path).headers
    assert "x-frame-options" not in headers
    found = directives(headers["content-security-policy"])
    assert found["frame-ancestors"] == {"*"}
    # without these two no Python starts, whatever the page asks for
    assert found["worker-src"] == {"'none'"}
    assert "'wasm-unsafe-eval'" not in found["script-src"]
    whole = directives(client.get("/").headers["content-security-policy"])
    looser = {"worker-src", "script-src", "frame-ancestors"}
    assert {k: v for k, v in found.items() if k not in looser} == {
        k: v for k, v in whole.items() if k not in looser
    }


def test_the_sandbox_is_framed_by_the_page(client: Any) -> None:
    for path in ("/sandbox.html", "/embed/%2e%2e/sandbox.html"):
        headers = client.get(path).headers
        assert headers.get("x-frame-options") == "SAMEORIGIN"
        assert directives(headers["content-security-policy"])["frame-ancestors"] == {"'self'"}
