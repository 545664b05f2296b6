# SPDX-License-Identifier: Apache-2.0
"""What the page asks a server, asked once, under the names that the page looks for.

The names are the page's own (frontend/src/api/copy.ts): GET /api/runs/7 is kept as runs/7.json.
"""

from collections.abc import Iterator
from itertools import count

from anyio.from_thread import BlockingPortal
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient, Response

from coalescope.errors import CoalescopeError
from coalescope.publishing.questions import (
    Json,
    encoded,
    fit_requests,
    recommendation_requests,
    with_limits,
)

Answer = tuple[str, bytes]

_PAGE_OF_RUNS = 1000
_LONG_S = 3600
# The half width that the page of replicates plans for (features/replicates).
_WIDTH_PERCENT = 5


class InProcessClient:
    """Blocking requests to an application in this process."""

    def __init__(self, app: FastAPI, portal: BlockingPortal) -> None:
        self._app = app
        self._portal = portal

    def ask(self, path: str, body: Json | None = None) -> Response:
        """GET /api/<path>, or POST with a body; any status."""

        async def send() -> Response:
            transport = ASGITransport(app=self._app)
            url = "http://127.0.0.1:8000"
            # in this process: what takes long, as a fit may, is waited for
            async with AsyncClient(transport=transport, base_url=url, timeout=_LONG_S) as client:
                if body is None:
                    return await client.get(f"/api/{path}")
                return await client.post(f"/api/{path}", json=body)

        return self._portal.call(send)

    def get(self, path: str) -> Response:
        """GET that must succeed."""
        answer = self.ask(path)
        if not answer.is_success:
            raise CoalescopeError(
                "not_published",
                f"The store did not answer {path!r}: {answer.status_code} {answer.text[:200]}",
            )
        return answer


def experiments(client: InProcessClient) -> list[Json]:
    """All of them, page by page."""
    found: list[Json] = []
    more = True
    while more:
        answer = client.get(f"experiments?offset={len(found)}")
        found += answer.json()
        more = "next" in answer.links
    return found


def common(client: InProcessClient) -> Iterator[Answer]:
    """The lists."""
    yield "experiments.json", encoded(experiments(client))
    for name in ("quantities", "models"):
        yield f"{name}.json", client.get(name).content
    # of models: what they are asked over follows from a view
    yield "recommendations.json", encoded([])


def of_experiment(client: InProcessClient, slug: str) -> Iterator[Answer]:
    """Everything the page asks about an experiment, but its runs one by one."""
    own = f"experiments/{slug}"
    experiment = client.get(own)
    cells = client.get(f"{own}/cells")
    yield f"{own}.json", experiment.content
    yield f"{own}/cells.json", cells.content
    yield f"{own}/environment.json", client.get(f"{own}/environment").content
    for file_format in ("csv", "json"):
        exported = client.get(f"{own}/export?format={file_format}&what=cells")
        yield f"{own}/export/cells.{file_format}", exported.content
    known = experiment.json(), cells.json()
    fits = [_answered(client, f"{own}/fits", asked) for asked in fit_requests(*known)]
    yield f"{own}/fits.json", encoded(fits)
    yield f"{own}/recommendations.json", encoded(list(_recommended(client, own, *known)))
    yield from _statistics(client, experiment.json())
    yield f"{own}/runs.json", encoded(_runs(client, slug))
    for cell in cells.json()["cells"]:
        listed = _runs(client, slug, f"&cell={cell['id']}")
        yield f"{own}/runs/cell={cell['id']}.json", encoded(listed)


def of_run(client: InProcessClient, run: Json, *, with_log: bool) -> Iterator[Answer]:
    """A run, how it went over time where it has a log, and the log."""
    own = f"runs/{run['id']}"
    yield f"{own}.json", client.get(own).content
    yield f"{own}/environment.json", client.get(f"{own}/environment").content
    if run["content"] in ("csv", "foreign") or run["sha256"] is None:
        return
    yield f"{own}/contents.json", client.get(f"{own}/contents").content
    if with_log:
        yield f"{own}/log.runlog", client.get(f"{own}/log").content


def _statistics(client: InProcessClient, experiment: Json) -> Iterator[Answer]:
    """What the page of replicates asks of all runs, measure by measure."""
    own = f"experiments/{experiment['slug']}"
    varied = [f for f in experiment["factors"] if len(f["levels"]) > 1]
    # as the page chooses them: numbers first
    varied.sort(key=lambda f: any(isinstance(level, str) for level in f["levels"]))
    pair = [f["name"] for f in varied[:2]]
    for measure in (m["name"] for m in experiment["measures"]):
        asks = {
            f"replicates/{measure}": f"replicates?measure={measure}",
            f"replication-plan/{measure}/{_WIDTH_PERCENT}": (
                f"replication-plan?measure={measure}&width_percent={_WIDTH_PERCENT}"
            ),
        }
        if len(pair) == 2:
            asks[f"variance/{measure}/{'/'.join(pair)}"] = (
                f"variance?measure={measure}&factors={','.join(pair)}"
            )
        for name, path in asks.items():
            yield f"{own}/{name}.json", client.ask(f"{own}/{path}").content


def _recommended(
    client: InProcessClient, own: str, experiment: Json, cells: Json
) -> Iterator[Json]:
    """Every question, and where it is answered by asking for a limit, what each limit gives."""
    for asked in recommendation_requests(experiment, cells):
        found = _answered(client, f"{own}/recommendations", asked)
        yield found
        for limited in with_limits(asked, found.get("answer", {}).get("ask", [])):
            yield _answered(client, f"{own}/recommendations", limited)


def _answered(client: InProcessClient, path: str, asked: Json) -> Json:
    answer = client.ask(path, asked)
    if answer.is_success:
        return {"asked": asked, "answer": answer.json()}
    return {"asked": asked, "refusal": {"status": answer.status_code, "body": answer.json()}}


def _runs(client: InProcessClient, slug: str, only: str = "") -> Json:
    """The list of runs, whole."""
    runs: list[Json] = []
    for page in count():
        query = f"limit={_PAGE_OF_RUNS}&offset={page * _PAGE_OF_RUNS}{only}"
        listed = client.get(f"experiments/{slug}/runs?{query}").json()
        runs += listed["runs"]
        if len(runs) >= listed["total"] or not listed["runs"]:
            return {"total": len(runs), "runs": runs}
    raise AssertionError
