# SPDX-License-Identifier: Apache-2.0
"""Two web workers against one, at equal shares of the processors."""

from __future__ import annotations

import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

from promise_storage import MEASURES, fill, quantile, store_environment
from rows import Row

CPUS = 0.3  # of a worker: what is left is enough for those who ask
CLIENTS = 32
SECONDS = 5.0
ROUNDS = 3
EXPERIMENTS = 20
PERIOD_US = 20_000
V1, V2 = Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup")
V1_IS_THERE = (V1 / "cpu.cfs_quota_us").exists() or not (V2 / "cgroup.controllers").exists()


def measure() -> list[Row]:
    """Rows for the report."""
    try:
        with control_group() as group:
            limit(group, CPUS)
    except OSError as error:
        return [Row("two web workers against one", f"not measured: no control group ({error})")]
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        slugs = fill(store, EXPERIMENTS)
        return [
            compared(store, slugs, "of as much processor each", 2 * CPUS, 1.8),
            compared(store, slugs, "of half as much processor each", CPUS, None),
        ]


def compared(store: Path, slugs: list[str], how: str, cpus: float, bar: float | None) -> Row:
    """Answers a second of two workers that share so many processors, over those of one."""
    one, two = [], []
    for _ in range(ROUNDS):  # by turns: the machine has other work now and then
        one.append(answering(store, slugs, workers=1, cpus=CPUS))
        two.append(answering(store, slugs, workers=2, cpus=cpus))
    (rate1, p99_1), (rate2, p99_2) = (
        [statistics.median(column) for column in zip(*rounds, strict=True)] for rounds in (one, two)
    )
    return Row(
        f"surfaces a second: two web workers {how} against one of {CPUS:g} CPU, {CLIENTS} clients",
        f"{rate2 / rate1:.2f} × ({rate2:,.0f} against {rate1:,.0f} a second; "
        f"p99 {p99_2:.0f} against {p99_1:.0f} ms)",
        f"≥ {bar:g} ×" if bar else "",
        rate2 / rate1 >= bar if bar else None,
    )


def answering(store: Path, slugs: list[str], *, workers: int, cpus: float) -> tuple[float, float]:
    """Answers a second, and the time that 99 of 100 of them took at most, ms."""
    with serving(store, workers, cpus) as address, ThreadPoolExecutor(CLIENTS) as clients:
        list(clients.map(lambda seed: ask(address, slugs, seed, SECONDS / 3), range(CLIENTS)))
        times = clients.map(lambda seed: ask(address, slugs, seed, SECONDS), range(CLIENTS))
        all_ms = [ms for of_one in times for ms in of_one]
    return len(all_ms) / SECONDS, quantile(all_ms, 0.99)


def ask(address: str, slugs: list[str], seed: int, seconds: float) -> list[float]:
    """One client that asks for one surface after the other; ms of each."""
    dice = random.Random(seed)
    connection = HTTPConnection(address, timeout=60)
    found = []
    end = time.perf_counter() + seconds
    while (start := time.perf_counter()) < end:
        connection.request("GET", f"/api/experiments/{dice.choice(slugs)}/surfaces/{MEASURES[0]}")
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200
        found.append(1e3 * (time.perf_counter() - start))
    connection.close()
    return found


@contextmanager
def serving(store: Path, workers: int, cpus: float) -> Iterator[str]:
    """A server with so many workers that have so many processors together."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    serve = [sys.executable, "-m", "coalescope", "serve", "--port", str(port)]
    with control_group() as group:
        joined = ["sh", "-c", 'echo $$ > "$0" && exec "$@"', str(group / "cgroup.procs"), *serve]
        command = [*joined, "--workers", str(workers)]
        with subprocess.Popen(command, env=store_environment(store)) as server:
            try:
                wait_until_it_answers(f"127.0.0.1:{port}")
                limit(group, cpus)  # it starts with all there is
                yield f"127.0.0.1:{port}"
            finally:
                server.terminate()


def wait_until_it_answers(address: str) -> None:
    """For a minute at most."""
    end = time.monotonic() + 60
    while True:
        try:
            HTTPConnection(address, timeout=5).request("GET", "/api/health")
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


@contextmanager
def control_group() -> Iterator[Path]:
    """A control group for processors, still without a limit."""
    group = (V1 if V1_IS_THERE else V2) / f"coalescope-benchmark-{time.time_ns()}"
    group.mkdir()
    try:
        yield group
    finally:
        while (group / "cgroup.procs").read_text():  # whoever is still ending
            time.sleep(0.05)
        group.rmdir()


def limit(group: Path, cpus: float) -> None:
    """From now on its members have so many processors together."""
    share = round(cpus * PERIOD_US)
    if V1_IS_THERE:
        (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
        (group / "cpu.cfs_quota_us").write_text(str(share))
    else:
        (group / "cpu.max").write_text(f"{share} {PERIOD_US}")
