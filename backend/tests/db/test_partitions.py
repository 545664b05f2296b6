# SPDX-License-Identifier: Apache-2.0
"""docs/partitions.sql divides the measures of a store in PostgreSQL, which goes on as it was."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa

SCRIPT = Path(__file__).parents[3] / "docs/partitions.sql"
PATHS = ("", "/cells", "/runs?limit=100", "/surfaces/throughput_mbps")


@pytest.fixture
def url(on_servers: Any, tmp_path: Path) -> str:
    return str(on_servers.settings(tmp_path / "data")["database_url"])


@pytest.fixture
def client(make_client: Callable[..., Any], on_servers: Any, tmp_path: Path) -> Any:
    return make_client(**on_servers.settings(tmp_path / "data"))


def divide(url: str, runs: int) -> None:
    """As `PGOPTIONS='-c coalescope.runs_in_a_partition=…' psql` does."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"SET coalescope.runs_in_a_partition = {runs}".encode())
        connection.execute(SCRIPT.read_bytes())


def shape(url: str) -> dict[str, Any]:
    """Columns and keys of the table."""
    engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    try:
        inspector = sa.inspect(engine)
        columns = [
            {**column, "type": repr(column["type"])}
            for column in inspector.get_columns("run_measures")
        ]
        return {
            "columns": columns,
            "primary": inspector.get_pk_constraint("run_measures"),
            "foreign": inspector.get_foreign_keys("run_measures"),
        }
    finally:
        engine.dispose()


def counts(url: str) -> dict[str, int]:
    """Rows of each partition."""
    with psycopg.connect(url) as connection:
        found = connection.execute(
            "SELECT tableoid::regclass::text, count(*) FROM run_measures GROUP BY 1"
        )
        return dict(found.fetchall())


def table(replicates: range) -> bytes:
    rows = [
        f"{mtu},{replicate},{900 + replicate + mtu / 7}"
        for mtu in (1500, 9000)
        for replicate in replicates
    ]
    return "\n".join(["mtu_bytes,replicate,throughput_mbps", *rows, ""]).encode()


def test_a_divided_store_answers_and_takes_uploads_as_before(
    client: Any, url: str, make_log: Callable[..., bytes]
) -> None:
    assert client.upload(table(range(1, 6)), "a.csv", experiment="lab").status_code == 201
    before = [client.get(f"/api/experiments/lab{path}").json() for path in PATHS]
    was = shape(url)
    divide(url, runs=3)
    assert shape(url) == was
    assert [client.get(f"/api/experiments/lab{path}").json() for path in PATHS] == before
    of_ten = counts(url)
    assert of_ten == {f"run_measures_{n}": each for n, each in enumerate((2, 3, 3, 2))}
    assert client.upload(table(range(6, 40)), "b.csv", experiment="lab").status_code == 201
    assert counts(url)["run_measures_beyond"] == 78 - (20 * 3 - 1)
    assert client.get("/api/experiments/lab/runs").json()["total"] == 78
    assert client.upload(make_log(), "a.runlog").status_code == 201


def test_a_store_is_divided_once_or_not_at_all(client: Any, url: str) -> None:
    assert client.upload(table(range(1, 6)), "a.csv", experiment="lab").status_code == 201
    divide(url, runs=3)
    was, rows = shape(url), counts(url)
    with pytest.raises(psycopg.Error, match="already"):
        divide(url, runs=4)
    assert (shape(url), counts(url)) == (was, rows)
