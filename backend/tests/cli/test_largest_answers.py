# SPDX-License-Identifier: Apache-2.0
"""Of an experiment as large as one can be, no answer takes more than an upload may."""

import json
import logging
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
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
from coalescope_models.vocabulary.quantity import QUANTITIES
from timeouts import TIMEOUT_S

from .conftest import COMMAND, environment, serving_in
from .watching import memory_kib, watched

_LOG = logging.getLogger(__name__)
CPU_S = 10.0
MEMORY_KIB = 200_000_000 // 1024
COMPUTED_CPU_S, COMPUTED_KIB = 20.0, 400_000_000 // 1024
EACH = bounds.EXPERIMENT_SUMMARIES // bounds.EXPERIMENT_CELLS
ALL = [name for name, of in QUANTITIES.items() if of.role == "measure"]
ASKED_ABOUT = ["throughput_mbps", "system_cpu_s"]
MEASURES = [*ALL[: EACH - len(ASKED_ABOUT)], *ASKED_ABOUT]
LONG = "x" * (bounds.LEVEL_CHARACTERS - 10)
PATHS = json.loads((Path(__file__).parents[3] / "docs" / "openapi.json").read_text())["paths"]
OF_ONE = "/api/experiments/{slug}"
FIRST = {"measure": MEASURES[0]}
ONE_OF_EACH = {f"factor.f{place}": f"{LONG}0" for place in range(5)}
#: What each address of an experiment is asked, to show as much as it can.
QUESTIONS: dict[str, list[dict[str, str]]] = {
    "": [{}],
    "/cells": [{"layout": "rows"}, {"layout": "columns"}],
    "/environment": [{}],
    "/export": [
        {"format": form, "what": what} for form in ("csv", "json") for what in ("cells", "runs")
    ],
    "/replicates": [{**FIRST, "mtu_bytes": ",".join(map(str, range(1500, 1600)))}],
    "/replication-plan": [{**FIRST, "width_percent": "5"}],
    "/runs": [{"limit": "1000"}, {"sort": f"-{MEASURES[0]}", "warnings": "none"}],
    "/surfaces/{measure}": [{"x": "delay_us", "y": "mtu_bytes", **ONE_OF_EACH}],
    "/sweeps": [{}],
    "/variance": [{**FIRST, "factors": "delay_us,mtu_bytes", **ONE_OF_EACH}],
}
#: What is computed from it: the body of each question.
COMPUTED: dict[str, list[dict[str, Any]]] = {
    "/fits": [
        {"model": "cpu-overhead", "method": method, "resamples": 6_666}
        for method in ("ols", "robust", "paper-tls")
    ],
    "/nonlinear-fits": [
        {"model": "link-bound", "output": "throughput_mbps", "free": ["link_rate_mbps"]}
        | {"resamples": 10}
    ],
    "/recommendations": [{"aims": [{"measure": "throughput_mbps"}], "where": ONE_OF_EACH}],
}
DELETED = "/restoration"  # of one that was deleted: reads no cells
EVENTS = "/events"  # says what changes, without end
DOCUMENTS = ["/explorer/large", "/embed/explorer/large", "/previews/explorer/large.png"]
ASKED = [(f"{OF_ONE}{path}", asked) for path, each in QUESTIONS.items() for asked in each]
ASKED += [(path, {}) for path in ("/api/experiments", *DOCUMENTS)]

Ask = Callable[..., tuple[httpx.Response, Any]]


def factors(number: int) -> dict[str, Any]:
    """Of a cell: numbers, and texts of about the length that they may have together."""
    texts = {f"factor.f{place}": f"{LONG}{number // 2000}" for place in range(5)}
    return {"delay_us": number % 200, "mtu_bytes": 1500 + number // 200, **texts}


def value(number: int, place: int) -> float:
    """Of a measure in a cell: none is a sum of others, so that fits tell costs."""
    return 1e6 + number * 1.234567 + 1e4 * (number * (place + 3) % (97 + 2 * place))


def fill(data: Path) -> None:
    """A store with one experiment of as many cells and summaries as it can have, a run in each."""
    now, count = utc_now(), range(1, bounds.EXPERIMENT_CELLS + 1)
    app = create_app(Settings(data_dir=data, datasets_dir=None, page_dir=None))
    settings = [(number, factors(number - 1)) for number in count]
    characters = sum(len(factor_key(of)) for _, of in settings)
    most = bounds.EXPERIMENT_SETTINGS_CHARACTERS
    assert 0.9 * most < characters <= most
    about = {"title": "Large", "kind": "measured", "source": {}}
    run = {"replicate": None, "status": "current", "content": "csv", "partial": False}
    rows: dict[sa.Table, Iterator[dict[str, Any]]] = {
        tables.experiments: (
            {**about, "id": id_, "slug": slug, "created_at": now, "updated_at": now}
            for id_, slug in enumerate(("large", "empty"), start=1)
        ),
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
            {"run_id": id_, "measure": name, "value": value(id_, place), "sd": 1.23, "n": 5}
            for id_ in count
            for place, name in enumerate(MEASURES)
        ),
        tables.summaries: (
            {"cell_id": id_, "measure": name, "n": 5, "mean": value(id_, place), "sd": 1.23}
            | {"ci95_low": value(id_, place) - 1.1, "ci95_high": value(id_, place) + 1.3}
            for id_ in count
            for place, name in enumerate(MEASURES)
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

        def ask(path: str, body: Any = None, **asked: str) -> tuple[httpx.Response, Any]:
            method = "GET" if body is None else "POST"
            with watched(server.pid) as watch:
                answer = httpx.request(
                    method, f"{url}{path}", params=asked, json=body, timeout=TIMEOUT_S
                )
            size = len(answer.content) / 2**20
            took, memory = watch.cpu_s, watch.memory_kib / 2**10
            _LOG.info("%s %s: %.1f MiB, %.1f s, %.0f MiB", path, asked, size, took, memory)
            return answer, watch

        httpx.get(f"{url}/api/quantities", timeout=TIMEOUT_S)
        yield ask


def cells_in(answer: httpx.Response) -> int:
    """Of cells or runs, in any form."""
    if "csv" in answer.headers["content-type"]:
        return answer.text.count("\n") - 1
    said = answer.json()
    return len(said.get("cells") or said.get("runs") or said["id"])


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.folder_stack
@pytest.mark.parametrize(("path", "asked"), ASKED, ids=str)
def test_no_answer_takes_more_than_an_upload(large: Ask, path: str, asked: dict[str, str]) -> None:
    answer, watch = large(path.format(slug="large", measure=MEASURES[0]), **asked)
    assert answer.status_code == 200, answer.text[:300]
    if path.endswith(("/cells", "/export")):
        assert cells_in(answer) == bounds.EXPERIMENT_CELLS
    assert watch.cpu_s < CPU_S
    assert watch.memory_kib < MEMORY_KIB


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.folder_stack
@pytest.mark.parametrize(("path", "body"), [(p, b) for p, each in COMPUTED.items() for b in each])
def test_what_is_computed_is_bounded(large: Ask, path: str, body: dict[str, Any]) -> None:
    """What takes too long is refused: these are the most that is answered, with all residuals."""
    answer, watch = large(f"{OF_ONE.format(slug='large')}{path}", body)
    assert answer.status_code == 200, answer.text[:300]
    assert watch.cpu_s < COMPUTED_CPU_S
    assert watch.memory_kib < COMPUTED_KIB


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.folder_stack
@pytest.mark.parametrize("what", [asked["what"] for asked in QUESTIONS["/export"][:2]])
def test_nor_does_a_file_for_duckdb(filled: Path, what: str) -> None:
    """Beyond what the program takes to write one without rows."""
    parquet = pytest.importorskip("pyarrow.parquet")

    def took_kib(slug: str) -> int:
        file = filled / f"{slug}-{what}.parquet"
        typed = ["export", slug, "--format", "parquet", "--what", what, "--output", str(file)]
        program = subprocess.Popen([*COMMAND, *typed], env=environment(filled / "served"))
        took = 0
        while program.poll() is None:
            with suppress(OSError, IndexError):  # it has ended
                took = memory_kib(program.pid, "VmHWM")  # the last, as it never shrinks
            time.sleep(0.02)
        assert program.returncode == 0
        rows = parquet.read_metadata(file).num_rows
        _LOG.info("%s: %d rows, %.0f MiB in all", file.name, rows, took / 2**10)
        return took

    empty_kib, large_kib = took_kib("empty"), took_kib("large")
    assert large_kib - empty_kib < MEMORY_KIB


def test_all_addresses_of_an_experiment_are_asked() -> None:
    answered = {path for path, route in PATHS.items() if path.startswith(OF_ONE) and "get" in route}
    assert {f"{OF_ONE}{path}" for path in (*QUESTIONS, EVENTS)} == answered
    asked = {path for path, of in PATHS.items() if path.startswith(OF_ONE) and "post" in of}
    assert {f"{OF_ONE}{path}" for path in (*COMPUTED, DELETED)} == asked


@pytest.mark.parametrize(
    ("path", "name"), [("/export", "format"), ("/export", "what"), ("/cells", "layout")]
)
def test_all_forms_of_an_answer_are_asked(path: str, name: str) -> None:
    parameters = PATHS[f"{OF_ONE}{path}"]["get"]["parameters"]
    forms = next(each["schema"]["enum"] for each in parameters if each["name"] == name)
    assert {asked[name] for asked in QUESTIONS[path]} == set(forms)
