# SPDX-License-Identifier: Apache-2.0
"""What a person waits for in a store of three million runs, and in one of a hundredth of it.

The store is SQLite, or the empty PostgreSQL database that BENCH_DATABASE_URL names.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import httpx
import sqlalchemy as sa
from coalescope.db.engine import SQLITE_NAME, Database, open_database
from coalescope.db.migrations import migrate
from coalescope.experiments.levels import factor_key
from coalescope_models.inference.statistics.summary import CellSummary, summarise
from promise_storage import CPU_OF, quantile, recording, started, store_environment
from rows import Row

EXPERIMENTS = 2_084  # of 144 cells × 10 runs: 3,000,960 runs
FEW = 21
AT_ONCE = 50  # experiments in a transaction
KINDS = 16  # of experiments, as far as their numbers go
LEVELS = [(1500 * (1 + m), 10 * (1 + d)) for m in range(6) for d in range(24)]
REPLICATES = 10
MEASURES = ("rx_bytes", "rx_packets", "rx_interrupts", "system_cpu_s", "throughput_mbps")
NOW = "2026-01-01T00:00:00.000Z"
TIMES = 20
CHECKED_WITHIN_S = 300.0
SECONDS_AT_MOST = 10.0  # a bar of our own, as for a fit before it is a job


def measure() -> list[Row]:
    """Rows for the report: few runs first, then many, on the same server."""
    url = os.environ.get("BENCH_DATABASE_URL")
    with tempfile.TemporaryDirectory(dir=os.environ.get("COALESCOPE_BENCH_DIR")) as folder:
        store = Path(folder) / "store"
        store.mkdir(mode=0o700)
        rows, there = list[Row](), list[int]()
        # uploads of the first round take the numbers that follow
        for numbers in (range(FEW), range(EXPERIMENTS, 2 * EXPERIMENTS - FEW)):
            start = time.perf_counter()
            fill(url, store, numbers)
            there += numbers
            runs = len(there) * len(LEVELS) * REPLICATES
            print(f"{runs:,} runs: {time.perf_counter() - start:.0f} s", file=sys.stderr)
            rows += [size_of(url, store, runs), *waits(url, store, there, runs)]
            rows += checks(url, store, runs)
        return rows


def size_of(url: str | None, store: Path, runs: int) -> Row:
    """Bytes of the database for a run."""
    if url is None:
        size = (store / SQLITE_NAME).stat().st_size
    else:
        database = open_database(url, store)
        with database.read() as connection:
            asked = sa.text("SELECT pg_database_size(current_database())")
            size = connection.scalar(asked) or 0
        database.close()
    return Row(f"{runs:,} runs: database", f"{size / 1e6:,.0f} MB, {size / runs:.0f} bytes a run")


def waits(url: str | None, store: Path, numbers: list[int], runs: int) -> Iterator[Row]:
    """Times by the clock of a client that asks for one thing after another."""
    dice = random.Random(5)

    def one() -> str:
        return f"/api/experiments/experiment-{dice.choice(numbers)}"

    logs = iter(range(len(numbers) * TIMES, 20_000_000))
    with serving(url, store) as address, httpx.Client(base_url=address, timeout=600) as client:
        fit = {"model": "cpu-overhead", "method": "paper-tls", "resamples": 1_000}
        questions: dict[str, Callable[[], object]] = {
            "an experiment": lambda: got(client, one()),
            "its cells with all measures": lambda: got(client, f"{one()}/cells"),
            "a surface": lambda: got(client, f"{one()}/surfaces/throughput_mbps"),
            "a page of 100 runs": lambda: got(client, f"{one()}/runs?limit=100"),
            "a fit with 1,000 resamples": lambda: posted(client, f"{one()}/fits", fit),
            "a fit without resamples": lambda: posted(
                client, f"{one()}/fits", {**fit, "resamples": 0}
            ),
            "its runs as CSV": lambda: got(client, f"{one()}/export?format=csv&what=runs"),
            "/metrics": lambda: got(client, "/metrics"),
            "an upload of 118 kB": lambda: uploaded(client, next(logs)),
        }
        for what, ask in questions.items():
            yield waited(f"{runs:,} runs: {what}", ask, CPU_OF[address])
        what = f"{runs:,} runs: the whole list of {len(numbers):,} experiments, page by page"
        yield waited(what, lambda: whole_list(client), CPU_OF[address], times=2)


def checks(url: str | None, store: Path, runs: int) -> Iterator[Row]:
    """Seconds of what a person does now and then."""
    environment = environment_of(url, store)
    copy = str(store.parent / f"copy-of-{runs}")
    for command in (["verify"], *([["backup", copy]] if url is None else [])):
        start = time.perf_counter()
        whole = [sys.executable, "-m", "coalescope", *command, "--json"]
        try:
            subprocess.run(
                whole,
                env=environment,
                check=True,
                stdout=subprocess.DEVNULL,
                timeout=CHECKED_WITHIN_S,
            )
            took = f"{time.perf_counter() - start:.1f} s"
        except subprocess.TimeoutExpired:
            took = f"given up after {CHECKED_WITHIN_S:g} s"
        yield Row(f"{runs:,} runs: {command[0]}", took)


def waited(
    what: str, ask: Callable[[], object], cpu: Callable[[], float], times: int = TIMES
) -> Row:
    """Median and worst of so many times that it was asked, and the server's CPU time for one."""
    ask()  # what is loaded with the first of its kind
    seconds, before = [], cpu()
    for _ in range(times):
        start = time.perf_counter()
        ask()
        seconds.append(time.perf_counter() - start)
    worst, cpu_ms = max(seconds), 1e3 * (cpu() - before) / times
    return Row(
        what,
        f"median {1e3 * statistics.median(seconds):,.1f} ms, p90 "
        f"{1e3 * quantile(seconds, 0.9):,.1f}, worst {1e3 * worst:,.1f}; "
        f"CPU time of one {cpu_ms:,.1f} ms",
        f"≤ {SECONDS_AT_MOST:g} s",
        worst <= SECONDS_AT_MOST,
    )


def got(client: httpx.Client, path: str) -> httpx.Response:
    """An answer that is one."""
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    return answer


def posted(client: httpx.Client, path: str, asked: object) -> None:
    answer = client.post(path, json=asked)
    assert answer.status_code == 200, answer.text


def uploaded(client: httpx.Client, number: int) -> None:
    answer = client.post(f"/api/uploads?filename={number}.runlog", content=recording(number))
    assert answer.status_code == 201, answer.text


def whole_list(client: httpx.Client) -> None:
    """As the page asks for it: on to the page that the last one names."""
    path: str | None = "/api/experiments"
    while path:
        answer = got(client, path)
        following = answer.links.get("next")
        path = str(answer.url.join(following["url"])) if following else None


@contextmanager
def serving(url: str | None, store: Path) -> Iterator[str]:
    """`coalescope serve` on that store; it ends with the block."""
    command = [sys.executable, "-m", "coalescope", "serve", "--port", "0"]
    with started(command, environment_of(url, store)) as address:
        yield address


def environment_of(url: str | None, store: Path) -> dict[str, str]:
    """What makes the program use that store."""
    return store_environment(store) | ({"COALESCOPE_DATABASE_URL": url} if url else {})


def fill(url: str | None, folder: Path, numbers: range) -> None:
    """Rows of so many experiments as uploads leave them, without the files."""
    database = open_database(url, folder)
    migrate(database)
    for start in range(numbers.start, numbers.stop, AT_ONCE):
        with database.write() as connection:
            for number in numbers[start - numbers.start :][:AT_ONCE]:
                for table, columns, rows in experiment(number):
                    put(connection, table, columns, rows)
    settle(database)
    database.close()


Rows = Sequence[tuple[object, ...]]


def experiment(number: int) -> Iterator[tuple[str, str, Rows]]:
    """Table, columns and rows of an experiment; the host's costs are those of a real one."""
    own, first_cell = number + 1, 1 + number * len(LEVELS)
    first_run, slug = 1 + number * len(LEVELS) * REPLICATES, f"experiment-{number}"
    what = "id, slug, title, kind, source, data_version, created_at, updated_at"
    yield "experiments", what, [(own, slug, slug, "measured", "{}", 1, NOW, NOW)]
    settings = [{"mtu_bytes": mtu, "delay_us": delay, "workload": "tcp"} for mtu, delay in LEVELS]
    yield (
        "cells",
        "id, experiment_id, factor_key, factors, current_runs",
        [
            (first_cell + at, own, factor_key(one), json.dumps(one), REPLICATES)
            for at, one in enumerate(settings)
        ],
    )
    runs, values, summaries = list[tuple[object, ...]](), list[tuple[object, ...]](), []
    for at, (of_cell, kept) in enumerate(measured(number % KINDS)):
        for replicate, run_values in enumerate(of_cell):
            run = first_run + at * REPLICATES + replicate
            uid = f"{slug}-{at}-{replicate}"
            runs.append((run, uid, own, first_cell + at, 1 + replicate, "run_log", "[]", NOW))
            values += [(run, name, run_values[name]) for name in MEASURES]
        summaries += [
            (first_cell + at, name, one.n, one.mean, one.sd, *(one.ci95 or ()))
            for name, one in kept.items()
        ]
    yield (
        "runs",
        "id, uid, experiment_id, cell_id, replicate, content, warnings, created_at",
        runs,
    )
    yield "run_measures", "run_id, measure, value", values
    yield "summaries", "cell_id, measure, n, mean, sd, ci95_low, ci95_high", summaries


Cell = tuple[list[dict[str, float]], dict[str, CellSummary]]


@cache
def measured(kind: int) -> list[Cell]:
    """Each cell's runs and summaries of an experiment of that kind."""
    dice = random.Random(kind)
    found = list[Cell]()
    for mtu, delay in LEVELS:
        runs = [run_of(mtu, delay, dice) for _ in range(REPLICATES)]
        found.append((runs, {name: summarise(run[name] for run in runs) for name in MEASURES}))
    return found


def run_of(mtu: int, delay: int, dice: random.Random) -> dict[str, float]:
    """A transfer of 10⁹ bytes by a host whose costs are 2, 3 and 5 ms of CPU."""
    packets = 1e9 / (0.9 * mtu)
    interrupts = packets / (1 + delay / 15) * dice.gauss(1, 0.01)
    cpu_s = (2 + 3 * packets / 1e6 + 5 * interrupts / 1e6) * dice.gauss(1, 0.01)
    found = (1e9, packets, interrupts, cpu_s, 940 * dice.gauss(1, 0.01))
    return dict(zip(MEASURES, found, strict=True))


def put(connection: sa.Connection, table: str, columns: str, rows: Rows) -> None:
    """The fastest way that each database has."""
    if connection.dialect.name == "sqlite":
        marks = ", ".join("?" * len(rows[0]))
        statement = f"INSERT INTO {table} ({columns}) VALUES ({marks})"  # constants of this file
        connection.exec_driver_sql(statement, list(rows))
        return
    driver = connection.connection.driver_connection
    assert driver is not None
    with driver.cursor() as cursor, cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def settle(database: Database) -> None:
    """What a store that grew slowly has: numbers go on behind the last, and statistics."""
    with database.write() as connection:
        if connection.dialect.name == "postgresql":
            for table in ("experiments", "cells", "runs"):
                following = f"pg_get_serial_sequence('{table}', 'id'), max(id)"
                connection.exec_driver_sql(f"SELECT setval({following}) FROM {table}")
        connection.exec_driver_sql("ANALYZE")
