# SPDX-License-Identifier: Apache-2.0
"""Several levels of a factor at one MTU and delay: never replicates of each other (decision 21)."""

import csv
import io
from typing import Any

import numpy as np
import pytest

HEADER = (
    "workload,mtu_bytes,delay_us,replicate,rx_bytes,rx_packets,rx_interrupts,system_cpu_s,"
    "throughput_mbps"
)
REPLICATES = 4
AIM = {"aims": [{"measure": "throughput_mbps"}]}
SPREAD = 0.002
"""Relative deviation of replicates of one setting; workloads differ by 20 %."""


@pytest.fixture
def lab(client: Any) -> Any:
    rng = np.random.default_rng(11)
    lines = [HEADER]
    for workload, more in (("nfs", 2.0), ("tcp", 1.2), ("udp", 1.0)):
        for mtu in (1500, 3000, 9000):
            for delay in (0, 50, 100):
                packets = 1e9 / (0.9 * mtu)
                interrupts = packets / (1 + delay / 15)
                cpu = more * (2.0 + 3e-6 * packets + 5e-6 * interrupts)
                for replicate in range(1, REPLICATES + 1):
                    seen = cpu * (1 + SPREAD * rng.standard_normal())
                    mbps = 900 / more * (1 + SPREAD * rng.standard_normal())
                    lines.append(
                        f"{workload},{mtu},{delay},{replicate},1000000000,{packets:.0f},"
                        f"{interrupts:.0f},{seen!r},{mbps!r}"
                    )
    assert client.upload("\n".join(lines).encode(), "lab.csv").status_code == 201
    return client


def fit(client: Any, levels: object, **more: Any) -> Any:
    request = {"model": "cpu-overhead", "method": "ols", "where": {"workload": levels}, **more}
    answer = client.post("/api/experiments/lab/fits", json=request)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_their_difference_is_no_spread_of_replicates(lab: Any) -> None:
    alone, both = fit(lab, "udp"), fit(lab, ["udp", "tcp"])
    assert (alone["n"], both["n"]) == (9, 18)
    tests = [found["diagnostics"]["lack_of_fit"] for found in (alone, both)]
    noise = [own["noise_percent"] for own in tests]
    assert noise == pytest.approx([100 * SPREAD] * 2, rel=0.5)
    assert [own["rejected"] for own in tests] == [False, True]
    assert "reject" in both["message"]


def test_only_a_factor_that_is_named_is_pooled(lab: Any) -> None:
    """The control: its difference is spread then."""
    pooled = fit(lab, ["udp", "tcp"], pooled=["workload"])
    assert pooled["n"] == 9
    assert pooled["diagnostics"]["lack_of_fit"]["noise_percent"] > 5


def test_cells_of_each_level_stay_their_own(lab: Any) -> None:
    cells = lab.get("/api/experiments/lab/cells", params={"workload": "udp,tcp"}).json()["cells"]
    assert len(cells) == 18
    assert {cell["runs"] for cell in cells} == {REPLICATES}
    spreads = [c["measures"]["throughput_mbps"] for c in cells]
    assert max(own["sd"] / own["mean"] for own in spreads) < 3 * SPREAD
    sent = lab.get("/api/experiments/lab/export", params={"what": "cells", "format": "csv"})
    assert sent.status_code == 200, sent.text
    rows = list(csv.DictReader(io.StringIO(sent.text)))
    assert len({(r["workload"], r["mtu_bytes"], r["delay_us"]) for r in rows}) == len(rows) == 27


def test_a_surface_has_one_of_them_or_takes_them_for_an_axis(lab: Any) -> None:
    path = "/api/experiments/lab/surfaces/throughput_mbps"
    refused = lab.get(path, params={"workload": "udp,tcp"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "ambiguous_surface")
    assert "workload: tcp, udp" in refused.json()["error"]["advice"]
    query = {"workload": "udp,tcp", "delay_us": "50", "x": "workload", "y": "mtu_bytes"}
    found = lab.get(path, params=query).json()
    assert found["x"]["levels"] == ["tcp", "udp"]
    assert {cell["n"] for cell in found["cells"]} == {REPLICATES}


def test_effects_and_recommendations_refuse_to_mix_them(lab: Any) -> None:
    query = {"measure": "throughput_mbps", "factors": "mtu_bytes,delay_us", "workload": "udp,tcp"}
    refused = lab.get("/api/experiments/lab/variance", params=query)
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "factors_vary")
    question = {**AIM, "where": {"workload": ["udp", "tcp"]}}
    asked = lab.post("/api/experiments/lab/recommendations", json=question)
    assert (asked.status_code, asked.json()["error"]["code"]) == (422, "traffic_varies")
