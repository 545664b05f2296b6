# SPDX-License-Identifier: Apache-2.0
"""Uploads that are on disk when acknowledged, and a surface of a store of a million runs."""

from __future__ import annotations

import hashlib
import io
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from threading import local

import httpx
import sqlalchemy as sa
from coalescope.db.engine import Database, open_database
from coalescope.db.migrations import migrate
from coalescope.experiments.conditional import current_tag
from coalescope.experiments.levels import factor_key
from coalescope.experiments.service import get_experiment
from coalescope.measures.run_log_measures import measure_run
from coalescope.surfaces.repository import summary_rows
from coalescope_host import run_log
from rows import Row

UPLOADS = 1_440
AT_ONCE = 8
MOST_RATIO = {AT_ONCE: 2.5, 1: 3.5}
SAMPLES = 700  # of 21 fields: 118 kB, a 1,440th of 170 MB
EXPERIMENTS, MTUS, DELAYS, REPLICATES = 700, 6, 24, 10
MEASURES = ("throughput_mbps", "system_cpu_percent", "rx_interrupt_rate_hz")
SURFACES = 2_000


def measure() -> list[Row]:
    """Rows for the report."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("COALESCOPE_BENCH_DIR")) as folder:
        return [*uploads(Path(folder) / "uploads"), *surfaces(Path(folder) / "million")]


# --- 1,440 uploads


def uploads(folder: Path) -> list[Row]:
    """The same logs, several at once and one after the other, beside a copy and a parse of each.

    The server does what it promises: it stores the file durably under its digest, checks and
    measures it, keeps rows and summaries in a database, and answers over HTTP. The peer, in this
    process and with as many threads, writes the same bytes to a file, syncs it, renames it to its
    digest, syncs the one folder that all are in, and checks and measures the log.
    """
    logs = [recording(number) for number in range(UPLOADS)]
    return [uploads_beside_copies(folder / str(threads), logs, threads) for threads in (AT_ONCE, 1)]


def uploads_beside_copies(folder: Path, logs: list[bytes], threads: int) -> Row:
    """One row: seconds of all uploads over seconds of all copies and parses."""
    with serving(folder / "store") as url:
        send_all(url, logs[:1], 1)
        cpu, start = CPU_OF[url](), time.perf_counter()
        send_all(url, logs[1:], threads)
        uploading = time.perf_counter() - start
        cpu = CPU_OF[url]() - cpu
    copies = folder / "copies"
    copies.mkdir()
    least_cpu, start = time.process_time(), time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda log: durable_copy(copies, log), logs[1:]))
    copying = time.perf_counter() - start
    start = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda log: measure_run(run_log.read(log)), logs[1:]))
    parsing = time.perf_counter() - start
    least_cpu = time.process_time() - least_cpu
    ratio, bar = uploading / (copying + parsing), MOST_RATIO[threads]
    size_mb = sum(map(len, logs)) / 1e6
    how = "one after the other" if threads == 1 else f"{threads} at once"
    return Row(
        f"{len(logs):,} uploads ({size_mb:.0f} MB), each on disk, against copy + parse; {how}",
        f"{ratio:.2f} × ({uploading:.1f} s; copy {copying:.1f}, parse {parsing:.1f}; "
        f"the server's CPU time {cpu / least_cpu:.2f} ×)",
        f"≤ {bar:g} ×",
        ratio <= bar,
    )


def send_all(url: str, logs: list[bytes], threads: int) -> list[float]:
    """Upload all, over as many connections as there are threads; returns seconds of each."""
    kept = local()
    address = url.removeprefix("http://")

    def send(number: int) -> float:
        if not hasattr(kept, "connection"):
            kept.connection = HTTPConnection(address, timeout=60)
        start = time.perf_counter()
        kept.connection.request("POST", f"/api/uploads?filename={number}.runlog", logs[number])
        answer = kept.connection.getresponse()
        body = answer.read()
        assert answer.status == 201, body
        return time.perf_counter() - start

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(send, range(len(logs))))


def recording(number: int) -> bytes:
    """A log as the logger writes it, of a run of its own."""
    dice = random.Random(number)
    fields = [run_log.standard_field(name) for name in run_log.STANDARD_FIELDS]
    mtu, delay = 1500 * (1 + number % MTUS), 10 * (1 + number // MTUS % DELAYS)
    header = run_log.make_header(
        run_id=f"00000000-0000-4000-8000-{number:012d}",
        experiment="benchmark",
        replicate=1 + number // (MTUS * DELAYS),
        factors={
            "mtu_bytes": {"requested": mtu, "read_back": mtu},
            "delay_us": {"requested": delay, "read_back": delay},
        },
        fields=fields,
        sources=[{"name": "sysfs", "atomic": False}],
    )
    file = io.BytesIO()
    values = [0] * len(fields)
    with run_log.Writer(file, header) as log:
        log.mark("window_start", 0, 0)
        for sample in range(SAMPLES):
            values[:2] = [sample * 100_000_000] * 2
            values[2:] = [value + dice.randrange(10_000) for value in values[2:]]
            log.sample(*values)
        log.mark("window_end", values[0], values[0])
    return file.getvalue()


def durable_copy(folder: Path, content: bytes) -> None:
    """The least that keeps a file: written, synced, named by its digest, its folder synced."""
    digest = hashlib.sha256(content).hexdigest()
    part = folder / f"{digest}.part"
    with part.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    part.rename(folder / digest)
    descriptor = os.open(folder, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


# --- a million runs


def surfaces(folder: Path) -> list[Row]:
    """What a surface costs the database, kept or not, and a whole answer beside an empty one."""
    slugs = fill(folder, EXPERIMENTS)
    database = open_database(None, folder)
    kept = seconds_of(database, slugs, read_version)
    read = seconds_of(database, slugs, read_cells)
    database.close()
    per_s, empty_per_s = per_cpu_second(folder, slugs)
    runs = EXPERIMENTS * MTUS * DELAYS * REPLICATES
    what = f"surface of a store of {runs:,} runs, time in the database"
    return [
        in_database(f"{what}; asked for since its data changed", kept),
        in_database(f"{what}; not asked for since, {MTUS * DELAYS} cells", read),
        Row(
            "the first of the two as an answer, against an empty reply, per second of CPU",
            f"{per_s / empty_per_s:.2f} × ({per_s:,.0f} against {empty_per_s:,.0f})",
            "≥ 0.5 ×",
            per_s / empty_per_s >= 0.5,
        ),
    ]


def in_database(what: str, seconds: list[tuple[float, float]]) -> Row:
    """A row about times of the clock and of the processor, milliseconds."""
    clock, cpu = ([1e3 * one for one in each] for each in zip(*seconds, strict=True))
    p99 = quantile(clock, 0.99)
    return Row(
        what,
        f"p99 {p99:.2f} ms, median {statistics.median(clock):.2f} ms (CPU time: p99 "
        f"{quantile(cpu, 0.99):.2f}, median {statistics.median(cpu):.2f} ms)",
        "p99 ≤ 1 ms",
        p99 <= 1.0,
    )


def quantile(values: list[float], share: float) -> float:
    """That share of the values is not above it."""
    return sorted(values)[int(share * (len(values) - 1))]


def seconds_of(
    database: Database, slugs: list[str], read: Callable[[sa.Connection, str], object]
) -> list[tuple[float, float]]:
    """Seconds and CPU seconds of what is read of an experiment, in its transaction."""
    dice = random.Random(2)
    seconds = []
    for _ in range(SURFACES):
        slug = dice.choice(slugs)
        start, cpu = time.perf_counter(), time.thread_time()
        with database.read() as connection:
            read(connection, slug)
        seconds.append((time.perf_counter() - start, time.thread_time() - cpu))
    return seconds


def read_version(connection: sa.Connection, slug: str) -> object:
    """What tells the server that the bytes it has kept are still right: one row by its index."""
    return current_tag(connection, slug)


def read_cells(connection: sa.Connection, slug: str) -> object:
    """The experiment, and its cells with one measure's summaries."""
    experiment = get_experiment(connection, slug)
    return summary_rows(connection, experiment.id, MEASURES[0])


def fill(folder: Path, experiments: int) -> list[str]:
    """So many experiments of a paper's size, rows without files; returns their slugs."""
    folder.mkdir(parents=True, exist_ok=True)
    database = open_database(None, folder)
    migrate(database)
    slugs = [f"experiment-{number}" for number in range(experiments)]
    dice = random.Random(3)
    for number, slug in enumerate(slugs):
        with database.write() as connection:
            add_experiment(connection, number + 1, slug, dice)
    with database.write() as connection:
        connection.exec_driver_sql("ANALYZE")
    database.close()
    return slugs


def add_experiment(
    connection: sa.Connection, experiment: int, slug: str, dice: random.Random
) -> None:
    """Rows as uploads leave them, without the files."""
    of_cells = MTUS * DELAYS
    first_cell, first_run = 1 + (experiment - 1) * of_cells, 1 + (experiment - 1) * of_cells * 10
    levels = [(1500 * (1 + m), 10 * (1 + d)) for m in range(MTUS) for d in range(DELAYS)]
    factors = [{"mtu_bytes": mtu, "delay_us": delay, "workload": "tcp"} for mtu, delay in levels]
    now = "2026-01-01T00:00:00.000Z"
    many = connection.exec_driver_sql
    many(
        "INSERT INTO experiments (id, slug, title, kind, source, data_version, created_at,"
        " updated_at) VALUES (?, ?, ?, 'measured', '{}', 1, ?, ?)",
        (experiment, slug, slug, now, now),
    )
    many(
        "INSERT INTO cells (id, experiment_id, factor_key, factors, current_runs)"
        " VALUES (?, ?, ?, ?, 10)",
        [
            (first_cell + index, experiment, factor_key(setting), json.dumps(setting))
            for index, setting in enumerate(factors)
        ],
    )
    runs = [(first_run + i, first_cell + i // REPLICATES, i) for i in range(of_cells * REPLICATES)]
    many(
        "INSERT INTO runs (id, uid, experiment_id, cell_id, replicate, content, warnings,"
        " created_at) VALUES (?, ?, ?, ?, ?, 'run_log', '[]', ?)",
        [(run, f"{slug}-{i}", experiment, cell, 1 + i % 10, now) for run, cell, i in runs],
    )
    many(
        "INSERT INTO run_measures (run_id, measure, value) VALUES (?, ?, ?)",
        [(run, name, 1e3 * dice.random()) for run, _, _ in runs for name in MEASURES],
    )
    many(
        "INSERT INTO summaries (cell_id, measure, n, mean, sd, ci95_low, ci95_high)"
        " VALUES (?, ?, 10, ?, ?, ?, ?)",
        [
            (first_cell + index, name, *(1e3 * dice.random() for _ in range(4)))
            for index in range(of_cells)
            for name in MEASURES
        ],
    )


EMPTY = """
import sys, fastapi, uvicorn
app = fastapi.FastAPI()
@app.get("/")
def empty() -> None: ...
class Server(uvicorn.Server):
    async def startup(self, sockets=None):
        await super().startup(sockets=sockets)
        print(f"http://127.0.0.1:{self.servers[0].sockets[0].getsockname()[1]}", flush=True)
Server(uvicorn.Config(app, port=0, log_level="warning", access_log=False)).run()
"""


def per_cpu_second(folder: Path, slugs: list[str]) -> tuple[float, float]:
    """Surfaces and empty replies that one second of the server's CPU time is enough for."""
    dice = random.Random(4)
    asked = [f"/api/experiments/{dice.choice(slugs[:50])}/surfaces/{MEASURES[0]}" for _ in range(9)]
    with serving(folder) as url:
        surfaces_per_s = rate(url, asked)
    with started([sys.executable, "-c", EMPTY]) as url:
        return surfaces_per_s, rate(url, ["/"])


def rate(url: str, paths: list[str]) -> float:
    """Answers per second of CPU time, after as many that do not count."""
    with httpx.Client(base_url=url, timeout=60) as client:
        for path in paths * (SURFACES // len(paths)):
            assert client.get(path).status_code == 200
        before = CPU_OF[url]()
        for path in paths * (SURFACES // len(paths)):
            client.get(path)
        spent = CPU_OF[url]() - before
    return SURFACES // len(paths) * len(paths) / spent


CPU_OF: dict[str, Callable[[], float]] = {}


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[str]:
    """`coalescope serve` on that folder."""
    command = [sys.executable, "-m", "coalescope", "serve", "--port", "0", *options]
    with started(command, store_environment(folder)) as url:
        yield url


def store_environment(folder: Path) -> dict[str, str]:
    """What makes a server use that folder, without data sets and page."""
    none = folder.parent / "none"
    for made in (folder, none):
        made.mkdir(parents=True, exist_ok=True)
    return os.environ | {
        "COALESCOPE_DATA_DIR": str(folder),
        "COALESCOPE_DATASETS_DIR": str(none),
        "COALESCOPE_PAGE_DIR": str(none),
    }


@contextmanager
def started(command: list[str], environment: dict[str, str] | None = None) -> Iterator[str]:
    """A server that prints where it is; `CPU_OF` its address says what it used."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found, "the server did not come up"
        CPU_OF[found[0]] = lambda: sum(map(cpu_s, [server.pid, *begun_by(server.pid)]))
        try:
            yield found[0]
        finally:
            server.terminate()


def begun_by(pid: int) -> list[int]:
    """The processes that a process began, whichever of its threads did."""
    children = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for one in children for child in one.read_text().split()]


def cpu_s(pid: int) -> float:
    """CPU time of a process and its threads so far, seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
