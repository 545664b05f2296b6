# SPDX-License-Identifier: Apache-2.0
"""What others stored does not lengthen an answer: asked of a store with 1,200 of everything.

Every GET that the API describes is asked.
"""

import functools
from collections.abc import Callable, Collection, Iterator, Sequence
from difflib import get_close_matches
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from anyio.from_thread import start_blocking_portal
from coalescope import errors
from coalescope.client.server import Server
from coalescope.db import tables
from coalescope.db.timestamps import utc_now
from coalescope.experiments import cells, endpoints
from coalescope.publishing.answers import InProcessClient, experiments
from coalescope.runs import kept_summaries
from coalescope.untrusted.bounds import LISTED, LISTED_UPLOAD_RUNS
from fastapi import FastAPI

from .security.asking import Operation, operations

MANY = 1200
MOST_RUNS = 1000
LARGEST_BYTES = 2**20
CSV = b"mtu_bytes,delay_us,replicate,throughput_mbps\n" + b"".join(
    f"{mtu},{delay},{run},{delay + run}\n".encode()
    for mtu in (1500, 9000)
    for delay in (10, 20)
    for run in (1, 2, 3)
)
QUERIES = {
    "width_percent": "5",
    "factors": "mtu_bytes,delay_us",
    "measure": "throughput_mbps",
    "format": "json",
    "a": "lab",
    "b": "other",
}
SLUGS = [f"e{n:04}" for n in range(MANY)]


@pytest.fixture
def crowded(make_client: Callable[..., Any]) -> Any:
    """A lab of few runs, and 1,200 of everything that others could have stored beside it."""
    client = make_client()
    receipt = client.upload(CSV, experiment="lab").json()
    client.upload(CSV, experiment="other")
    runs = "".join(f"1500,{n + 1},{n}\n" for n in range(MANY))
    table = f"mtu_bytes,replicate,throughput_mbps\n{runs}".encode()
    assert client.upload(table, experiment="long").status_code == 201
    now = utc_now()
    about = {"kind": "measured", "created_at": now, "updated_at": now}
    source = {"citation": "c" * 2000, "notes": ["n" * 2000]}
    with client.app.state.database.write() as connection:
        own = sa.select(tables.experiments.c.id).where(tables.experiments.c.slug == "long")
        long = connection.execute(own).scalar_one()
        rows: dict[sa.Table, list[dict[str, Any]]] = {
            tables.experiments: [
                {**about, "slug": slug, "title": "t" * 200, "source": source, "deleted_at": deleted}
                for slug, deleted in [
                    *((slug, None) for slug in SLUGS),
                    *((f"deleted-{slug}", now) for slug in SLUGS),
                ]
            ],
            tables.jobs: [
                {
                    "uid": f"job-{n}",
                    "slug": "lab",
                    "question": {"fit": {}},
                    "question_sha256": str(n),
                    "state": "failed",
                    "attempts": 1,
                    "asked_at": now,
                    "result": {"residuals": [0.5] * 3_000},
                }
                for n in range(MANY)
            ],
            tables.uploads: [
                {
                    "identity": f"upload-{n}",
                    "sha256": "0" * 64,
                    "bytes": 1,
                    "filename": "f" * 255,
                    "content": "csv",
                    "experiment_id": long,
                    "run_count": MANY,
                    "warnings": [],
                    "created_at": now,
                }
                for n in range(MANY)
            ],
            tables.sweeps: [
                {
                    "uid": f"sweep-{n}",
                    "slug": "lab",
                    "state": "ended",
                    "replicates": 1,
                    "cells": [],
                    "runs_planned": 1,
                    "runs_done": 1,
                    "runs_failed": 0,
                    "started_at": now,
                    "updated_at": now,
                }
                for n in range(MANY)
            ],
            tables.links: [
                {"token": f"token-{n}", "path": f"/explorer/{n}", "created_at": now}
                for n in range(MANY)
            ],
            tables.changes: [{"at": now, "who": "w", "what": "w"} for _ in range(MANY)],
        }
        for table, values in rows.items():
            connection.execute(sa.insert(table), values)
        # the newest upload is one that came with many runs
        newest = connection.execute(sa.select(sa.func.max(tables.uploads.c.id))).scalar_one()
        of_long = tables.runs.c.experiment_id == long
        connection.execute(sa.update(tables.runs).where(of_long).values(upload_id=newest))
    client.named = {
        "id": receipt["runs"][0]["id"],
        "identity": receipt["id"],
        "job_id": "job-1",
        "token": "token-1",
    }
    return client


def lists(of: Any) -> Iterator[Sequence[Any]]:
    """Every array in a document."""
    if isinstance(of, list):
        yield of
    for each in of if isinstance(of, list) else of.values() if isinstance(of, dict) else ():
        yield from lists(each)


def largest_page(app: FastAPI, operation: Operation) -> dict[str, int]:
    """The largest `limit` that an address takes, as the API describes it."""
    parameters = app.openapi()["paths"][operation.path]["get"].get("parameters", ())
    return {p["name"]: p["schema"]["maximum"] for p in parameters if p["name"] == "limit"}


def told(client: Any) -> Iterator[tuple[str, Any]]:
    """What every GET answers that tells of the store: of the lab, its largest page."""
    empty = {"/api/quantities", "/api/models", "/api/policies"}  # of the program, not the store
    endless = ("/events", "/log", "/contents")  # a stream, and what one run's log holds
    for operation in operations(client.app):
        if operation.method != "GET" or operation.path in empty or operation.path.endswith(endless):
            continue
        path = operation.at("throughput_mbps", slug="lab", **client.named)
        query = {name: QUERIES[name] for name in operation.queries if name in QUERIES}
        yield (
            operation.path,
            client.get(path, params=query | largest_page(client.app, operation)),
        )


def test_no_answer_grows_with_what_others_stored(crowded: Any) -> None:
    reached = set()
    for path, answer in told(crowded):
        assert answer.status_code == 200, (path, answer.text[:500])
        assert len(answer.content) < LARGEST_BYTES, path
        most = max((len(each) for each in lists(answer.json())), default=0)
        assert most <= LISTED, path
        reached |= {path} if most == LISTED else set()
    assert reached == {
        "/api/experiments",
        "/api/deleted-experiments",
        "/api/changes",
        "/api/jobs",
        "/api/uploads",
    }, "or the store has not enough of them to tell"


def test_of_a_run_listing_a_page_is_what_is_asked_for(crowded: Any) -> None:
    page = crowded.get("/api/experiments/long/runs", params={"limit": MOST_RUNS}).json()
    assert (page["total"], len(page["runs"])) == (MANY, MOST_RUNS)
    refused = crowded.get("/api/experiments/long/runs", params={"limit": MOST_RUNS + 1})
    assert refused.status_code == 422


def test_of_an_upload_the_list_has_the_first_runs(crowded: Any) -> None:
    listed = crowded.get("/api/uploads").json()
    assert (len(listed[0]["runs"]), listed[0]["run_count"]) == (LISTED_UPLOAD_RUNS, MANY)


@pytest.mark.parametrize("path", ["/api/experiments", "/api/deleted-experiments"])
def test_pages_lead_to_each_once(crowded: Any, path: str) -> None:
    pages: list[list[str]] = []
    address = f"{path}?limit=70"
    while address:
        answer = crowded.get(address)
        pages.append([each["slug"] for each in answer.json()])
        address = path + answer.links["next"]["url"] if answer.links else ""
    assert {len(page) for page in pages[:-1]} == {70}
    assert 0 < len(pages[-1]) <= 70
    found = [slug for page in pages for slug in page]
    own = {"lab", "other", "long"} if path == "/api/experiments" else set()
    assert len(found) == len(set(found)) == MANY + len(own)
    assert own <= set(found)


def test_pages_keep_what_was_asked(crowded: Any) -> None:
    asked = {"kind": "measured", "q": "E01", "limit": 7}
    first = crowded.get("/api/experiments", params=asked)
    assert first.links["next"]["url"] == "?kind=measured&q=E01&limit=7&offset=7"
    assert [each["slug"] for each in first.json()] == SLUGS[100:107]
    last = crowded.get("/api/experiments", params=asked | {"offset": 98})
    assert [each["slug"] for each in last.json()] == SLUGS[198:200]
    assert "link" not in last.headers


def test_a_name_that_is_not_there_is_compared_with_few(
    crowded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[int] = []

    def counted(name: str, names: Collection[str], **how: Any) -> list[str]:
        compared.append(len(names))
        return get_close_matches(name, names, **how)

    monkeypatch.setattr(errors, "get_close_matches", counted)
    missed = [
        crowded.get("/api/experiments/e0500x"),
        crowded.post("/api/experiments/deleted-e0500x/restoration"),
    ]
    advice = [answer.json()["error"]["advice"] for answer in missed]
    assert [answer.status_code for answer in missed] == [404, 404]
    assert "Did you mean e0500 " in advice[0]
    assert "Did you mean deleted-e0500 " in advice[1]
    assert len(compared) == 2
    assert max(compared) <= 200


@pytest.mark.parametrize(
    ("name", "bound"),
    [
        ("EXPERIMENT_CELLS", 6),
        ("EXPERIMENT_SUMMARIES", 6),
        ("EXPERIMENT_SETTINGS_CHARACTERS", 250),
    ],
)
def test_uploads_together_cannot_make_an_experiment_larger_than_one_may_be(
    make_client: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, name: str, bound: int
) -> None:
    monkeypatch.setattr(kept_summaries, name, bound)  # the real one takes a minute to reach
    client = make_client()
    assert client.upload(CSV, experiment="lab").status_code == 201
    before = client.get("/api/experiments/lab/cells").content
    more = CSV.replace(b"10,", b"30,").replace(b"20,", b"40,")
    refused = client.upload(more, experiment="lab")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "experiment_too_large")
    assert client.get("/api/experiments/lab/cells").content == before
    assert client.upload(more, experiment="of-its-own").status_code == 201


@pytest.mark.parametrize(("layout", "of_all"), [("rows", "cells"), ("columns", "id")])
def test_cells_in_pieces_are_the_answer_that_they_are_whole(
    make_client: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, layout: str, of_all: str
) -> None:
    client = make_client()
    assert client.upload(CSV, experiment="lab").status_code == 201
    asked = [
        f"/api/experiments/lab/cells?layout={layout}{where}" for where in ("", "&mtu_bytes=1500")
    ]
    whole = [client.get(path) for path in asked]
    monkeypatch.setattr(cells, "_PER_PIECE", 3)
    monkeypatch.setattr(cells, "_VALUES_PER_PIECE", 3)
    monkeypatch.setattr(endpoints, "CELLS_WHOLE", 0)
    other = make_client()  # which has kept no answer
    parts = [other.get(path) for path in asked]
    assert [answer.content for answer in parts] == [answer.content for answer in whole]
    assert "content-length" in whole[0].headers
    assert "content-length" not in parts[0].headers
    assert parts[0].headers["etag"] == whole[0].headers["etag"]
    assert [len(answer.json()[of_all]) for answer in whole] == [4, 2]


class InProcess(httpx.BaseTransport):
    """The way of a blocking client to the application in this process."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self._client.get(request.url.raw_path.decode())
        link = {"Link": answer.headers["link"]} if "link" in answer.headers else {}
        content = httpx.ByteStream(answer.content)
        return httpx.Response(answer.status_code, headers=link, stream=content)


def test_a_published_copy_the_command_line_and_the_client_list_all(
    crowded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with start_blocking_portal() as portal:
        listed = [each["slug"] for each in experiments(InProcessClient(crowded.app, portal))]
    assert len(listed) == len(set(listed)) == MANY + 3
    client = functools.partial(httpx.Client, transport=InProcess(crowded))
    monkeypatch.setattr(httpx, "Client", client)
    server = Server("http://127.0.0.1:8000")  # which commands ask, too
    assert [each["slug"] for each in server.experiments()] == listed
    assert len(server.deleted_experiments()) == MANY
