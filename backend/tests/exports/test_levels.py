# SPDX-License-Identifier: Apache-2.0
"""Exports of some levels: what is in them, what they say of it, and that they come back."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from coalescope.experiments.service import get_experiment
from coalescope.exports.chosen import choose_runs
from coalescope.exports.service import write_parquet

TABLE = b"""workload,mtu_bytes,delay_us,replicate,throughput_mbps,drops
udp,1500,10,1,900,4
udp,1500,10,2,902,
udp,9000,10,1,980,5
tcp,1500,10,1,800,
tcp,9000,10,1,850,
"quic, h3",1500,10,1,700,
"""
NOTE = "Of lab, only the runs with these levels are here: "


@pytest.fixture
def lab(client: Any) -> Any:
    assert client.upload(TABLE, "lab.csv", citation="Us 2026").status_code == 201
    return client


def exported(
    client: Any, file_format: str, what: str, *where: tuple[str, str], of: str = "lab"
) -> Any:
    asked = [("format", file_format), ("what", what), *where]
    return client.get(f"/api/experiments/{of}/export", params=asked)


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize(
    ("where", "workloads"),
    [
        ([], {"udp", "tcp", "quic, h3"}),
        ([("workload", "udp")], {"udp"}),
        ([("workload", "udp,tcp")], {"udp", "tcp"}),
        ([("workload", "udp"), ("workload", "quic, h3")], {"udp", "quic, h3"}),
        ([("workload", "udp,tcp"), ("mtu_bytes", "9000")], {"udp", "tcp"}),
    ],
)
@pytest.mark.parametrize("what", ["cells", "runs"])
def test_it_has_the_cells_with_these_levels(
    lab: Any, what: str, where: list[tuple[str, str]], workloads: set[str]
) -> None:
    asked: dict[str, Any] = {}
    for name, level in where:
        asked.setdefault(name, []).append(level)
    listed = lab.get("/api/experiments/lab/runs", params=asked).json()
    told = exported(lab, "json", what, *where).json()
    assert {each["factors"]["workload"] for each in told[what]} == workloads
    runs = told["runs"] if what == "runs" else [None] * sum(cell["runs"] for cell in told["cells"])
    assert len(runs) == listed["total"]
    found = rows(exported(lab, "csv", what, *where).text)
    assert {row["workload"] for row in found} == workloads
    assert len(found) == len(told[what]) or what == "cells"


def test_measures_that_these_runs_lack_have_no_column(lab: Any) -> None:
    for what in ("cells", "runs"):
        text = exported(lab, "csv", what, ("workload", "tcp")).text
        assert "drops" not in text.splitlines()[0]
        assert "drops" in exported(lab, "csv", what).text.splitlines()[0], "control"


def test_it_says_which_levels_were_chosen(lab: Any) -> None:
    where = [("workload", "udp,tcp"), ("mtu_bytes", "1500.0")]
    note = f"{NOTE}workload udp, tcp; mtu_bytes 1500."
    for what in ("cells", "runs"):
        told = exported(lab, "json", what, *where).json()
        assert told["where"] == {"workload": ["udp", "tcp"], "mtu_bytes": 1500}
        assert told["experiment"]["source"]["notes"] == [note]
        sent = exported(lab, "csv", what, *where)
        assert json.loads(rows(sent.text)[0]["source.notes"]) == [note]
        name = f'filename="lab-{what}-some-levels.csv"'
        assert name in sent.headers["content-disposition"]
        whole = exported(lab, "json", what).json()
        assert (whole["where"], "notes" in whole["experiment"]["source"]) == ({}, False)
    uid = exported(lab, "json", "runs", *where).json()["runs"][0]["id"]
    fewer = exported(lab, "json", "runs", *where, ("without", uid))
    assert 'lab-runs-some-levels-without-1-run.json"' in fewer.headers["content-disposition"]
    assert fewer.json()["without"] == [uid]
    assert uid not in [run["id"] for run in fewer.json()["runs"]]


def test_the_experiment_itself_says_nothing_of_an_export(lab: Any) -> None:
    before = lab.get("/api/experiments/lab").json()
    assert exported(lab, "csv", "runs", ("workload", "tcp")).status_code == 200
    assert lab.get("/api/experiments/lab").json() == before


@pytest.mark.parametrize("form", ["csv", "json"])
@pytest.mark.parametrize("what", ["cells", "runs"])
def test_it_comes_back(lab: Any, form: str, what: str) -> None:
    where = ("workload", "udp,tcp")
    sent = exported(lab, form, what, where).content
    stored = lab.upload(sent, f"of.{form}", experiment="copy")
    assert stored.status_code == 201, stored.text
    known = lab.get("/api/experiments/copy").json()
    assert (known["kind"], known["citation"]) == ("measured", "Us 2026")
    assert known["notes"] == [f"{NOTE}workload udp, tcp."]
    assert exported(lab, "csv", what, of="copy").text == exported(lab, "csv", what, where).text

    def summaries(of: str, **asked: str) -> Any:
        cells = lab.get(f"/api/experiments/{of}/cells", params=asked).json()["cells"]
        return [(cell["factors"], cell["measures"]) for cell in cells]

    assert summaries("copy") == summaries("lab", workload="udp,tcp")


def test_the_parts_of_an_experiment_make_the_whole_again(lab: Any) -> None:
    for workload in ("udp", "tcp", "quic, h3"):
        sent = exported(lab, "csv", "runs", ("workload", workload)).content
        stored = lab.upload(sent, f"{workload}.csv", experiment="copy")
        assert stored.status_code == 201, stored.text

    def values(of: str) -> list[Any]:
        runs = exported(lab, "json", "runs", of=of).json()["runs"]
        return [(run["factors"], run["replicate"], run["measures"]) for run in runs]

    assert values("copy") == values("lab")


@pytest.mark.parametrize("file_format", ["csv", "json"])
@pytest.mark.parametrize(
    ("where", "code", "words"),
    [
        (("wrkload", "udp"), "unknown_factor", "workload"),
        (("mtu_bytes", "jumbo"), "not_a_number", "mtu_bytes is a number"),
        (("workload", "upd"), "no_such_cells", "Levels there are: workload: quic, h3, tcp, udp."),
        (("mtu_bytes", "4500"), "no_such_cells", "Levels there are: mtu_bytes: 1500, 9000."),
    ],
)
def test_what_it_refuses_is_refused_as_elsewhere(
    lab: Any, file_format: str, where: tuple[str, str], code: str, words: str
) -> None:
    refused = exported(lab, file_format, "runs", where)
    assert refused.status_code == 422
    error = refused.json()["error"]
    assert error["code"] == code
    assert words in error["message"] + error["advice"]
    asked = {"measure": "throughput_mbps", "factors": "mtu_bytes,workload", where[0]: where[1]}
    assert lab.get("/api/experiments/lab/variance", params=asked).json()["error"] == error


@pytest.mark.parametrize("what", ["cells", "runs"])
def test_a_parquet_file_of_some_levels(lab: Any, tmp_path: Path, what: Any) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "lab.parquet"
    with lab.app.state.database.read() as connection, file.open("wb") as sink:
        record = get_experiment(connection, "lab")
        chosen = choose_runs(connection, record, [("workload", "tcp")])
        write_parquet(connection, record, what, sink, chosen)
    table = parquet.read_table(file)
    assert table["workload"].to_pylist() == ["tcp", "tcp"]
    assert "drops" not in table.column_names
    about = json.loads(table.schema.metadata[b"coalescope"])
    assert about["source"]["notes"] == [f"{NOTE}workload tcp."]


def test_a_factor_in_another_script_is_chosen_by(client: Any) -> None:
    text = "replicate,factor.ケーブル,rx_packets\n1,a,10\n1,b,20\n".encode()
    assert client.post("/api/uploads", params={"filename": "lab.csv"}, content=text).is_success
    answer = client.get(
        "/api/experiments/lab/export",
        params={"format": "csv", "what": "runs", "factor.ケーブル": "b"},
    )
    assert answer.status_code == 200, answer.text
    assert answer.text.splitlines()[1:] == [answer.text.splitlines()[-1]]
