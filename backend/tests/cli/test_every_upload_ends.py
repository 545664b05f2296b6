# SPDX-License-Identifier: Apache-2.0
"""Every kind of upload ends, at the most it may hold and far beyond; the server answers meanwhile.

The kinds are those that the object store and the reader of other tools' files know.
"""

import json
import logging
import re
import signal
import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from children import children_of
from coalescope.foreign.registry import FORMATS
from coalescope.storage.object_store import SUFFIXES
from coalescope.untrusted import bounds
from timeouts import TIMEOUT_S, wait_until

from .conftest import serving_in
from .largest_uploads import KINDS, long_log, table
from .watching import Watch, watched

_LOG = logging.getLogger(__name__)
Serve = Callable[..., Any]
Sending = Callable[..., tuple[httpx.Response, "Watch"]]
CPU_S = 10.0
MEMORY_KIB = 200 * 1024
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
                watch.mapped_kib = len(content) >> 10 if kind == "run_log" else 0
                return send(url, content, experiment.strip("-"), to, **sent.words), watch

        send(url, b"mtu_bytes,drops\n1500,1\n", "first")
        yield sending


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize(("kind", "case"), STORED, ids=map(": ".join, STORED))
def test_it_ends_within_its_time_and_memory(large: Sending, kind: str, case: str) -> None:
    answer, watch = large(kind, case)
    assert watch.cpu_s < CPU_S
    assert watch.memory_kib < MEMORY_KIB + watch.mapped_kib
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


def ten_tables() -> list[bytes]:
    content = table(bounds.ROWS - 1, 3)
    return [content + b"1500,99999%d,1\n" % number for number in range(10)]


def ten_logs() -> list[bytes]:
    """Each of a run of its own, and of so many small blocks that it takes a while."""
    return [long_log(1, 8, 100_000) for _ in range(10)]


each_kind = pytest.mark.parametrize("made", [ten_tables, ten_logs])


def ten(pool: ThreadPoolExecutor, url: str, contents: list[bytes]) -> list["Future[Any]"]:
    def sent(number: int) -> Any:
        try:
            return send(url, contents[number], f"ten-{number}").status_code
        except httpx.TransportError as error:
            return error

    return [pool.submit(sent, number) for number in range(len(contents))]


def answers_beside(url: str, uploads: list["Future[Any]"], most: int) -> list[float]:
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
@each_kind
def test_a_server_under_ten_of_them_answers_and_stops(
    serve: Serve, under_way: ThreadPoolExecutor, made: Callable[[], list[bytes]]
) -> None:
    contents = made()
    with serve(COALESCOPE_DATASETS_DIR="") as (url, server):
        uploads = ten(under_way, url, contents)
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
@each_kind
def test_under_ten_of_them_it_answers_and_stops_in_time(
    serve: Serve, under_way: ThreadPoolExecutor, made: Callable[[], list[bytes]]
) -> None:
    """To the first that are stored, and beyond."""
    contents = made()
    with serve(COALESCOPE_DATASETS_DIR="") as (url, server):
        p99(answers(url, 500), "alone")
        uploads = ten(under_way, url, contents)
        took = answers_beside(url, uploads, 2000)
        began = time.monotonic()
        server.send_signal(signal.SIGTERM)
        assert server.wait(TIMEOUT_S) == 0
        ended_s = time.monotonic() - began
    said = [upload.result() for upload in uploads]
    _LOG.info("ended within %g s; uploads: %s", ended_s, said)
    assert {*said} - {201, 503} == {each for each in said if isinstance(each, httpx.TransportError)}
    assert len(took) >= FEWEST
    assert p99(took, "beside them") < HEALTH_S
    assert ended_s < END_S


@pytest.mark.soak
@pytest.mark.slow
def test_under_ten_of_different_kinds_it_answers(
    serve: Serve, under_way: ThreadPoolExecutor
) -> None:
    """Two of each at once: tables, mapped tables, workbooks, logs, files of another tool."""
    of_a_tool = next(case for case in KINDS["foreign"] if ":" in case)
    mapped = [("csv, mapped", "rows"), ("csv, mapped", "a workbook")]
    kinds = [("csv", "rows"), *mapped, ("run_log", "records"), ("foreign", of_a_tool)]
    made = [(KINDS[kind][case].make(), KINDS[kind][case].words) for kind, case in kinds]
    with serve(COALESCOPE_DATASETS_DIR="") as (url, _):
        p99(answers(url, 500), "alone")
        uploads = [
            under_way.submit(send, url, content, f"kind-{number}-{turn}", **words)
            for turn in range(2)
            for number, (content, words) in enumerate(made)
        ]
        took = answers_beside(url, uploads, 2000)
    _LOG.info("answered %s", [upload.result().status_code for upload in uploads if upload.done()])
    assert len(took) >= FEWEST
    assert p99(took, "beside them") < HEALTH_S


def test_what_a_client_that_left_had_sent_is_read_no_more(serve: Serve) -> None:
    with serve(COALESCOPE_DATASETS_DIR="") as (url, server):
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(
                f"{url}/api/uploads",
                params={"filename": "large.csv"},
                content=table(bounds.ROWS - 1, 3),
                timeout=httpx.Timeout(TIMEOUT_S, read=0.8),
            )
        wait_until(lambda: not children_of(server.pid), "it is still read")
        assert httpx.get(f"{url}/api/experiments", timeout=TIMEOUT_S).json() == []
