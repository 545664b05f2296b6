# SPDX-License-Identifier: Apache-2.0
"""Experiments are renamed, described, deleted and restored; what is deleted is seen nowhere."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from coalescope.backups.service import back_up
from coalescope.datasets.loader import load_dataset, stale_datasets
from coalescope.store import Store, open_for_reading
from coalescope.tokens.service import newest_changes
from coalescope.verification.service import verify

MakeClient = Callable[..., Any]
MakeLog = Callable[..., bytes]
TABLE = b"mtu_bytes,delay_us,replicate,throughput_mbps\n1500,0,1,900\n9000,40,1,940\n"
SOURCE = 'title = "A study"\nkind = "measured"\n'
LAB = "/api/experiments/lab"
RUN = "11111111-2222-4333-8444-555555555555"


@pytest.fixture
def lab(client: Any) -> Any:
    assert client.upload(TABLE, "lab.csv", title="The lab", citation="Us 2026").status_code == 201
    return client


def change(client: Any, **said: Any) -> Any:
    return client.request("PATCH", LAB, json=said)


def delete(client: Any, slug: str = "lab") -> Any:
    answer = client.request("DELETE", f"/api/experiments/{slug}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def restore(client: Any) -> Any:
    return client.post(f"{LAB}/restoration")


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def told(client: Any, count: int) -> list[str]:
    with client.app.state.database.read() as connection:
        return [each.what for each in newest_changes(connection, count)]


def test_a_title_changes_and_the_address_stays(lab: Any) -> None:
    before = lab.get(LAB)
    assert not before.json()["of_a_data_set"]
    changed = change(lab, title="  Another lab ", subtitle="two hosts")
    assert changed.status_code == 200
    now = lab.get(LAB, headers={"If-None-Match": before.headers["etag"]})
    assert now.json() == changed.json()
    assert (now.json()["slug"], now.json()["title"], now.json()["subtitle"]) == (
        "lab",
        "Another lab",
        "two hosts",
    )
    assert now.json()["source"] == before.json()["source"]
    assert [row["title"] for row in lab.get("/api/experiments").json()] == ["Another lab"]
    assert told(lab, 1) == ["lab: renamed to 'Another lab' and described anew"]


def test_of_the_source_null_removes_and_what_is_left_out_stays(lab: Any) -> None:
    change(lab, source={"how_made": "By hand.", "notes": ["One."], "licence": "CC0"})
    source = change(lab, source={"licence": None, "notes": []}).json()["source"]
    assert source == {
        "citation": "Us 2026",
        "url": None,
        "licence": None,
        "how_made": "By hand.",
        "notes": [],
    }
    assert told(lab, 1) == ["lab: described anew"]


@pytest.mark.parametrize("said", [{}, {"title": "The lab"}, {"source": {"citation": "Us 2026"}}])
def test_what_is_said_already_is_no_change(lab: Any, said: dict[str, Any]) -> None:
    before = lab.get(LAB).json()
    assert change(lab, **said).json() == before


@pytest.mark.parametrize(
    "said",
    [
        {"title": " "},
        {"title": "x" * 201},
        {"title": "a\u202eb"},
        {"slug": "other"},
        {"kind": "published"},
        {"source": {"url": "javascript:alert(1)"}},
        {"source": {"default_view": {}}},
    ],
)
def test_a_bad_change_is_refused(lab: Any, said: dict[str, Any]) -> None:
    before = lab.get(LAB).json()
    assert code(change(lab, **said)) == (422, "invalid_request")
    assert lab.get(LAB).json() == before


def test_what_is_deleted_is_nowhere_until_it_is_restored(lab: Any) -> None:
    lab.post("/api/experiments", json={"slug": "other", "title": "Other", "kind": "measured"})
    run = lab.get(f"{LAB}/runs").json()["runs"][0]["id"]
    upload = lab.get("/api/uploads").json()[0]["id"]
    own = [
        LAB,
        f"{LAB}/cells",
        f"{LAB}/runs",
        f"{LAB}/environment",
        f"{LAB}/export?format=csv",
        f"{LAB}/surfaces/throughput_mbps",
        f"/api/runs/{run}",
        f"/api/runs/{run}/environment",
        f"/api/runs/{run}/log",
        f"/api/uploads/{upload}/cells",
    ]
    before = [lab.get(path) for path in own]
    assert [answer.status_code for answer in before] == [200] * len(own)

    deleted = delete(lab)
    assert (deleted["slug"], deleted["title"], deleted["runs"]) == ("lab", "The lab", 2)
    assert told(lab, 1) == ["lab: deleted"]
    for path in (*own, "/api/comparisons?a=other&b=lab&measure=throughput_mbps"):
        answer = lab.get(path)
        assert code(answer) == (404, "experiment_deleted"), path
    error = lab.get(LAB).json()["error"]
    assert re.search(r"'lab' was deleted on 20\d\d-\d\d-\d\d\.", error["message"])
    assert "coalescope experiments restore lab" in error["advice"]
    held = {"If-None-Match": before[0].headers["etag"]}
    assert lab.get(LAB, headers=held).status_code == 404
    assert [row["slug"] for row in lab.get("/api/experiments").json()] == ["other"]
    assert lab.get("/api/uploads").json() == []
    assert lab.get("/api/deleted-experiments").json() == [deleted]
    retraction = lab.post(f"/api/runs/{run}/retraction", json={"reason": "x"})
    assert code(retraction) == (404, "experiment_deleted")
    assert "Did you mean lab?" not in lab.get("/api/experiments/labb").json()["error"]["advice"]

    assert restore(lab).status_code == 200
    assert told(lab, 1) == ["lab: restored"]
    assert lab.get("/api/deleted-experiments").json() == []
    for path, was in zip(own, before, strict=True):
        now = lab.get(path)
        assert now.status_code == 200, path
        if path == f"{LAB}/cells":
            assert now.json()["cells"] == was.json()["cells"]


def test_deleted_ones_are_listed_the_last_one_first(client: Any) -> None:
    for slug in ("a", "b", "c"):
        new = {"slug": slug, "title": slug.upper(), "kind": "measured"}
        assert client.post("/api/experiments", json=new).status_code == 201
    for slug in ("b", "a"):
        delete(client, slug)
    listed = client.get("/api/deleted-experiments").json()
    at = {each["slug"]: each["deleted_at"] for each in listed}
    assert sorted(at) == ["a", "b"]
    assert [each["deleted_at"] for each in listed] == sorted(at.values(), reverse=True)
    assert [each["runs"] for each in listed] == [0, 0]


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_what_is_deleted_can_neither_be_changed_nor_deleted(lab: Any, method: str) -> None:
    delete(lab)
    body = {"json": {"title": "x"}} if method == "PATCH" else {}
    assert code(lab.request(method, LAB, **body)) == (404, "experiment_deleted")


def test_what_was_not_deleted_is_not_restored(lab: Any) -> None:
    assert code(restore(lab)) == (409, "not_deleted")
    assert code(lab.post("/api/experiments/none/restoration")) == (404, "not_found")


def test_a_deleted_experiment_keeps_its_name_and_its_files(lab: Any, make_log: MakeLog) -> None:
    log = make_log(run_id=RUN)
    assert lab.upload(log, experiment="lab").status_code == 201
    delete(lab)
    cut = log[: len(log) * 4 // 5]
    other = TABLE.replace(b"940", b"950")
    new = {"slug": "lab", "title": "x", "kind": "measured"}
    sweep = {
        "experiment": "lab",
        "replicates": 1,
        "cells": [{"mtu_bytes": 1500}],
        "state": "running",
        "runs_planned": 1,
        "runs_done": 0,
    }
    refused = {
        "a new one": lab.post("/api/experiments", json=new),
        "the same table": lab.upload(TABLE, "lab.csv"),
        "another table": lab.upload(other, "lab.csv"),
        "the same log": lab.upload(log, experiment="other"),
        "a shorter log": lab.upload(cut, experiment="other"),
        "another log": lab.upload(make_log(), experiment="lab"),
        "another log of its run": lab.upload(make_log(run_id=RUN, replicate=7), experiment="other"),
        "a sweep": lab.request("PUT", "/api/sweeps/5f1d-4711-plan", json=sweep),
    }
    found = {what: code(answer) for what, answer in refused.items()}
    assert found == dict.fromkeys(refused, (409, "experiment_deleted"))
    said = refused["the same log"].json()["error"]["message"]
    assert said.endswith(", and keeps this file.")
    elsewhere = lab.upload(TABLE, "lab.csv", experiment="other")
    assert (elsewhere.status_code, elsewhere.json()["outcome"]) == (201, "stored")
    assert elsewhere.json()["warnings"] == [] or all(
        warning["code"] != "also_elsewhere" for warning in elsewhere.json()["warnings"]
    )
    assert restore(lab).json()["runs"] == 3


def test_verify_and_backup_look_at_what_is_deleted_too(
    lab: Any, make_log: MakeLog, tmp_path: Path
) -> None:
    assert lab.upload(make_log(experiment="other")).status_code == 201
    state = lab.app.state
    delete(lab)
    report = verify(state.database, state.object_store)
    assert (report.sound, report.files, report.experiments, report.runs) == (True, 2, 2, 3)
    assert back_up(Store(state.database, state.object_store), tmp_path / "backup").report.sound
    copy = open_for_reading(tmp_path / "backup")
    try:
        looked = verify(copy.database, copy.object_store)
    finally:
        copy.close()
    assert (looked.sound, looked.experiments, looked.runs) == (True, 2, 3)
    with state.database.write() as connection:
        connection.exec_driver_sql("UPDATE cells SET current_runs = 7 WHERE id = 1")
    assert [fault.code for fault in verify(state.database, state.object_store).faults] == [
        "wrong_count"
    ]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = tmp_path / "datasets" / "lab"
    folder.mkdir(parents=True)
    (folder / "source.toml").write_text(SOURCE)
    (folder / "data.csv").write_text("mtu_bytes,delay_us,n,drops\n1500,10,10,3\n")
    return folder


def test_what_comes_from_a_data_set_stays_as_it_is(make_client: MakeClient, study: Path) -> None:
    client = make_client(datasets_dir=study.parent)
    before = client.get(LAB).json()
    assert before["of_a_data_set"]
    for answer in (change(client, title="Mine"), client.request("DELETE", LAB)):
        assert code(answer) == (409, "of_a_data_set")
        assert answer.json()["error"]["advice"]
    assert client.get(LAB).json() == before


def test_a_data_set_takes_the_name_of_what_was_deleted(lab: Any, study: Path) -> None:
    """A new version of the program would not start otherwise."""
    delete(lab)
    state = lab.app.state
    (stale,) = stale_datasets(state.database, study.parent)
    load_dataset(state.database, state.object_store, stale)
    found = lab.get(LAB).json()
    assert (found["title"], found["runs"]) == ("A study", 3)


def test_a_public_server_does_not_say_what_was_deleted(make_client: MakeClient) -> None:
    client = make_client(host="0.0.0.0", token="t", public_read=True)
    admin = {"Authorization": "Bearer t"}
    assert client.get("/api/experiments").status_code == 200
    assert client.get("/api/deleted-experiments").status_code == 401
    assert client.get("/api/deleted-experiments", headers=admin).json() == []
    assert client.request("DELETE", LAB).status_code == 401


def test_nothing_is_changed_in_a_store_that_is_only_read(make_client: MakeClient, lab: Any) -> None:
    reading = make_client(read_only=True)
    for answer in (change(reading, title="x"), reading.request("DELETE", LAB), restore(reading)):
        assert code(answer) == (503, "read_only")
    assert lab.get(LAB).json()["title"] == "The lab"
