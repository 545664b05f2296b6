# SPDX-License-Identifier: Apache-2.0
"""What the shipped experiments are asked first, and what an admin would do with the answer."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from coalescope.datasets.loader import load_dataset, stale_datasets
from coalescope_host.tuning.losses import LOSSES

CPU = {"geist-2005-nfs": "system_cpu_jiffies_per_gb", "virtual-testbed": "traffic_cpu_s_per_gb"}


@pytest.fixture
def published(make_client: Callable[..., Any], datasets: Any) -> Any:
    return make_client(datasets_dir=datasets)


def ask(client: Any, slug: str, **more: Any) -> Any:
    body = {"aims": [{"measure": CPU[slug]}], **more}
    answer = client.post(f"/api/experiments/{slug}/recommendations", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def unlost(found: Any) -> list[Any]:
    """Guards on what is not lost."""
    return [guard for guard in found["guards"] if guard["measure"] not in LOSSES]


@pytest.mark.fault("P1")
def test_nfs_for_least_cpu_asks_for_a_limit_and_says_what_640_loses(published: Any) -> None:
    found = ask(published, "geist-2005-nfs")
    assert found["answer"] is None
    assert [each["at_most"] for each in found["ask"]] == [40, 120, 240]
    assert "640" in " ".join(found["cautions"])
    limit = {"measure": "delay_ticks", "limit": "at most", "value": 120}
    limited = ask(published, "geist-2005-nfs", constraints=[limit])
    assert limited["candidates"][limited["answer"]]["factors"]["delay_ticks"] <= 120
    alone = ask(published, "geist-2005-nfs", guarded=False)
    best = alone["candidates"][alone["best"]]["factors"]
    assert best["delay_ticks"] == 640, "the old answer"
    assert limited["means_of"] == 10
    assert "the mean of 10 runs" in limited["message"]
    assert "three times" not in limited["message"]


def test_four_settings_are_not_enough(published: Any) -> None:
    """In them, no two settings differ in the delay alone."""
    body = {"aims": [{"measure": "throughput_mbps"}], "where": {"workload": "tcp"}}
    path = "/api/experiments/geist-2005-points/recommendations"
    found = published.post(path, json=body).json()
    assert found["answer"] is None
    assert "no two settings differ in delay_ticks alone" in found["message"]


def test_what_is_held_and_leaves_one_setting_is_named(published: Any) -> None:
    body = {"aims": [{"measure": "latency_p99_us"}]}
    given = {"packet_rate_hz": 25000, "factor.processing_us": 38}
    path = "/api/experiments/threaded-busy-poll-2025/recommendations"
    held = published.post(path, json={**body, "where": {**given, "factor.polling": "interrupts"}})
    error = held.json()["error"]
    assert held.status_code == 422
    assert error["message"] == "One setting leaves no choice: polling is held at interrupts."
    assert error["advice"] == "Without holding polling there are 4 settings to choose from."
    free = published.post(path, json={**body, "where": given}).json()
    assert len(free["candidates"]) == 4


@pytest.mark.fault("P6")
@pytest.mark.parametrize("where", [{"factor.stream": 7}, {}])
def test_streams_are_nothing_to_choose(published: Any, where: dict[str, int]) -> None:
    body = {"aims": [{"measure": "goodput_mbps"}], "where": where}
    answer = published.post("/api/experiments/dillon-2004-streams/recommendations", json=body)
    assert answer.status_code == 422
    assert answer.json()["error"]["message"].startswith("Nothing here is for choice: stream says")


def test_hosts_are_nothing_to_choose(published: Any) -> None:
    path = "/api/experiments/chase-1999/recommendations"
    body = {"aims": [{"measure": "throughput_mbps"}]}
    mixed = published.post(path, json=body).json()["error"]
    assert (mixed["code"], mixed["where"]) == ("traffic_varies", {"field": "host"})
    assert "given and not for choice" in mixed["message"]
    one = published.post(path, json={**body, "where": {"host": "Intel"}}).json()["error"]
    assert one["message"].startswith("Nothing here is for choice: host says")


def test_less_cpu_of_unknown_traffic_is_no_answer(published: Any) -> None:
    """Of the 440BX the text says CPU shares alone: less of them may be less traffic."""
    path = "/api/experiments/chase-1999/recommendations"
    body = {"aims": [{"measure": "system_cpu_percent"}], "where": {"host": "440BX"}}
    found = published.post(path, json=body).json()
    assert (found["answer"], found["choices"], found["ask"]) == (None, [], [])
    assert "System CPU is a share of time" in found["message"]
    alone = published.post(path, json={**body, "guarded": False}).json()
    assert alone["candidates"][alone["answer"]]["factors"]["mtu_bytes"] == 16384


def test_a_default_that_was_measured_is_what_an_answer_is_compared_with(published: Any) -> None:
    """Not with deep sleep forbidden, which hides that the answer takes four times the power."""
    path = "/api/experiments/aspm-c-states-2026/recommendations"
    found = published.post(path, json={"aims": [{"measure": "latency_p99_us"}]}).json()
    assert found["basis"] == "default"
    assert found["reference"]["factor.c_states"] == "all"
    assert found["reference"]["factor.rx_usecs"] == "3 (dynamic conservative)"
    power = next(e for e in found["effects"] if e["measure"] == "package_power_w")
    assert power["change_percent"] > 300
    assert found["costs"] == ["package_power_w"]


def test_a_way_to_poll_is_set_beside_what_it_takes(published: Any) -> None:
    path = "/api/experiments/threaded-busy-poll-2025/recommendations"
    where = {"packet_rate_hz": 25000, "factor.processing_us": 38}
    body = {"aims": [{"measure": "latency_p99_us"}], "where": where}
    assert "on a whole CPU" in " ".join(published.post(path, json=body).json()["cautions"])


def test_idle_cpu_alone_asks_for_a_limit(published: Any) -> None:
    body = {"aims": [{"measure": "idle_cpu_percent"}], "where": {"workload": "iperf"}}
    found = published.post("/api/experiments/dillon-2004/recommendations", json=body).json()
    assert found["answer"] is None
    assert found["ask"]


def test_the_emulated_host(published: Any, datasets: Path) -> None:
    """One store for all: a thousand logs are read into it."""
    state = published.app.state
    for dataset in stale_datasets(state.database, datasets):
        load_dataset(state.database, state.object_store, dataset)
    for workload in ("tcp", "udp"):
        _asks_how_long_a_packet_may_wait(published, workload)
    for workload in ("tcp", "udp", "request_response"):
        _keeps_its_throughput(published, workload)
    _keeps_the_latency_of_requests(published)
    _limits_on_factors_hold(published)
    _is_compared_with_what_is_set_now(published)


def _asks_how_long_a_packet_may_wait(client: Any, workload: str) -> None:
    """Their latency was not measured; what is offered keeps the payload's throughput."""
    found = ask(client, "virtual-testbed", where={"workload": workload})
    assert found["answer"] is None
    assert len(found["ask"]) == 3
    speeds = {str(c["factors"]): c["means"]["goodput_mbps"] for c in found["candidates"]}
    for each in found["ask"]:
        own = [
            c["means"]["goodput_mbps"]
            for c in found["candidates"]
            if c["factors"]["delay_ticks"] <= each["at_most"]
        ]
        assert speeds[str(each["factors"])] >= 0.99 * max(own)
        assert "traffic_cpu_s_per_gb" in {e["measure"] for e in each["effects"]}


def _keeps_the_latency_of_requests(client: Any) -> None:
    found = ask(client, "virtual-testbed", where={"workload": "request_response"})
    assert [g["limit"] for g in unlost(found)] == ["within", "within current"]
    late = next(e for e in found["effects"] if e["measure"] == "latency_p99_us")
    assert late["change_percent"] <= 10


def _keeps_its_throughput(client: Any, workload: str) -> None:
    where = {"workload": workload}
    longest = [{"measure": "delay_ticks", "limit": "at most", "value": 5000}]
    found = ask(client, "virtual-testbed", where=where, constraints=longest)
    assert [g["limit"] for g in unlost(found)] == ["within"]
    assert {g["measure"] for g in found["guards"]} > {"goodput_mbps"}, "what is lost, too"
    measure = unlost(found)[0]["measure"]
    speeds = [c["means"][measure] for c in found["candidates"]]
    answer = found["candidates"][found["answer"]]
    assert answer["means"][measure] >= 0.99 * max(speeds)
    assert answer["loss_percent"] <= 2.5
    old = ask(client, "virtual-testbed", where={"workload": workload}, guarded=False)
    at_old = old["candidates"][old["best"]]["factors"]
    lost = next(c for c in found["candidates"] if c["factors"] == at_old)
    if workload != "udp":
        assert lost["means"][measure] < 0.9 * max(speeds), "what the old answer gave up"


def _limits_on_factors_hold(client: Any) -> None:
    limits = [
        {"measure": "mtu_bytes", "limit": "at most", "value": 1500},
        {"measure": "delay_ticks", "limit": "at most", "value": 100},
    ]
    found = ask(client, "virtual-testbed", where={"workload": "tcp"}, constraints=limits)
    assert {c["factors"]["mtu_bytes"] for c in found["candidates"]} == {1500}
    assert max(c["factors"]["delay_ticks"] for c in found["candidates"]) <= 100


def _is_compared_with_what_is_set_now(client: Any) -> None:
    now = {"mtu_bytes": 3000, "delay_ticks": 80}
    limit = [{"measure": "delay_ticks", "limit": "at most", "value": 640}]
    found = ask(
        client, "virtual-testbed", where={"workload": "tcp"}, current=now, constraints=limit
    )
    assert found["reference"].items() >= now.items()
    gains = {e["measure"]: e["gain"] for e in found["effects"]}
    assert "throughput_mbps" in gains
    assert "traffic_cpu_s_per_gb" in gains
