# SPDX-License-Identifier: Apache-2.0
"""No way of changing runs takes an experiment beyond its bounds: each that is in the code is tried.

The bounds are set low: the real ones take a minute to reach.
"""

import ast
import json
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import coalescope
import pytest
from coalescope.datasets.loader import load_dataset
from coalescope.datasets.source import find_datasets
from coalescope.errors import CoalescopeError
from coalescope.runs import kept_summaries, summary_repository
from coalescope.uploads import measuring_again
from coalescope.uploads.reading import Reading
from coalescope_host import run_log

PROGRAM = Path(coalescope.__file__).parent
RUN = "3f0c2a52-6f0b-4a58-9a3e-0f6a8f7f0c11"
TABLE = b"delay_us,replicate,throughput_mbps,drops\n10,1,900,4\n10,2,901,5\n"
OTHER = b"delay_us,replicate,throughput_mbps,drops\n%d,1,990,6\n"
# what follows from the runs of a cell is written by these alone
WRITERS = {"replace_summaries", "count_current_runs"}

Extent = tuple[int, int, int]


def sources(names: Collection[str]) -> Iterator[tuple[str, ast.Module]]:
    """Each module of the program in which one of these is written: its name and its tree."""
    for path in PROGRAM.rglob("*.py"):
        text = path.read_text()
        if any(name in text for name in names):
            yield ".".join(path.relative_to(PROGRAM).with_suffix("").parts), ast.parse(text)


def calling(names: set[str]) -> set[tuple[str, str]]:
    """Module and function of each place in the program that calls one of these."""
    return {
        (module, function.name)
        for module, tree in sources(names)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Call)
        and (getattr(node.func, "attr", None) or getattr(node.func, "id", None)) in names
    }


def writing(table: str) -> set[str]:
    """The modules that insert into, change or delete from this table of the store."""
    return {
        module
        for module, tree in sources([table])
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("insert", "update", "delete")
        and any(isinstance(of, ast.Name) and of.id == table for of in node.args)
    }


def extent(client: Any) -> Extent:
    with client.app.state.database.read() as connection:
        (id_,) = connection.exec_driver_sql("SELECT id FROM experiments").one()
        return summary_repository.extent(connection, id_)


def bound(monkeypatch: pytest.MonkeyPatch, at: Extent) -> None:
    names = ("EXPERIMENT_CELLS", "EXPERIMENT_SETTINGS_CHARACTERS", "EXPERIMENT_SUMMARIES")
    for name, value in zip(names, at, strict=True):
        monkeypatch.setattr(kept_summaries, name, value)


def runs(client: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get("/api/experiments/lab/runs").json()["runs"]
    return found


@pytest.fixture
def lab(client: Any) -> Any:
    assert client.upload(TABLE, "lab.csv", experiment="lab").status_code == 201
    return client


def by_an_upload(client: Any) -> Any:
    return client.upload(OTHER % 20, "more.csv", experiment="lab")


def by_a_correction(client: Any) -> Any:
    said = {"factors": {"delay_us": 20}, "reason": "was 20"}
    return client.post(f"/api/runs/{runs(client)[0]['id']}/correction", json=said)


def by_a_restoration(client: Any) -> Any:
    """What was retracted comes back after other cells have filled its place."""
    for run in runs(client):
        said = {"reason": "a cable"}
        assert client.post(f"/api/runs/{run['id']}/retraction", json=said).status_code == 200
    assert client.upload(OTHER % 20, "more.csv", experiment="lab").status_code == 201
    gone = next(run for run in runs(client) if run["status"] == "retracted")
    return client.post(f"/api/runs/{gone['id']}/restoration", json={"reason": "it was right"})


BY_REQUEST = {
    ("runs.recording", "record_runs"): by_an_upload,
    ("runs.corrections", "correct"): by_a_correction,
    ("runs.corrections", "_set_status"): by_a_restoration,
}
ELSEWHERE = {("runs.recording", "replace_log")}  # tested below


def test_every_change_of_runs_is_one_that_is_tried_here() -> None:
    assert calling({"refresh"}) == BY_REQUEST.keys() | ELSEWHERE
    assert calling({"recompute"}) == {
        ("runs.kept_summaries", "refresh"),
        ("runs.recording", "measure_again"),
    }
    assert calling(WRITERS) == {("runs.kept_summaries", "recompute")}
    # runs.repository makes cells without runs, which count once their summaries are kept
    assert writing("summaries") == {"runs.summary_repository"}
    assert writing("cells") == {"runs.summary_repository", "runs.repository"}


@pytest.mark.parametrize("way", BY_REQUEST.values())
@pytest.mark.parametrize("which", [0, 1, 2])
def test_none_takes_an_experiment_beyond_its_bounds(
    lab: Any, monkeypatch: pytest.MonkeyPatch, way: Callable[[Any], Any], which: int
) -> None:
    at = [10**6] * 3
    at[which] = extent(lab)[which]
    bound(monkeypatch, (at[0], at[1], at[2]))
    refused = way(lab)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "experiment_too_large")
    assert extent(lab)[which] == at[which]


@pytest.mark.parametrize("way", BY_REQUEST.values())
def test_within_the_bounds_each_is_taken(
    lab: Any, monkeypatch: pytest.MonkeyPatch, way: Callable[[Any], Any]
) -> None:
    cells, characters, summaries = extent(lab)
    bound(monkeypatch, (2 * cells, 2 * characters, 2 * summaries))
    assert way(lab).is_success
    assert extent(lab) == (2 * cells, 2 * characters, 2 * summaries)


def test_one_that_is_larger_already_can_be_made_smaller(
    lab: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert by_an_upload(lab).status_code == 201
    bound(monkeypatch, (0, 0, 0))
    one = next(run for run in runs(lab) if run["factors"]["delay_us"] == 20)
    said = {"reason": "a cable"}
    assert lab.post(f"/api/runs/{one['id']}/retraction", json=said).status_code == 200
    assert extent(lab)[0] == 1
    back = lab.post(f"/api/runs/{one['id']}/restoration", json=said)
    assert back.json()["error"]["code"] == "experiment_too_large"


@pytest.fixture
def logs(make_log: Callable[..., bytes]) -> tuple[bytes, bytes]:
    """A log that was cut off, and the whole one, which measures more."""
    rows = [(i * 10**9, i * 10**9, i * 10**6, i * 1000, i * 100) for i in range(1, 601)]
    said = json.dumps({"end": {"sum_sent": {"retransmits": 7}}}).encode()
    whole = make_log(run_id=RUN, rows=rows, window=(0, 599), result=said, command=True)
    cuts = range(len(whole) * 2 // 3, len(whole))
    cut = next(cut for cut in cuts if run_log.read(whole[:cut]).records > 1)
    return whole[:cut], whole


def test_nor_does_a_whole_log_in_the_place_of_one_that_was_cut_off(
    client: Any, monkeypatch: pytest.MonkeyPatch, logs: tuple[bytes, bytes]
) -> None:
    partial, whole = logs
    assert client.upload(partial, "cut.runlog").status_code == 201
    cells, characters, summaries = extent(client)
    bound(monkeypatch, (cells, characters, summaries))
    refused = client.upload(whole, "whole.runlog")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "experiment_too_large")
    assert extent(client) == (cells, characters, summaries)
    bound(monkeypatch, (cells, characters, summaries + 100))
    assert client.upload(whole, "whole.runlog").status_code == 201
    assert extent(client)[2] > summaries


def test_a_start_does_not_end_by_what_new_definitions_measure(
    client: Any, monkeypatch: pytest.MonkeyPatch, logs: tuple[bytes, bytes]
) -> None:
    assert client.upload(logs[1], "whole.runlog").status_code == 201
    state = client.app.state
    with state.database.write() as connection:
        connection.exec_driver_sql("UPDATE uploads SET measured_as = 0")
        connection.exec_driver_sql("DELETE FROM summaries")
    bound(monkeypatch, (0, 0, 0))
    assert measuring_again.measure_again(state.database, state.object_store, Reading()) == 1
    assert extent(client)[2] > 0


SOURCE = 'title = "A study"\nsubtitle = ""\nkind = "published"\ncitation = "Someone 2005"\n'


def test_a_data_set_is_bounded_by_what_it_is_now_and_not_with_what_it_was(
    client: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "sets" / "a-study"
    folder.mkdir(parents=True)
    (folder / "source.toml").write_text(SOURCE)

    def load(delays: range) -> None:
        rows = "".join(f"{delay},10,3\n" for delay in delays)
        (folder / "data.csv").write_text(f"delay_us,n,throughput_mbps\n{rows}")
        (found,) = find_datasets(folder.parent)
        load_dataset(client.app.state.database, client.app.state.object_store, found)

    load(range(10, 15))
    bound(monkeypatch, (5, 10**6, 10**6))
    load(range(20, 25))  # all its cells are others, and as many
    assert extent(client)[0] == 5
    with pytest.raises(CoalescopeError, match="would have 6 cells; it can have 5"):
        load(range(20, 26))
    assert extent(client)[0] == 5
