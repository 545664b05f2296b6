# SPDX-License-Identifier: Apache-2.0
"""When measures come to mean something else, stored runs follow, and decisions about them stay."""

from collections.abc import Callable
from typing import Any

import pytest
from coalescope.uploads import measuring_again
from coalescope.uploads.measuring_again import measure_again
from coalescope.uploads.reading import Reading

MakeLog = Callable[..., bytes]
ALONE = {"network_namespace": "other"}


def stored_before(client: Any, statement: str) -> None:
    with client.app.state.database.write() as connection:
        connection.exec_driver_sql("UPDATE uploads SET measured_as = 0")
        connection.exec_driver_sql(statement)


def again(client: Any) -> int:
    return measure_again(client.app.state.database, client.app.state.object_store, Reading())


def measures(client: Any, run: str) -> dict[str, Any]:
    found = client.get(f"/api/runs/{run}").json()["measures"]
    return {name: value["value"] for name, value in found.items()}


@pytest.fixture
def run(client: Any, make_module_log: MakeLog) -> str:
    """A stored run that an older program measured."""
    receipt = client.upload(make_module_log(environment=ALONE)).json()
    stored_before(client, "UPDATE run_measures SET measure = 'old' WHERE measure = 'traffic_cpu_s'")
    return str(receipt["runs"][0]["id"])


def test_a_run_gets_the_measures_of_today(client: Any, run: str) -> None:
    assert "traffic_cpu_s" not in measures(client, run)
    assert (again(client), again(client)) == (1, 0)
    found = measures(client, run)
    assert found["traffic_cpu_s"] == pytest.approx(6 * 0.34)
    assert "old" not in found
    (cell,) = client.get("/api/experiments/lab/cells").json()["cells"]
    assert cell["measures"]["traffic_cpu_s"]["mean"] == pytest.approx(6 * 0.34)


def test_a_run_that_was_stored_without_its_order_gets_it(client: Any, make_log: MakeLog) -> None:
    (run,) = client.upload(make_log(order=5)).json()["runs"]
    stored_before(client, 'UPDATE runs SET "order" = NULL')
    assert client.get(f"/api/runs/{run['id']}").json()["order"] is None
    again(client)
    assert client.get(f"/api/runs/{run['id']}").json()["order"] == 5


def test_what_was_decided_about_a_run_stays(client: Any, run: str) -> None:
    client.post(f"/api/runs/{run}/retraction", json={"reason": "a cable"})
    again(client)
    kept = client.get(f"/api/runs/{run}").json()
    assert kept["status"] == "retracted"
    assert "traffic_cpu_s" in kept["measures"]


def test_a_log_that_is_gone_keeps_its_run(
    client: Any, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = measures(client, run)
    monkeypatch.setattr(measuring_again, "_measured", lambda *_: None)
    assert again(client) == 1
    assert measures(client, run) == before


def test_a_column_of_a_measure_that_is_no_more_is_passed_over(client: Any) -> None:
    table = b"mtu_bytes,replicate,receiver_cpu_s,throughput_mbps\n1500,1,3,900\n"
    answer = client.upload(table, "lab.csv")
    assert answer.status_code == 201
    (warning,) = answer.json()["warnings"]
    assert warning["code"] == "measure_retired"
    assert "traffic_cpu_s" in warning["message"]
    (cell,) = client.get("/api/experiments/lab/cells").json()["cells"]
    assert list(cell["measures"]) == ["throughput_mbps"]
