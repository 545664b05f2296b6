# SPDX-License-Identifier: Apache-2.0
"""Every shipped data set, exported and uploaded elsewhere, is what it was: nothing is laundered."""

import csv
import io
import json
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import pytest
from coalescope.datasets.loader import load_dataset
from coalescope.datasets.source import BUNDLE, find_datasets

from .. import stack as stacks
from ..conftest import Client, making_clients

FOLDER = Path(__file__).resolve().parents[3] / "datasets"
DATASETS = {dataset.slug: dataset for dataset in find_datasets(FOLDER)}
_DESCRIBED = ("title", "subtitle", "kind", "citation", "source_note", "source", "fixed", "notes")
_OPENED = ("default_view", "default_fit", "factors", "measures")


@pytest.fixture
def elsewhere(make_client: Callable[..., Any], tmp_path: Path) -> Any:
    """Another server, with an empty store."""
    return make_client(data_dir=tmp_path / "elsewhere")


@pytest.fixture(scope="module")
def shipping(tmp_path_factory: pytest.TempPathFactory, servers: stacks.Folder) -> Iterator[Client]:
    """A server for data sets, which its tests only read."""
    folder = tmp_path_factory.mktemp("shipped")
    with making_clients(folder, servers) as make:
        yield make()
    servers.forget(folder)


@pytest.fixture(scope="module", params=sorted(DATASETS))
def shipped(request: Any, shipping: Client) -> tuple[Client, str]:
    """A server that has the data set, and its name."""
    dataset, state = DATASETS[request.param], shipping.app.state
    load_dataset(state.database, state.object_store, dataset)
    return shipping, dataset.slug


def table(client: Any, slug: str, what: str = "runs", form: str = "csv") -> bytes:
    answer = client.get(f"/api/experiments/{slug}/export", params={"format": form, "what": what})
    assert answer.status_code == 200
    return bytes(answer.content)


def described(client: Any, slug: str) -> dict[str, Any]:
    known = client.get(f"/api/experiments/{slug}").json()
    return {name: known[name] for name in (*_DESCRIBED, *_OPENED)}


def cells(client: Any, slug: str, without: Collection[str] = ()) -> list[Any]:
    """Factors and measures of each cell; the measures of `without` are left out."""
    found = client.get(f"/api/experiments/{slug}/cells").json()["cells"]
    return [
        (c["factors"], {n: m for n, m in c["measures"].items() if n not in without}) for c in found
    ]


def of_clusters(client: Any, slug: str) -> set[str]:
    """Measures whose intervals are made of blocks, sessions or rounds."""
    judged = client.get(f"/api/experiments/{slug}/cells").json()["independence"]
    return {name for name, found in judged.items() if found["verdict"] == "by_cluster"}


def whole_source(client: Any, slug: str) -> Any:
    asked = {"format": "json", "what": "cells"}
    return client.get(f"/api/experiments/{slug}/export", params=asked).json()["experiment"][
        "source"
    ]


def own_fits(client: Any, slug: str) -> list[Any]:
    """The fit that the data set opens with, of each workload."""
    known = client.get(f"/api/experiments/{slug}").json()
    if known["default_fit"] is None:
        return []
    workloads = next(f["levels"] for f in known["factors"] if f["name"] == "workload")
    found = []
    for workload in workloads:
        asked = {
            "model": known["default_fit"]["model"],
            "method": known["default_fit"]["method"],
            "where": {"workload": workload},
            "resamples": 200,
        }
        answer = client.post(f"/api/experiments/{slug}/fits", json=asked)
        assert answer.status_code == 200, answer.text
        found.append(answer.json())
    return found


@pytest.mark.parametrize("form", ["csv", "json"])
def test_a_data_set_comes_back_as_it_was(
    shipped: tuple[Any, str], elsewhere: Any, form: str
) -> None:
    client, slug = shipped
    # logs that were cut off are said to be in their runs only, and their rows to be rows
    sent = table(client, slug, form=form)
    receipt = elsewhere.upload(sent, f"of somebody.{form}", experiment="copy")
    assert receipt.status_code == 201, receipt.text
    before, after = described(client, slug), described(elsewhere, "copy")
    assert after == before
    assert whole_source(elsewhere, "copy") == whole_source(client, slug)
    assert cells(elsewhere, "copy") == cells(client, slug)
    fits, again = own_fits(client, slug), own_fits(elsewhere, "copy")
    for answer in (*fits, *again):
        answer.pop("experiment"), answer.pop("data_version")
    assert again == fits


def rejected(fit: Any) -> bool | None:
    """Whether replicates reject the model; None where nothing is known of them."""
    found = fit["diagnostics"]["lack_of_fit"]
    return None if found is None else bool(found["rejected"])


@pytest.mark.parametrize("form", ["csv", "json"])
def test_cells_come_back_as_they_were_too(
    shipped: tuple[Any, str], elsewhere: Any, form: str
) -> None:
    """All but what single runs alone tell: how much wider intervals are for the runs' own spread.

    Where the runs reject the model, their means and deviations reject it, too. Of a measure whose
    runs depend on each other the means alone are sent, and a note says so.
    """
    client, slug = shipped
    sent = table(client, slug, "cells", form)
    answer = elsewhere.upload(sent, f"cells.{form}", experiment="copy")
    assert answer.status_code == 201, answer.text
    before, after = described(client, slug), described(elsewhere, "copy")
    dependent = of_clusters(client, slug)
    added = after["notes"][len(before["notes"]) :]
    assert {note.partition(" has no deviation here")[0] for note in added} == dependent
    del after["notes"][len(before["notes"]) :], after["source"]["notes"][len(before["notes"]) :]
    assert {n: after[n] for n in _DESCRIBED} == {n: before[n] for n in _DESCRIBED}
    assert cells(elsewhere, "copy", dependent) == cells(client, slug, dependent)
    for fit, again in zip(own_fits(client, slug), own_fits(elsewhere, "copy"), strict=True):
        for name, own in fit["estimates"].items():
            found = again["estimates"][name]
            assert found["value"] == pytest.approx(own["value"], rel=1e-12)
            kind = "ci95_if_independent" if rejected(fit) else "ci95"
            low, high = found[kind]
            if rejected(fit):  # made alike, of whole cells; resamples are few
                assert high - low == pytest.approx(own[kind][1] - own[kind][0], rel=0.3)
        assert rejected(again) == rejected(fit)
        assert ("reject the model" in (again["message"] or "")) == bool(rejected(fit))


#: Three runs of four settings, and the order they ran in: all of a setting in a row, or at random.
IN_A_ROW = list(range(12))
AT_RANDOM = [5, 11, 2, 8, 0, 10, 3, 6, 9, 1, 7, 4]


def runs_in_order(order: list[int]) -> bytes:
    lines = ["mtu_bytes,replicate,order,drops,throughput_mbps"]
    for k in range(12):
        value = 900 + 7 * (k * 5 % 11)
        lines.append(f"{1500 * (1 + k // 3)},{1 + k % 3},{order[k]},{k},{value}")
    return "\n".join(lines).encode()


@pytest.mark.parametrize("form", ["csv", "json"])
@pytest.mark.parametrize(("order", "given"), [(IN_A_ROW, False), (AT_RANDOM, True)])
def test_a_table_of_means_promises_no_interval_that_its_runs_do_not_carry(
    client: Any, elsewhere: Any, form: str, order: list[int], given: bool
) -> None:
    """Means have no order: replicates in a row would come back as independent ones."""
    assert client.upload(runs_in_order(order), "lab.csv").status_code == 201
    before = cells(client, "lab")
    intervals = [cell[1]["throughput_mbps"]["ci95"] for cell in before]
    assert all(ends is not None for ends in intervals) == given
    assert elsewhere.upload(table(client, "lab", "cells", form), "c", experiment="copy").is_success
    again = cells(elsewhere, "copy")
    assert [cell[1]["throughput_mbps"]["ci95"] for cell in again] == intervals
    assert [cell[1]["throughput_mbps"]["mean"] for cell in again] == [
        cell[1]["throughput_mbps"]["mean"] for cell in before
    ]
    notes = [note for note in described(elsewhere, "copy")["notes"] if "throughput_mbps" in note]
    assert len(notes) == (0 if given else 1)
    if notes:
        assert "one after another" in notes[0]
    # and again: nothing is said twice
    assert client.upload(
        table(elsewhere, "copy", "cells", form), "again", experiment="again"
    ).is_success
    assert described(client, "again")["notes"] == described(elsewhere, "copy")["notes"]


def test_there_are_tables_and_bundles() -> None:
    assert any((FOLDER / slug / BUNDLE).is_file() for slug in DATASETS)
    assert {dataset.kind for dataset in DATASETS.values()} >= {"published", "emulated"}


EMULATED = (
    "mtu_bytes,replicate,throughput_mbps,kind,source.citation\n"
    "1500,1,900,emulated,A testbed\n"
    "1500,2,901,emulated,\n"
)


def test_a_kind_is_not_laundered(client: Any) -> None:
    """The control is the last: a table that says nothing is what its uploader says."""
    sent = EMULATED.encode()
    refused = client.upload(sent, "lab.csv", kind="measured")
    assert refused.status_code == 409
    assert refused.json()["error"]["code"] == "kind_differs"
    assert "override" in refused.json()["error"]["advice"]
    cited = client.upload(sent, "lab.csv", citation="Me")
    assert cited.json()["error"]["code"] == "citation_differs"
    assert client.get("/api/experiments").json() == [], "nothing was kept"
    assert client.upload(sent, "lab.csv").status_code == 201
    known = client.get("/api/experiments/lab").json()
    assert (known["kind"], known["citation"]) == ("emulated", "A testbed")
    plain = "mtu_bytes,replicate,throughput_mbps\n1500,1,900\n"
    assert client.upload(plain.encode(), "plain.csv").status_code == 201
    assert client.get("/api/experiments/plain").json()["kind"] == "measured"


def test_an_override_is_kept(client: Any) -> None:
    answer = client.upload(EMULATED.encode(), "lab.csv", kind="measured", override_source="true")
    assert answer.status_code == 201, answer.text
    receipt = answer.json()
    assert "kind_overridden" in {warning["code"] for warning in receipt["warnings"]}
    known = client.get("/api/experiments/lab").json()
    assert known["kind"] == "measured"
    assert any("'emulated'" in note and "'measured'" in note for note in known["notes"])
    run = client.get(f"/api/runs/{receipt['runs'][0]['id']}").json()
    assert "kind_overridden" in [warning["code"] for warning in run["warnings"]]
    # and an export of it says so, wherever it goes
    assert client.upload(table(client, "lab"), "again.csv", experiment="again").status_code == 201
    assert client.get("/api/experiments/again").json()["notes"] == known["notes"]


def test_a_table_joins_only_its_own_kind_and_source(client: Any) -> None:
    client.upload(EMULATED.encode(), "lab.csv")
    other = EMULATED.replace("A testbed", "Another").replace("1500", "3000")
    answer = client.upload(other.encode(), "other.csv", experiment="lab")
    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "sources_never_mix"
    measured = "mtu_bytes,replicate,throughput_mbps,kind\n9000,1,900,measured\n"
    answer = client.upload(measured.encode(), "measured.csv", experiment="lab")
    assert answer.json()["error"]["code"] == "kinds_never_mix"
    same = EMULATED.replace("1500", "9000")
    assert client.upload(same.encode(), "same.csv", experiment="lab").status_code == 201, "control"


def test_a_data_frame_keeps_it(shipped: tuple[Any, str]) -> None:
    """As a spreadsheet or a data frame reads it: one header, as many fields in each row."""
    client, slug = shipped
    header, *rows = csv.reader(io.StringIO(table(client, slug).decode()))
    assert {len(row) for row in rows} == {len(header)}
    assert {row[header.index("kind")] for row in rows} == {DATASETS[slug].kind}


def test_the_json_says_it_too(shipped: tuple[Any, str]) -> None:
    client, slug = shipped
    for what in ("cells", "runs"):
        asked = {"format": "json", "what": what}
        told = json.loads(client.get(f"/api/experiments/{slug}/export", params=asked).text)
        assert told["experiment"]["kind"] == DATASETS[slug].kind
        assert told["experiment"]["source"]["citation"] == DATASETS[slug].source["citation"]


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ("source.fixed", '{"a": NaN}'),
        ("source.fixed", '{"a": 1e400}'),
        ("source.notes", '["\\ud800"]'),
        ("source.notes", '["\\u0000"]'),
        ("source.notes", '"not a list"'),
        ("source.cautions", "abc"),
        ("source.source_note", '{"a": 1}'),
        ("source.licence", '{"a": 1}'),
        ("source.environment", "Debian"),
        ("source.url", "javascript:alert(1)"),
        ("source.default_fit", '{"model": 1, "method": "ols"}'),
        ("source.settings", "[" * 5000),
        ("source.title", "x" * 201),
        ("kind", "guessed"),
    ],
)
def test_what_is_of_no_form_is_refused(client: Any, column: str, said: str) -> None:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerows([["mtu_bytes", "replicate", "drops", column], ["1500", "1", "2", said]])
    answer = client.upload(buffer.getvalue().encode(), "lab.csv")
    if column == "source.settings":
        assert answer.status_code == 201, "a text like any other"
        assert table(client, "lab")
        return
    assert answer.status_code == 422, answer.text
    assert answer.json()["error"]["where"]["column"] == column
