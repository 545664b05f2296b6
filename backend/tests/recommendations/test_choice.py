# SPDX-License-Identifier: Apache-2.0
"""A recommendation chooses what a person can choose."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from coalescope.experiments.choice import can_be_chosen

AIM = {"aims": [{"measure": "throughput_mbps"}]}
HEADER = "delay_us,{},replicate,throughput_mbps\n"


def table(factor: str, one: object, other: object) -> bytes:
    rows = [
        f'{delay},"{level}",{number},{900 + 40 * (level == other) + delay + number}'
        for delay in (10, 20)
        for level in (one, other)
        for number in (1, 2, 3)
    ]
    return (HEADER.format(factor) + "\n".join(rows)).encode()


def ask(client: Any, **more: Any) -> Any:
    return client.post("/api/experiments/lab/recommendations", json={**AIM, **more})


@pytest.mark.parametrize(
    ("factor", "one", "other", "is_chosen"),
    [
        ("host", "a", "b", False),
        ("factor.stream", 4, 7, False),
        ("factor.load_kqps", 100, 200, False),
        ("factor.cable", "copper", "fibre", False),
        ("streams", 1, 8, False),
        ("factor.ring", 256, 1024, True),
        ("factor.adaptive_rx", "off", "on", True),
        ("factor.dim_profile_rx", "1,8,n_2,8,n", "1,64,n_8,64,n", True),
        ("factor.offload_gro", "off", "on", True),
        ("mtu_bytes", 1500, 9000, True),
        ("kernel_version", "6.1", "6.12", True),
    ],
)
def test_by_default(client: Any, factor: str, one: object, other: object, is_chosen: bool) -> None:
    client.upload(table(factor, one, other), "lab.csv")
    factors = client.get("/api/experiments/lab").json()["factors"]
    assert [f["choice"] for f in factors if f["name"] == factor] == [is_chosen]
    answer = ask(client)
    if is_chosen:
        assert answer.json()["candidates"][answer.json()["best"]]["factors"][factor] == other
        return
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "traffic_varies"
    assert factor in answer.json()["error"]["message"]
    answer = ask(client, where={factor: one})
    assert answer.json()["candidates"][answer.json()["best"]]["factors"][factor] == one


def test_said_at_upload(client: Any) -> None:
    sent = table("factor.cable", "copper", "fibre")
    assert client.upload(sent, "lab.csv", choice="factor.cable").status_code == 201
    found = ask(client).json()
    assert found["candidates"][found["best"]]["factors"]["factor.cable"] == "fibre"
    # it is of the source: an export says it again
    exported = client.get("/api/experiments/lab/export", params={"format": "csv", "what": "runs"})
    client.upload(exported.content, "copy.csv")
    factors = client.get("/api/experiments/copy").json()["factors"]
    assert {"factor.cable", "delay_us"} == {f["name"] for f in factors if f["choice"]}


def test_said_not_to_be(client: Any) -> None:
    client.upload(table("factor.ring", 256, 1024), "lab.csv", no_choice="factor.ring")
    assert ask(client).json()["error"]["code"] == "traffic_varies"
    refused = client.upload(table("factor.x", 1, 2), "x.csv", no_choice="factor.ring")
    assert refused.json()["error"]["code"] == "wrong_choice"


def test_streams_of_a_published_table_are_none(
    make_client: Callable[..., Any], datasets: Path
) -> None:
    client = make_client(datasets_dir=datasets)
    asked = {"aims": [{"measure": "goodput_mbps"}]}
    answer = client.post("/api/experiments/dillon-2004-streams/recommendations", json=asked)
    assert answer.status_code == 422
    assert answer.json()["error"]["message"].startswith("Nothing here is for choice: stream says")
    polling = client.get("/api/experiments/threaded-busy-poll-2025").json()["factors"]
    assert [f["name"] for f in polling if f["choice"]] == ["factor.polling"]


def test_what_the_source_says_comes_first() -> None:
    said = {"factors": {"mtu_bytes": {"choice": False}, "factor.word": {"choice": True}}}
    assert not can_be_chosen("mtu_bytes", [1500, 9000], said)
    assert can_be_chosen("factor.word", ["a"], said)
    assert can_be_chosen("mtu_bytes", [1500, 9000], {}), "control"
    assert not can_be_chosen("factor.word", ["a"], {}), "control"


def test_several_levels_of_a_factor(client: Any) -> None:
    """Of three levels two are asked for; the last used to win."""
    sent = "mtu_bytes,workload,replicate,rx_bytes,throughput_mbps\n" + "".join(
        f"{mtu},{workload},{number},{10**9 + number},{900 + number}\n"
        for mtu in (1500, 9000)
        for workload in ("udp", "tcp", "nfs")
        for number in (1, 2, 3)
    )
    client.upload(sent.encode(), "lab.csv", choice="workload")
    found = ask(client, where={"workload": ["udp", "tcp"]}).json()
    assert {c["factors"]["workload"] for c in found["candidates"]} == {"udp", "tcp"}
    assert found["where"] == {"workload": ["udp", "tcp"]} or found["where"] == {
        "workload": ["tcp", "udp"]
    }
    query = [("workload", "udp"), ("workload", "tcp")]
    for params in (query, [("workload", "udp,tcp")]):
        answer = client.get("/api/experiments/lab/cells", params=params).json()
        assert "cells" in answer, answer
        cells = answer["cells"]
        assert len(cells) == 4
    assert len(client.get("/api/experiments/lab/cells", params=query[:1]).json()["cells"]) == 2


PROFILES = ("1,256,n_8,256,n_64,256,n_128,256,n_256,256,n", "1,64,n_2,64,n_4,64,n_8,64,n_16,64,n")


def adaptive_sweep() -> bytes:
    """Fixed delays, adaptive moderation and a profile of it; the last costs least."""
    lines = [
        "factor.adaptive_rx,factor.dim_profile_rx,delay_us,replicate,throughput_mbps,"
        "latency_p99_us,traffic_cpu_s_per_gb"
    ]
    cells = [("off", PROFILES[0], delay, 10.0 - delay / 100) for delay in (10, 50, 100)]
    cells += [("on", PROFILES[0], 10, 7.0), ("on", PROFILES[1], 10, 5.0)]
    for adaptive, profile, delay, cost in cells:
        for n in (1, 2, 3, 4, 5):
            values = f"{900 + 0.01 * n},{100 + 0.02 * n},{cost * (1 + 0.001 * n)}"
            lines.append(f'{adaptive},"{profile}",{delay},{n},{values}')
    return "\n".join(lines).encode()


def test_adaptive_moderation_is_a_candidate_and_so_is_each_profile(client: Any) -> None:
    assert client.upload(adaptive_sweep(), "lab.csv").status_code == 201
    body = {"aims": [{"measure": "traffic_cpu_s_per_gb"}], "interface": "eth0"}
    path = "/api/experiments/lab/recommendations"
    found = client.post(path, json={**body, "driver": "mlx5_core"}).json()
    answer = found["candidates"][found["answer"]]["factors"]
    assert (answer["factor.adaptive_rx"], answer["factor.dim_profile_rx"]) == ("on", PROFILES[1])
    assert "ethtool -C eth0 adaptive-rx on" in found["commands"]["apply"]
    assert f"ethtool -C eth0 rx-profile {PROFILES[1]}" in found["commands"]["apply"]
    held = client.post(path, json={**body, "where": {"factor.adaptive_rx": "off"}}).json()
    assert held["candidates"][held["answer"]]["factors"]["delay_us"] == 100


def test_limits_on_factors_of_ones_own(client: Any) -> None:
    client.upload(table("factor.ring", 256, 1024), "lab.csv")
    limit = {"measure": "factor.ring", "limit": "at most", "value": 512}
    found = ask(client, constraints=[limit]).json()
    assert {c["factors"]["factor.ring"] for c in found["candidates"]} == {256}
    unknown = ask(client, constraints=[{**limit, "measure": "factor.rings"}])
    assert unknown.status_code == 422
    assert "No run has the factor factor.rings." in unknown.json()["error"]["message"]
    assert "factor.ring" in unknown.json()["error"]["advice"]
    relative = ask(client, constraints=[{**limit, "limit": "within", "value": 5}])
    assert relative.json()["error"]["code"] == "wrong_range"
    client.upload(table("factor.cable", "copper", "fibre"), "cable.csv", experiment="cable")
    words = client.post(
        "/api/experiments/cable/recommendations",
        json={**AIM, "constraints": [{**limit, "measure": "factor.cable"}]},
    )
    assert "is words here" in words.json()["error"]["message"]
