# SPDX-License-Identifier: Apache-2.0
"""Every command that asks a server, and the Python client, end in a sentence whatever it answers.

The commands are the parser's own; what each asks is seen where the server answers as ours.
"""

import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import coalescope as cs
import httpx
import pytest
from coalescope.cli import job_progress
from coalescope.cli.commands import upload
from coalescope.cli.parser import build_parser
from coalescope.client import shapes
from coalescope.client.connection import Connection
from coalescope_host import wrong_scheme
from timeouts import TIMEOUT_S

from . import asking_strangers
from .command_lines import Leaf, leaves
from .conftest import environment, serving_in
from .strangers import BOMBS, WRONG, Said, Stranger, changed, plain, stranger
from .test_servers import table

Run = Callable[..., Any]
Ours = Mapping[tuple[str, str], Said]
T = TypeVar("T")

OF_A_SERVER = [
    leaf
    for leaf in leaves(build_parser())
    if any("--server" in action.option_strings for action in leaf.parser._actions)
]
each_command = pytest.mark.parametrize("leaf", OF_A_SERVER, ids=lambda leaf: " ".join(leaf.words))
#: One that is asked more than the parser demands.
ALSO = {("fit",): ("--job",)}
#: Whose bombs are not left to longer runs: one for each way that answers are read.
OFTEN = {("surface",), ("export",), ("changes",), ("upload",)}
#: Of wrong answers to a question, and of changes of one, those that are not left to longer runs.
FEW = 8
each_amount = pytest.mark.parametrize("most", [FEW, pytest.param(10**6, marks=pytest.mark.soak)])
MEMORY_KIB = 500 * 1024
LONGEST_S = 1.0
ENDS_S = 20.0
LAB = "/api/experiments/lab"
FIT = {"model": "cpu-overhead", "method": "ols", "response": "system_cpu_s", "resamples": 50}
NONLINEAR = {
    "model": "cpu-overhead",
    "output": "system_cpu",
    "free": ["alpha"],
    "response": "system_cpu_s",
    "resamples": 20,
}
POINT = {"values": {"mtu_bytes": 1500}}
BY_MODEL = {
    "model": "request-response",
    "values": {"mtu_bytes": 1500},
    "over": {"delay_us": [10, 40]},
    "aims": [{"measure": "throughput_mbps", "sense": "more"}],
}


def asked_of_ours(client: httpx.Client) -> Iterator[tuple[tuple[str, str], httpx.Response]]:
    """Each route of the client's, and what ours answers."""
    sent = client.post("/api/uploads", params={"filename": "lab.csv"}, content=table())
    yield ("POST", "/api/uploads"), sent
    run = client.get(f"{LAB}/runs").json()["runs"][0]["id"]
    of_lab = {
        "": {},
        "/cells": {},
        "/export": {"format": "json", "what": "runs"},
        "/surfaces/{measure}": {},
        "/variance": {"measure": "rx_packets", "factors": "mtu_bytes,delay_us"},
        "/replication-plan": {"measure": "rx_interrupts", "width_percent": "1"},
        "/runs": {},
    }
    for below, asked in of_lab.items():
        path = f"{LAB}{below}".format(measure="system_cpu_s")
        yield ("GET", f"/api/experiments/{{slug}}{below}"), client.get(path, params=asked)
    sides = {
        "a": "lab",
        "b": "lab",
        "measure": "system_cpu_s",
        "a.delay_us": "0",
        "b.delay_us": "80",
    }
    yield ("GET", "/api/comparisons"), client.get("/api/comparisons", params=sides)
    for path in ("health", "experiments", "policies", "changes"):
        yield ("GET", f"/api/{path}"), client.get(f"/api/{path}")
    aims = {"aims": [{"measure": "system_cpu_s", "sense": "less"}], "guarded": False}
    phase = {"duration_us": 100_000, "packet_rate_hz": 80_000}
    posted: dict[str, tuple[str, Any]] = {
        f"{LAB}/fits": ("/api/experiments/{slug}/fits", FIT),
        f"{LAB}/nonlinear-fits": ("/api/experiments/{slug}/nonlinear-fits", NONLINEAR),
        f"{LAB}/recommendations": ("/api/experiments/{slug}/recommendations", aims),
        "/api/recommendations": ("/api/recommendations", BY_MODEL),
        "/api/models/link-bound/predictions": ("/api/models/{model_id}/predictions", POINT),
        "/api/policies/trials": (
            "/api/policies/trials",
            {"policy": "dim", "traffic": {"kind": "open-loop", "phases": [phase]}},
        ),
        "/api/jobs": ("/api/jobs", {"experiment": "lab", "fit": FIT}),
        f"/api/runs/{run}/retraction": ("/api/runs/{id}/retraction", {"reason": "x"}),
        f"/api/runs/{run}/restoration": ("/api/runs/{id}/restoration", {"reason": "x"}),
        f"/api/runs/{run}/correction": (
            "/api/runs/{id}/correction",
            {"factors": {"mtu_bytes": 1500}, "replicate": 7, "reason": "x"},
        ),
    }
    for path, (template, body) in posted.items():
        yield ("POST", template), client.post(path, json=body)
    yield ("GET", "/api/runs/{id}"), client.get(f"/api/runs/{run}")
    yield from _jobs(client)
    yield ("PATCH", "/api/experiments/{slug}"), client.patch(LAB, json={"title": "Lab"})
    yield ("DELETE", "/api/experiments/{slug}"), client.delete(LAB)
    yield ("GET", "/api/deleted-experiments"), client.get("/api/deleted-experiments")
    restored = client.post(f"{LAB}/restoration", json={})
    yield ("POST", "/api/experiments/{slug}/restoration"), restored


def _jobs(client: httpx.Client) -> Iterator[tuple[tuple[str, str], httpx.Response]]:
    done = client.post("/api/jobs", json={"experiment": "lab", "fit": FIT}).json()["id"]
    while client.get(f"/api/jobs/{done}").json()["state"] in ("queued", "running"):
        pass
    yield ("GET", "/api/jobs"), client.get("/api/jobs")
    yield ("GET", "/api/jobs/{job_id}"), client.get(f"/api/jobs/{done}")
    long = client.post(
        "/api/jobs", json={"experiment": "lab", "fit": {**FIT, "resamples": 100_000}}
    )
    path = "/api/jobs/{job_id}/cancellation"
    yield ("POST", path), client.post(path.format(job_id=long.json()["id"]), json={})


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Ours:
    """What ours answers to each route that the client asks."""
    with (
        serving_in(tmp_path_factory.mktemp("ours"))(COALESCOPE_DATASETS_DIR="") as (url, _),
        httpx.Client(base_url=url, timeout=TIMEOUT_S) as client,
    ):
        found = dict(asked_of_ours(client))
    for route, answer in found.items():
        assert answer.is_success, (route, answer.text)
    own = {route: Said(answer.status_code, answer.content) for route, answer in found.items()}
    own["POST", "/api/predictions"] = own["POST", "/api/models/{model_id}/predictions"]
    return own


@pytest.fixture(autouse=True)
def in_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses between attempts, and the time that a port has to show what it speaks."""
    monkeypatch.setattr(wrong_scheme, "_TIMEOUT_S", 0.1)
    monkeypatch.setattr(upload, "_PAUSES_S", (0.0,))
    monkeypatch.setattr(job_progress, "_LOOK_EVERY_S", 0.0)


@pytest.fixture
def server(ours: Ours, tmp_path: Path) -> Iterator[Stranger]:
    """One that answers as ours, until it is told otherwise."""
    # what is typed where a file is asked for
    (tmp_path / "throughput_mbps").write_text(table())
    with stranger(ours) as found:
        yield found


def typed(leaf: Leaf, url: str) -> list[str]:
    words = [*leaf.typed, *ALSO.get(leaf.words, ())]
    return [*words, "--server", url] if "--server" not in words else _with(words, url)


def _with(words: list[str], url: str) -> list[str]:
    place = words.index("--server") + 1
    return [*words[:place], url, *words[place + 1 :]]


def some(every: Iterable[T], most: int, of: object) -> list[T]:
    """At most so many of them, others of each command, and of each the same each time."""
    listed = list(every)
    return random.Random(str(of)).sample(listed, min(most, len(listed)))


def routes_asked(run: Run, server: Stranger, leaf: Leaf) -> list[tuple[str, str]]:
    server.answer()
    run(*typed(leaf, server.url))
    assert server.asked, leaf.words
    return list(server.asked)


def test_the_client_asks_in_the_shapes_that_the_api_declares(ours: Ours) -> None:
    assert set(ours) == set(shapes.SHAPES)
    paths = json.loads((Path(__file__).parents[3] / "docs" / "openapi.json").read_text())["paths"]
    for (method, path), shape in shapes.SHAPES.items():
        answers = paths[path][method.lower()]["responses"]
        content = next(answers[each] for each in sorted(answers) if each.startswith("2"))["content"]
        declared = json.dumps(content["application/json"]["schema"])
        (named, *_) = getattr(shape, "__args__", (shape,))
        is_described = (method, path) not in shapes.UNDESCRIBED
        assert (f'schemas/{named.__name__}"' in declared) is is_described, (path, declared)


@each_amount
@each_command
def test_what_is_no_answer_is_told_in_a_sentence(
    run: Run, server: Stranger, leaf: Leaf, most: int
) -> None:
    for number in range(len(routes_asked(run, server, leaf))):
        for name, wrong in some(WRONG.items(), most, leaf.words):
            server.answer(number, wrong)
            done = run(*typed(leaf, server.url))
            assert "\x1b" not in done.stdout + done.stderr, name
            assert done.returncode in (0, 1), name
            assert done.returncode == 0 or done.stderr.strip(), name


@each_amount
@each_command
def test_an_answer_that_is_changed_is_no_traceback(
    run: Run, server: Stranger, ours: Ours, leaf: Leaf, most: int
) -> None:
    """What still has the right shape may be told, or refused."""
    for number, route in enumerate(routes_asked(run, server, leaf)):
        said = ours[route]
        for what, content in some(changed(json.loads(said.content)), most, leaf.words):
            server.answer(number, plain(content, said.status))
            try:
                done = run(*typed(leaf, server.url))
            except Exception as error:
                raise AssertionError(f"{route}: {what}") from error
            assert done.returncode in (0, 1), (route, what)
            assert "\x1b" not in done.stdout + done.stderr, (route, what)


@pytest.mark.slow
@pytest.mark.parametrize(
    "leaf",
    [
        pytest.param(leaf, marks=[] if leaf.words in OFTEN else pytest.mark.soak)
        for leaf in OF_A_SERVER
    ],
    ids=lambda leaf: " ".join(leaf.words),
)
def test_no_answer_takes_memory_or_time_without_end(
    server: Stranger, tmp_path: Path, run: Run, leaf: Leaf
) -> None:
    count = len(routes_asked(run, server, leaf))
    asking = subprocess.Popen(
        [sys.executable, asking_strangers.__file__, str(LONGEST_S)],
        env=environment(tmp_path / "data"),
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert asking.stdin is not None
    assert asking.stdout is not None
    with asking:
        for number in dict.fromkeys((0, count - 1)):
            for name, bomb in BOMBS.items():
                server.answer(number, bomb, goes_on=True)
                print(json.dumps(typed(leaf, server.url)), file=asking.stdin, flush=True)
                ended = json.loads(asking.stdout.readline())
                assert ended["status"] in (0, 1), (name, number, ended)
                assert ended["said"].strip() or leaf.words == ("export",), (name, number)
                assert ended["kib"] < MEMORY_KIB, (name, number, ended)
                assert ended["seconds"] < ENDS_S, (name, number, ended)


ASKED_IN_PYTHON: Mapping[str, Callable[[str], object]] = {
    "list_experiments": cs.list_experiments,
    "open": lambda url: cs.open(url, "lab").factors,
    "runs": lambda url: cs.open(url, "lab").runs,
    "cells": lambda url: cs.open(url, "lab").cells,
    "fit": lambda url: cs.open(url, "lab").fit("cpu-overhead").residuals,
    "recommend": lambda url: cs.open(url, "lab").recommend(minimise="system_cpu_s").candidates,
}


@each_amount
@pytest.mark.parametrize("name", ASKED_IN_PYTHON)
def test_the_python_client_raises_its_own_error(
    server: Stranger, ours: Ours, name: str, most: int
) -> None:
    def ask() -> None:
        with suppress(cs.CoalescopeError):
            ASKED_IN_PYTHON[name](server.url)

    server.answer()
    ask()
    for number, route in enumerate(list(server.asked)):
        for _, wrong in some(WRONG.items(), most, name):
            server.answer(number, wrong)
            ask()
        for _, content in some(changed(json.loads(ours[route].content)), most, name):
            server.answer(number, plain(content, ours[route].status))
            ask()


@pytest.mark.parametrize("path", ["/api/experiments", "/api/changes", "/api/deleted-experiments"])
def test_a_list_whose_page_comes_again_ends(server: Stranger, ours: Ours, path: str) -> None:
    server.answer(0, plain(ours["GET", path].content, Link='</x>; rel="next"'), goes_on=True)
    with pytest.raises(cs.CoalescopeError, match="the same page comes again"):
        Connection(server.url, None).all_pages(path)
    assert len(server.asked) == 2
