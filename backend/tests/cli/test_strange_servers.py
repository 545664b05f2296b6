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
from .hostile_texts import HOSTILE, STEERS, kinds_of_text, steers, with_hostile
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
SHAPELESS = 50
each_amount = pytest.mark.parametrize("most", [FEW, pytest.param(10**6, marks=pytest.mark.soak)])
#: Which say what was typed, and of an answer nothing.
SAYS_WHAT_WAS_TYPED = {
    ("experiments", "restore"),
    *(("runs", what) for what in ("retract", "restore", "correct")),
}
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


def changes_of(
    route: tuple[str, str], said: Said, most: int, of: object
) -> list[tuple[str, bytes]]:
    """Some of an answer's changes; in longer runs all that have its shape, and some that have not.

    What has not is refused at one place, before anything is done with it.
    """
    every = changed(json.loads(said.content))
    if most == FEW:
        return some(every, most, of)
    shaped: dict[bool, list[tuple[str, bytes]]] = {True: [], False: []}
    for change in every:
        shaped[shapes.fault_in(*route, change[1]) is None].append(change)
    return shaped[True] + some(shaped[False], SHAPELESS, of)


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


TRIAL = ("POST", "/api/policies/trials")
RECOMMENDATION = ("POST", "/api/experiments/{slug}/recommendations")
PREDICTION = ("POST", "/api/models/{model_id}/predictions")
#: Each part of the right type, and yet they cannot be of one answer.
IMPOSSIBLE: Mapping[str, tuple[tuple[str, str], Callable[[Any], object]]] = {
    "a best interval of none": (TRIAL, lambda told: told.update(fixed=[])),
    "a best interval before the first": (TRIAL, lambda told: told.update(best=-1)),
    "no candidate": (RECOMMENDATION, lambda told: told.update(candidates=[])),
    "an answer that is no candidate": (RECOMMENDATION, lambda told: told.update(answer=10**9)),
    "a candidate without means": (
        RECOMMENDATION,
        lambda told: told["candidates"][-1].update(means={}),
    ),
    "a value too many": (
        PREDICTION,
        lambda told: next(iter(told["outputs"].values())).append(1.0),
    ),
    "another shape": (PREDICTION, lambda told: told.update(shape=[3])),
    "no units": (PREDICTION, lambda told: told.update(units={})),
    "a fit of no experiment": (
        ("GET", "/api/jobs/{job_id}"),
        lambda told: told.update(experiment=None),
    ),
    "an export that does not say of what": (
        ("GET", "/api/experiments/{slug}/export"),
        lambda told: told.pop("where"),
    ),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_parts_that_do_not_fit_each_other_are_a_fault(ours: Ours, name: str) -> None:
    route, change = IMPOSSIBLE[name]
    told = json.loads(ours[route].content)
    assert shapes.fault_in(*route, ours[route].content) is None
    change(told)
    assert shapes.fault_in(*route, json.dumps(told).encode())


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
        for what, content in changes_of(route, said, most, leaf.words):
            server.answer(number, plain(content, said.status))
            try:
                done = run(*typed(leaf, server.url))
            except Exception as error:
                raise AssertionError(f"{route}: {what}") from error
            assert done.returncode in (0, 1), (route, what)
            assert "\x1b" not in done.stdout + done.stderr, (route, what)


@each_command
def test_no_text_of_an_answer_steers_the_terminal(
    run: Run, server: Stranger, ours: Ours, leaf: Leaf
) -> None:
    """Each kind of text in each answer, in the ordinary output where the command goes on."""
    reached = []
    for number, route in enumerate(routes_asked(run, server, leaf)):
        said = ours[route]
        document = json.loads(said.content)
        for kind in dict.fromkeys(kinds_of_text(document)):
            hostile = json.dumps(with_hostile(document, kind)).encode()
            server.answer(number, plain(hostile, said.status))
            done = run(*typed(leaf, server.url))
            assert not steers(done.stdout + done.stderr), (route, kind)
            if done.returncode == 0 and "owned" in done.stdout + done.stderr:
                reached.append(kind)
    assert bool(reached) is (leaf.words not in SAYS_WHAT_WAS_TYPED)


def test_a_file_to_write_keeps_its_lines_and_steers_nothing(
    run: Run, server: Stranger, ours: Ours
) -> None:
    route = ("POST", "/api/experiments/{slug}/recommendations")
    file = {"path": f"/etc/x{HOSTILE}", "text": f"one\ntwo{STEERS}", "executable": False}
    form = {"name": "netplan", "title": HOSTILE, "files": [file]}
    commands = {
        "forms": [{**form, "activate": [HOSTILE], "notes": [HOSTILE]}],
        "carries_over": HOSTILE,
        **dict.fromkeys(("apply", "back", "refused", "notes"), ()),
    }
    found = {**json.loads(ours[route].content), "commands": commands}
    asked = ("recommend", "lab", "--minimise", "system_cpu_s", "--server", server.url)
    server.answer()
    run(*asked)
    server.answer(server.asked.index(route), plain(json.dumps(found).encode()))
    done = run(*asked, "--interface", "eth0", "--driver", "igb", "--as", "netplan")
    assert "\none\ntwo" in done.stdout, done
    assert not steers(done.stdout)


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
    "surface": lambda url: cs.open(url, "lab").surface("system_cpu_s"),
    "compare": lambda url: cs.open(url, "lab").compare("system_cpu_s", {"delay_us": (0, 80)}).cells,
    "fit_nonlinear": lambda url: (
        cs.open(url, "lab").fit_nonlinear("cpu-overhead", "system_cpu", ["alpha"]).residuals
    ),
    "predict": lambda url: cs.open(url, "lab").fit("cpu-overhead").predict(**POINT["values"]),
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
        for _, content in changes_of(route, ours[route], most, name):
            server.answer(number, plain(content, ours[route].status))
            ask()


@pytest.mark.parametrize("path", ["/api/experiments", "/api/changes", "/api/deleted-experiments"])
def test_a_list_whose_page_comes_again_ends(server: Stranger, ours: Ours, path: str) -> None:
    server.answer(0, plain(ours["GET", path].content, Link='</x>; rel="next"'), goes_on=True)
    with pytest.raises(cs.CoalescopeError, match="the same page comes again"):
        Connection(server.url, None).all_pages(path)
    assert len(server.asked) == 2
