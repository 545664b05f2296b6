# SPDX-License-Identifier: Apache-2.0
"""Who may put an answer in a frame: embeds in any page, everything else in none."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .addresses import embed_patterns, filled, page_patterns, server_routes
from .asking import Answer, ask

MakeClient = Callable[..., Any]
# of views: none of these is one to the page's router, or to its eyes, which are on the address
NOT_QUITE = (
    *("/embed", "/embed/", "/embed//", "/embed/upload", "/embed/nonsense", "/embed/explorer/"),
    *("/embed/explorer", "/embed/explorer/x/runs", "/embed/experiments/x/runs", "/embed/models//"),
    *("/EMBED/explorer/x", "/embed/Explorer/x", "/%65mbed/explorer/x", "/embed%2fexplorer/x"),
    *("/embed/%65xplorer/x", "/embed/explorer/..%2f..%2fupload", "/embed/explorer/x%2fruns"),
    *("/embed/explorer/..%2f..%2findex.html", "//embed/explorer/x", "/./embed/explorer/x"),
    *("/embed/explorer/x//", "/embedded/x", "/x/embed/explorer/x", "/index.html", "/a.js"),
)


def directives(policy: str) -> dict[str, set[str]]:
    return {name: set(values) for name, *values in (part.split() for part in policy.split(";"))}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A page as it is built, of the routes that it has now."""
    folder = tmp_path / "dist"
    folder.mkdir()
    (folder / "index.html").write_text("<head></head>")
    (folder / "sandbox.html").write_text("the sandbox")
    listed = {"routes": [*page_patterns(), *embed_patterns()], "embeds": embed_patterns()}
    (folder / "routes.json").write_text(json.dumps(listed))
    return folder


@pytest.fixture
def client(make_client: MakeClient, folder: Path, datasets: Path) -> Any:
    made = make_client(page_dir=folder, datasets_dir=datasets)
    made.app.state.listeners.closing = True
    return made


def asked(client: Any, path: str, method: str = "GET") -> Answer:
    return asyncio.run(ask(client.app, method, path))


def is_framed_by_nobody(answer: Answer) -> bool:
    frames = answer.headers.get("x-frame-options")
    ancestors = directives(answer.headers["content-security-policy"])["frame-ancestors"]
    return (frames, ancestors) == ("DENY", {"'none'"})


def test_nothing_but_embeds_is_framed_by_anybody(client: Any) -> None:
    """All routes of server and page, filled in with names that are there and that are not."""
    every = {path for _, path in server_routes(client.app)} | set(page_patterns())
    assert len(every) > 55
    for pattern in every:
        for name in ("geist-2005-nfs", "cpu-overhead", "none"):
            path = filled(pattern, name, area="explorer")
            assert is_framed_by_nobody(asked(client, path)), path
            if f"/embed{pattern}" not in embed_patterns():
                assert is_framed_by_nobody(asked(client, f"/embed{path}")), path


@pytest.mark.parametrize("path", NOT_QUITE)
def test_what_is_like_an_embed_is_framed_by_nobody(client: Any, path: str) -> None:
    assert is_framed_by_nobody(asked(client, path))


@pytest.mark.parametrize("name", ["geist-2005-nfs", "cpu-overhead", "none", "none/"])
@pytest.mark.parametrize("pattern", embed_patterns())
def test_embeds_are_framed_by_anybody_and_run_no_python(
    client: Any, pattern: str, name: str
) -> None:
    """Whether there is such a view or not, and whether the document tells something ahead."""
    headers = asked(client, filled(pattern, name)).headers
    assert "x-frame-options" not in headers
    found = directives(headers["content-security-policy"])
    assert found["frame-ancestors"] == {"*"}
    # without these two no Python starts, whatever the page asks for
    assert found["worker-src"] == {"'none'"}
    assert "'wasm-unsafe-eval'" not in found["script-src"]
    whole = directives(asked(client, "/").headers["content-security-policy"])
    looser = {"worker-src", "script-src", "frame-ancestors"}
    assert {k: v for k, v in found.items() if k not in looser} == {
        k: v for k, v in whole.items() if k not in looser
    }


def test_an_embed_that_has_not_changed_keeps_its_policy(client: Any) -> None:
    path = "/embed/explorer/geist-2005-nfs"
    tag = asked(client, path).headers["etag"]
    again = asyncio.run(ask(client.app, "GET", path, if_none_match=tag))
    assert again.status == 304
    assert "x-frame-options" not in again.headers


def test_of_a_page_that_lists_no_embeds_nothing_is_framed(client: Any, folder: Path) -> None:
    for listed in ("{}", '{"routes": ["/embed/explorer/:slug"]}', None):
        if listed is None:
            (folder / "routes.json").unlink()
        else:
            (folder / "routes.json").write_text(listed)
        assert is_framed_by_nobody(asked(client, "/embed/explorer/geist-2005-nfs")), listed


def test_the_sandbox_is_framed_by_the_page(client: Any) -> None:
    for path in (
        "/sandbox.html",
        "/embed/%2e%2e/sandbox.html",
        "/embed/explorer/../../sandbox.html",
    ):
        headers = asked(client, path).headers
        assert headers.get("x-frame-options") == "SAMEORIGIN"
        assert directives(headers["content-security-policy"])["frame-ancestors"] == {"'self'"}
