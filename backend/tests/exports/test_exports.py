# SPDX-License-Identifier: Apache-2.0
"""Exports: tidy tables that come back the same, and JSON that says where it is from."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from coalescope.experiments.service import get_experiment
from coalescope.exports import service

RUNS = b"""workload,mtu_bytes,delay_us,replicate,rx_bytes,throughput_mbps
udp,1500,0.5,1,1000000001,900.1
udp,1500,0.5,2,1000000002,904.30000000000007
udp,9000,100,1,,1e-7
tcp,9000,100,4,12345678901234567,970
"""


def export(client: Any, slug: str, file_format: str = "csv", what: str = "cells") -> Any:
    answer = client.get(
        f"/api/experiments/{slug}/export", params={"format": file_format, "what": what}
    )
    assert answer.status_code == 200
    return answer


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_runs_come_back_the_same(client: Any) -> None:
    assert client.upload(RUNS, "lab.csv").status_code == 201
    exported = export(client, "lab", what="runs").content
    assert client.upload(exported, "copy.csv").status_code == 201
    assert export(client, "copy", what="runs").content == exported
    assert export(client, "copy").content == export(client, "lab").content
    found = rows(exported.decode())
    assert found[1]["throughput_mbps"] == "904.3000000000001"
    assert found[2]["rx_bytes"] == ""
    assert [row["replicate"] for row in found] == ["1", "2", "1", "4"]


@pytest.mark.fault("C14")
def test_order_block_and_time_come_back_the_same(client: Any) -> None:
    table = (
        b"mtu_bytes,replicate,order,block,recorded_at,drops\n"
        b"1500,1,2,monday,2026-01-31T13:00:00.500+01:00,3\n"
        b"1500,2,1,=tuesday,2026-01-31T11:00:00Z,5\n"
        b"9000,1,,,,7\n"
    )
    assert client.upload(table, "lab.csv").status_code == 201
    exported = export(client, "lab", what="runs").content
    assert [list(row.values())[1:5] for row in rows(exported.decode())] == [
        ["1", "2", "monday", "2026-01-31T12:00:00.500Z"],
        ["2", "1", "'=tuesday", "2026-01-31T11:00:00.000Z"],
        ["1", "", "", ""],
    ]
    assert client.upload(exported, "copy.csv").status_code == 201
    assert export(client, "copy", what="runs").content == exported
    first, second, third = json.loads(export(client, "copy", "json", "runs").content)["runs"]
    assert (first["order"], first["block"]) == (2, "monday")
    assert second["block"] == "=tuesday"
    assert (third["order"], third["block"], third["recorded_at"]) == (None, None, None)


def test_a_log_brings_its_order(client: Any, make_log: Callable[..., bytes]) -> None:
    client.upload(make_log(order=17))
    (row,) = rows(export(client, "lab", what="runs").text)
    assert row["order"] == "17"
    assert row["recorded_at"].endswith("Z")
    assert "block" not in row


def test_cells_come_back_the_same(client: Any) -> None:
    client.upload(RUNS, "lab.csv")
    exported = export(client, "lab").content
    found = rows(exported.decode())
    assert list(found[0])[:4] == ["mtu_bytes", "delay_us", "workload", "n"]
    first = next(row for row in found if row["n"] == "2")
    assert float(first["throughput_mbps"]) == pytest.approx(902.2)
    assert float(first["throughput_mbps_sd"]) == pytest.approx(2.9698, abs=1e-4)
    assert client.upload(exported, "copy.csv").status_code == 201
    assert export(client, "copy").content == exported
    assert export(client, "copy", what="runs").content == exported, "means stay means"


def test_measures_of_one_cell_may_have_different_counts(client: Any) -> None:
    client.upload(
        b"mtu_bytes,replicate,drops,rx_packets\n1500,1,3,10\n1500,2,5,20\n1500,3,7,\n", "lab.csv"
    )
    exported = export(client, "lab").content
    found = rows(exported.decode())
    assert [(row["n"], row["drops"], row["rx_packets"]) for row in found] == [
        ("3", "5", ""),
        ("2", "", "15"),
    ]
    assert client.upload(exported, "copy.csv").status_code == 201
    assert export(client, "copy").content == exported
    twice = exported + exported.splitlines(keepends=True)[1]
    answer = client.upload(twice, "twice.csv")
    assert answer.json()["error"]["code"] == "duplicate_row", "control"


@pytest.mark.parametrize("slug", ["geist-2005-nfs", "geist-2005-points", "dillon-2004"])
@pytest.mark.parametrize("what", ["cells", "runs"])
def test_published_data_comes_back_the_same(
    make_client: Callable[..., Any], datasets: Any, slug: str, what: str
) -> None:
    client = make_client(datasets_dir=datasets)
    exported = export(client, slug, what=what).content
    stored = client.upload(exported, "copy.csv")
    assert stored.status_code == 201, stored.text
    assert export(client, "copy", what=what).content == exported

    def summaries(of: str) -> Any:
        cells = client.get(f"/api/experiments/{of}/cells").json()["cells"]
        return [(cell["factors"], cell["measures"]) for cell in cells]

    assert summaries("copy") == summaries(slug)


FORMULAS = ["=1+1", "+cmd", "-2+3", "@SUM(A1)", '=HYPERLINK("http://evil.example")']


def test_text_is_no_formula(client: Any) -> None:
    lines = ["workload,replicate,drops"]
    lines += [f'"{text.replace(chr(34), chr(34) * 2)}",1,{i}' for i, text in enumerate(FORMULAS)]
    lines.append("plain,1,9")
    client.upload("\n".join(lines).encode(), "lab.csv")
    cells = client.get("/api/experiments/lab/cells").json()["cells"]
    assert {cell["factors"]["workload"] for cell in cells} == {*FORMULAS, "plain"}, "kept as sent"
    for what in ("cells", "runs"):
        found = [row["workload"] for row in rows(export(client, "lab", what=what).text)]
        assert all(text[0] not in "=+-@" for text in found)
        assert sorted(text.removeprefix("'") for text in found) == sorted([*FORMULAS, "plain"])


def test_disarmed_text_comes_back_as_it_was(client: Any) -> None:
    client.upload(b"workload,replicate,drops\n=1+1,1,0\n''=x,1,1\n'plain,1,2\n", "lab.csv")
    exported = export(client, "lab", what="runs").content
    client.upload(exported, "copy.csv")
    levels = [
        {
            cell["factors"]["workload"]
            for cell in client.get(f"/api/experiments/{slug}/cells").json()["cells"]
        }
        for slug in ("lab", "copy")
    ]
    assert levels[0] == levels[1] == {"=1+1", "'=x", "'plain"}


def test_negative_numbers_are_numbers(client: Any) -> None:
    client.upload(b"factor.offset,replicate,drops\n-5,1,0\n", "lab.csv")
    assert export(client, "lab").text.splitlines()[1].startswith("-5,")


def test_retracted_runs_stay_out(client: Any) -> None:
    client.upload(RUNS, "lab.csv")
    uid = client.get("/api/experiments/lab/runs").json()["runs"][0]["id"]
    before = len(rows(export(client, "lab", what="runs").text))
    client.post(f"/api/runs/{uid}/retraction", json={"reason": "cable was loose"})
    assert len(rows(export(client, "lab", what="runs").text)) == before - 1
    assert uid not in export(client, "lab", "json", "runs").text


def test_runs_without_or_with_the_same_number_get_free_ones(
    client: Any, make_log: Callable[..., bytes]
) -> None:
    for replicate in (2, 2, 1):
        assert client.upload(make_log(replicate=replicate), "run.runlog").status_code == 201
    exported = export(client, "lab", what="runs").content
    assert [row["replicate"] for row in rows(exported.decode())] == ["2", "3", "1"]
    assert client.upload(exported, "copy.csv").status_code == 201


def test_json_says_where_it_is_from(make_client: Callable[..., Any], datasets: Any) -> None:
    client = make_client(datasets_dir=datasets)
    cells = export(client, "geist-2005-nfs", "json").json()
    assert cells["experiment"]["kind"] == "published"
    assert "Geist" in cells["experiment"]["source"]["citation"]
    assert cells["data_version"] == 1
    assert {"name": "mtu_bytes", "label": "MTU", "unit": "bytes"} in cells["factors"]
    assert len(cells["cells"]) == 27
    assert cells["cells"][0]["measures"]["rx_bytes"] == {
        "n": 10,
        "mean": 5.01e9,
        "sd": None,
        "ci95": None,
    }
    runs = export(client, "geist-2005-nfs", "json", "runs").json()
    assert runs["runs"][0]["content"] == "dataset"
    assert runs["runs"][0]["measures"]["rx_bytes"] == {"value": 5.01e9, "sd": None, "n": 10}


def test_many_runs_come_in_pieces_and_all_of_them(client: Any) -> None:
    lines = ["mtu_bytes,replicate,drops", *(f"1500,{i},{i}" for i in range(1, 1202))]
    client.upload("\n".join(lines).encode(), "lab.csv")
    found = rows(export(client, "lab", what="runs").text)
    assert [int(row["replicate"]) for row in found] == list(range(1, 1202))
    assert len(export(client, "lab", "json", "runs").json()["runs"]) == 1201


def test_an_empty_experiment_has_a_header(client: Any) -> None:
    client.post("/api/experiments", json={"slug": "empty", "title": "Empty", "kind": "measured"})
    assert json.loads(export(client, "empty", "json").text)["cells"] == []
    assert export(client, "empty", "json", "runs").json()["runs"] == []
    assert export(client, "empty").text == "n,kind,source.title\n"


@pytest.mark.parametrize(
    ("file_format", "media_type"),
    [("csv", "text/csv; charset=utf-8"), ("json", "application/json")],
)
def test_the_file_is_an_attachment(client: Any, file_format: str, media_type: str) -> None:
    client.upload(RUNS, "lab.csv")
    headers = export(client, "lab", file_format).headers
    assert headers["content-type"] == media_type
    assert headers["content-disposition"] == f'attachment; filename="lab-cells.{file_format}"'


def test_wrong_requests(client: Any) -> None:
    client.upload(RUNS, "lab.csv")
    url = "/api/experiments/lab/export"
    assert client.get(url).status_code == 422
    assert client.get(url, params={"format": "xlsx"}).status_code == 422
    assert client.get(url, params={"format": "csv", "what": "all"}).status_code == 422
    assert client.get("/api/experiments/no/export", params={"format": "csv"}).status_code == 404


@pytest.mark.parametrize("what", ["cells", "runs"])
def test_many_rows_are_handed_on_together(client: Any, what: Any) -> None:
    """Each piece of an answer goes from one thread to another, which takes longer than a row."""
    settings = [(mtu, delay) for mtu in range(100, 135) for delay in range(30)]
    lines = "".join(f"{mtu},{delay},{mtu}\n" for mtu, delay in settings)
    table = f"mtu_bytes,delay_us,throughput_mbps\n{lines}".encode()
    assert client.upload(table, "lab.csv").status_code == 201
    with client.app.state.database.read() as connection:
        pieces = list(service.export(connection, get_experiment(connection, "lab"), "json", what))
    assert len(pieces) < 15
    assert len(json.loads("".join(pieces))[what]) == 1050
