# SPDX-License-Identifier: Apache-2.0
"""Settings as good as the answer, and better in what nobody asked about."""

import re
from typing import Any

import numpy as np
import pytest
from coalescope.client.recommendation import Recommendation

#: Of each MTU: throughput, CPU, slow replies.
HOST = {1500: (940.0, 68.0, 100.0), 4500: (941.0, 40.0, 101.0), 9000: (940.5, 33.0, 99.0)}
FAST, CHEAP = ([{"measure": name}] for name in ("throughput_mbps", "system_cpu_percent"))


def table(cpu_noise: float = 0.002, runs: int = 5) -> bytes:
    rng = np.random.default_rng(1)
    noises = (0.002, cpu_noise, 0.002)
    lines = ["mtu_bytes,replicate,throughput_mbps,system_cpu_percent,latency_p99_us"]
    for mtu, values in HOST.items():
        for run in range(runs):
            pairs = zip(values, noises, strict=True)
            own = ",".join(str(v * np.exp(noise * rng.standard_normal())) for v, noise in pairs)
            lines.append(f"{mtu},{run + 1},{own}")
    return "\n".join(lines).encode()


def ask(client: Any, aims: Any = FAST, **more: Any) -> dict[str, Any]:
    asked = {"aims": aims, "tolerance_percent": 2, "guarded": False, **more}
    found: dict[str, Any] = client.post("/api/experiments/lab/recommendations", json=asked).json()
    return found


def test_what_costs_half_and_is_as_fast_is_said(client: Any) -> None:
    client.upload(table(), "lab.csv")
    found = ask(client)
    assert found["candidates"][found["answer"]]["factors"]["mtu_bytes"] == 1500, "changes least"
    [equal] = found["equals"]
    assert found["candidates"][equal["place"]]["factors"]["mtu_bytes"] == 9000
    [effect] = equal["effects"]
    assert (effect["measure"], effect["gain"]) == ("system_cpu_percent", True)
    assert effect["change_percent"] == pytest.approx(100 * (33 / 68 - 1), abs=1)
    assert effect["ci95_percent"][1] < -40


def test_what_may_be_chance_is_not(client: Any) -> None:
    client.upload(table(cpu_noise=0.4, runs=3), "lab.csv")
    found = ask(client)
    assert len(found["choices"]) == 3
    assert found["equals"] == []


def test_what_was_asked_about_is_no_news(client: Any) -> None:
    """Nor is what is limited: it is good enough as it is."""
    client.upload(table(), "lab.csv")
    limit = {"measure": "system_cpu_percent", "limit": "at most", "value": 90}
    assert ask(client, constraints=[limit])["equals"] == []
    assert ask(client, [*FAST, *CHEAP])["equals"] == []


def test_single_values_tell_no_chance(client: Any) -> None:
    client.upload(table(runs=1), "lab.csv")
    assert ask(client)["equals"] == []


def test_a_longer_wait_is_as_good_only_where_its_latency_is_seen(client: Any) -> None:
    lines = table().decode().replace("mtu_bytes", "delay_us").splitlines()
    client.upload("\n".join(lines).encode(), "lab.csv")
    assert ask(client)["equals"] == [], "nothing bounds the latency"
    bounds = (
        {"measure": "delay_us", "limit": "at most", "value": 9000},
        {"measure": "latency_p99_us", "limit": "at most", "value": 200},
    )
    for bound in bounds:
        assert len(ask(client, constraints=[bound])["equals"]) == 1


def test_the_client_says_it(client: Any) -> None:
    client.upload(table(), "lab.csv")
    shown = repr(Recommendation(ask(client), ("mtu_bytes",)))
    assert re.search(
        r"^As good, with system_cpu_percent -5\d\.?\d? %: mtu_bytes 9000$", shown, re.M
    )
