# SPDX-License-Identifier: Apache-2.0
"""Analysis of variance and replication plans over HTTP."""

import math
from typing import Any

import numpy as np
import pytest
from coalescope.analyses import schemas
from coalescope_models.inference.statistics import SEQUENCE_NOT_KNOWN


def table(replicates: int = 4, noise: float = 0.5, extra: str = "") -> bytes:
    """The delay moves throughput by 40, the MTU by 10, and they do not interact."""
    rng = np.random.default_rng(3)
    lines = [f"mtu_bytes,delay_us,workload,replicate,throughput_mbps{extra and ',kernel_version'}"]
    for mtu in (1500, 9000):
        for delay in (0, 100):
            for r in range(1, replicates + 1):
                value = 100 + 10 * (mtu > 1500) - 40 * (delay > 0) + noise * rng.standard_normal()
                lines.append(f"{mtu},{delay},udp,{r},{value!r}{extra and f',6.{r % 2}'}")
    return "\n".join(lines).encode()


def variance(client: Any, factors: str = "mtu_bytes,delay_us", **more: str) -> Any:
    query = {"measure": "throughput_mbps", "factors": factors, **more}
    return client.get("/api/experiments/lab/variance", params=query)


def test_variation_is_allocated(client: Any) -> None:
    client.upload(table(), "lab.csv")
    found = variance(client).json()
    by_name = {effect["name"]: effect for effect in found["effects"]}
    assert list(by_name) == ["mtu_bytes", "delay_us", "mtu_bytes × delay_us", "replicates"]
    assert by_name["delay_us"]["share_percent"] == pytest.approx(94, abs=1)
    assert by_name["mtu_bytes"]["share_percent"] == pytest.approx(6, abs=1)
    assert by_name["delay_us"]["p_value"] < 1e-6
    assert by_name["mtu_bytes × delay_us"]["p_value"] > 0.01
    assert by_name["replicates"]["f"] is None
    assert sum(e["share_percent"] for e in found["effects"]) == pytest.approx(100)
    assert (found["n"], found["left_out"], found["message"]) == (16, 0, SEQUENCE_NOT_KNOWN)


def test_single_runs_have_no_test(client: Any) -> None:
    client.upload(table(replicates=1), "lab.csv")
    found = variance(client).json()
    assert all(effect["p_value"] is None for effect in found["effects"])
    assert "It takes two runs or more of each setting" in found["message"]


@pytest.mark.parametrize(
    ("request_", "code", "words"),
    [
        ({"factors": "mtu_bytes"}, "two_factors", "mtu_bytes,delay_us"),
        ({"factors": "mtu_bytes,mtu_bytes"}, "unknown_factor", "factors are"),
        ({"factors": "mtu_bytes,colour"}, "unknown_factor", "factors are"),
        ({"measure": "throughput"}, "unknown_measure", "throughput_mbps"),
        ({"measure": "drops"}, "not_available", "measures"),
        ({"factors": "mtu_bytes,workload"}, "factors_vary", "delay_us: 0, 100"),
        ({"factors": "mtu_bytes,workload", "delay_us": "0"}, "no_variance", "Choose levels"),
        ({"colour": "red"}, "unknown_factor", "factors are"),
    ],
)
def test_wrong_analyses(client: Any, request_: dict[str, str], code: str, words: str) -> None:
    client.upload(table(), "lab.csv")
    answer = variance(client, **request_)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (422, code)
    assert words in error["advice"]


def test_a_further_factor_is_not_taken_for_chance(client: Any) -> None:
    client.upload(table(extra="kernel"), "lab.csv")
    assert variance(client).json()["error"]["code"] == "factors_vary"
    assert variance(client, kernel_version="6.1").json()["n"] == 8


def plan(client: Any, width: float = 1, **more: str) -> Any:
    query = {"measure": "throughput_mbps", "width_percent": width, **more}
    return client.get("/api/experiments/lab/replication-plan", params=query)


def test_replicates_are_planned(client: Any) -> None:
    lines = ["delay_us,replicate,throughput_mbps"]
    lines += [f"0,{r},{v}" for r, v in enumerate((99, 100, 101), 1)]  # sd 1
    lines += [f"50,{r},{v}" for r, v in enumerate((90, 100, 110), 1)]  # sd 10
    lines += ["100,1,100"]  # unknown
    client.upload("\n".join(lines).encode(), "lab.csv")
    found = plan(client, 2).json()
    assert [cell["factors"]["delay_us"] for cell in found["cells"]] == [50, 100, 0]
    noisy, single, quiet = found["cells"]
    # t(0.975, n − 1) 0.01/√n ≤ 0.02: 4.303/√3 = 2.48 is too much, 3.182/√4 = 1.59 is not
    assert (quiet["n"], quiet["needed"], quiet["more"]) == (3, 4, 1)
    assert quiet["width_percent"] == pytest.approx(100 * 4.3027 * 0.01 / math.sqrt(3), rel=1e-4)
    assert noisy["needed"] > 90
    assert (single["borrowed"], single["width_percent"]) == (True, None)
    assert found["runs_to_add"] == sum(cell["more"] for cell in found["cells"])
    assert plan(client, 2, delay_us="0").json()["runs_to_add"] == 1


@pytest.mark.parametrize("path", ["replication-plan?width_percent=1&", "replicates?"])
def test_an_answer_in_pieces_is_the_one_that_it_is_whole(
    client: Any, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    client.upload(table(), "lab.csv")
    asked = f"/api/experiments/lab/{path}measure=throughput_mbps"
    whole = client.get(asked)
    assert len(whole.json()["cells"]) == 4
    monkeypatch.setattr(schemas, "_PER_PIECE", 3)
    assert client.get(asked).content == whole.content
    assert "content-length" not in whole.headers


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"width": 0}, "invalid_request"),
        ({"measure": "speed"}, "unknown_measure"),
        ({"measure": "drops"}, "no_such_cells"),
        ({"delay_us": "7"}, "no_such_cells"),
    ],
)
def test_wrong_plans(client: Any, request_: dict[str, Any], code: str) -> None:
    client.upload(table(), "lab.csv")
    answer = plan(client, **request_)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, code)


def test_single_runs_cannot_be_planned_from(client: Any) -> None:
    client.upload(table(replicates=1), "lab.csv")
    error = plan(client).json()["error"]
    assert error["code"] == "no_plan"
    assert "nothing is known of the spread" in error["message"]
    assert error["advice"] == "Measure a few settings three times first."


@pytest.mark.fault("P15")
def test_of_means_without_deviations_more_runs_are_not_asked_for(client: Any) -> None:
    lines = ["mtu_bytes,delay_us,n,throughput_mbps"]
    lines += [f"{mtu},{us},10,{mtu / 100 - us}" for mtu in (1500, 9000) for us in (0, 5)]
    client.upload("\n".join(lines).encode(), "lab.csv")
    error = plan(client).json()["error"]
    assert error["code"] == "no_plan"
    assert error["message"].startswith("Means of several runs came without their deviation")
    assert error["advice"] == "Store the single runs, or each mean with its deviation."
    found = variance(client).json()
    assert found["effects"][-1]["degrees_of_freedom"] == 0
    assert found["message"].startswith("Each setting has one value")


def replicates_recorded(client: Any, recorded: list[str]) -> dict[str, Any]:
    """Eight settings of four runs, noted in the order of their rows."""
    rng = np.random.default_rng(3)
    lines = ["delay_us,replicate,throughput_mbps,recorded_at"]
    rows = [(delay, r) for r in range(4) for delay in range(0, 80, 10)]
    for (delay, r), moment in zip(rows, recorded, strict=True):
        lines.append(f"{delay},{r},{100 + delay + 0.1 * rng.normal()},{moment}")
    assert client.upload("\n".join(lines).encode(), "timed.csv").status_code == 201
    query = {"measure": "throughput_mbps"}
    found: dict[str, Any] = client.get("/api/experiments/timed/replicates", params=query).json()
    return found


def test_cells_whose_runs_are_of_two_days_have_intervals_by_day(client: Any) -> None:
    days = [f"2026-01-{1 + k // 16:02}T10:{k:02}:00Z" for k in range(32)]
    found = replicates_recorded(client, days)
    assert found["independence"]["verdict"] == "by_cluster"
    values = [run["value"] for run in found["cells"][0]["replicates"]]
    halves = [(values[0] + values[1]) / 2, (values[2] + values[3]) / 2]
    low, high = found["cells"][0]["summary"]["ci95"]
    assert (high - low) / 2 == pytest.approx(12.7062 * abs(halves[1] - halves[0]) / 2, rel=1e-4)


def test_replicates_in_a_row_have_no_intervals(client: Any) -> None:
    in_a_row = [f"2026-01-01T10:{4 * (k % 8) + k // 8:02}:00Z" for k in range(32)]
    found = replicates_recorded(client, in_a_row)
    assert found["independence"]["verdict"] == "refused"
    assert all(cell["summary"]["ci95"] is None for cell in found["cells"])
    assert all(cell["summary"]["sd"] is not None for cell in found["cells"])
