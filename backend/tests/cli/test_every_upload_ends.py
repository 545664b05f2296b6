# SPDX-License-Identifier: Apache-2.0
"""Every kind of upload ends, at the most it may hold and far beyond; the server answers meanwhile.

The kinds are those that the object store and the reader of tables know.
"""

import io
import json
import os
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
from coalescope.storage.object_store import SUFFIXES
from coalescope.untrusted import bounds
from coalescope_host.run_log import STANDARD_FIELDS, Writer, make_header, standard_field
from patience import PATIENCE_S, wait_until

Serve = Callable[..., Any]
CPU_S = 10.0
MEMORY_KIB = 200 * 1024
HEALTH_S = 0.1
END_S = 10.0


def table(rows: int, columns: int, level: str = "1500") -> bytes:
    names = ["mtu_bytes", "replicate", *(f"measure.m{n}" for n in range(columns - 2))]
    values = ",1.5" * (columns - 2)
    lines = "".join(f"{level},{row}{values}\n" for row in range(rows))
    return f"{','.join(names)}\n{lines}".encode()


def export(size: int) -> bytes:
    """A JSON export of about so many bytes."""
    said = {"title": "x", "subtitle": "", "kind": "measured", "source": {}}
    runs: list[dict[str, Any]] = []
    one = {
        "factors": {"mtu_bytes": 1500},
        "replicate": 1,
        "measures": {"drops": {"value": 1.5, "sd": None, "n": 1}},
    }
    length = len(json.dumps(one)) + 8
    runs = [{**one, "replicate": number} for number in range(size // length)]
    return json.dumps({"format": 1, "experiment": said, "runs": runs}).encode()


def log(samples: int) -> bytes:
    fields = [standard_field(name) for name in STANDARD_FIELDS]
    header = make_header(
        run_id="00000000-0000-4000-8000-000000000001",
        experiment="large",
        factors={"mtu_bytes": {"requested": 1500, "read_back": 1500}},
        fields=fields,
        sources=[{"name": "sysfs", "atomic": False}],
    )
    file = io.BytesIO()
    with Writer(file, header) as written:
        written.mark("window_start", 0, 0)
        for number in range(samples):
            at = number * 1_000_000
            written.sample(at, at, *[number * 1000] * (len(fields) - 2))
        written.mark("window_end", at, at)
    return file.getvalue()


#: By the store's kinds of content: the most that is legal, and a hundred times too much of it.
KINDS: dict[str, dict[str, tuple[Callable[[], bytes], int]]] = {
    "csv": {
        "rows": (lambda: table(bounds.ROWS, bounds.FIELDS // bounds.ROWS), 201),
        "columns": (lambda: table(bounds.FIELDS // bounds.COLUMNS, bounds.COLUMNS), 201),
        "a JSON export": (lambda: export(bounds.EXPORT_BYTES), 201),
        "rows, 100 ×": (lambda: table(bounds.ROWS, 2) * 20, 422),
        "columns, 100 ×": (lambda: table(1, 100 * bounds.COLUMNS), 422),
        "factors, 100 ×": (
            lambda: (
                (",".join(f"factor.c{n}" for n in range(6400)) + ",drops\n").encode()
                + b"1," * 6400
                + b"1\n"
            ),
            422,
        ),
        "levels, 100 ×": (
            lambda: b"delay_us,drops\n" + b"".join(b"%d,1\n" % n for n in range(100_000)),
            422,
        ),
        "a cell, 100 ×": (lambda: b'mtu_bytes,drops\n"' + b"x" * 13_000_000, 422),
        "a JSON export, 100 ×": (lambda: export(bounds.TABLE_BYTES - 2**20), 422),
        "brackets": (lambda: b'{"format": 1, "experiment": ' + b"[" * 5_000_000, 422),
        "bytes": (lambda: b"x" * (bounds.TABLE_BYTES + 1), 413),
    },
    "foreign": {
        "settings": (lambda: b"Coalesce parameters for eth0:\n" + b"a: 1\n" * 6_000_000, 422),
        "brackets": (lambda: b'{"start": {"version": "iperf 3.12"}, "x": ' + b"[" * 5_000_000, 422),
    },
    "run_log": {
        "records": (lambda: log(50_000), 201),
        "noise": (lambda: log(10_000)[:200_000] + b"\xff" * 30_000_000, 422),
    },
}
CASES = [(kind, case) for kind, cases in KINDS.items() for case in cases]


def test_all_kinds_are_here() -> None:
    assert set(KINDS) == set(SUFFIXES)


def cpu_s(pid: int) -> float:
    """Of a process and of its children that ended. Source: proc_pid_stat(5)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def memory_kib(pid: int, what: str) -> int:
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.partition(f"{what}:")[2].split()[0])


def send(url: str, content: bytes, name: str) -> httpx.Response:
    return httpx.post(
        f"{url}/api/uploads",
        params={"filename": name, "experiment": name.lower()},
        content=content,
        timeout=PATIENCE_S,
    )


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize(("kind", "case"), CASES, ids=[f"{kind}: {case}" for kind, case in CASES])
def test_it_ends_within_its_time_and_memory(serve: Serve, kind: str, case: str) -> None:
    make, status = KINDS[kind][case]
    content = make()
    with serve(COALESCOPE_DATASETS_DIR="") as (url, server):
        send(url, b"mtu_bytes,drops\n1500,1\n", "first")
        before_s, before_kib = cpu_s(server.pid), memory_kib(server.pid, "VmRSS")
        answer = send(url, content, "large")
        assert answer.status_code == status, answer.text[:300]
        assert cpu_s(server.pid) - before_s < CPU_S
        assert memory_kib(server.pid, "VmHWM") - before_kib < MEMORY_KIB
        if status == 201:
            listed = httpx.get(f"{url}/api/experiments", timeout=PATIENCE_S)
            assert listed.elapsed.total_seconds() < 5
            assert len(listed.content) < 100_000


@pytest.fixture
def under_way() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(10) as pool:
        yield pool


def ten(pool: ThreadPoolExecutor, url: str, content: bytes) -> list["Future[Any]"]:
    def sent(number: int) -> Any:
        try:
            own = content + b"1500,99999%d,1\n" % number
            return send(url, own, f"ten-{number}").status_code
        except httpx.TransportError as error:
            return error

    return [pool.submit(sent, number) for number in range(10)]


def answers_beside(url: str, uploads: list["Future[Any]"], most: int) -> list[float]:
    """How long /api/health took, in seconds, each time while the uploads were under way."""
    took = []
    with httpx.Client(timeout=PATIENCE_S) as client:
        while len(took) < most and not all(upload.done() for upload in uploads):
            began = time.monotonic()
            assert client.get(f"{url}/api/health").status_code == 200
            took.append(time.monotonic() - began)
            time.sleep(0.02)
    return took


@pytest.mark.slow
def test_a_server_under_ten_of_them_answers_and_stops(
    serve: Serve, under_way: ThreadPoolExecutor
) -> None:
    with serve(COALESCOPE_DATASETS_DIR="") as (url, server):
        uploads = ten(under_way, url, table(90_000, 3))
        wait_until(lambda: children_of(server.pid), "nothing is read")
        assert len(answers_beside(url, uploads, 30)) == 30
        server.send_signal(signal.SIGTERM)
        assert server.wait(PATIENCE_S) == 0


@pytest.mark.soak
@pytest.mark.slow
def test_under_ten_of_them_it_answers_and_stops_in_time(
    serve: Serve, under_way: ThreadPoolExecutor
) -> None:
    """On a machine that does nothing else; to the first that are stored, and beyond."""
    with serve(COALESCOPE_DATASETS_DIR="") as (url, server):
        uploads = ten(under_way, url, table(90_000, 3))
        took = answers_beside(url, uploads, 2000)
        began = time.monotonic()
        server.send_signal(signal.SIGTERM)
        assert server.wait(PATIENCE_S) == 0
        assert time.monotonic() - began < END_S
        assert statistics.quantiles(took, n=100)[98] < HEALTH_S


def test_what_a_client_that_left_had_sent_is_read_no_more(serve: Serve) -> None:
    with serve(COALESCOPE_DATASETS_DIR="") as (url, server):
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(
                f"{url}/api/uploads",
                params={"filename": "large.csv"},
                content=table(90_000, 3),
                timeout=httpx.Timeout(PATIENCE_S, read=0.8),
            )
        wait_until(lambda: not children_of(server.pid), "it is still read")
        assert httpx.get(f"{url}/api/experiments", timeout=PATIENCE_S).json() == []
