# SPDX-License-Identifier: Apache-2.0
"""Lists of runs: filtered by what they are, sorted by what they have, in pages."""

import time
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from coalescope.db.tables import cells, run_measures, runs

MakeLog = Callable[..., bytes]

TABLE = """\
workload,mtu_bytes,replicate,throughput_mbps,drops
tcp,1500,1,900,0
tcp,9000,1,990,0
udp,1500,1,800,0
tcp,1500,2,910,0
udp,9000,1,,3
tcp,4000,1,700,0
"""


@pytest.fixture
def table(client: Any) -> Any:
    """Six rows in storing order; one has no MTU, one no throughput, the third is retracted."""
    answer = client.upload(TABLE.encode(), "t.csv")
    assert answer.status_code == 201, answer.text
    ids = [run["id"] for run in listed(client)]
    reason = {"reason": "a reason"}
    client.post(f"/api/runs/{ids[2]}/retraction", json=reason)
    no_mtu = {"factors": {"mtu_bytes": None}, **reason}
    assert client.post(f"/api/runs/{ids[5]}/correction", json=no_mtu).status_code == 200
    return client


def listed(client: Any, slug: str = "t", **query: Any) -> list[dict[str, Any]]:
    answer = client.get(f"/api/experiments/{slug}/runs", params=query)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found["total"] == len(found["runs"])
    return list(found["runs"])


def rows(client: Any, **query: Any) -> list[int]:
    """Which rows of the table, from 1, in the order of the list."""
    first = min(run["row"] for run in listed(client))
    return [run["row"] - first + 1 for run in listed(client, **query)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, [1, 2, 3, 4, 5, 6]),
        ({"workload": "udp"}, [3, 5]),
        ({"workload": "tcp", "mtu_bytes": "1500"}, [1, 4]),
        ({"mtu_bytes": "3000"}, []),
        ({"state": "retracted"}, [3]),
        ({"state": "current"}, [1, 2, 4, 5, 6]),
        ({"state": "partial"}, []),
        ({"state": "whole", "mtu_bytes": "1500"}, [1, 4]),
        ({"warnings": "some"}, []),
        ({"warnings": "none", "workload": "udp"}, [3, 5]),
        ({"sort": "-stored"}, [6, 5, 4, 3, 2, 1]),
        ({"sort": "mtu_bytes"}, [1, 3, 4, 2, 5, 6]),
        ({"sort": "-mtu_bytes"}, [2, 5, 1, 3, 4, 6]),
        ({"sort": "-workload", "state": "current"}, [5, 1, 2, 4, 6]),
        ({"sort": "throughput_mbps"}, [6, 3, 1, 4, 2, 5]),
        ({"sort": "-throughput_mbps", "workload": "tcp"}, [2, 4, 1, 6]),
        ({"sort": "-replicate"}, [4, 1, 2, 3, 5, 6]),
    ],
)
def test_a_list_has_what_was_asked_for_in_its_order(
    table: Any, query: dict[str, str], expected: list[int]
) -> None:
    assert rows(table, **query) == expected


def test_pages_of_a_sorted_list_are_its_parts(table: Any) -> None:
    whole = [run["id"] for run in listed(table, sort="-mtu_bytes")]
    found = []
    for offset in range(0, 8, 2):
        query = {"sort": "-mtu_bytes", "limit": 2, "offset": offset}
        page = table.get("/api/experiments/t/runs", params=query).json()
        assert page["total"] == 6
        found += [run["id"] for run in page["runs"]]
    assert found == whole


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"sort": "throughput"}, "unknown_order"),
        ({"sort": "--stored"}, "unknown_order"),
        ({"sort": "delay_us"}, "unknown_order"),
        ({"mtu": "1500"}, "unknown_factor"),
        ({"mtu_bytes": "big"}, "not_a_number"),
        ({"state": "gone"}, "invalid_request"),
        ({"warnings": "many"}, "invalid_request"),
    ],
)
def test_a_wrong_question_is_refused(table: Any, query: dict[str, str], code: str) -> None:
    answer = table.get("/api/experiments/t/runs", params=query)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, code)
    assert rows(table, sort="mtu_bytes", mtu_bytes="1500") == [1, 3, 4]


def test_logs_by_warnings_state_and_time(client: Any, make_log: MakeLog) -> None:
    later = make_log(recorded_at="2026-02-01T00:00:00Z")
    whole = make_log(recorded_at="2026-01-01T00:00:00Z", replicate=2)
    client.upload(later)
    client.upload(whole)
    client.upload(make_log(replicate=3)[:-40])
    numbers = [run["replicate"] for run in listed(client, "lab")]
    assert numbers == [1, 2, 3]
    cut = listed(client, "lab", state="partial")
    assert [run["replicate"] for run in cut] == [3]
    assert cut[0]["warning_codes"] != []
    warned = listed(client, "lab", warnings="some")
    assert [run["replicate"] for run in warned if run["warning_codes"] == []] == []
    spared = listed(client, "lab", warnings="none")
    assert sorted(run["replicate"] for run in [*warned, *spared]) == [1, 2, 3]
    assert {run["replicate"] for run in cut} <= {run["replicate"] for run in warned}
    when = [run["recorded_at"] for run in listed(client, "lab", sort="recorded")]
    assert when == sorted(when)


# SQLite plans by how many cells there are
MANY_CELLS = "mtu_bytes,delay_us,replicate,throughput_mbps\n" + "".join(
    f"{1500 + mtu},{delay},1,900\n" for mtu in range(20) for delay in range(25)
)
QUESTIONS: tuple[dict[str, Any], ...] = (
    {"sort": "-mtu_bytes", "offset": 50_000},
    {"sort": "recorded", "offset": 90_000},
    {"sort": "-throughput_mbps"},
    {"mtu_bytes": "1507", "sort": "delay_us"},
    {"state": "retracted", "sort": "-replicate"},
    {"warnings": "some"},
    {"state": "current"},
    {"state": "whole", "sort": "replicate"},
    {"state": "partial", "warnings": "none", "sort": "mtu_bytes"},
    {},
)


def plans_of(client: Any, query: dict[str, Any]) -> list[str]:
    """How SQLite finds the runs that an answer to that is made of, before it reads their rows."""
    database = client.app.state.database
    seen: list[tuple[str, Any]] = []

    def note(_: Any, __: Any, statement: str, parameters: Any, *___: Any) -> None:
        seen.append((statement, parameters))

    sa.event.listen(database.engine, "before_cursor_execute", note)
    answer = client.get("/api/experiments/t/runs", params=query)
    sa.event.remove(database.engine, "before_cursor_execute", note)
    assert answer.status_code == 200, answer.text
    found = [(text, given) for text, given in seen if "runs.id" in text and "uploads" not in text]
    with database.read() as connection:
        plans = [
            connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", given) for text, given in found
        ]
        return [line for plan in plans for *_, line in plan]


@pytest.mark.parametrize("query", QUESTIONS)
def test_runs_are_found_in_an_index_alone(client: Any, query: dict[str, Any]) -> None:
    """The rows are wide, for they hold what was recorded with a run: only one page's are read."""
    if client.app.state.database.engine.dialect.name != "sqlite":
        pytest.skip("the plans that are read here are SQLite's")
    client.upload(MANY_CELLS.encode(), "t.csv")
    lines = [line for line in plans_of(client, query) if " runs " in line]
    assert lines != []
    assert [line for line in lines if "COVERING INDEX" not in line] == []
    # an index that is made for one question alone is made of all rows
    assert [line for line in lines if "AUTOMATIC" in line] == []


@pytest.mark.soak
def test_a_hundred_thousand_runs_are_listed_at_once(client: Any) -> None:
    n, settings = 100_000, 500
    client.upload(TABLE.encode(), "t.csv")
    with client.app.state.database.write() as connection:
        own = connection.execute(sa.select(runs.c.experiment_id).limit(1)).scalar_one()
        levels = [{"mtu_bytes": 1500 + k % 20, "delay_us": k // 20} for k in range(settings)]
        connection.execute(
            sa.insert(cells),
            [
                {"id": 1000 + k, "experiment_id": own, "factor_key": str(k), "factors": level}
                for k, level in enumerate(levels)
            ],
        )
        connection.execute(
            sa.insert(runs),
            [
                {
                    "id": 1000 + k,
                    "uid": f"run-{k}",
                    "experiment_id": own,
                    "cell_id": 1000 + k * 7 % settings,
                    "replicate": k // settings,
                    "status": "retracted" if k % 1000 == 0 else "current",
                    "content": "csv",
                    "environment": {"kernel": "x" * 2000},
                    "warnings": [],
                    "warned": False,
                    "created_at": f"2026-01-01T00:00:{k % 60:02}Z",
                }
                for k in range(n)
            ],
        )
        connection.execute(
            sa.insert(run_measures),
            [
                {"run_id": 1000 + k, "measure": "throughput_mbps", "value": k * 7919 % n}
                for k in range(n)
            ],
        )
    slowest = 0.0
    for query in QUESTIONS:
        start = time.process_time()  # others may have the machine meanwhile
        answer = client.get("/api/experiments/t/runs", params=query)
        slowest = max(slowest, time.process_time() - start)
        assert answer.status_code == 200
    assert client.get("/api/experiments/t/runs?state=retracted").json()["total"] == 100
    assert slowest < 2, "seconds; a fifth of one as a rule"
