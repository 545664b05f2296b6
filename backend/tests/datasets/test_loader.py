# SPDX-License-Identifier: Apache-2.0
"""Data sets beside the source are loaded once, reloaded when changed, refused when wrong."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from coalescope.datasets.loader import load_dataset, stale_datasets
from coalescope.datasets.source import find_datasets
from coalescope.errors import CoalescopeError

SOURCE = """
title = "A study"
subtitle = "of something"
kind = "published"
citation = "Someone 2005"
notes = ["One.", "Two."]
[fixed]
"CPU" = "one"
[default_view]
measure = "drops"
x = "delay_ticks"
y = "mtu_bytes"
[default_fit]
model = "cpu-overhead"
method = "paper-tls"
"""
DATA = "mtu_bytes,delay_ticks,n,drops\n1500,10,10,3\n3000,10,10,2\n"
DATASETS = Path(__file__).parents[3] / "datasets"


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = tmp_path / "datasets" / "a-study"
    folder.mkdir(parents=True)
    (folder / "source.toml").write_text(SOURCE)
    (folder / "data.csv").write_text(DATA)
    return folder


def reload(client: Any, study: Path) -> list[str]:
    state = client.app.state
    stale = stale_datasets(state.database, study.parent)
    for dataset in stale:
        load_dataset(state.database, state.object_store, dataset)
    return [dataset.slug for dataset in stale]


def test_a_data_set_is_described_as_its_source_says(
    make_client: Callable[..., Any], study: Path
) -> None:
    client = make_client(datasets_dir=study.parent)
    found = client.get("/api/experiments/a-study").json()
    assert (found["title"], found["kind"], found["citation"]) == (
        "A study",
        "published",
        "Someone 2005",
    )
    assert found["fixed"] == [{"label": "CPU", "value": "one"}]
    assert found["notes"] == ["One.", "Two."]
    assert found["default_view"] == {
        "measure": "drops",
        "x": "delay_ticks",
        "y": "mtu_bytes",
        "where": {},
    }
    assert found["default_fit"] == {"model": "cpu-overhead", "method": "paper-tls", "where": {}}
    assert found["replicates_label"] == "mean of 10"
    run = client.get("/api/experiments/a-study/runs").json()["runs"][0]
    assert (run["content"], run["row"], run["sha256"]) == ("dataset", 2, None)
    assert client.get(f"/api/runs/{run['id']}/log").json()["error"]["code"] == "no_log"


def test_a_data_set_is_loaded_once(make_client: Callable[..., Any], study: Path) -> None:
    client = make_client(datasets_dir=study.parent)
    before = client.get("/api/experiments/a-study").json()
    assert reload(client, study) == []
    again = make_client(datasets_dir=study.parent)
    assert again.get("/api/experiments/a-study").json() == before


def test_a_changed_data_set_takes_the_place_of_the_former(
    make_client: Callable[..., Any], study: Path
) -> None:
    client = make_client(datasets_dir=study.parent)
    client.upload(
        b"mtu_bytes,delay_ticks,n,drops\n4500,10,10,1\n",
        "more.csv",
        experiment="a-study",
        kind="published",
    )
    (study / "data.csv").write_text(DATA.replace("3000,10,10,2", "3000,20,10,7"))
    assert reload(client, study) == ["a-study"]
    cells = client.get("/api/experiments/a-study/cells").json()["cells"]
    assert [
        (c["factors"]["mtu_bytes"], c["factors"]["delay_ticks"], c["measures"]["drops"]["mean"])
        for c in cells
    ] == [(1500, 10, 3), (3000, 20, 7), (4500, 10, 1)]


def test_a_wrong_data_set_is_named(make_client: Callable[..., Any], study: Path) -> None:
    (study / "data.csv").write_text(DATA.replace("1500", "large"))
    with pytest.raises(CoalescopeError) as caught:
        make_client(datasets_dir=study.parent)
    assert caught.value.where["file"] == str(study / "data.csv")
    assert caught.value.where["row"] == 2
    (study / "data.csv").write_text(DATA)
    assert make_client(datasets_dir=study.parent).get("/api/experiments/a-study").status_code == 200


@pytest.mark.parametrize("more", ["\ufeff", "\u202e", "\u200d", "\x9b"], ids=ascii)
def test_no_text_of_a_source_holds_what_is_not_seen(study: Path, more: str) -> None:
    words = re.findall(r"[A-Z]\w+|[a-z]\w+(?=\")", SOURCE)
    assert {"study", "something", "Someone", "One", "CPU", "drops", "tls"} <= set(words)
    for word in words:
        (study / "source.toml").write_text(SOURCE.replace(word, word + more))
        with pytest.raises(CoalescopeError, match=rf"has a control .* U\+{ord(more):04X}"):
            find_datasets(study.parent)


def test_the_published_data_sets_load(make_client: Callable[..., Any]) -> None:
    client = make_client(datasets_dir=DATASETS)
    listed = {row["slug"]: row for row in client.get("/api/experiments").json()}
    assert {"geist-2005-nfs", "geist-2005-points", "dillon-2004"} <= listed.keys()
    assert all(row["kind"] == "published" and row["citation"] for row in listed.values())
    nfs = listed["geist-2005-nfs"]
    assert (nfs["cells"], nfs["replicates_label"]) == (27, "mean of 10")
    assert len(nfs["glance"][0]["rows"]) == 3
    cell = client.get(
        "/api/experiments/geist-2005-nfs/cells", params={"mtu_bytes": 1500, "delay_ticks": 10}
    ).json()["cells"][0]
    # facts: 7807 jiffies and 1.558 packets per interrupt, means of ten without a deviation
    assert cell["measures"]["system_cpu_jiffies"]["mean"] == pytest.approx(7807, abs=1)
    ppi = cell["measures"]["packets_per_interrupt"]
    assert ppi["mean"] == pytest.approx(1.558, abs=5e-4)
    assert (ppi["n"], ppi["sd"], ppi["ci95"]) == (10, None, None)


def test_a_source_without_its_data_is_named(make_client: Callable[..., Any], study: Path) -> None:
    (study / "data.csv").unlink()
    with pytest.raises(CoalescopeError, match=r"a-study has neither data\.csv nor raw/run-logs"):
        make_client(datasets_dir=study.parent)
