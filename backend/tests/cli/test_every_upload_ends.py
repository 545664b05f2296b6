# SPDX-License-Identifier: Apache-2.0
"""Every kind of upload ends, at the most it may hold and far beyond; the server answers meanwhile.

The kinds are those that the object store and the reader of other tools' files know.
"""

import json
import logging
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from children import children_of
from coalescope.foreign.registry import FORMATS
from coalescope.storage.object_store import SUFFIXES
from timeouts import TIMEOUT_S, wait_until

from .conftest import serving_in
from .largest_uploads import KINDS
from .watching import Watch, has_begun, watched

_LOG = logging.getLogger(__name__)
Serve = Callable[..., Any]
Sending = Callable[..., tuple[httpx.Response, "Watch"]]
Made = tuple[bytes, Mapping[str, str]]
CPU_S = 10.0
MEMORY_KIB = 200_000_000 // 1024
HEALTH_S = 0.1
END_S = 10.0
ROUTES = json.loads((Path(__file__).parents[3] / "docs" / "openapi.json").read_text())["paths"]
STORED = [(kind, case) for kind, cases in KINDS.items() for case in cases]
LOOKED_AT = [(kind, case) for kind, case in STORED if kind.startswith("csv")]


def test_all_kinds_are_here() -> None:
    assert {kind.partition(",")[0] for kind in KINDS} == set(SUFFIXES)
    tools = {case.partition(":")[0] for case in KINDS["foreign"] if ":" in case}
    assert tools == {form.name for form in FORMATS}


def test_all_routes_that_take_files_are_here() -> None:
    bodies = {path: route.get("post", {}).get("requestBody", {}) for path, route in ROUTES.items()}
    takes = {path for path, body in bodies.items() if "octet-stream" in json.dumps(body)}
    assert takes == {"/api/uploads", "/api/uploads/look"}


def send(url: str, content: bytes, name: str, to: str = "", **words: str) -> httpx.Response:
    return httpx.post(
        f"{url}/api/uploads{to}",
        params={"filename": name, "experiment": name.lower(), **words},
        content=content,
        timeout=TIMEOUT_S,
    )


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sending]:
    """Send the large upload of that name to a server that has taken one before."""
    with serving_in(tmp_path_factory.mktemp("large"))(COALESCOPE_DATASETS_DIR="") as (url, server):

        def sending(kind: str, case: str, to: str = "") -> tuple[httpx.Response, Watch]:
            sent = KINDS[kind][case]
            content = sent.make()
            experiment = re.sub(r"[\W_]+", "-", f"{kind}-{case}{to}".lower()).strip("-")[:60]
            with watched(server.pid) as watch:
                return send(url, content, experiment.strip("-"), to, **sent.words), watch

        send(url, b"mtu_bytes,drops\n1500,1\n", "first")
        yield sending


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize(("kind", "case"), STORED, ids=map(": ".join, STORED))
def test_it_ends_within_its_time_and_memory(large: Sending, kind: str, case: str) -> None:
    answer, watch = large(kind, case)
    assert watch.cpu_s < CPU_S
    assert watch.memory_kib < MEMORY_KIB
    sent = KINDS[kind][case]
    assert "took_too_long" not in answer.text
    expected = sent.status
    assert answer.status_code in ((expected,) if expected else (201, 422)), answer.text[:300]


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize(("kind", "case"), LOOKED_AT, ids=map(": ".join, LOOKED_AT))
def test_so_does_a_look_at_it(large: Sending, kind: str, case: str) -> None:
    answer, watch = large(kind, case, "/look")
    assert watch.cpu_s < CPU_S
    assert watch.memory_kib < MEMORY_KIB
    is_legal = KINDS[kind][case].status == 201
    assert answer.status_code in ((200,) if is_legal else (200, 413, 422)), answer.text[:300]


@pytest.mark.soak
@pytest.mark.slow
def test_what_is_stored_so_is_listed_soon(serve: Serve) -> None:
    with serve(COALESCOPE_DATASETS_DIR="") as (url, _):
        for case in ("rows", "columns"):
            assert send(url, KINDS["csv"][case].make(), case).status_code == 201
        listed = httpx.get(f"{url}/api/experiments", timeout=TIMEOUT_S)
        assert listed.elapsed.total_seconds() < 5
        assert len(listed.content) < 100_000


@pytest.fixture
def under_way() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(10) as pool:
        yield pool


def made(kind: str, case: str, count: int) -> list[Made]:
    """So many of them, of which logs are of a run each."""
    sent = KINDS[kind][case]
    is_log = kind == "run_log"
    contents = [sent.make() for _ in range(count)] if is_log else [sent.make()] * count
    return [(content, sent.words) for content in contents]


#: Of tools, whose readers are many: one whose text is repeated, and one that has a long list.
OF_TOOLS = [
    ("foreign", next(case for case in KINDS["foreign"] if case.endswith(how)))
    for how in ("over_and_over", "with_longest_list")
]
#: As logs usually are: of nothing as much as there may be.
USUAL = ("run_log", "records")
LARGEST = [each for each in STORED if KINDS[each[0]][each[1]].status == 201 and each != USUAL]
OFTEN = [
    ("csv", "rows"),
    ("csv, mapped", "packed"),
    ("csv, mapped", "a workbook"),
    OF_TOOLS[0],
    USUAL,
]


def two_of_each() -> list[Made]:
    """Two of each kind, and of each way that tables are packed."""
    return [each for kind, case in OFTEN for each in made(kind, case, 2)]


TEN: Mapping[str, Callable[[], list[Made]]] = {
    **{": ".join(each): partial(made, *each, 10) for each in (*LARGEST, *OF_TOOLS)},
    "different kinds": two_of_each,
}


def test_each_kind_is_sent_by_ten_at_once() -> None:
    assert {kind for kind, _ in LARGEST + OF_TOOLS} == {kind for kind, _ in OFTEN} == {*KINDS}


SEND = Path(__file__).with_name("send.py")
NO_ANSWER = 0


def ten(pool: ThreadPoolExecutor, folder: Path, url: str, files: list[Made]) -> list["Future[int]"]:
    """The statuses of the answers. Programs of their own send, so that no answer waits for them."""
    for number, (content, _) in enumerate(files):
        (folder / f"ten-{number}").write_bytes(content)

    def sent(number: int) -> int:
        name, (_, words) = f"ten-{number}", files[number]
        address = httpx.URL(
            f"{url}/api/uploads", params={"filename": name, "experiment": name, **words}
        )
        to = address.netloc.decode(), address.raw_path.decode()
        command = [sys.executable, SEND, *to, folder / name]
        done = subprocess.run(command, capture_output=True, check=False)
        return int(done.stdout or NO_ANSWER)

    return [pool.submit(sent, number) for number in range(len(files))]


def answers_beside(url: str, uploads: list["Future[int]"], most: int) -> list[float]:
    """How long /api/health took, in seconds, each time while the uploads were under way."""
    return answers(url, most, lambda: not all(upload.done() for upload in uploads))


def answers(url: str, most: int, goes_on: Callable[[], bool] = lambda: True) -> list[float]:
    """How long it took each time, up to so many times."""
    took: list[float] = []
    with httpx.Client(timeout=TIMEOUT_S) as client:
        while len(took) < most and goes_on():
            began = time.monotonic()
            assert client.get(f"{url}/api/health").status_code == 200
            took.append(time.monotonic() - began)
            time.sleep(0.02)
    return took


@pytest.mark.slow
@pytest.mark.parametrize("what", ["csv: rows", "different kinds"])
def test_a_server_under_ten_of_them_answers_and_stops(
    serve: Serve, under_way: ThreadPoolExecutor, tmp_path: Path, what: str
) -> None:
    files = TEN[what]()
    with serve(COALESCOPE_DATASETS_DIR="") as (url, server):
        uploads = ten(under_way, tmp_path, url, files)
        wait_until(lambda: children_of(server.pid), "nothing is read")
        assert len(answers_beside(url, uploads, 30)) == 30
        server.send_signal(signal.SIGTERM)
        assert server.wait(TIMEOUT_S) == 0


FEWEST = 100
"""Answers that the slowest hundredth can be told of."""


def p99(took: list[float], when: str) -> float:
    cuts = statistics.quantiles(took, n=100)
    _LOG.info("%s, %d: p50 %g, p99 %g, most %g s", when, len(took), cuts[49], cuts[98], max(took))
    return cuts[98]


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize("what", TEN)
def test_under_ten_of_them_it_answers_and_stops_in_time(
    serve: Serve, under_way: ThreadPoolExecutor, tmp_path: Path, what: str
) -> None:
    """To the first that are stored or refused, and beyond."""
    files = TEN[what]()
    with serve(COALESCOPE_DATASETS_DIR="") as (url, server):
        p99(answers(url, 500), "alone")
        uploads = ten(under_way, tmp_path, url, files)
        took = answers_beside(url, uploads, 2000)
        began = time.monotonic()
        server.send_signal(signal.SIGTERM)
        assert server.wait(TIMEOUT_S) == 0
        ended_s = time.monotonic() - began
    said = [upload.result() for upload in uploads]
    _LOG.info("ended within %g s; uploads: %s", ended_s, said)
    expected = {201, 503} | (
        {422} if "foreign" in what or what not in map(": ".join, STORED) else set()
    )
    assert {*said} <= expected | {NO_ANSWER}
    assert len(took) >= FEWEST
    assert p99(took, "beside them") < HEALTH_S
    assert ended_s < END_S


#: What is read in a process of its own, of each form of each kind: to be stored, or looked at.
LEFT = [
    (kind, case, to)
    for kind, case in dict.fromkeys((*OFTEN, *OF_TOOLS, *LARGEST))
    for to in ("", "/look")[: 1 + kind.startswith("csv")]
]


def readers_of(server: int) -> list[int]:
    """Its children that run a program of their own by now: stopped before, they would stop it."""
    return [child for child in children_of(server) if has_begun(child)]


@pytest.fixture(scope="module")
def left_alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    """A server whose senders leave."""
    with serving_in(tmp_path_factory.mktemp("left"))(COALESCOPE_DATASETS_DIR="") as (url, server):
        yield url, server.pid


@pytest.mark.parametrize(
    ("kind", "case", "to"),
    [pytest.param(*each, marks=[] if each[:2] in OFTEN else pytest.mark.soak) for each in LEFT],
    ids=map(": ".join, LEFT),
)
def test_what_a_client_that_left_had_sent_is_read_no_more(
    left_alone: tuple[str, int], kind: str, case: str, to: str
) -> None:
    """Whoever reads it is held, so that nothing but its end can come."""
    url, server = left_alone
    sent = KINDS[kind][case]
    address = httpx.URL(f"{url}/api/uploads{to}", params={"filename": "left", **sent.words})
    content = sent.make()
    head = f"POST {address.raw_path.decode()} HTTP/1.1\r\nHost: {address.netloc.decode()}\r\n"
    head += f"Content-Length: {len(content)}\r\n\r\n"
    with socket.create_connection((address.host, address.port), TIMEOUT_S) as sender:
        sender.sendall(head.encode() + content)
        for reader in wait_until(lambda: readers_of(server), "nothing is read"):
            os.kill(reader, signal.SIGSTOP)
    wait_until(lambda: not children_of(server), "it is still read")
    assert httpx.get(f"{url}/api/experiments", timeout=TIMEOUT_S).json() == []
