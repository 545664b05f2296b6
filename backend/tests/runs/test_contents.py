# SPDX-License-Identifier: Apache-2.0
"""What a run's log shows, what runs were recorded with, and views without some runs."""

from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

MakeLog = Callable[..., bytes]
RUN = "3f0c2a52-6f0b-4a58-9a3e-0f6a8f7f0c11"
OTHER = "3f0c2a52-6f0b-4a58-9a3e-0f6a8f7f0c12"
GONE = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def lab(client: Any, make_log: MakeLog) -> Any:
    """Two runs in one cell, of unequal kernels; the second has twice as many bytes."""
    client.upload(make_log(run_id=RUN, environment={"kernel": "6.1", "ring": {"rx": 256}}))
    rows = [(i * 10**9, i * 10**9, i * 250_000_000, i * 125_000, i * 31_250) for i in range(1, 11)]
    environment = {"kernel": "6.12", "ring": {"rx": 256}}
    client.upload(make_log(run_id=OTHER, replicate=2, environment=environment, rows=rows))
    return client


def test_the_series_of_a_run(lab: Any) -> None:
    found = lab.get(f"/api/runs/{RUN}/contents", params={"points": 3}).json()
    lines = {line["name"]: line for line in found["series"]}
    assert found["edges_s"] == [0, 3, 6, 9]
    assert found["window_s"] == [2, 8]
    assert lines["packets_per_interrupt"]["mean"] == [4, 4, 4]
    assert lines["rx_interrupt_rate_hz"]["most"] == [31_250] * 3
    counters = {counter["name"]: counter["advance"] for counter in found["counters"]}
    assert counters["rx_packets"] == 6 * 125_000


def test_a_row_of_a_table_has_no_contents(client: Any) -> None:
    client.upload(b"delay_us,replicate,throughput_mbps\n10,1,900\n", experiment="lab")
    run = client.get("/api/experiments/lab/runs").json()["runs"][0]["id"]
    answer = client.get(f"/api/runs/{run}/contents")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "no_log")


def test_the_environment_fact_by_fact(lab: Any) -> None:
    found = lab.get("/api/experiments/lab/environment").json()
    facts = {fact["name"]: fact["values"] for fact in found["facts"]}
    assert (found["runs"], found["recorded"]) == (2, 2)
    assert facts["ring.rx"] == [{"value": "256", "runs": 2}]
    assert {value["value"] for value in facts["kernel"]} == {"6.1", "6.12"}
    one = lab.get(f"/api/runs/{RUN}/environment").json()
    assert [fact["values"] for fact in one["facts"]] == [
        [{"value": "6.1", "runs": 1}],
        [{"value": "256", "runs": 1}],
    ]
    assert lab.get("/api/experiments/lab/environment?workload=tcp").json()["runs"] == 0
    assert lab.get("/api/experiments/lab/environment?nothing=1").status_code == 422


def test_a_view_without_a_run_leaves_the_store_as_it_is(lab: Any) -> None:
    def summary(**query: str) -> Any:
        found = lab.get("/api/experiments/lab/cells", params=query).json()
        return found["left_out"], [
            (c["runs"], c["measures"]["rx_bytes"]["n"], c["measures"]["rx_bytes"]["mean"])
            for c in found["cells"]
        ]

    assert summary() == ([], [(2, 2, 1_125_000_000)])
    assert summary(without=OTHER) == ([OTHER], [(1, 1, 750_000_000)])
    assert summary(without=f"{OTHER},{GONE}") == ([OTHER], [(1, 1, 750_000_000)])
    assert summary(without=f"{RUN},{OTHER}")[1] == []
    assert summary() == ([], [(2, 2, 1_125_000_000)])
    many = ",".join(f"{k:08x}{GONE[8:]}" for k in range(201))
    assert lab.get(f"/api/experiments/lab/cells?without={many}").status_code == 422


def test_replicates_with_those_that_do_not_belong(client: Any) -> None:
    values = [100, 101, 99, 100, 101, 99, 100, 500]
    rows = "".join(f"10,{k},{value}\n" for k, value in enumerate(values))
    client.upload(f"delay_us,replicate,throughput_mbps\n{rows}".encode(), experiment="lab")
    ask = {"measure": "throughput_mbps"}
    found = client.get("/api/experiments/lab/replicates", params=ask).json()["cells"]
    (cell,) = found
    assert [r["value"] for r in cell["replicates"] if r["outlying"]] == [500]
    assert cell["summary"]["n"] == 8
    ask["without"] = next(r["run"] for r in cell["replicates"] if r["outlying"])
    (cell,) = client.get("/api/experiments/lab/replicates", params=ask).json()["cells"]
    assert cell["summary"]["n"] == 7
    assert cell["summary"]["mean"] == pytest.approx(100)
    assert not any(r["outlying"] for r in cell["replicates"])


def test_replicates_that_are_too_many_are_refused_before_they_are_read(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "".join(f"{delay},{k},{900 + k}\n" for delay in (10, 20) for k in range(4))
    client.upload(f"delay_us,replicate,throughput_mbps\n{rows}".encode(), experiment="lab")
    monkeypatch.setattr("coalescope.analyses.replicates.MOST_VALUES", 5)
    read: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if "run_measures.value" in statement:
            read.append(statement)

    sa.event.listen(client.app.state.database.engine, "before_cursor_execute", note)

    def ask(**query: str) -> Any:
        read.clear()
        given = {"measure": "throughput_mbps", **query}
        return client.get("/api/experiments/lab/replicates", params=given)

    refused = ask()
    error = refused.json()["error"]
    assert (refused.status_code, error["code"]) == (422, "too_many_replicates")
    assert error["message"].startswith("These are 8 runs")
    assert read == []
    (cell,) = ask(delay_us="10").json()["cells"]
    assert len(cell["replicates"]) == 4
    assert read != [], "control: these were read"
    uids = [run["id"] for run in client.get("/api/experiments/lab/runs").json()["runs"]]
    assert ask(without=",".join(uids[:3])).status_code == 200
    assert ask(without=",".join(f"{k:08x}{GONE[8:]}" for k in range(3))).status_code == 422
