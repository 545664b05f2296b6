# SPDX-License-Identifier: Apache-2.0
"""An experiment that is larger than one can become: verify names it, restore refuses it."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from coalescope.backups.service import back_up, restore, restore_into
from coalescope.db import tables
from coalescope.db.engine import SQLITE_NAME
from coalescope.errors import CoalescopeError
from coalescope.runs import kept_summaries
from coalescope.store import Store, open_for_reading
from coalescope.verification.service import verify

from .conftest import CSV

pytestmark = pytest.mark.folder_stack

BOUNDS = {"EXPERIMENT_CELLS": 3, "EXPERIMENT_SUMMARIES": 3, "EXPERIMENT_SETTINGS_CHARACTERS": 90}


def faults_of(folder: Path) -> dict[str, str]:
    """What verify says of it: code and message."""
    opened = open_for_reading(folder)
    try:
        report = verify(opened.database, opened.object_store)
    finally:
        opened.close()
    return {fault.code: fault.message for fault in report.faults}


@pytest.mark.parametrize(("name", "bound"), BOUNDS.items())
def test_what_every_reader_would_pay_for_is_not_restored(
    backup: Path,
    make_client: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    bound: int,
) -> None:
    assert restore(backup, tmp_path / "as-it-may-be").report.sound
    other = make_client(data_dir=tmp_path / "other").app.state
    monkeypatch.setattr(kept_summaries, name, bound)
    with pytest.raises(CoalescopeError, match=r"'lab' has [\d,]+ .*can have \d+\.") as refused:
        restore(backup, tmp_path / "back")
    assert refused.value.code == "experiment_too_large"
    assert not (tmp_path / "back" / SQLITE_NAME).exists()
    with pytest.raises(CoalescopeError, match="'lab' has"):
        restore_into(backup, Store(other.database, other.object_store))
    assert faults_of(backup).keys() == {"experiment_too_large"}


def test_a_deleted_one_costs_no_reader(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.upload(CSV, experiment="lab").status_code == 201
    assert client.request("DELETE", "/api/experiments/lab").status_code == 200
    store = Store(client.app.state.database, client.app.state.object_store)
    backup = tmp_path / "backup"
    back_up(store, backup)
    monkeypatch.setattr(kept_summaries, "EXPERIMENT_CELLS", 3)
    assert restore(backup, tmp_path / "back").report.sound


def test_summaries_of_cells_without_runs_cost_no_reader(client: Any) -> None:
    """They are not counted, so they must not be read: 20,000 of them would take megabytes."""
    assert client.upload(CSV, experiment="lab").status_code == 201
    database = client.app.state.database
    row = {"cell_id": 2, "n": 2, "mean": 1.0, "sd": 1.0, "ci95_low": 0.0, "ci95_high": 2.0}
    with database.write() as connection:
        connection.exec_driver_sql("UPDATE cells SET current_runs = 0 WHERE id > 1")
        more = [{**row, "measure": f"measure.m{number}"} for number in range(20_000)]
        connection.execute(sa.insert(tables.summaries), more)
    tracemalloc.start()
    answer = client.get("/api/experiments/lab/cells")
    _, most_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(answer.json()["cells"]) == 1
    assert most_bytes < 2**21
