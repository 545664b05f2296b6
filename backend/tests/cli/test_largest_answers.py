# SPDX-License-Identifier: Apache-2.0
"""Of an experiment as large as one can be, cells and exports take no more than an upload may."""

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from coalescope.app import create_app
from coalescope.db import tables
from coalescope.db.timestamps import utc_now
from coalescope.experiments.levels import factor_key
from coalescope.settings import Settings
from coalescope.untrusted import bounds
from timeouts import TIMEOUT_S

from .conftest import serving_in
from .watching import watched

_LOG = logging.getLogger(__name__)
CPU_S = 10.0
MEMORY_KIB = 200 * 1024
MEASURES = [
    f"m{number}" for number in range(bounds.EXPERIMENT_SUMMARIES // bounds.EXPERIMENT_CELLS)
]
LONG = "x" * (bounds.LEVEL_CHARACTERS - 10)
PATHS = json.loads((Path(__file__).parents[3] / "docs" / "openapi.json").read_text())["paths"]
EXPORTS = [(form, what) for form in ("csv", "json") for what in ("cells", "runs")]

Ask = Callable[..., tuple[httpx.Response, Any]]


def factors(number: int) -> dict[str, Any]:
    """Of a cell: numbers, and texts of about the length that they may have together."""
    texts = {f"factor.f{place}": f"{LONG}{number % 7}" for place in range(5)}
    return {"delay_us": number % 200, "mtu_bytes": 1500 + number // 200, **texts}


def fill(data: Path) -> None:
    """A store with one experiment of as many cells and summaries as it can have, a run in each."""
    now, count = utc_now(), range(1, bounds.EXPERIMENT_CELLS + 1)
    app = create_app(Settings(data_dir=data, datasets_dir=None, page_dir=None))
    settings = [(number, factors(number)) for number in count]
    characters = sum(len(factor_key(of)) for _, of in settings)
    most = bounds.EXPERIMENT_SETTINGS_CHARACTERS
    assert 0.9 * most < characters <= most
    about = {"id": 1, "slug": "large", "title": "Large", "kind": "measured", "source": {}}
    run = {"replicate": None, "status": "current", "content": "csv", "partial": False}
    rows: dict[sa.Table, Iterator[dict[str, Any]]] = {
        tables.experiments: iter([{**about, "created_at": now, "updated_at": now}]),
        tables.cells: (
            {"id": id_, "experiment_id": 1, "factor_key": factor_key(of), "factors": of}
            | {"current_runs": 1, "partial_runs": 0}
            for id_, of in settings
        ),
        tables.runs: (
            {**run, "id": id_, "uid": f"{id_:08}-0000-4000-8000-000000000000", "cell_id": id_}
            | {"experiment_id": 1, "csv_row": id_, "warnings": [], "warned": False}
            | {"created_at": now}
            for id_ in count
        ),
        tables.run_measures: (
            {"run_id": id_, "measure": name, "value": id_ * 1.234567, "sd": id_ * 0.123, "n": 5}
            for id_ in count
            for name in MEASURES
        ),
        tables.summaries: (
            {"cell_id": id_, "measure": name, "n": 5, "mean": id_ * 1.234567, "sd": id_ * 0.123}
            | {"ci95_low": id_ * 1.1, "ci95_high": id_ * 1.3}
            for id_ in count
            for name in MEASURES
        ),
    }
    with app.state.database.write() as connection:
        for table, of in rows.items():
            connection.execute(sa.insert(table), list(of))
    app.state.database.close()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("large")
    fill(folder / "served")
    return folder


@pytest.fixture
def large(filled: Path) -> Iterator[Ask]:
    """Ask a server of such a store that has answered little yet, and say what that took of it."""
    with serving_in(filled)(COALESCOPE_DATASETS_DIR="") as (url, server):

        def ask(path: str, **asked: str) -> tuple[httpx.Response, Any]:
            with watched(server.pid) as watch:
                answer = httpx.get(f"{url}{path}", params=asked, timeout=TIMEOUT_S)
            size = len(answer.content) / 2**20
            took, memory = watch.cpu_s, watch.memory_kib / 2**10
            _LOG.info("%s %s: %.1f MiB, %.1f s, %.0f MiB", path, asked, size, took, memory)
            return answer, watch

        httpx.get(f"{url}/api/experiments/large", timeout=TIMEOUT_S)
        yield ask


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.folder_stack
@pytest.mark.parametrize(("form", "what"), EXPORTS)
def test_an_export_takes_no_more_than_an_upload(large: Ask, form: str, what: str) -> None:
    answer, watch = large("/api/experiments/large/export", format=form, what=what)
    assert answer.status_code == 200
    rows = answer.text.count("\n") - 1 if form == "csv" else len(answer.json()[what])
    assert rows == bounds.EXPERIMENT_CELLS
    assert watch.cpu_s < CPU_S
    assert watch.memory_kib < MEMORY_KIB


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.folder_stack
def test_nor_do_its_cells(large: Ask) -> None:
    answer, watch = large("/api/experiments/large/cells")
    assert len(answer.json()["cells"]) == bounds.EXPERIMENT_CELLS
    assert watch.cpu_s < CPU_S
    assert watch.memory_kib < MEMORY_KIB


def test_all_forms_of_an_export_are_here() -> None:
    asked = PATHS["/api/experiments/{slug}/export"]["get"]["parameters"]
    forms = {each["name"]: each["schema"].get("enum") for each in asked}
    assert {form for form, _ in EXPORTS} == set(forms["format"])
    assert {what for _, what in EXPORTS} == set(forms["what"])
