# SPDX-License-Identifier: Apache-2.0
"""The same store on PostgreSQL: writes queue, reads see one state, texts are those of SQLite."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from coalescope.db.engine import Database, open_database
from coalescope.db.tables import experiments, links
from coalescope.errors import CoalescopeError
from coalescope.experiments.service import create_experiment, list_experiments
from coalescope.settings import Settings
from coalescope.store import open_store
from timeouts import TIMEOUT_S

MakeClient = Callable[..., Any]


@pytest.fixture
def database(on_servers: Any, tmp_path: Path) -> Iterator[Database]:
    opened = open_database(on_servers.settings(tmp_path / "data")["database_url"], tmp_path)
    yield opened
    opened.close()


def count_up(writes: Callable[[], Any], all_have_read: threading.Barrier | None) -> None:
    for _ in range(1 if all_have_read else 5):
        with writes() as connection:
            count = len(connection.execute(sa.select(links)).all())
            if all_have_read:
                all_have_read.wait(TIMEOUT_S)
            row = {"token": str(count), "path": f"/{count}", "created_at": "now"}
            connection.execute(sa.insert(links).values(row))


def count_with_threads(
    writes: Callable[[], Any], all_have_read: threading.Barrier | None = None
) -> list[BaseException]:
    with ThreadPoolExecutor(4) as pool:
        done = [pool.submit(count_up, writes, all_have_read) for _ in range(4)]
    return [error for one in done if (error := one.exception())]


def test_concurrent_writes_queue(database: Database) -> None:
    """What was read before a write is still so when it is committed."""
    assert count_with_threads(database.write) == []
    with database.read() as connection:
        assert len(connection.execute(sa.select(links)).all()) == 20


def test_without_the_lock_they_do_not(database: Database) -> None:
    """Negative control: plain transactions count the same number twice."""
    errors = count_with_threads(database.engine.begin, threading.Barrier(4))
    assert [type(error) for error in errors] == [sa.exc.IntegrityError] * 3


@contextmanager
def waiting(database: Database, within: str | None) -> Iterator[threading.Event]:
    """Another thread that wants to write; the event says that it could."""
    got_it = threading.Event()

    def write() -> None:
        with database.write(within):
            got_it.set()

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield got_it
    finally:
        thread.join(TIMEOUT_S)


@pytest.mark.parametrize(
    ("held", "wanted", "passes"),
    [("a", "b", True), ("a", "a", False), ("a", None, False), (None, "a", False)],
)
def test_writes_within_different_experiments_pass_each_other(
    database: Database, held: str | None, wanted: str | None, passes: bool
) -> None:
    lock = database.write(held)
    lock.__enter__()
    with waiting(database, wanted) as got_it:
        assert got_it.wait(TIMEOUT_S if passes else 0.5) is passes
        lock.__exit__(None, None, None)
        assert got_it.wait(TIMEOUT_S)


def test_a_read_sees_one_state(database: Database) -> None:
    with database.read() as reading:
        assert list_experiments(reading) == []
        with database.write() as writing:
            create_experiment(writing, "lab", "Lab", "measured")
        assert list_experiments(reading) == []
    with database.read() as reading:
        assert len(list_experiments(reading)) == 1


def test_a_read_cannot_write(database: Database) -> None:
    with pytest.raises(sa.exc.InternalError, match="read-only"), database.read() as connection:
        create_experiment(connection, "lab", "Lab", "measured")


def test_texts_are_sorted_by_code_point(database: Database) -> None:
    """As SQLite does it; the database itself sorts as English does."""
    titles = ["B", "a", "Ä", "_", "b"]
    with database.write() as connection:
        for number, title in enumerate(titles):
            create_experiment(connection, f"e-{number}", title, "measured")
    with database.read() as connection:
        found = list(connection.scalars(sa.select(experiments.c.title).order_by("title")))
        english = sa.select(sa.collate(experiments.c.title, "en-x-icu").label("t")).order_by("t")
        assert list(connection.scalars(english)) != found, "negative control"
    assert found == sorted(titles)


def test_a_commit_waits_for_the_disk(on_servers: Any, tmp_path: Path) -> None:
    url = on_servers.settings(tmp_path / "data")["database_url"]
    with psycopg.connect(url, autocommit=True) as connection:
        name = url.rpartition("/store")[0] and url.partition("@/")[2].partition("?")[0]
        connection.execute(f"ALTER DATABASE {name} SET synchronous_commit = off".encode())
    opened = open_database(url, tmp_path)
    with opened.write() as connection:
        assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"
    opened.close()


def test_long_links_and_factors_are_kept_once(
    make_client: MakeClient, on_servers: Any, tmp_path: Path
) -> None:
    """They are longer than an entry of an index may be."""
    client = make_client(**on_servers.settings(tmp_path / "data"))
    path = "/explorer?" + "&".join(f"p{i}={i * 7919 % 104729:x}" for i in range(700))
    first = client.post("/api/links", json={"path": path})
    assert first.status_code == 201, first.text
    assert client.post("/api/links", json={"path": path}).json() == first.json()
    names = [f"factor.f{i}" for i in range(40)]
    levels = [f"{hash((i, 1)) & 0xFFFFFFFFFF:x}" * 10 for i in range(40)]
    header = ",".join([*names, "replicate", "throughput_mbps"])
    for replicate in (1, 2):
        table = f"{header}\n{','.join(levels)},{replicate},900\n"
        assert client.upload(table.encode(), "long.csv", experiment="long").status_code == 201
    assert len(client.get("/api/experiments/long/cells").json()["cells"]) == 1


def test_the_same_file_through_two_servers_at_once_is_one_upload(
    make_client: MakeClient, on_servers: Any, make_log: Callable[..., bytes], tmp_path: Path
) -> None:
    settings = on_servers.settings(tmp_path / "data")
    clients = [make_client(data_dir=tmp_path / str(n), **settings) for n in range(2)]
    for number in range(5):
        content = make_log(replicate=number)
        with ThreadPoolExecutor(4) as pool:
            sent = [pool.submit(client.upload, content) for client in clients * 2]
        assert sorted(one.result().status_code for one in sent) == [200, 200, 200, 201]
    assert client_runs(clients[0]) == 5


def client_runs(client: Any) -> int:
    return int(client.get("/api/experiments/lab/runs").json()["total"])


def test_what_cannot_be_kept_is_refused(
    make_client: MakeClient, on_servers: Any, tmp_path: Path
) -> None:
    client = make_client(**on_servers.settings(tmp_path / "data"))
    answer = client.get("/api/experiments/a%00b")
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "not_storable")


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    url = f"postgresql://someone:secret@/nothing?host={tmp_path}"
    with pytest.raises(CoalescopeError) as refused:
        open_store(Settings(data_dir=tmp_path, datasets_dir=None, database_url=url))
    assert (refused.value.code, refused.value.status) == ("database_unreachable", 503)
    assert "secret" not in refused.value.message
    for wrong in ("mysql://x", "no url"):
        with pytest.raises(CoalescopeError, match="names no database"):
            open_database(wrong, tmp_path)


@pytest.mark.parametrize(("encoding", "opens"), [("SQL_ASCII", False), ("UTF8", True)])
def test_an_encoding_that_cannot_keep_every_text_is_refused(
    on_servers: Any, tmp_path: Path, encoding: str, opens: bool
) -> None:
    url = sa.make_url(on_servers.settings(tmp_path / "data")["database_url"])
    with psycopg.connect(url.render_as_string(), autocommit=True) as connection:
        connection.execute(
            f"CREATE DATABASE encoded ENCODING {encoding} TEMPLATE template0"
            " LOCALE 'C' LOCALE_PROVIDER libc".encode()
        )
        try:
            other = url.set(database="encoded").render_as_string()
            settings = Settings(data_dir=tmp_path, datasets_dir=None, database_url=other)
            if opens:
                open_store(settings).close()
                return
            with pytest.raises(CoalescopeError, match="SQL_ASCII") as refused:
                open_store(settings)
            assert refused.value.code == "bad_encoding"
            assert "--encoding=UTF8" in str(refused.value.advice)
        finally:
            connection.execute(b"DROP DATABASE encoded WITH (FORCE)")
