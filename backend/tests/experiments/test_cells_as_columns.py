# SPDX-License-Identifier: Apache-2.0
"""Cells as columns say what the rows say, and of many of them much less is sent."""

import gzip
import random
from typing import Any

import pytest

API = "/api/experiments/lab/cells"
LEVELS = 100
# of a first view of 1 MB in all; the page's scripts, typefaces and styles take the rest
MOST_BYTES = 700_000


def rows_of(columns: dict[str, Any]) -> list[dict[str, Any]]:
    """What the rows would be."""

    def measured(k: int) -> dict[str, Any]:
        return {
            name: {
                "n": of["n"][k],
                "mean": of["mean"][k],
                "sd": of["sd"][k],
                "ci95": None
                if of["ci95_low"][k] is None
                else [of["ci95_low"][k], of["ci95_high"][k]],
            }
            for name, of in columns["measures"].items()
            if of["n"][k] is not None
        }

    return [
        {
            "id": columns["id"][k],
            "factors": {n: own[k] for n, own in columns["factors"].items() if own[k] is not None},
            "runs": columns["runs"][k],
            "partial_runs": columns["partial_runs"][k],
            "measures": measured(k),
        }
        for k in range(len(columns["id"]))
    ]


def asked(client: Any, query: str = "") -> tuple[dict[str, Any], dict[str, Any]]:
    """The rows and the columns of one question."""
    answers = [client.get(f"{API}?layout={layout}{query}") for layout in ("rows", "columns")]
    assert [answer.status_code for answer in answers] == [200, 200]
    return answers[0].json(), answers[1].json()


@pytest.fixture
def lab(client: Any) -> Any:
    """Cells of one run and of several, some without a measure, with texts for levels."""
    table = (
        "mtu_bytes,delay_us,workload,replicate,throughput_mbps,system_cpu_percent\n"
        "1500,0,tcp,1,900.1,40.7\n1500,0,tcp,2,901.3,\n1500,10,tcp,1,880.25,\n"
        "9000,0,udp,1,960.5,11\n9000,0,udp,2,960.5,13\n9000,10,udp,1,,12.5\n"
    )
    assert client.upload(table.encode(), "lab.csv").status_code == 201
    return client


@pytest.mark.parametrize("query", ["", "&workload=udp", "&delay_us=0,10&mtu_bytes=9000"])
def test_columns_are_the_rows_digit_by_digit(lab: Any, query: str) -> None:
    rows, columns = asked(lab, query)
    assert rows["cells"] != []
    assert rows_of(columns) == rows.pop("cells")
    assert {name: columns[name] for name in rows} == rows


def test_rows_are_what_one_gets_who_does_not_ask(lab: Any) -> None:
    rows, columns = asked(lab)
    assert lab.get(API).json() == rows
    assert "cells" not in columns
    answer = lab.get(f"{API}?layout=binary")
    assert answer.status_code == 422
    assert answer.json()["error"]["where"] == {"in": "query", "field": "layout"}


def test_ten_thousand_cells_are_sent_in_seven_hundred_kilobytes(client: Any) -> None:
    dice = random.Random(1)
    lines = [
        f"{mtu},{delay},{replicate},{dice.gauss(9000 - delay, 30):.3f},{dice.gauss(60, 0.6):.4f}"
        for mtu in range(1500, 1500 + 75 * LEVELS, 75)
        for delay in range(0, 5 * LEVELS, 5)
        for replicate in (1, 2)
    ]
    header = "mtu_bytes,delay_us,replicate,throughput_mbps,system_cpu_percent"
    for start in range(0, len(lines), 10_000):
        table = "\n".join([header, *lines[start : start + 10_000]])
        assert client.upload(table.encode(), "lab.csv").status_code == 201
    plain = client.get(f"{API}?layout=columns", headers={"accept-encoding": "identity"}).content
    rows = client.get(API, headers={"accept-encoding": "identity"}).content
    assert len(client.get(f"{API}?layout=columns").json()["id"]) == LEVELS**2
    # the server packs with a lower level than the usual one
    assert len(gzip.compress(plain, 4)) <= MOST_BYTES < len(gzip.compress(rows, 4))
