# SPDX-License-Identifier: Apache-2.0
"""A table is looked at, said what it is, and stored: values, mapping and the file as it came."""

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from coalescope.db import tables
from coalescope.uploads.reading import Reading
from coalescope.verification.service import verify
from openpyxl import Workbook

LAB = b"""mtu;rx-usecs;cpu;Gbps;notes
1500;10;71,4;8,61;
1500;50;58,9;9,37;
9000;10;38,2;9,88;
9000;50;31,0;9,90;backup was running
"""
COLUMNS = [
    {"column": "mtu", "quantity": "mtu_bytes"},
    {"column": "rx-usecs", "quantity": "delay_us"},
    {"column": "cpu", "quantity": "system_cpu_percent"},
    {"column": "Gbps", "quantity": "throughput_mbps", "unit": "Gb/s"},
]
MAPPING = json.dumps({"columns": COLUMNS})
TIDY = b"mtu_bytes,delay_us,replicate,throughput_mbps\n1500,10,1,986.7\n1500,10,2,986.5\n"


def look(client: Any, content: bytes, **params: str) -> Any:
    query = {"filename": "lab.csv", **params}
    return client.post("/api/uploads/look", params=query, content=content)


def counts(client: Any) -> list[int]:
    with client.app.state.database.read() as connection:
        return [
            connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
            for table in (tables.experiments, tables.uploads, tables.runs)
        ] + [len(client.app.state.object_store.contents().objects)]


def test_a_large_table_takes_no_more_than_it_may(make_client: Callable[..., Any]) -> None:
    large = LAB + b"9000;50;31,0;9,90;\n" * 20_000
    whole = look(make_client(), large)
    assert (whole.status_code, whole.json()["rows"]) == (200, 20_004)
    for bound, code in [
        ("reading_mib", "took_too_much_memory"),
        ("reading_seconds", "took_too_long"),
    ]:
        answer = look(make_client(**{bound: 0.01 if "seconds" in bound else 1}), large)
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, code)


def with_shared_texts(texts: int) -> bytes:
    """A workbook with so many texts for its cells to share."""
    book = Workbook()
    book.active.append(["mtu", "Gbps"])
    book.active.append([1500, 9.5])
    saved, file = io.BytesIO(), io.BytesIO()
    book.save(saved)
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    part = f'<Override PartName="/xl/texts.xml" ContentType="{kind}"/></Types>'.encode()
    space = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    with zipfile.ZipFile(saved) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            types = name == "[Content_Types].xml"
            new.writestr(name, content.replace(b"</Types>", part) if types else content)
        new.writestr("xl/texts.xml", b"<sst %b>%b</sst>" % (space, b"<si/>" * texts))
    return file.getvalue()


def test_texts_that_cells_share_take_no_more_time_than_there_is(
    make_client: Callable[..., Any],
) -> None:
    assert look(make_client(), with_shared_texts(10)).json()["rows"] == 1
    answer = look(make_client(reading_seconds=0.5), with_shared_texts(6_000_000))
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "took_too_long")


def test_a_table_is_looked_at_and_nothing_is_stored(client: Any) -> None:
    before = counts(client)
    answer = look(client, LAB)
    assert answer.status_code == 200, answer.text
    seen = answer.json()
    assert counts(client) == before
    assert seen["layout"] == {
        "encoding": "utf-8", "separator": ";", "header_row": 1, "sheet": "",
    }  # fmt: skip
    said = (seen["separated_by"], seen["decimal"], seen["rows"], seen["tidy"], seen["packed"])
    assert said == ("semicolons", ",", 4, False, False)
    found = {c["column"]: c for c in seen["columns"]}
    assert [(c["role"], c["quantity"], c["certainty"]) for c in seen["columns"]] == [
        ("set", "mtu_bytes", "certain"),
        ("set", "delay_us", "certain"),
        ("observed", "", "guess"),
        ("observed", "throughput_mbps", "likely"),
        ("ignore", "", "certain"),
    ]
    assert {"system_cpu_percent", "host_cpu_percent"} <= set(found["cpu"]["candidates"])
    assert (found["Gbps"]["unit"], found["Gbps"]["scale"]) == ("Gb/s", 1000)
    assert found["mtu"]["levels"] == 2
    assert found["cpu"]["samples"] == ["71,4", "58,9", "38,2"]
    assert seen["first_lines"][1] == "1500;10;71,4;8,61;"
    assert len(seen["preview"]["cells"]) == 4
    first = seen["preview"]["cells"][0]
    assert first["measures"]["throughput_mbps"]["mean"] == 8610
    assert [(r["state"], r["title"]) for r in seen["remarks"]] == [
        ("ok", "Enough to draw:"),
        ("missing", "One run of each setting."),
        ("missing", "Row 5 has a note:"),
    ]
    assert "8 more runs" in seen["remarks"][1]["text"]


def test_a_mapping_is_shown_as_it_says(client: Any) -> None:
    seen = look(client, LAB, mapping=MAPPING).json()
    assert [c["certainty"] for c in seen["columns"]] == ["yours"] * 5
    shares = {cell["measures"]["system_cpu_percent"]["mean"] for cell in seen["preview"]["cells"]}
    assert shares == {71.4, 58.9, 38.2, 31.0}


def test_what_cannot_be_stored_is_said_with_the_look(client: Any) -> None:
    seen = look(client, LAB.replace(b"1500;50", b"12;50"), mapping=MAPPING).json()
    assert seen["preview"] is None
    assert [(p["code"], p["where"]["column"]) for p in seen["problems"]] == [
        ("out_of_domain", "mtu")
    ]


def test_what_is_missing_is_named(client: Any) -> None:
    only = json.dumps({"columns": COLUMNS[:2]})
    seen = look(client, LAB, mapping=only).json()
    assert seen["remarks"][0]["title"] == "No column is observed yet."
    assert seen["preview"] is None


@pytest.mark.parametrize("content", [TIDY, b"\xef\xbb\xbf" + TIDY])
def test_a_tidy_table_needs_no_mapping(client: Any, content: bytes) -> None:
    seen = look(client, content).json()
    assert seen["tidy"]
    assert {c["certainty"] for c in seen["columns"]} == {"certain"}
    assert not look(client, TIDY.replace(b",", b";")).json()["tidy"]


def test_a_json_export_is_tidy(client: Any) -> None:
    client.upload(TIDY, "lab.csv")
    export = client.get("/api/experiments/lab/export", params={"format": "json", "what": "runs"})
    assert look(client, export.content).json()["tidy"]


def test_what_is_no_table_is_refused(client: Any) -> None:
    answer = look(client, b"\x00\x01\x02")
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "not_text")
    assert look(client, LAB, mapping="{").json()["error"]["code"] == "bad_mapping"
    nested = look(client, LAB, mapping="[" * 3_000 + "]" * 3_000).json()["error"]
    assert (
        nested["message"] == "The mapping cannot be used: it is no JSON: it is nested too deeply."
    )


def test_values_mapping_and_file_are_kept(client: Any) -> None:
    """Nothing is lost: the file as it came, and all that is needed to read it so again."""
    answer = client.upload(LAB, "lab.csv", mapping=MAPPING, title="Lab 7")
    assert answer.status_code == 201, answer.text
    receipt = answer.json()
    assert receipt["experiment"] == {"slug": "lab", "title": "Lab 7"}
    assert receipt["run_count"] == 4
    assert receipt["mapping"]["layout"]["separator"] == ";"
    assert [c["decimal"] for c in receipt["mapping"]["columns"]] == [","] * 4
    run = client.get(f"/api/runs/{receipt['runs'][0]['id']}").json()
    assert run["factors"] == {"mtu_bytes": 1500, "delay_us": 10}
    assert run["measures"]["throughput_mbps"]["value"] == 8610
    assert client.get(f"/api/runs/{run['id']}/log").content == LAB
    assert client.get("/api/uploads").json()[0]["mapping"] == receipt["mapping"]
    state = client.app.state
    report = verify(state.database, state.object_store, Reading())
    assert (report.faults, report.leftovers) == ([], [])


def test_the_same_bytes_and_the_same_mapping_are_the_same_upload(client: Any) -> None:
    first = client.upload(LAB, "lab.csv", mapping=MAPPING).json()
    before = counts(client)
    again = client.upload(LAB, "lab.csv", mapping=MAPPING)
    assert again.status_code == 200
    assert again.json() == first | {"outcome": "known"}
    whole = json.dumps(first["mapping"])
    assert client.upload(LAB, "lab.csv", mapping=whole).json()["outcome"] == "known"
    assert counts(client) == before


def test_another_mapping_is_another_upload(client: Any) -> None:
    """Negative control of the test above."""
    client.upload(LAB, "lab.csv", mapping=MAPPING)
    other = json.dumps({"columns": [*COLUMNS[:2], {**COLUMNS[2], "quantity": "host_cpu_percent"}]})
    assert client.upload(LAB, "lab.csv", mapping=other).status_code == 409  # the runs are there
    answer = client.upload(LAB, "lab.csv", mapping=other, experiment="host")
    assert answer.status_code == 201
    assert answer.json()["warnings"][0]["code"] == "also_elsewhere"


@pytest.mark.fault("P13")
def test_a_file_may_go_elsewhere_and_it_is_said(client: Any) -> None:
    first = client.upload(TIDY, "lab.csv", experiment="one", title="One").json()
    second = client.upload(TIDY, "lab.csv", experiment="two", title="Two", kind="simulated")
    assert second.status_code == 201
    receipt = second.json()
    assert receipt["experiment"] == {"slug": "two", "title": "Two"}
    assert receipt["warnings"][0]["code"] == "also_elsewhere"
    assert "one" in receipt["warnings"][0]["message"]
    assert receipt["sha256"] == first["sha256"]
    assert {run["id"] for run in receipt["runs"]}.isdisjoint(run["id"] for run in first["runs"])
    assert client.get("/api/experiments/two").json()["kind"] == "simulated"
    assert counts(client) == [2, 2, 4, 1]
    report = verify(client.app.state.database, client.app.state.object_store, Reading())
    assert (report.faults, report.leftovers) == ([], [])


def test_the_same_place_under_another_kind_is_refused(client: Any) -> None:
    """It is not silently left as it was."""
    client.upload(TIDY, "lab.csv", experiment="one")
    answer = client.upload(TIDY, "lab.csv", experiment="one", kind="published")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "kinds_never_mix")
    assert client.upload(TIDY, "lab.csv", experiment="one", kind="measured").status_code == 200
    assert client.upload(TIDY, "elsewhere.csv").json()["experiment"]["slug"] == "one"


def test_a_packed_table_is_kept_packed(client: Any) -> None:
    packed = gzip.compress(LAB, mtime=0)
    receipt = client.upload(packed, "lab.csv.gz", mapping=MAPPING, experiment="lab").json()
    assert receipt["bytes"] == len(packed)
    assert client.get(f"/api/runs/{receipt['runs'][0]['id']}/log").content == packed


@pytest.mark.fault("P12")
def test_the_runs_of_each_cell_are_counted_beyond_those_that_are_shown(client: Any) -> None:
    rows = [f"{mtu},{n},{mtu / 10 + n}" for mtu in (1500, 9000) for n in range(1, 163)]
    table = "\n".join(["mtu_bytes,replicate,throughput_mbps", *rows]).encode()
    receipt = client.upload(table, "many.csv").json()
    assert (receipt["run_count"], len(receipt["runs"])) == (324, 100)
    cells = client.get(f"/api/uploads/{receipt['id']}/cells").json()
    assert cells == [
        {"factors": {"mtu_bytes": 1500}, "runs": 162},
        {"factors": {"mtu_bytes": 9000}, "runs": 162},
    ]
    assert client.get("/api/uploads/nothing/cells").status_code == 404
