# SPDX-License-Identifier: Apache-2.0
"""serve --workers: several processes on one port, with one store, one set of numbers, one end."""

import os
import signal
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from coalescope.errors import CoalescopeError
from coalescope.web.workers import supervise
from prometheus_client.parser import text_string_to_metric_families
from timeouts import TIMEOUT_S, wait_until

Serve = Callable[..., Any]


@pytest.fixture
def served(serve: Serve, tmp_path: Path) -> Iterator[tuple[str, Any]]:
    none = tmp_path / "none"
    none.mkdir()
    with serve("--workers", "2", COALESCOPE_DATASETS_DIR=str(none)) as (url, server):
        yield url, server


def workers_of(pid: int) -> list[int]:
    """Processes that were begun to answer; the others look after them."""
    found = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        if b"spawn_main" in command_line_of(int(child)):
            found.append(int(child))
    return found


def command_line_of(pid: int) -> bytes:
    """Nothing of a process that has ended since it was listed."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def total(url: str, route: str) -> float:
    text = httpx.get(f"{url}/metrics", timeout=TIMEOUT_S).text
    return sum(
        sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == "coalescope_requests_total" and sample.labels["route"] == route
    )


def test_two_workers(served: tuple[str, Any], make_log: Callable[..., bytes]) -> None:
    url, server = served
    assert len(workers_of(server.pid)) == 2
    they_have_one_store_and_one_set_of_numbers(url, make_log)
    one_that_dies_is_begun_again(url, server)
    workers = workers_of(server.pid)
    server.send_signal(signal.SIGTERM)
    assert server.wait(timeout=TIMEOUT_S) == 0
    assert all(map(gone, workers))


def they_have_one_store_and_one_set_of_numbers(url: str, make_log: Callable[..., bytes]) -> None:
    logs = [make_log(replicate=number) for number in range(4)]

    def send(content: bytes) -> int:
        address = f"{url}/api/uploads?filename=a.runlog"
        return httpx.post(address, content=content, timeout=TIMEOUT_S).status_code

    with ThreadPoolExecutor(8) as pool:
        answers = sorted(pool.map(send, logs * 4))
    assert answers == [200] * 12 + [201] * 4
    # every worker knows the newest version of the data, and counts for all
    lab = f"{url}/api/experiments/lab"
    versions = {httpx.get(lab, timeout=TIMEOUT_S).json()["data_version"] for _ in range(12)}
    assert versions == {4}
    assert [total(url, "/api/uploads") for _ in range(6)] == [16] * 6
    assert total(url, "/api/experiments/{slug}") == 12


def one_that_dies_is_begun_again(url: str, server: Any) -> None:
    first, second = workers_of(server.pid)
    os.kill(first, signal.SIGKILL)

    def two_without_it() -> bool:
        there = workers_of(server.pid)
        return len(there) == 2 and first not in there

    wait_until(two_without_it, "it is not begun again")
    assert second in workers_of(server.pid)
    for _ in range(6):
        assert httpx.get(f"{url}/api/health", timeout=TIMEOUT_S).status_code == 200


def test_workers_end_with_the_one_that_looks_after_them(served: tuple[str, Any]) -> None:
    _, server = served
    workers = workers_of(server.pid)
    server.send_signal(signal.SIGKILL)
    wait_until(lambda: all(map(gone, workers)), "some go on")


def test_what_no_worker_could_do_is_said_once(run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    typed = ("serve", "--workers", "2", "--host", "0.0.0.0", "--port", "0")
    done = run(*typed, COALESCOPE_DATASETS_DIR=str(tmp_path / "none"))
    assert done.returncode == 1
    assert done.stderr.count("COALESCOPE_TOKEN") == 1


def fails(_listener: socket.socket, _announce: Callable[[], None]) -> None:
    raise SystemExit(3)


def test_workers_that_never_answer_are_not_begun_for_ever() -> None:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        with (
            socket.create_server(("127.0.0.1", 0)) as listener,
            pytest.raises(CoalescopeError, match="with status 3"),
        ):
            supervise(2, listener, fails, lambda: None)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
