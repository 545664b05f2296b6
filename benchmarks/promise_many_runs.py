# SPDX-License-Identifier: Apache-2.0
"""What a person waits for in a store of three million runs, and in one of a hundredth of it.

The store is SQLite, or the empty PostgreSQL database that BENCH_DATABASE_URL names; then the
measures of the larger store are also divided into partitions, and all is asked for again. Files are
where COALESCOPE_OBJECT_STORE_URL says, and BENCH_WORKERS processes answer. BENCH_EXPERIMENTS is for
who has less time: that many, of 1,440 runs each.
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
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path

import httpx
import sqlalchemy as sa
from coalescope.db.engine import SQLITE_NAME, Database, open_database
from coalescope.db.migrations import migrate
from coalescope.experiments.levels import factor_key
from coalescope_models.inference.statistics.summary import CellSummary, summarise
from promise_storage import CPU_OF, quantile, recording, started, store_environment
from rows import Row

# of 144 cells × 10 runs: 3,000,960 runs
EXPERIMENTS = int(os.environ.get("BENCH_EXPERIMENTS", "2084"))
FEW = 21
AT_ONCE = 50  # experiments in a transaction
KINDS = 16  # of experiments, as far as their numbers go
LEVELS = [(1500 * (1 + m), 10 * (1 + d)) for m in range(6) for d in range(24)]
REPLICATES = 10
MEASURES = ("rx_bytes", "rx_packets", "rx_interrupts", "system_cpu_s", "throughput_mbps")
NOW = "2026-01-01T00:00:00.000Z"
TIMES = 20
PEOPLE = 8  # who ask at the same time
WORKERS = os.environ.get("BENCH_WORKERS", "1")
CHECKED_WITHIN_S = 300.0
PARTITIONS = Path(__file__).parents[1] / "docs/partitions.sql"
RUNS_IN_A_PARTITION = 300_000  # their numbers go twice as far as there are runs
LOGS = count()  # of the uploads
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
            rows += noted(size_of(url, store, runs), *waits(url, store, there, f"{runs:,} runs"))
            rows += noted(*checks(url, store, runs))
        if url is not None:
            start = time.perf_counter()
            partition(url, store)
            what = f"{runs:,} runs in partitions"
            rows += noted(Row(f"{what}: dividing", since(start)))
            rows += noted(*waits(url, store, there, what))
        return rows


def noted(*rows: Row) -> list[Row]:
    """The same, told at once: all of it takes an hour."""
    for row in rows:
        print(f"{row.what}: {row.measured}", file=sys.stderr, flush=True)
    return list(rows)


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


def waits(url: str | None, store: Path, numbers: list[int], where: str) -> Iterator[Row]:
    """Times by the clock of one who asks for one thing after another, and of several at once."""
    dice = random.Random(5)

    def one() -> str:
        return f"/api/experiments/experiment-{dice.choice(numbers)}"

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
            "an upload of 118 kB": lambda: uploaded(client, next(LOGS)),
        }
        what = f"{where}: the whole list of {len(numbers):,} experiments"
        start = time.perf_counter()
        got(client, "/api/experiments")
        yield Row(f"{where}: first page of the list, of a server that just began", since(start))
        whole_list(client)
        yield Row(f"{what}, likewise", since(start))
        at_rest(CPU_OF[address])
        yield Row(f"{where}: described ahead, {WORKERS} workers", since(start))
        yield waited(f"{what}, then", lambda: whole_list(client), CPU_OF[address])
        yield waited(
            f"{where}: its first page",
            lambda: got(client, "/api/experiments"),
            CPU_OF[address],
        )
        for what, ask in questions.items():
            yield waited(f"{where}: {what}", ask, CPU_OF[address])
        yield together(where, address, numbers)


def at_rest(cpu: Callable[[], float]) -> None:
    """Wait until the server has nothing to do of itself."""
    before = -1.0
    while cpu() - before > 0.05:
        before = cpu()
        time.sleep(1)


def since(start: float) -> str:
    """Seconds of the clock."""
    return f"{time.perf_counter() - start:.1f} s"


def together(where: str, address: str, numbers: list[int]) -> Row:
    """Times of several people, each of whom looks at an experiment, its cells and its runs."""

    def person(seed: int) -> list[float]:
        dice, seconds = random.Random(seed), list[float]()
        with httpx.Client(base_url=address, timeout=600) as client:
            for _ in range(TIMES):
                one = f"/api/experiments/experiment-{dice.choice(numbers)}"
                for path in (one, f"{one}/cells", f"{one}/runs?limit=100"):
                    start = time.perf_counter()
                    got(client, path)
                    seconds.append(time.perf_counter() - start)
        return seconds

    start = time.perf_counter()
    with ThreadPoolExecutor(PEOPLE) as people:
        seconds = [one for each in people.map(person, range(PEOPLE)) for one in each]
    a_second = len(seconds) / (time.perf_counter() - start)
    what = f"{where}: one of {PEOPLE} who look at once, {WORKERS} workers"
    return timed(what, seconds, f"{a_second:.0f} answers a second")


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
            took = since(start)
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
    return timed(what, seconds, f"CPU time of one {1e3 * (cpu() - before) / times:,.1f} ms")


def timed(what: str, seconds: list[float], more: str) -> Row:
    """A row of how long people waited."""
    worst = max(seconds)
    return Row(
        what,
        f"median {1e3 * statistics.median(seconds):,.1f} ms, p90 "
        f"{1e3 * quantile(seconds, 0.9):,.1f}, worst {1e3 * worst:,.1f}; {more}",
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
    command = [sys.executable, "-m", "coalescope", "serve", "--port", "0", "--workers", WORKERS]
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


def partition(url: str, folder: Path) -> None:
    """As docs/scaling.md says."""
    database = open_database(url, folder)
    engine = database.engine.execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"SET coalescope.runs_in_a_partition = {RUNS_IN_A_PARTITION}")
        connection.exec_driver_sql(PARTITIONS.read_text().replace("%", "%%"))
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
