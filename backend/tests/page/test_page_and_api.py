# SPDX-License-Identifier: Apache-2.0
"""Page and API side by side in the whole application."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from coalescope.errors import CoalescopeError
from coalescope.web.security.headers import SECURITY_HEADERS
from fastapi.routing import APIRoute

MakeClient = Callable[..., Any]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    folder = tmp_path / "dist"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("the page")
    (folder / "assets" / "index-1a2b3c4d.js").write_text("export {};")
    return folder


def test_each_answers_for_its_own(make_client: MakeClient, page: Path) -> None:
    client = make_client(page_dir=page)
    for path in ("/", "/explorer/geist-2005-nfs", "/upload", "/apiary"):
        assert client.get(path).text == "the page"
    assert client.get("/api/health").json()["status"] == "ok"
    unknown = client.get("/api/nothing")
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "not_found")
    wrong = client.post("/api/health")
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (405, "method_not_allowed")
    assert client.post("/upload").status_code == 405


def test_for_a_file_of_the_page_no_address_of_the_api_is_looked_at(
    make_client: MakeClient, page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = make_client(page_dir=page)
    compared: set[str] = set()
    matches = APIRoute.matches

    def noted(route: APIRoute, scope: Any) -> Any:
        compared.add(route.path)
        return matches(route, scope)

    monkeypatch.setattr(APIRoute, "matches", noted)
    for path in ("/", "/assets/index-1a2b3c4d.js", "/metrics/", "/docs/"):
        client.get(path)
    outside = {"/l/{token}", "/previews/{area}/{name}.png", "/metrics"}
    assert compared == outside


@pytest.mark.fault("B19")
@pytest.mark.parametrize(
    ("kind", "address"),
    [
        ("experiment", "/explorer/{}"),
        ("experiment", "/Explorer/{}/"),
        ("experiment", "/embed/explorer/{}"),
        ("experiment", "/experiments/{}/runs"),
        ("experiment", "/experiments/{}/replicates"),
        ("run", "/runs/{}"),
        ("model", "/models/{}"),
        ("model", "/models/{}/about"),
    ],
)
def test_where_the_address_names_nothing_the_page_is_not_found(
    make_client: MakeClient, page: Path, kind: str, address: str
) -> None:
    """The page itself says so to people, the status to programs."""
    client = make_client(page_dir=page)
    assert client.upload(b"mtu_bytes,replicate,drops\n1500,1,3\n", "lab.csv").status_code == 201
    run = client.get("/api/experiments/lab/runs").json()["runs"][0]["id"]
    named = {"experiment": "lab", "run": run, "model": "cpu-overhead"}[kind]
    found, missing = (client.get(address.format(name)) for name in (named, "no-such"))
    assert (found.status_code, found.text) == (200, "the page")
    assert (missing.status_code, missing.text) == (404, "the page")
    assert "etag" not in missing.headers


def test_what_a_token_guards_is_not_told_by_the_status(make_client: MakeClient, page: Path) -> None:
    client = make_client(host="0.0.0.0", token="secret", page_dir=page)
    assert client.get("/explorer/no-such").status_code == 200
    public = make_client(host="0.0.0.0", token="secret", public_read=True, page_dir=page)
    assert public.get("/explorer/no-such").status_code == 404


@pytest.mark.parametrize(
    "path", ["/", "/assets/index-1a2b3c4d.js", "/assets/gone.js", "/api/health", "/api/nothing"]
)
def test_every_answer_is_guarded(make_client: MakeClient, page: Path, path: str) -> None:
    headers = make_client(page_dir=page).get(path).headers
    assert {name: headers[name] for name in SECURITY_HEADERS} == SECURITY_HEADERS


def test_loopback_has_its_own_host_and_origin(make_client: MakeClient) -> None:
    client = make_client()
    assert client.get("/api/health", headers={"host": "evil.example"}).status_code == 421
    link = {"path": "/"}
    foreign = client.post("/api/links", json=link, headers={"origin": "http://evil.example"})
    assert (foreign.status_code, foreign.json()["error"]["code"]) == (403, "foreign_origin")
    own = client.post("/api/links", json=link, headers={"origin": "http://127.0.0.1:8000"})
    assert own.status_code == 201


def test_beyond_loopback_there_is_a_token(make_client: MakeClient, page: Path) -> None:
    with pytest.raises(CoalescopeError, match="there is no token"):
        make_client(host="0.0.0.0")
    client = make_client(host="0.0.0.0", token="secret", page_dir=page)
    assert client.get("/").text == "the page"
    for path in ("/api/experiments", "/api/openapi.json", "/api/docs", "/api/nothing"):
        assert client.get(path).status_code == 401
    bearer = {"authorization": "Bearer secret"}
    assert client.get("/api/experiments", headers=bearer).status_code == 200
    assert client.get("/api/health").status_code == 200
    upload = client.request("POST", "/api/uploads", params={"filename": "a"}, content=b"a,b\n")
    assert upload.status_code == 401
