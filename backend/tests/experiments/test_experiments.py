# SPDX-License-Identifier: Apache-2.0
"""Experiments: listed, created, described, their cells selected and not sent twice."""

from collections.abc import Callable
from typing import Any

import pytest
from coalescope.experiments import service
from coalescope.experiments.description import replicates_label
from coalescope.experiments.records import CellRecord, SummaryRecord

MakeLog = Callable[..., bytes]
NEW = {"slug": "lab", "title": "The lab", "kind": "measured"}
TABLE = (
    "mtu_bytes,delay_us,workload,factor.cable,replicate,throughput_mbps,drops\n"
    "9000,10,udp,blue,1,990,\n"
    "1500,100,udp,blue,1,986,\n"
    "1500,10,udp,blue,1,985,0\n"
    "1500,10,udp,blue,2,987,2\n"
    "1500,10,tcp,blue,1,940,0\n"
)


@pytest.fixture
def lab(client: Any) -> Any:
    client.upload(TABLE.encode(), "lab.csv", title="The lab")
    return client


def test_an_experiment_is_created_empty(client: Any) -> None:
    answer = client.post("/api/experiments", json=NEW | {"subtitle": "two hosts"})
    assert answer.status_code == 201
    created = answer.json()
    assert created == client.get("/api/experiments/lab").json()
    assert (created["title"], created["subtitle"], created["cells"]) == ("The lab", "two hosts", 0)
    assert client.get("/api/experiments/lab/cells").json()["cells"] == []


def test_an_experiment_says_where_its_data_is_from(client: Any) -> None:
    source = {"citation": "Someone 2026", "url": "https://example.org/", "notes": ["One."]}
    created = client.post("/api/experiments", json=NEW | {"source": source}).json()
    assert created["citation"] == "Someone 2026"
    assert created["source"] == source | {"licence": None, "how_made": None}


@pytest.mark.parametrize(
    ("changed", "status", "code"),
    [
        ({}, 409, "experiment_exists"),
        ({"slug": "The Lab"}, 422, "bad_slug"),
        ({"slug": ""}, 422, "bad_slug"),
        ({"slug": "other", "kind": "guessed"}, 422, "invalid_request"),
        ({"slug": "other", "title": " "}, 422, "invalid_request"),
        ({"slug": "other", "colour": "red"}, 422, "invalid_request"),
        ({"slug": "other", "source": {"url": "javascript:alert(1)"}}, 422, "invalid_request"),
        ({"slug": "other", "source": {"default_view": {}}}, 422, "invalid_request"),
    ],
)
def test_a_bad_experiment_is_refused(
    client: Any, changed: dict[str, Any], status: int, code: str
) -> None:
    assert client.post("/api/experiments", json=NEW).status_code == 201
    answer = client.post("/api/experiments", json=NEW | changed)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert len(client.get("/api/experiments").json()) == 1


def test_the_nearest_name_is_offered(lab: Any) -> None:
    error = lab.get("/api/experiments/labb").json()["error"]
    assert error["code"] == "not_found"
    assert error["advice"] == "Did you mean lab? The list of experiments has all names."
    assert "Did you mean" not in lab.get("/api/experiments/zzzz").json()["error"]["advice"]


def test_experiments_are_listed_published_first_and_found(client: Any) -> None:
    for slug, title, kind in [
        ("b", "Beta", "measured"),
        ("a", "Zeta", "published"),
        ("c", "Alpha", "measured"),
    ]:
        client.post("/api/experiments", json={"slug": slug, "title": title, "kind": kind})
    listed = [row["slug"] for row in client.get("/api/experiments").json()]
    assert listed == ["a", "c", "b"]
    found = client.get("/api/experiments", params={"kind": "measured", "q": "BET"}).json()
    assert [row["slug"] for row in found] == ["b"]


def test_cells_come_in_the_order_of_their_factors(lab: Any) -> None:
    cells = lab.get("/api/experiments/lab/cells").json()["cells"]
    places = [tuple(cell["factors"].values()) for cell in cells]
    assert places == [
        (1500, 10, "tcp", "blue"),
        (1500, 10, "udp", "blue"),
        (1500, 100, "udp", "blue"),
        (9000, 10, "udp", "blue"),
    ]
    assert list(cells[0]["factors"]) == ["mtu_bytes", "delay_us", "workload", "factor.cable"]
    assert cells[1]["measures"]["throughput_mbps"]["mean"] == 986
    assert "drops" not in cells[3]["measures"]


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("", 4),
        ("mtu_bytes=1500", 3),
        ("mtu_bytes=1.5e3&workload=udp", 2),
        ("factor.cable=blue", 4),
        ("mtu_bytes=4500", 0),
        ("workload=sctp", 0),
    ],
)
def test_cells_are_selected_by_level(lab: Any, query: str, count: int) -> None:
    answer = lab.get(f"/api/experiments/lab/cells?{query}")
    assert len(answer.json()["cells"]) == count


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("streams=1", "unknown_factor"),
        ("nonsense=1", "unknown_factor"),
        ("mtu_bytes=big", "not_a_number"),
        ("mtu_bytes=nan", "not_a_number"),
    ],
)
def test_a_bad_selection_is_refused(lab: Any, query: str, code: str) -> None:
    answer = lab.get(f"/api/experiments/lab/cells?{query}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, code)


def test_an_experiment_is_described(lab: Any) -> None:
    found = lab.get("/api/experiments/lab").json()
    assert [(f["name"], f["levels"]) for f in found["factors"]] == [
        ("mtu_bytes", [1500, 9000]),
        ("delay_us", [10, 100]),
        ("workload", ["tcp", "udp"]),
        ("factor.cable", ["blue"]),
    ]
    assert (found["cells"], found["designed_cells"], found["runs"]) == (4, 8, 5)
    assert found["replicates_label"] == "1 to 2"
    assert {m["name"]: m["cells"] for m in found["measures"]} == {"drops": 2, "throughput_mbps": 4}
    assert found["default_view"] == {
        "measure": "throughput_mbps",
        "x": "delay_us",
        "y": "mtu_bytes",
        "where": {"workload": "udp"},
    }
    listed = lab.get("/api/experiments").json()[0]
    assert listed["glance"] == [
        {
            "measure": "throughput_mbps",
            "x": "delay_us",
            "y": "mtu_bytes",
            "rows": [[986, 986], [990, None]],
        }
    ]


def test_an_experiment_of_texts_has_a_view(client: Any) -> None:
    client.upload(b"workload,replicate,drops\nudp,1,0\ntcp,1,2\n", "t.csv")
    view = client.get("/api/experiments/t").json()["default_view"]
    assert view == {"measure": "drops", "x": "workload", "y": None, "where": {}}


def cell(runs: int, *counts: int) -> CellRecord:
    measures = {f"m{i}": SummaryRecord(n, 1.0, None, None) for i, n in enumerate(counts)}
    return CellRecord(1, {}, runs, 0, measures)


@pytest.mark.parametrize(
    ("cells", "label"),
    [
        ([], "none"),
        ([cell(1, 1), cell(1, 1)], "1"),
        ([cell(5, 5), cell(5, 4)], "5 each"),
        ([cell(3, 3), cell(5, 5)], "3 to 5"),
        ([cell(1, 10), cell(1, 10, 9)], "mean of 10"),
        ([cell(1, 10), cell(1, 20)], "mean of 10 to 20"),
    ],
)
def test_replicates_in_words(cells: list[CellRecord], label: str) -> None:
    assert replicates_label(cells) == label


@pytest.mark.parametrize("path", ["/api/experiments/lab", "/api/experiments/lab/cells"])
def test_what_did_not_change_is_not_sent_again(lab: Any, make_log: MakeLog, path: str) -> None:
    first = lab.get(path)
    held = {"If-None-Match": f'"else", {first.headers["etag"]}'}
    second = lab.get(path, headers=held)
    assert (second.status_code, second.content) == (304, b"")
    assert second.headers["etag"] == first.headers["etag"]
    lab.upload(make_log())  # a change
    third = lab.get(path, headers=held)
    assert third.status_code == 200
    assert third.headers["etag"] != first.headers["etag"]


def test_every_change_counts(lab: Any, make_log: MakeLog) -> None:
    run = lab.upload(make_log()).json()["runs"][0]["id"]
    versions = [lab.get("/api/experiments/lab").json()["data_version"]]
    for what in ("retraction", "restoration"):
        lab.post(f"/api/runs/{run}/{what}", json={"reason": "x"})
        versions.append(lab.get("/api/experiments/lab").json()["data_version"])
    assert versions == [2, 3, 4]


def test_the_list_follows_each_change_and_reads_no_cells_again(
    lab: Any, make_log: MakeLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    real = service.list_cells

    def noted(connection: Any, experiment: Any) -> Any:
        read.append(experiment.slug)
        return real(connection, experiment)

    monkeypatch.setattr(service, "list_cells", noted)
    lab.post("/api/experiments", json=NEW | {"slug": "other"})
    for _ in range(3):
        first = lab.get("/api/experiments").json()
    assert sorted(read) == sorted(row["slug"] for row in first)
    lab.upload(make_log())
    changed = {row["slug"]: row for row in lab.get("/api/experiments").json()}
    assert len(read) == len(first) + 1
    for before in first:
        after = changed[before["slug"]]
        assert (after != before) is (after["slug"] == "lab")
    assert changed["lab"]["runs"] == next(row for row in first if row["slug"] == "lab")["runs"] + 1


def test_quantities_are_those_of_the_glossary(client: Any) -> None:
    listed = {q["name"]: q for q in client.get("/api/quantities").json()}
    assert listed["delay_us"]["unit"] == "µs"
    assert listed["mtu_bytes"]["role"] == "factor"
    assert listed["workload"]["text"]
    assert next(iter(listed)) == "mtu_bytes"
