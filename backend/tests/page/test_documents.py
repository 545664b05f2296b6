# SPDX-License-Identifier: Apache-2.0
"""The documents' site beside page and API: its own files, its own policy, and no others."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from coalescope.web.security import DOCUMENTS_POLICY

MakeClient = Callable[..., Any]


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, Path]:
    site, page = tmp_path / "site", tmp_path / "dist"
    (site / "_static").mkdir(parents=True)
    (site / "index.html").write_text("all documents")
    (site / "sweep.html").write_text("the sweep")
    (site / "_static/site.css").write_text("body {}")
    (site / "objects.inv").write_text("of the generator")
    (site / "link.html").symlink_to(tmp_path / "secret.html")
    (tmp_path / "secret.html").write_text("secret")
    page.mkdir()
    (page / "index.html").write_text("the page")
    return {"documents_dir": site, "page_dir": page}


def test_its_files_have_their_types_and_its_policy(
    make_client: MakeClient, folders: dict[str, Path]
) -> None:
    client = make_client(**folders)
    for path, text, kind in (
        ("/docs/", "all documents", "text/html; charset=utf-8"),
        ("/docs/sweep.html", "the sweep", "text/html; charset=utf-8"),
        ("/docs/_static/site.css", "body {}", "text/css; charset=utf-8"),
    ):
        answer = client.get(path)
        assert (answer.status_code, answer.text) == (200, text)
        assert answer.headers["content-type"] == kind
        assert answer.headers["content-security-policy"] == DOCUMENTS_POLICY
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert "unsafe" not in DOCUMENTS_POLICY


def test_the_folder_itself_is_led_to_its_contents(
    make_client: MakeClient, folders: dict[str, Path]
) -> None:
    answer = make_client(**folders).get("/docs", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, "/docs/")


def test_the_page_keeps_what_is_not_below_it(
    make_client: MakeClient, folders: dict[str, Path]
) -> None:
    client = make_client(**folders)
    assert [client.get(path).text for path in ("/", "/docsets")] == ["the page"] * 2


def test_what_has_not_changed_is_not_sent_again(
    make_client: MakeClient, folders: dict[str, Path]
) -> None:
    client = make_client(**folders)
    first = client.get("/docs/sweep.html")
    assert first.headers["cache-control"] == "no-cache"
    known = {"if-none-match": first.headers["etag"]}
    again = client.get("/docs/sweep.html", headers=known)
    assert (again.status_code, again.content) == (304, b"")
    (folders["documents_dir"] / "sweep.html").write_text("the sweep, longer")
    assert client.get("/docs/sweep.html", headers=known).text == "the sweep, longer"


def test_head_is_answered_and_nothing_is_changed(
    make_client: MakeClient, folders: dict[str, Path]
) -> None:
    client = make_client(**folders)
    head = client.request("HEAD", "/docs/sweep.html")
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", "9")
    refused = client.post("/docs/sweep.html")
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize(
    "path",
    [
        "/docs/none.html",
        "/docs/_static/",
        "/docs/_static",
        "/docs/objects.inv",
        "/docs/link.html",
        "/docs/../secret.html",
        "/docs/%2e%2e/secret.html",
        "/docs/_static/..%2f..%2fsecret.html",
        "/docs//etc/passwd.html",
        "/docs/a%00.html",
        f"/docs/{'a' * 5000}.html",
    ],
)
def test_nothing_else_is_sent(make_client: MakeClient, folders: dict[str, Path], path: str) -> None:
    client = make_client(**folders)
    # a raw target: httpx would tidy dot segments away
    answer = client.get(httpx.URL("http://127.0.0.1:8000").copy_with(raw_path=path.encode()))
    assert answer.status_code == 404
    assert "secret" not in answer.text


def test_what_is_not_there_leads_to_what_is(
    make_client: MakeClient, folders: dict[str, Path]
) -> None:
    assert 'href="/docs/"' in make_client(**folders).get("/docs/none.html").text


def test_where_no_site_is_built_it_says_how_to_build_it(make_client: MakeClient) -> None:
    answer = make_client(documents_dir=None).get("/docs/")
    assert answer.status_code == 503
    assert "make docs" in answer.text


def test_documents_take_no_token(make_client: MakeClient, folders: dict[str, Path]) -> None:
    client = make_client(host="0.0.0.0", token="secret-of-some-length", **folders)
    assert client.get("/docs/").status_code == 200
