# SPDX-License-Identifier: Apache-2.0
"""What the page asks a server, asked once, under the names that the page looks for.

The names are the page's own (frontend/src/api/copy.ts): GET /api/runs/7 is kept as runs/7.json.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from anyio.from_thread import BlockingPortal
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient, Response

from coalescope.errors import CoalescopeError

Json = Mapping[str, Any]
Answer = tuple[str, bytes]

_PAGE_OF_RUNS = 1000
_LONG_S = 3600
_METHODS = ("paper-tls", "whitened", "ols")
_MODEL = "cpu-overhead"
# The half width that the page of replicates plans for (features/replicates).
_WIDTH_PERCENT = 5
# What each goal of a recommendation can mean, the best first, and the factors that are traffic
# (features/recommend/question.ts).
_MEANS = {
    "throughput": ("throughput_mbps", "goodput_mbps", "request_rate_hz"),
    "cpu": (
        "receiver_cpu_s_per_gb",
        "receiver_cpu_jiffies_per_gb",
        "system_cpu_s_per_gb",
        "system_cpu_jiffies_per_gb",
        "cycles_per_packet",
        "receiver_cpu_percent",
        "system_cpu_percent",
        "idle_cpu_percent",
    ),
    "latency": ("latency_us", "latency_p50_us", "latency_p99_us"),
}
_TRAFFIC = ("workload", "frame_bytes", "streams", "packet_rate_hz")
# The measures that the page explains by that model, and what is fitted then (state/models.ts).
_COSTS = {
    f"{side}_cpu_{unit}_per_gb": f"{side}_cpu_{unit}"
    for side in ("receiver", "system")
    for unit in ("jiffies", "s")
}


class Asker:
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


def common(asker: Asker) -> Iterator[Answer]:
    """The lists."""
    for name in ("experiments", "quantities", "models"):
        yield f"{name}.json", asker.get(name).content
    # of models: what they are asked over follows from a view
    yield "recommendations.json", encoded([])


def of_experiment(asker: Asker, slug: str) -> Iterator[Answer]:
    """Everything the page asks about an experiment, but its runs one by one."""
    own = f"experiments/{slug}"
    experiment = asker.get(own)
    cells = asker.get(f"{own}/cells")
    yield f"{own}.json", experiment.content
    yield f"{own}/cells.json", cells.content
    yield f"{own}/environment.json", asker.get(f"{own}/environment").content
    for file_format in ("csv", "json"):
        exported = asker.get(f"{own}/export?format={file_format}&what=cells")
        yield f"{own}/export/cells.{file_format}", exported.content
    for name, asks in (("fits", fit_requests), ("recommendations", recommendation_requests)):
        answers = [
            _answered(asker, f"{own}/{name}", asked)
            for asked in asks(experiment.json(), cells.json())
        ]
        yield f"{own}/{name}.json", encoded(answers)
    yield from _statistics(asker, experiment.json())
    yield f"{own}/runs.json", encoded(_runs(asker, slug))
    for cell in cells.json()["cells"]:
        listed = _runs(asker, slug, f"&cell={cell['id']}")
        yield f"{own}/runs/cell={cell['id']}.json", encoded(listed)


def of_run(asker: Asker, run: Json, *, with_log: bool) -> Iterator[Answer]:
    """A run, how it went over time where it has a log, and the log."""
    own = f"runs/{run['id']}"
    yield f"{own}.json", asker.get(own).content
    yield f"{own}/environment.json", asker.get(f"{own}/environment").content
    if run["content"] == "csv" or run["sha256"] is None:
        return
    yield f"{own}/contents.json", asker.get(f"{own}/contents").content
    if with_log:
        yield f"{own}/log.runlog", asker.get(f"{own}/log").content


def fit_requests(experiment: Json, cells: Json) -> Iterator[Json]:
    """The fits of an experiment's own view: every cost, every method, every choice of levels."""
    costs = [_COSTS[m["name"]] for m in experiment["measures"] if m["name"] in _COSTS]
    for where, _ in _choices(experiment, cells):
        for response in costs:
            for method in _METHODS:
                yield {"model": _MODEL, "method": method, "response": response, "where": where}


def recommendation_requests(experiment: Json, cells: Json) -> Iterator[Json]:
    """What the page asks in an experiment's own view: every goal, every choice of levels.

    A goal is about the measure on the screen where it means one of several.
    """
    rest = {"constraints": [], "interface": "eth0"}
    for where, own in _choices(experiment, cells, _TRAFFIC):
        measured = {name for cell in own for name in cell["measures"]}
        known: dict[str, str] = {}
        for role, means in _MEANS.items():
            meant = [name for name in means if name in measured]
            for name in meant:
                yield {**rest, "aims": _aims(name), "where": where}
            shown = experiment["default_view"]["measure"]
            if meant:
                known[role] = shown if shown in meant else meant[0]
        if len(known) > 1:
            yield {**rest, "aims": _aims(*known.values()), "where": where}
        gained = known.get("throughput", known.get("latency"))
        if gained and "cpu" in known:
            aims = _aims(gained, known["cpu"])
            yield {**rest, "aims": aims, "goal": "balance", "where": where}


def _aims(*measures: str) -> list[Json]:
    return [{"measure": name, "weight": 1} for name in measures]


def _choices(
    experiment: Json, cells: Json, also: Sequence[str] = ()
) -> Iterator[tuple[Json, list[Json]]]:
    """Levels of the factors that span no axis of the experiment's own view, and their cells.

    Factors in `also` are chosen even where they span an axis.
    """
    view = experiment["default_view"]
    if view is None:
        return
    axes = {view["x"], view["y"] or "mtu_bytes"} - set(also)
    varied = [f["name"] for f in experiment["factors"] if len(f["levels"]) > 1]
    chosen = [name for name in varied if name not in axes]
    found: dict[bytes, tuple[Json, list[Json]]] = {}
    for cell in cells["cells"]:
        where = {name: cell["factors"].get(name) for name in chosen}
        found.setdefault(encoded(where), (where, []))[1].append(cell)
    yield from found.values()


def _statistics(asker: Asker, experiment: Json) -> Iterator[Answer]:
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
            yield f"{own}/{name}.json", asker.ask(f"{own}/{path}").content


def _answered(asker: Asker, path: str, asked: Json) -> Json:
    answer = asker.ask(path, asked)
    if answer.is_success:
        return {"asked": asked, "answer": answer.json()}
    return {"asked": asked, "refusal": {"status": answer.status_code, "body": answer.json()}}


def _runs(asker: Asker, slug: str, only: str = "") -> Json:
    """The list of runs, whole."""
    runs: list[Json] = []
    for page in count():
        query = f"limit={_PAGE_OF_RUNS}&offset={page * _PAGE_OF_RUNS}{only}"
        listed = asker.get(f"experiments/{slug}/runs?{query}").json()
        runs += listed["runs"]
        if len(runs) >= listed["total"] or not listed["runs"]:
            return {"total": len(runs), "runs": runs}
    raise AssertionError


def encoded(value: Json | Sequence[Json]) -> bytes:
    """The same bytes for the same value."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
