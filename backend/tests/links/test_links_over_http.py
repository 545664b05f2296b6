# SPDX-License-Identifier: Apache-2.0
"""Links as the page and a browser use them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

PATH = "/explorer/geist-2005-nfs?measure=throughput_mbps&x=delay_us"


def test_make_find_and_follow(client: Any) -> None:
    made = client.post("/api/links", json={"path": PATH})
    assert made.status_code == 201
    link = made.json()
    assert link["path"] == PATH
    assert link["url"] == f"http://127.0.0.1:8000/l/{link['token']}"
    assert client.post("/api/links", json={"path": PATH}).json() == link
    assert client.get(f"/api/links/{link['token']}").json() == link
    followed = client.get(f"/l/{link['token']}")
    assert (followed.status_code, followed.headers["location"]) == (307, PATH)


def test_the_host_that_a_request_names_is_not_in_the_link(make_client: Callable[..., Any]) -> None:
    public = {"host": "0.0.0.0", "token": "mine", "public_url": "https://lab.example/"}
    client = make_client(**public)
    asked = {"Authorization": "Bearer mine", "Host": "evil.example"}
    link = client.post("/api/links", json={"path": PATH}, headers=asked).json()
    assert link["url"] == f"https://lab.example/l/{link['token']}"
    again = client.get(f"/api/links/{link['token']}", headers=asked)
    assert again.json() == link


def test_an_unknown_link(make_client: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist" / "index.html").write_text("the page")
    client = make_client(page_dir=tmp_path / "dist")
    answer = client.get("/api/links/unknown")
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not_found"
    opened = client.get("/l/unknown")
    assert (opened.status_code, opened.text) == (200, "the page"), "the page says what is wrong"


def test_a_link_leads_nowhere_else(client: Any) -> None:
    for path in ("//evil.example", "http://evil.example/", "/\\evil.example", "", 7, None):
        answer = client.post("/api/links", json={"path": path})
        assert answer.status_code == 422, path
    assert client.post("/api/links", json={"path": "/", "host": "evil"}).status_code == 422
    assert client.post("/api/links", json={"path": "/"}).status_code == 201, "control"
