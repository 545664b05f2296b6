# SPDX-License-Identifier: Apache-2.0
"""What holds at every address of the API, by its own description: a new one is asked by itself."""

import asyncio
import copy
import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

import pytest
import sqlalchemy as sa
from coalescope.db.tables import METADATA, changes, tokens
from coalescope.tokens import service
from coalescope.web.security import SCOPES
from coalescope.web.security.scopes import needed_scope
from fastapi import FastAPI

from .addresses import server_routes
from .asking import Answer, Operation, ask, operations

MakeClient = Callable[..., Any]
MakeLog = Callable[..., bytes]
TABLE = b"mtu_bytes,delay_us,replicate,throughput_mbps\n1500,0,1,900\n9000,40,1,940\n"


@pytest.fixture
def beyond(make_client: MakeClient) -> FastAPI:
    """A server that other machines reach; its streams end by themselves."""
    app: FastAPI = make_client(host="0.0.0.0", token="the admin's own").app
    app.state.listeners.closing = True
    return app


@pytest.fixture
def loopback(make_client: MakeClient) -> FastAPI:
    app: FastAPI = make_client().app
    app.state.listeners.closing = True
    return app


def token(app: FastAPI, scope: str, *, expired: bool = False) -> str:
    name = f"{scope}{' expired' if expired else ''}"
    with app.state.database.write() as connection:
        made = service.create(connection, name, scope, None)
        if expired:
            past = {"expires_at": "2020-01-01T00:00:00.000Z"}
            connection.execute(sa.update(tokens).where(tokens.c.name == name).values(**past))
    return made


def asks_for_a_token(operation: Operation) -> bool:
    return needed_scope(operation.method, operation.at()) is not None


def test_there_is_something_to_ask(beyond: FastAPI) -> None:
    found = operations(beyond)
    assert len(found) > 35
    assert [str(op) for op in found if not asks_for_a_token(op)] == [
        "GET /api/health",
        "GET /api/ready",
    ]


def test_only_a_right_token_opens_it(beyond: FastAPI) -> None:
    """None, a wrong one, one that has expired, one of too small a scope; and the right one."""
    scopes = {scope: token(beyond, scope) for scope in SCOPES}
    expired = token(beyond, "admin", expired=True)
    never_made = scopes["admin"][:-1] + ("A" if scopes["admin"][-1] != "A" else "B")
    outside = [None, "Bearer guess", f"Bearer {never_made}", f"Bearer {expired}", "Basic YTpi"]

    async def visit(number: int, operation: Operation) -> None:
        address, method, at = f"10.0.0.{number}", operation.method, operation.at()
        needed = needed_scope(method, at)
        assert needed is not None
        for shown in outside:
            headers = {} if shown is None else {"authorization": shown}
            refused = await ask(beyond, method, at, operation.example, address, **headers)
            assert refused.status == 401, (operation, shown)
            assert refused.headers["www-authenticate"].startswith("Bearer ")
        for scope in SCOPES:
            headers = {"authorization": f"Bearer {scopes[scope]}"}
            answer = await ask(beyond, method, at, operation.example, address, **headers)
            if SCOPES.index(scope) < SCOPES.index(needed):
                assert (answer.status, answer.code) == (403, "scope_too_small"), operation
            else:
                assert answer.status not in (401, 403), (operation, scope)

    async def everywhere() -> None:
        for number, operation in enumerate(filter(asks_for_a_token, operations(beyond)), 1):
            await visit(number, operation)

    asyncio.run(everywhere())


def test_other_sites_change_nothing_anywhere(loopback: FastAPI) -> None:
    async def everywhere() -> None:
        for operation in operations(loopback):
            if operation.method == "GET":
                continue
            method, at = operation.method, operation.at()
            for foreign in ({"origin": "http://evil.example"}, {"sec_fetch_site": "cross-site"}):
                refused = await ask(loopback, method, at, operation.example, **foreign)
                assert (refused.status, refused.code) == (403, "foreign_origin"), operation
            own = {"origin": "http://127.0.0.1:8000", "sec_fetch_site": "same-origin"}
            answer = await ask(loopback, method, at, operation.example, **own)
            assert answer.status != 403, f"control: {operation}"

    asyncio.run(everywhere())


def test_foreign_hosts_are_turned_away_everywhere(loopback: FastAPI) -> None:
    async def everywhere() -> None:
        for operation in operations(loopback):
            at = operation.at()
            evil = await ask(loopback, operation.method, at, host="rebound.example:8000")
            assert (evil.status, evil.code) == (421, "foreign_host"), operation

    asyncio.run(everywhere())


def test_a_proxy_may_pass_on_any_host_name(beyond: FastAPI) -> None:
    """Where the name is not checked, none makes the server fail or say something to a browser."""
    names = ("[", "a/b?c", "x:y", '"><script>')
    admin = {"authorization": f"Bearer {token(beyond, 'admin')}"}

    async def everywhere() -> None:
        for operation in operations(beyond):
            for name in names:
                method, at = operation.method, operation.at()
                answer = await ask(beyond, method, at, operation.example, host=name, **admin)
                assert answer.status < 500, (operation, name)
                assert "location" not in answer.headers
                assert not answer.headers["content-type"].startswith("text/html")

    asyncio.run(everywhere())


# --- what is written down

OUTSIDE_THE_DESCRIPTION = {"/l/{token}", "/previews/{area}/{name}.png", "/metrics"}


def test_nothing_is_served_that_the_walks_above_do_not_see(beyond: FastAPI) -> None:
    described = set(beyond.openapi()["paths"])
    there = {path.removeprefix("/api") for _, path in server_routes(beyond)}
    told = {path.removeprefix("/api") for path in described}
    assert there - told - {"/openapi.json", "/docs"} == OUTSIDE_THE_DESCRIPTION


def kept(app: FastAPI) -> dict[str, list[str]]:
    """All rows, but for those that say who asked."""
    with app.state.database.read() as connection:
        return {
            table.name: sorted(map(repr, connection.execute(sa.select(table)).all()))
            for table in METADATA.sorted_tables
            if table.name not in ("tokens", "changes")
        }


def recorded(app: FastAPI) -> int:
    with app.state.database.read() as connection:
        return len(connection.execute(sa.select(changes)).all())


def test_questions_change_nothing_and_changes_are_written_down(beyond: FastAPI) -> None:
    """Asked with the examples of the description, about a store that holds something."""
    admin = {"authorization": f"Bearer {token(beyond, 'admin')}"}
    changing = set()

    async def everywhere() -> None:
        table = TABLE.replace(b"1500,0,1,900", b"1500,0,1,905")
        for content in (TABLE, table):
            at = f"/api/uploads?filename=x.csv&experiment=lab{len(kept(beyond)['uploads'])}"
            assert (await ask(beyond, "POST", at, content, **admin)).status == 201
        listed = await ask(beyond, "GET", "/api/experiments/lab0/runs", **admin)
        run = json.loads(listed.body)["runs"][0]["id"]
        for operation in operations(beyond):
            at = operation.at("lab0", id=run, sweep_id="0b5f0f2e-3d5e-4c3f-9d1a-6a2d3b0c9e11")
            before, notes = kept(beyond), recorded(beyond)
            await ask(beyond, operation.method, at, operation.example, **admin)
            if kept(beyond) == before:
                continue
            changing.add(str(operation))
            assert needed_scope(operation.method, at) in ("upload", "admin"), operation
            if not at.endswith("/progress"):  # of a sweep, after each run: not a matter of record
                assert recorded(beyond) > notes, operation

    asyncio.run(everywhere())
    assert len(changing) >= 5, changing


# --- paths that lead out of where they belong

SECRET = b"what lies beside the store"
WAYS_OUT = [
    "../secret.txt",
    "../../secret.txt",
    "..%2fsecret.txt",
    "..%2f..%2fsecret.txt",
    "%2e%2e%2f%2e%2e%2fsecret.txt",
    "..%5c..%5csecret.txt",
    "....//....//secret.txt",
    "%252e%252e%252fsecret.txt",
    "..%00/secret.txt",
    "..;/secret.txt",
    "%2fetc%2fpasswd",
    "%ff%fe",
    "a%0d%0aSet-Cookie:%20x",
]
ELSEWHERE = ["/{}", "/assets/{}", "/previews/{}/x.png", "/previews/explorer/{}.png", "/l/{}"]


@pytest.fixture
def house(make_client: MakeClient, tmp_path: Path) -> FastAPI:
    """A server with a page, and secrets around everything that it keeps or serves."""
    page = tmp_path / "page"
    (page / "assets").mkdir(parents=True)
    (page / "index.html").write_text("<!doctype html><title>page</title>")
    client = make_client(page_dir=page)
    client.app.state.listeners.closing = True
    assert client.upload(TABLE, "lab.csv").status_code == 201
    for folder in (tmp_path, tmp_path / "data", tmp_path / "data" / "logs"):
        folder.mkdir(exist_ok=True)  # with a bucket, there is none for logs
        (folder / "secret.txt").write_bytes(SECRET)
    return client.app


def test_no_parameter_leads_out(house: FastAPI, tmp_path: Path) -> None:
    ways = [*WAYS_OUT, quote(str(tmp_path / "secret.txt"), safe="")]

    async def check(method: str, target: str, body: Any) -> None:
        answer = await ask(house, method, target, body)
        assert SECRET not in answer.body, target
        assert b"root:" not in answer.body, target
        assert answer.status < 500, target
        assert "set-cookie" not in answer.headers, target

    async def everywhere() -> None:
        for operation in operations(house):
            for name in operation.names:
                for way in ways:
                    await check(
                        operation.method, operation.at("lab", **{name: way}), operation.example
                    )
        for target in ELSEWHERE:
            for way in ways:
                await check("GET", target.format(way), None)

    asyncio.run(everywhere())


def test_the_ways_lead_out_where_nobody_looks(tmp_path: Path) -> None:
    """Control: a handler that opens what it is told finds the secret."""
    (tmp_path / "kept").mkdir()
    (tmp_path / "secret.txt").write_bytes(SECRET)
    app = FastAPI()

    @app.get("/kept/{name:path}")
    def naive(name: str) -> str:
        return (tmp_path / "kept" / name).read_text()

    async def go() -> list[Answer]:
        return [
            await ask(app, "GET", f"/kept/{way}") for way in ("../secret.txt", "..%2fsecret.txt")
        ]

    assert all(SECRET in answer.body for answer in asyncio.run(go()))


def test_the_name_of_a_file_leads_nowhere(house: FastAPI, tmp_path: Path) -> None:
    def outside() -> list[Path]:
        return sorted(p for p in tmp_path.rglob("*") if p.is_file() and "logs" not in p.parts)

    before = outside()

    async def send() -> None:
        for number, way in enumerate(["../../out.csv", "/etc/out.csv", "..\\out.csv", "\0.csv"]):
            table = TABLE.replace(b",1,9", f",{number + 2},9".encode())
            at = f"/api/uploads?filename={quote(way, safe='')}&experiment=other"
            answer = await ask(house, "POST", at, table)
            assert answer.status == (422 if "\0" in way else 201), answer.body
            assert b".." not in answer.body

    asyncio.run(send())
    assert outside() == before


# --- addresses of others, in every field that takes text


@pytest.fixture
def elsewhere() -> Iterator[socket.socket]:
    """A server that nobody should call; whoever does waits in its queue."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        listener.setblocking(False)
        yield listener


def called(listener: socket.socket) -> bool:
    try:
        listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def with_url(document: Any, url: str) -> Iterator[Any]:
    """The document with one of its texts replaced, for each text that it holds."""
    if isinstance(document, str):
        yield url
    elif isinstance(document, dict):
        for key, value in document.items():
            for changed in with_url(value, url):
                yield {**document, key: changed}
    elif isinstance(document, list):
        for index, value in enumerate(document):
            for changed in with_url(value, url):
                yield [*document[:index], changed, *document[index + 1 :]]


def test_no_text_is_an_address_that_is_called(
    house: FastAPI, make_log: MakeLog, elsewhere: socket.socket
) -> None:
    url = f"http://127.0.0.1:{elsewhere.getsockname()[1]}/x"
    escaped = quote(url, safe="")
    log = make_log(
        experiment="lab2",
        factors={"mtu_bytes": 1500, "workload": url},
        experiment_title=url,
        environment={"kernel": url, "command": [url]},
        result=f'{{"url": "{url}"}}'.encode(),
    )
    table = f"mtu_bytes,workload,replicate,drops\n1500,{url},1,3\n".encode()

    async def everywhere() -> None:
        for name, content in (("x.runlog", log), (escaped, table)):
            query = f"filename={name}&title={escaped}&citation={escaped}"
            at = f"/api/uploads?{query}" + ("" if content is log else "&experiment=lab3")
            assert (await ask(house, "POST", at, content)).status == 201
        for operation in operations(house):
            method, example = operation.method, operation.example
            for name in operation.names:
                await ask(house, method, operation.at("lab", **{name: escaped}), example)
            for slug in ("lab", "lab2", "lab3"):
                await ask(house, method, operation.at(slug), example)
            for name in operation.queries:
                await ask(house, method, f"{operation.at('lab')}?{name}={escaped}", example)
            for body in with_url(copy.deepcopy(example), url):
                await ask(house, method, operation.at("lab"), body)
        for slug in ("lab2", "lab3"):
            await ask(house, "GET", f"/previews/explorer/{slug}.png?x={escaped}")
            await ask(house, "GET", f"/explorer/{slug}")

    asyncio.run(everywhere())
    assert not called(elsewhere)
    with pytest.raises(OSError, match="timed out"), urlopen(url, timeout=0.2):
        pass
    assert called(elsewhere), "control: a call is seen"


@pytest.mark.fault("A7")
def test_head_answers_as_get_does_without_content(make_client: MakeClient) -> None:
    """A stream of events too, which would not end by itself."""
    client = make_client()
    assert client.upload(TABLE, "lab.csv").status_code == 201
    run = client.get("/api/experiments/lab/runs").json()["runs"][0]["id"]
    given = {"slug": "lab", "other": "lab", "measure": "throughput_mbps", "id": run}
    reads = [op for op in operations(client.app) if op.method == "GET"]
    assert sum(client.request("HEAD", op.at(**given)).status_code == 200 for op in reads) > 15

    for operation in reads:
        at = operation.at(**given)
        head = client.request("HEAD", at)
        assert head.content == b"", operation
        assert head.status_code != 405, operation
        if operation.path.endswith("/events"):
            assert head.headers["content-type"].startswith("text/event-stream")
            continue
        answer = client.get(at)
        assert head.status_code == answer.status_code, operation
        varying = {"date", "x-request-id"}
        assert {k: v for k, v in head.headers.items() if k not in varying} == {
            k: v for k, v in answer.headers.items() if k not in varying
        }, operation


@pytest.mark.fault("A7")
def test_what_is_not_read_has_no_head(loopback: FastAPI) -> None:
    read = {op.path for op in operations(loopback) if op.method == "GET"}
    written = [op for op in operations(loopback) if op.path not in read]
    assert written
    for operation in written:
        refused = asyncio.run(ask(loopback, "HEAD", operation.at()))
        assert refused.status == 405, operation
        assert "HEAD" not in refused.headers["allow"]
    put = asyncio.run(ask(loopback, "PUT", "/api/experiments"))
    assert put.headers["allow"].startswith("GET, HEAD")
