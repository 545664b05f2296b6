# SPDX-License-Identifier: Apache-2.0
"""A store moves from SQLite and a folder to PostgreSQL and a bucket, and back, with all of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from coalescope.backups import rows
from coalescope.cli import main
from coalescope.db.engine import Database
from coalescope.db.tables import METADATA
from sqlalchemy.exc import IntegrityError

MakeClient = Callable[..., Any]
MakeLog = Callable[..., bytes]
TABLE = b"workload,mtu_bytes,replicate,throughput_mbps\ntcp,1500,1,900.1\ntcp,9000,1,990.2\n"


@pytest.fixture
def lived_in(client: Any, make_log: MakeLog) -> Any:
    """A store with two kinds of file, a run that was retracted, a link and a job."""
    for replicate in (1, 2):
        assert client.upload(make_log(replicate=replicate)).status_code == 201
    assert client.upload(TABLE, "lab.csv").status_code == 201
    run = client.get("/api/experiments/lab/runs").json()["runs"][0]["id"]
    assert client.post(f"/api/runs/{run}/retraction", json={"reason": "a cable"}).status_code == 200
    assert client.post("/api/links", json={"path": "/explorer/lab?x=µ"}).status_code == 201
    fit = {"experiment": "lab", "fit": {"model": "cpu-overhead"}}
    assert client.post("/api/jobs", json=fit).status_code == 202
    return client


def all_rows(database: Database) -> dict[str, list[Any]]:
    with database.read() as connection:
        return {
            table.name: sorted(map(repr, connection.execute(sa.select(table)).all()))
            for table in METADATA.sorted_tables
        }


def moved(tmp_path: Path, on_servers: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A backup by the command line, restored into servers by it."""
    here = ["--data", str(tmp_path / "data")]
    assert main(["backup", str(tmp_path / "backup"), *here]) == 0
    for name, value in on_servers.environment(tmp_path / "there").items():
        monkeypatch.setenv(name, value)
    there = tmp_path / "there"
    assert main(["restore", str(tmp_path / "backup"), "--data", str(there)]) == 0
    return there


def test_there_and_back(
    lived_in: Any,
    make_client: MakeClient,
    make_log: MakeLog,
    on_servers: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = all_rows(lived_in.app.state.database)
    assert all(before[name] for name in ("experiments", "uploads", "run_history", "links", "jobs"))
    there = moved(tmp_path, on_servers, monkeypatch)
    grown = make_client(data_dir=there, **on_servers.settings(there))
    assert grown.app.state.database.on_server
    assert all_rows(grown.app.state.database) == before
    for address in ("/api/experiments", "/api/experiments/lab/cells", "/api/uploads"):
        assert grown.get(address).json() == lived_in.get(address).json()
    # a second time: there are rows
    assert main(["restore", str(tmp_path / "backup"), "--data", str(there)]) == 1
    # what came in before is known, and what comes in now gets new row ids
    assert grown.upload(TABLE, "lab.csv").status_code == 200
    assert grown.upload(make_log(replicate=3)).status_code == 201
    later = all_rows(grown.app.state.database)
    assert main(["backup", str(tmp_path / "return"), "--data", str(there)]) == 0
    for name in on_servers.environment(there):
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    assert main(["restore", str(tmp_path / "return"), "--data", str(home)]) == 0
    back = make_client(data_dir=home)
    assert not back.app.state.database.on_server
    assert all_rows(back.app.state.database) == later


def test_without_counting_on_nothing_more_can_be_stored(
    lived_in: Any,
    make_client: MakeClient,
    make_log: MakeLog,
    on_servers: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Negative control of the row ids above."""
    monkeypatch.setattr(rows, "_count_on", lambda target: None)
    there = moved(tmp_path, on_servers, monkeypatch)
    grown = make_client(data_dir=there, **on_servers.settings(there))
    with pytest.raises(IntegrityError), grown.app.state.database.write() as connection:
        again = {"slug": "new", "title": "", "kind": "measured", "source": {}, "created_at": ""}
        connection.execute(sa.insert(METADATA.tables["experiments"]).values(**again, updated_at=""))
