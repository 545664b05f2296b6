# SPDX-License-Identifier: Apache-2.0
"""Sweeps announce themselves, say how far they are, and are seen by who asks."""

from typing import Any

import pytest

ID = "5f1d-4711-plan"
CELLS = [
    {"mtu_bytes": 1500, "delay_us": 40, "workload": "tcp"},
    {"mtu_bytes": 9000, "delay_us": 40},
]
SWEEP: dict[str, Any] = {
    "experiment": "my-host",
    "replicates": 10,
    "cells": CELLS,
    "state": "running",
    "runs_planned": 20,
    "runs_done": 0,
}
PROGRESS = {
    "state": "running",
    "runs_planned": 20,
    "runs_done": 3,
    "runs_failed": 1,
    "left_s": 170.5,
}


def announce(client: Any, sweep_id: str = ID, **changed: Any) -> Any:
    answer = client.request("PUT", f"/api/sweeps/{sweep_id}", json=SWEEP | changed)
    assert answer.status_code == 200, answer.text
    return answer.json()


def listed(client: Any, slug: str = "my-host") -> Any:
    return client.get(f"/api/experiments/{slug}/sweeps").json()


def test_a_sweep_is_known_before_its_first_run(client: Any) -> None:
    announced = announce(client)
    assert announced["id"] == ID
    assert listed(client) == {"data_version": None, "sweeps": [announced]}
    assert announced["cells"] == CELLS


def test_progress_is_told_without_telling_all_again(client: Any) -> None:
    begun = announce(client)
    answer = client.request("PUT", f"/api/sweeps/{ID}/progress", json=PROGRESS)
    assert answer.status_code == 200
    (now,) = listed(client)["sweeps"]
    assert {name: now[name] for name in PROGRESS} == PROGRESS
    assert now["cells"] == CELLS
    assert now["started_at"] == begun["started_at"]


def test_announcing_again_is_the_same_sweep(client: Any) -> None:
    announce(client)
    announce(client, state="stopped", runs_done=7)
    (now,) = listed(client)["sweeps"]
    assert (now["state"], now["runs_done"]) == ("stopped", 7)


def test_the_newest_come_first_and_those_of_others_not(client: Any) -> None:
    announce(client)
    announce(client, "another-1")
    announce(client, "elsewhere", experiment="other-host")
    client.request("PUT", f"/api/sweeps/{ID}/progress", json=PROGRESS)
    assert [sweep["id"] for sweep in listed(client)["sweeps"]] == [ID, "another-1"]


def test_progress_of_an_unknown_sweep_says_what_to_do(client: Any) -> None:
    answer = client.request("PUT", f"/api/sweeps/{ID}/progress", json=PROGRESS)
    assert answer.status_code == 404
    assert "Announce it first" in answer.json()["error"]["advice"]


@pytest.mark.parametrize(
    "changed",
    [
        {"state": "flying"},
        {"runs_done": -1},
        {"runs_planned": 10**9},
        {"left_s": 1e12},
        {"cells": [{"mtu_bytes": 1500}] * 5001},
        {"cells": [{"": 1}]},
        {"experiment": "No Slug"},
        {"more": 1},
    ],
)
def test_what_cannot_be_is_refused(client: Any, changed: dict[str, Any]) -> None:
    answer = client.request("PUT", f"/api/sweeps/{ID}", json=SWEEP | changed)
    assert answer.status_code == 422
    assert listed(client)["sweeps"] == []


def test_an_identity_has_to_look_like_one(client: Any) -> None:
    answer = client.request("PUT", "/api/sweeps/a.b", json=SWEEP)
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "invalid_sweep_id"
