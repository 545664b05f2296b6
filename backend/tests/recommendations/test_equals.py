# SPDX-License-Identifier: Apache-2.0
"""Settings as good as the answer, and better in what nobody asked about."""

import re
from typing import Any

import numpy as np
import pytest
from coalescope.client.recommendation import Recommendation

#: Of each MTU: throughput, CPU, slow replies.
HOST = {1500: (940.0, 68.0, 100.0), 4500: (941.0, 40.0, 100.2), 9000: (940.5, 33.0, 99.8)}
FAST, CHEAP = ([{"measure": name}] for name in ("throughput_mbps", "system_cpu_percent"))


def table(cpu_noise: float = 0.002, runs: int = 5, host: dict[int, tuple] = HOST) -> bytes:
    rng = np.random.default_rng(1)
    noises = (0.002, cpu_noise, 0.002)
    lines = ["mtu_bytes,replicate,throughput_mbps,system_cpu_percent,latency_p99_us"]
    for mtu, values in host.items():
        for run in range(runs):
            pairs = zip(values, noises, strict=True)
            own = ",".join(str(v * np.exp(noise * rng.standard_normal())) for v, noise in pairs)
            lines.append(f"{mtu},{run + 1},{own}")
    return "\n".join(lines).encode()


def ask(client: Any, aims: Any = FAST, slug: str = "lab", **more: Any) -> dict[str, Any]:
    asked = {"aims": aims, "tolerance_percent": 2, "guarded": False, **more}
    found: dict[str, Any] = client.post(
        f"/api/experiments/{slug}/recommendations", json=asked
    ).json()
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


def test_less_work_is_no_saving(client: Any) -> None:
    client.upload(table(host={**HOST, 9000: (470.0, 33.0, 99.8)}), "lab.csv")
    late = [{"measure": "latency_p99_us"}]
    [equal] = ask(client, late, guarded=True)["equals"]
    assert equal["effects"][0]["answer"] == pytest.approx(40, abs=1), "not 33, of half the work"
    lines = [line.split(",") for line in table().decode().splitlines()]
    unknown = "\n".join(",".join(line[:2] + line[3:]) for line in lines)
    client.upload(unknown.encode(), "unknown.csv")
    assert ask(client, late, slug="unknown")["equals"] == []


def test_what_is_far_later_is_not_as_good(client: Any) -> None:
    client.upload(table(host={**HOST, 9000: (940.5, 33.0, 1000.0)}), "lab.csv")
    [equal] = ask(client)["equals"]
    assert equal["effects"][0]["answer"] == pytest.approx(40, abs=1)


def test_what_a_large_tolerance_allows_is_not_as_good(client: Any) -> None:
    slower = {1500: HOST[1500], 9000: (800.0, 33.0, 99.8)}
    client.upload(table(host=slower), "lab.csv")
    found = ask(client, tolerance_percent=20, current={"mtu_bytes": 9000})
    assert len(found["choices"]) == 2
    assert found["equals"] == []


def test_a_single_run_hides_none_that_was_repeated(client: Any) -> None:
    lines = table().decode().splitlines()
    client.upload("\n".join(lines[:-4]).encode(), "lab.csv")
    found = ask(client)
    assert [c["n"] for c in found["candidates"] if c["factors"]["mtu_bytes"] == 9000] == [1]
    [equal] = found["equals"]
    assert found["candidates"][equal["place"]]["factors"]["mtu_bytes"] == 4500


def test_a_wait_that_varies_beyond_a_limit_only_frees_no_other(client: Any) -> None:
    lines = ["mtu_bytes,delay_us,factor.rx_frames,replicate,throughput_mbps,system_cpu_percent"]
    for frames, cpu in ((1, 60.0), (64, 25.0)):
        lines += [f"1500,10,{frames},{k},{940 + k % 2},{cpu + 0.1 * k}" for k in range(5)]
    for delay in (50, 100):
        lines += [f"9000,{delay},1,{k},{940 + k % 2},{20 + 0.1 * k}" for k in range(5)]
    client.upload("\n".join(lines).encode(), "lab.csv")
    limit = {"measure": "mtu_bytes", "limit": "at most", "value": 4000}
    assert ask(client, constraints=[limit])["equals"] == [], "64 frames may wait for ever"


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
