# SPDX-License-Identifier: Apache-2.0
"""Runs left out of an answer: it is that of a store which never had them, and names them."""

import csv
import io
from typing import Any

import pytest

HEAD = (
    "mtu_bytes,delay_us,replicate,throughput_mbps,rx_bytes,rx_packets,rx_interrupts,system_cpu_s\n"
)
ROWS = [
    f"{mtu},{delay},{n},{900 + mtu / 100 - delay / 10 + n * n},1e9,{1e9 / mtu:.0f},"
    f"{1e9 / mtu / (1 + delay / 20):.0f},{3 + 1500 / mtu + 9 / (9 + delay) + 0.01 * n * n}\n"
    for mtu in (1500, 9000)
    for delay in (0, 40, 80)
    for n in (1, 2, 3)
]
FEWER = ROWS[1:]
# of one store or the other: names, versions, row ids
GONE = "00000000-0000-4000-8000-000000000000"  # of a run that is not here any more
OWN = {"experiment", "data_version", "without", "cell", "id", "run"}


@pytest.fixture
def left_out(client: Any) -> str:
    """Two experiments, of which one lacks a run; the run that it lacks."""
    for slug, rows in (("whole", ROWS), ("fewer", FEWER)):
        done = client.upload((HEAD + "".join(rows)).encode(), f"{slug}.csv")
        assert done.status_code == 201, done.json()
    runs = client.get("/api/experiments/whole/runs").json()["runs"]
    uid: str = runs[0]["id"]
    return uid


def plain(value: Any) -> Any:
    """An answer without what is the store's own."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items() if k not in OWN}
    return [plain(v) for v in value] if isinstance(value, list) else value


def untitled(table: str) -> list[dict[str, str]]:
    """The rows of an exported table without the experiment's title."""
    rows = list(csv.DictReader(io.StringIO(table)))
    assert rows
    for row in rows:
        del row["source.title"]
    return rows


ASKED = [
    ("variance", {"measure": "throughput_mbps", "factors": "mtu_bytes,delay_us"}),
    ("replication-plan", {"measure": "throughput_mbps", "width_percent": "0.1"}),
    ("replicates", {"measure": "throughput_mbps"}),
]


@pytest.mark.parametrize(("what", "query"), ASKED)
def test_analyses_leave_runs_out(
    client: Any, left_out: str, what: str, query: dict[str, str]
) -> None:
    def ask(slug: str, **more: str) -> Any:
        return client.get(f"/api/experiments/{slug}/{what}", params={**query, **more}).json()

    found = ask("whole", without=f"{left_out},{GONE}")
    assert found["without"] == [left_out]
    assert plain(found) == plain(ask("fewer"))
    assert plain(found) != plain(ask("whole"))


POSTED: list[tuple[str, dict[str, Any]]] = [
    ("fits", {"model": "cpu-overhead", "method": "ols", "response": "system_cpu_s"}),
    (
        "nonlinear-fits",
        {"model": "link-bound", "output": "throughput_mbps", "free": ["link_rate_mbps"]},
    ),
    ("recommendations", {"aims": [{"measure": "throughput_mbps"}]}),
]


@pytest.mark.parametrize(("what", "body"), POSTED)
def test_fits_and_recommendations_leave_runs_out(
    client: Any, left_out: str, what: str, body: dict[str, Any]
) -> None:
    def ask(slug: str, **more: Any) -> Any:
        answer = client.post(f"/api/experiments/{slug}/{what}", json={**body, **more})
        assert answer.status_code == 200, answer.json()
        return answer.json()

    found = ask("whole", without=[left_out, GONE])
    assert found["without"] == [left_out]
    assert plain(found) == plain(ask("fewer"))
    assert plain(found) != plain(ask("whole"))


@pytest.mark.parametrize("what", ["cells", "runs"])
def test_exports_leave_runs_out_and_say_so(client: Any, left_out: str, what: str) -> None:
    def ask(slug: str, file_format: str, **more: str) -> Any:
        query = {"format": file_format, "what": what, **more}
        return client.get(f"/api/experiments/{slug}/export", params=query)

    table = ask("whole", "csv", without=left_out)
    assert untitled(table.text) == untitled(ask("fewer", "csv").text)
    assert untitled(table.text) != untitled(ask("whole", "csv").text)
    assert f"whole-{what}-without-1-run.csv" in table.headers["content-disposition"]
    whole, fewer = ask("whole", "json", without=left_out).json(), ask("fewer", "json").json()
    assert whole["without"] == [left_out]
    assert fewer["without"] == []
    assert plain(whole) == plain(fewer)


@pytest.mark.parametrize("cut", [slice(0, 8), slice(1, None)])
def test_what_is_no_identity_is_refused_and_named(client: Any, left_out: str, cut: slice) -> None:
    """It may be mistyped or cut short: an answer with the run in it would look right."""
    wrong = left_out[cut]
    asked: list[tuple[str, dict[str, str]]] = [
        *ASKED,
        ("cells", {}),
        ("export", {"format": "csv"}),
    ]
    answers = [
        client.get(f"/api/experiments/whole/{what}", params={**query, "without": wrong})
        for what, query in asked
    ] + [
        client.post(f"/api/experiments/whole/{what}", json={**body, "without": [wrong]})
        for what, body in POSTED
    ]
    for answer in answers:
        assert answer.status_code == 422, answer.json()
        error = answer.json()["error"]
        assert error["code"] == "no_identity"
        assert error["message"] == f"{wrong!r} is no run's identity."
