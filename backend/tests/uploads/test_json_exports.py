# SPDX-License-Identifier: Apache-2.0
"""A JSON export is read as the table that it stands for, with all that tables are checked for."""

import io
import json
from typing import Any

import pytest
from coalescope.errors import CoalescopeError
from coalescope.uploads.tidy_csv import Table, read_table

EXPORT: dict[str, Any] = {
    "format": 1,
    "experiment": {
        "slug": "lab",
        "title": "A lab",
        "subtitle": "",
        "kind": "emulated",
        "source": {"citation": "A testbed", "measures": {"measure.misses": {"unit": "1/s"}}},
    },
    "runs": [
        {
            "factors": {"mtu_bytes": 1500, "workload": "=udp"},
            "replicate": number,
            "recorded_at": "2026-01-31T12:00:00.000Z",
            "order": number,
            "block": "a",
            "measures": {
                "throughput_mbps": {"value": 900.125 + number, "sd": None, "n": 1},
                "measure.misses": {"value": 3, "sd": None, "n": 1},
            },
        }
        for number in (1, 2)
    ],
}


def read(document: Any) -> Table:
    return read_table(io.BytesIO(json.dumps(document).encode()))


def changed(**members: Any) -> dict[str, Any]:
    """The export with other members of its second run."""
    first, second = EXPORT["runs"]
    return {**EXPORT, "runs": [first, {**second, **members}]}


def test_it_is_the_table_of_the_same_export() -> None:
    table = read(EXPORT)
    assert (table.per, table.source.kind, table.source.title) == ("run", "emulated", "A lab")
    assert table.source.about["citation"] == "A testbed"
    assert table.units == {"measure.misses": "1/s"}
    first, second = table.rows
    assert (first.row, first.replicate, first.order, first.block) == (2, 1, 1, "a")
    assert first.factors == {"mtu_bytes": 1500, "workload": "=udp"}
    assert second.measures["throughput_mbps"].value == 902.125


@pytest.mark.parametrize("number", [None, 1])
def test_runs_without_a_number_or_with_anothers_get_a_free_one(number: int | None) -> None:
    """As in the CSV of the same export."""
    assert [row.replicate for row in read(changed(replicate=number)).rows] == [1, 2]


@pytest.mark.parametrize(
    ("document", "code", "words"),
    [
        (changed(factors={"mtu_bytes": 60, "workload": "udp"}), "out_of_domain", "mtu_bytes"),
        (changed(factors=7), "bad_export", "entry 2 of runs"),
        (changed(factors={"mtu_bytes": True, "workload": "udp"}), "bad_export", "a level is"),
        (changed(measures={"throughput_mbps": {"value": "1", "sd": None, "n": 1}}), "bad_export",
         "entry 2 of runs"),
        (changed(measures={"throughput_mbps": 7}), "bad_export", "entry 2 of runs"),
        (changed(block="\ud800"), "bad_export", "half a character"),
        ({**EXPORT, "format": 2}, "bad_export", "its format is 2"),
        ({**EXPORT, "runs": 7}, "bad_export", "no list"),
        ({**EXPORT, "experiment": {"kind": "measured"}}, "bad_export", "experiment and source"),
        ({**EXPORT, "experiment": {**EXPORT["experiment"], "kind": "real"}}, "bad_kind",
         "no kind"),
    ],
)  # fmt: skip
def test_what_was_changed_is_refused_with_its_place(document: Any, code: str, words: str) -> None:
    with pytest.raises(CoalescopeError) as refusal:
        read(document)
    said = refusal.value.as_json()["error"]
    assert words in json.dumps(said)
    assert said["code"] == code


def test_half_a_file_is_refused() -> None:
    text = json.dumps(EXPORT)
    for end in (60, len(text) // 2, len(text) - 1):
        with pytest.raises(CoalescopeError) as refusal:
            read_table(io.BytesIO(text[:end].encode()))
        assert refusal.value.code == "bad_export"


def test_other_json_is_none_of_ours() -> None:
    with pytest.raises(CoalescopeError) as refusal:
        read({"format": 1, "runs": []})
    assert refusal.value.code == "foreign_file"


def test_parquet_is_refused_with_the_forms_that_come_back(client: Any) -> None:
    answer = client.upload(b"PAR1\x00\x15\x04", "lab.parquet")
    assert answer.status_code == 422
    assert "JSON or CSV" in answer.json()["error"]["advice"]
