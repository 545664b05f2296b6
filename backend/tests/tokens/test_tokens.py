# SPDX-License-Identifier: Apache-2.0
"""Tokens of a store: what each scope opens, what ends one, and what is kept of it."""

import hmac
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from coalescope.db.tables import changes, tokens
from coalescope.errors import CoalescopeError
from coalescope.tokens import service
from coalescope.web.security import SCOPES
from coalescope.web.security.scopes import needed_scope

MakeClient = Callable[..., Any]
TABLE = b"mtu_bytes,replicate,drops\n1500,1,3\n9000,1,4\n"
BEYOND = {"host": "0.0.0.0", "token": "the admin's own secret"}

# One address of each class, and the status that it answers whoever may ask.
CLASSES = [
    ("read", "GET", "/api/experiments", 200),
    ("read", "POST", "/api/experiments/none/fits", 422),
    ("upload", "POST", "/api/uploads?filename=", 422),
    ("upload", "PUT", "/api/sweeps/12345678/progress", 422),
    ("upload", "POST", "/api/links", 422),
    ("admin", "POST", "/api/runs/none/retraction", 422),
    ("admin", "GET", "/api/changes", 200),
    ("admin", "GET", "/api/changes?limit=0", 422),
    ("admin", "DELETE", "/api/anything/new", 404),
]


def shown(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def made(client: Any, scope: str, name: str | None = None, days: float | None = None) -> str:
    with client.app.state.database.write() as connection:
        return service.create(connection, name or f"the {scope} one", scope, days)


@pytest.fixture
def client(make_client: MakeClient) -> Any:
    return make_client(**BEYOND)


@pytest.mark.parametrize(("needed", "method", "path", "status"), CLASSES)
def test_each_class_of_address_wants_its_scope(
    client: Any, needed: str, method: str, path: str, status: int
) -> None:
    bare = client.request(method, path)
    assert bare.status_code == 401
    assert bare.headers["www-authenticate"] == 'Bearer realm="Coalescope"'
    for wrong in ("guess", "coalescope_000000000000_" + "A" * 43, "é"):
        refused = client.request(
            method, path, headers={"Authorization": f"Bearer {wrong}".encode()}
        )
        assert refused.status_code == 401
        assert 'error="invalid_token"' in refused.headers["www-authenticate"]
    for scope in SCOPES:
        answer = client.request(method, path, headers=shown(made(client, scope)))
        if SCOPES.index(scope) >= SCOPES.index(needed):
            assert answer.status_code == status, answer.text
            continue
        assert answer.status_code == 403
        assert answer.json()["error"]["code"] == "scope_too_small"
        assert f'scope="{needed}"' in answer.headers["www-authenticate"]
    assert client.request(method, path, headers=shown(BEYOND["token"])).status_code == status


def test_every_address_of_the_api_has_the_class_that_it_should(client: Any) -> None:
    """A new address that changes something is for admins until somebody decides otherwise."""
    found: dict[str, set[str]] = {}
    others = {"/api/health": None, "/api/ready": None}
    others |= dict.fromkeys(("/api/deleted-experiments", "/api/changes"), "admin")
    for path, methods in client.app.openapi()["paths"].items():
        for method in methods:
            if method != "get":
                concrete = path.replace("{", "").replace("}", "")
                scope = needed_scope(method.upper(), concrete)
                found.setdefault(str(scope), set()).add(f"{method} {path}")
            else:
                assert needed_scope("GET", path) == others.get(path, "read")
    assert found["upload"] == {
        "post /api/experiments",
        "post /api/uploads",
        "post /api/jobs",
        "post /api/jobs/{job_id}/cancellation",
        "post /api/links",
        "put /api/sweeps/{sweep_id}",
        "put /api/sweeps/{sweep_id}/progress",
    }
    assert found["read"] == {
        "post /api/models/{model_id}/predictions",
        "post /api/predictions",
        "post /api/uploads/look",
        "post /api/recommendations",
        "post /api/policies/trials",
        "post /api/experiments/{slug}/fits",
        "post /api/experiments/{slug}/nonlinear-fits",
        "post /api/experiments/{slug}/recommendations",
    }


@pytest.mark.parametrize(
    "path", ["/api/uploads/", "/api//uploads", "/api/sweeps/a/b/progress", "/api/uploads/../runs"]
)
def test_addresses_that_only_look_like_additions_are_for_admins(path: str) -> None:
    assert needed_scope("POST", path) == "admin"


def test_a_public_server_shows_and_takes_nothing(make_client: MakeClient) -> None:
    client = make_client(host="0.0.0.0", public_read=True)
    assert client.get("/api/experiments").status_code == 200
    assert client.post("/api/experiments/none/fits", json={}).status_code != 401
    assert client.upload(TABLE, "lab.csv").status_code == 401
    wrong = client.get("/metrics", headers=shown("guess"))
    assert wrong.status_code == 401
    token = made(client, "upload")
    sent = client.post("/api/uploads?filename=lab.csv", content=TABLE, headers=shown(token))
    assert sent.status_code == 201


def test_revoked_and_expired_tokens_open_nothing(client: Any) -> None:
    kept, ended, over = (made(client, "read", name) for name in ("kept", "ended", "over"))
    database = client.app.state.database
    for token in (kept, ended, over):
        assert client.get("/api/experiments", headers=shown(token)).status_code == 200
    with database.write() as connection:
        service.revoke(connection, "ended")
        service.revoke(connection, "ended")
        connection.execute(
            sa.update(tokens).where(tokens.c.name == "over").values(expires_at="2020-01-01")
        )
    assert client.get("/api/experiments", headers=shown(kept)).status_code == 200
    for token in (ended, over):
        assert client.get("/api/experiments", headers=shown(token)).status_code == 401
    with database.read() as connection:
        states = {token.name: token.state for token in service.every(connection)}
    assert states == {"kept": "valid", "ended": "revoked", "over": "expired"}


def test_of_a_token_a_hash_is_kept_and_compared_in_constant_time(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = made(client, "read", days=2)
    secret = token.rpartition("_")[2] if token.count("_") == 2 else token.split("_", 2)[2]
    with client.app.state.database.read() as connection:
        row = connection.execute(sa.select(tokens)).one()
    assert not any(secret in str(value) for value in row)
    assert row.expires_at > row.created_at
    compared: list[tuple[str, str]] = []
    compare = hmac.compare_digest

    def watched(a: Any, b: Any) -> bool:
        compared.append((a, b))
        return compare(a, b)

    monkeypatch.setattr(hmac, "compare_digest", watched)
    almost = token[:-1] + ("A" if token[-1] != "A" else "B")
    unknown = "coalescope_" + "0" * 12 + token[23:]
    with client.app.state.database.read() as connection:
        assert service.recognise(connection, token) is not None
        assert service.recognise(connection, almost) is None
        assert service.recognise(connection, unknown) is None
    assert [len(a) == len(b) == 64 for a, b in compared] == [True] * 3


def test_the_last_use_is_noted(client: Any) -> None:
    token = made(client, "read")

    def used() -> str | None:
        with client.app.state.database.read() as connection:
            return service.every(connection)[0].last_used_at

    assert used() is None
    client.get("/api/experiments", headers=shown(token))
    first = used()
    assert first is not None
    client.get("/api/experiments", headers=shown(token))
    assert used() == first, "once a minute is enough"


def test_who_changed_what_is_kept_with_the_change(client: Any) -> None:
    token = made(client, "upload", "bench 3")
    sent = client.post("/api/uploads?filename=lab.csv", content=TABLE, headers=shown(token))
    assert sent.status_code == 201
    client.post("/api/uploads?filename=bad.csv", content=b"nothing", headers=shown(token))
    client.get("/api/experiments", headers=shown(token))
    with client.app.state.database.read() as connection:
        rows = connection.execute(sa.select(changes)).all()
    # making the token here had no cause, reading and a refused file changed nothing
    assert [(row.who, row.what) for row in rows] == [
        ("bench 3", f"lab: {_runs_of(sent)} uploaded as lab.csv")
    ]
    assert token not in str(rows)


def _runs_of(sent: Any) -> str:
    found = sent.json()["runs"]
    return f"run {found[0]['id']}" if len(found) == 1 else f"{len(found)} runs"


@pytest.mark.fault("D8")
def test_the_record_says_what_happened_to_which_run(client: Any) -> None:
    token = made(client, "admin", "bench 3")
    sent = client.post("/api/uploads?filename=lab.csv", content=TABLE, headers=shown(token))
    uid = sent.json()["runs"][0]["id"]
    for action in ("retraction", "restoration"):
        done = client.post(
            f"/api/runs/{uid}/{action}", json={"reason": "wrong cable"}, headers=shown(token)
        )
        assert done.status_code == 200, done.text
    with client.app.state.database.read() as connection:
        newest = [change.what for change in service.newest_changes(connection, 2)]
    assert newest == [
        f"lab: run {uid} restored: wrong cable",
        f"lab: run {uid} retracted: wrong cable",
    ]


@pytest.mark.fault("D8")
def test_a_request_is_shown_without_its_escapes(client: Any) -> None:
    asked = 'POST /api/uploads?filename=a b.csv&mapping={"columns":["MTU"]}'
    escaped = "POST /api/uploads?filename=a%20b.csv&mapping=%7B%22columns%22%3A%5B%22MTU%22%5D%7D"
    with client.app.state.database.write() as connection:
        for what in (escaped, "lab: run x uploaded as 100%25.csv"):
            connection.execute(sa.insert(changes).values(at="2026", who="x", what=what))
    with client.app.state.database.read() as connection:
        found = [change.what for change in service.newest_changes(connection, 2)]
    assert found == ["lab: run x uploaded as 100%25.csv", asked]


def test_without_a_token_the_record_says_from_where(make_client: MakeClient) -> None:
    client = make_client()
    client.upload(TABLE, "lab.csv")
    with client.app.state.database.read() as connection:
        (change,) = service.newest_changes(connection, 5)
    assert change.who == "without a token, from 127.0.0.1"


def test_names_are_plain_and_used_once(client: Any) -> None:
    made(client, "read", "me@lab 1")
    for name, code in (("me@lab 1", "name_taken"), ("", "invalid_name"), ("a\nb", "invalid_name")):
        with pytest.raises(CoalescopeError) as refused:
            made(client, "read", name) if name else _unnamed(client)
        assert refused.value.code == code


def _unnamed(client: Any) -> None:
    with client.app.state.database.write() as connection:
        service.create(connection, "", "read", None)


def test_admins_read_who_changed_what_page_by_page(client: Any) -> None:
    admin = shown(BEYOND["token"])
    for number in range(3):
        address, rows = f"/api/uploads?filename=lab{number}.csv", TABLE + b"4500,1,%d\n" % number
        uploaded = client.post(address, content=rows, headers=admin)
        assert uploaded.status_code == 201, uploaded.text
    whole = client.get("/api/changes", headers=admin)
    assert [each["what"].rpartition(" as ")[2] for each in whole.json()] == [
        "lab2.csv",
        "lab1.csv",
        "lab0.csv",
    ]
    assert {each["who"] for each in whole.json()} == {"COALESCOPE_TOKEN"}
    assert not whole.links
    first = client.get("/api/changes?limit=2", headers=admin)
    assert first.json() == whole.json()[:2]
    rest = client.get(f"/api/changes{first.links['next']['url']}", headers=admin)
    assert rest.json() == whole.json()[2:]
    assert not rest.links


def test_reading_who_changed_what_is_no_change(client: Any) -> None:
    admin = shown(BEYOND["token"])
    for method in ("GET", "HEAD"):
        assert client.request(method, "/api/changes", headers=admin).status_code == 200
    assert client.get("/api/changes", headers=admin).json() == []


def test_a_public_server_does_not_say_who_changed_it(make_client: MakeClient) -> None:
    public = make_client(**BEYOND, public_read=True)
    assert public.get("/api/experiments").status_code == 200
    assert public.get("/api/changes").status_code == 401
