# SPDX-License-Identifier: Apache-2.0
"""Trials of adaptive policies over HTTP."""

from typing import Any

import pytest

STREAM = {"kind": "open-loop", "phases": [{"duration_us": 100_000, "packet_rate_hz": 80_000}]}
CLIENTS = {"kind": "closed-loop", "clients": 4, "rtt_min_us": 100, "duration_us": 100_000}


def ask(client: Any, policy: str = "dim", traffic: Any = STREAM, **more: Any) -> Any:
    return client.post("/api/policies/trials", json={"policy": policy, "traffic": traffic, **more})


def test_the_policies_are_listed(client: Any) -> None:
    listed = client.get("/api/policies").json()
    assert {"dim", "dynamic-throttle"} <= {policy["name"] for policy in listed}
    assert all(policy["source"] and policy["summary"] for policy in listed)


@pytest.mark.parametrize("policy", ["dim", "dim-completions", "dynamic-throttle"])
@pytest.mark.parametrize("traffic", [STREAM, CLIENTS])
def test_a_policy_beside_every_fixed_interval(client: Any, policy: str, traffic: Any) -> None:
    found = ask(client, policy, traffic).json()
    fixed, best = found["fixed"], found["fixed"][found["best"]]
    assert best["price_us"] == min(each["price_us"] for each in fixed)
    dearer = 100 * (found["adaptive"]["price_us"] / best["price_us"] - 1)
    assert found["cost_percent"] == pytest.approx(dearer)
    assert [each["interval_us"] for each in fixed] == sorted(e["interval_us"] for e in fixed)
    assert sum(part["share"] for part in found["shares"]) == pytest.approx(1.0)
    assert found["choices"][0]["t_us"] == 0
    for played in (found["adaptive"], *fixed):
        price = played["cpu_us_per_packet"] + 0.1 * played["mean_wait_us"]
        assert played["price_us"] == pytest.approx(price)
        rate = played["rx_interrupt_rate_hz"] * played["packets_per_interrupt"]
        assert rate == pytest.approx(played["packet_rate_hz"])


def test_bulk_traffic_is_throttled_to_4000_interrupts(client: Any) -> None:
    """e1000's documentation: bulk is 4,000 interrupts a second, an interval of 250 µs."""
    jumbo = {"duration_us": 100_000, "packet_rate_hz": 13_000, "frame_bytes": 9018}
    found = ask(client, "dynamic-throttle", {**STREAM, "phases": [jumbo]}).json()
    assert found["shares"][0]["interval_us"] == 250.0
    assert found["adaptive"]["rx_interrupt_rate_hz"] == pytest.approx(4000, rel=0.05)


def test_waiting_that_costs_nothing_makes_the_longest_interval_best(client: Any) -> None:
    free = ask(client, wait_weight=0, intervals_us=[250, 0, 50]).json()
    assert free["fixed"][free["best"]]["interval_us"] == 250
    dear = ask(client, wait_weight=10, intervals_us=[250, 0, 50]).json()
    assert dear["fixed"][dear["best"]]["interval_us"] == 0


def test_random_packets_follow_from_the_seed(client: Any) -> None:
    traffic = {**STREAM, "spacing": "random"}
    once, again, other = (ask(client, traffic=traffic, seed=s).json() for s in (1, 1, 2))
    assert once == again
    assert once != other


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"policy": "dimm"}, 404, "not_found"),
        ({"interrupt_cost_us": 0, "packet_cost_us": 0}, 422, "no_price"),
        ({"traffic": {**CLIENTS, "duration_us": 1e9}}, 422, "too_many_packets"),
        (
            {"traffic": {**STREAM, "phases": [{"duration_us": 1e9, "packet_rate_hz": 1e9}]}},
            422,
            "too_many_packets",
        ),
        (
            {"traffic": {**STREAM, "phases": [{"duration_us": 1, "packet_rate_hz": 1}]}},
            422,
            "no_packets",
        ),
        ({"traffic": {**CLIENTS, "rtt_min_us": 0}}, 422, "invalid_request"),
        ({"intervals_us": []}, 422, "invalid_request"),
    ],
)
def test_wrong_trials_are_refused(client: Any, change: Any, status: int, code: str) -> None:
    answer = ask(client, **change)
    error = answer.json()["error"]
    assert answer.status_code == status
    assert code in (error["code"], "invalid_request")
    assert error["advice"] or error["problems"]
