# SPDX-License-Identifier: Apache-2.0
"""Nonlinear fits over HTTP: known parameters come back, from factors and from what follows."""

from typing import Any
from unittest import mock

import numpy as np
import pytest
from coalescope.fits import nonlinear
from coalescope_models.catalogue import evaluate, find

ALPHA_TO_GAMMA = ("alpha", "beta", "gamma")
TRUE = {"clients": 5.0, "idle_us": 300.0, "delay_waits": 1.5}
FIT = {"model": "request-response", "output": "throughput_mbps", "free": ["idle_us", "delay_waits"]}


def table(
    delay: str = "delay_us", replicates: int = 4, noise: float = 0.005, kernels: int = 1
) -> bytes:
    """Runs of a host that follows the request-response model with known parameters."""
    rng = np.random.default_rng(5)
    lines = [f"mtu_bytes,{delay},workload,kernel_version,replicate,throughput_mbps"]
    for mtu in (1500, 3000, 9000):
        for level in (0, 20, 50, 100, 200, 500):
            us = 1.024 * level if delay == "delay_ticks" else float(level)
            model = find("request-response")
            found = evaluate(model, {"mtu_bytes": float(mtu), "delay_us": us, **TRUE})
            for kernel in range(kernels):
                for replicate in range(1, replicates + 1):
                    value = found["throughput_mbps"] * (1 + noise * rng.standard_normal())
                    lines.append(f"{mtu},{level},nfs,6.{kernel},{replicate},{value!r}")
    return "\n".join(lines).encode()


def fit(client: Any, slug: str = "lab", **request: Any) -> Any:
    body = {**FIT, "held": {"clients": 5}, "resamples": 200, **request}
    return client.post(f"/api/experiments/{slug}/nonlinear-fits", json=body)


@pytest.mark.parametrize("delay", ["delay_us", "delay_ticks"])
def test_known_parameters_come_back(client: Any, delay: str) -> None:
    client.upload(table(delay), "lab.csv")
    found = fit(client).json()
    assert (found["method"], found["output"], found["n"]) == ("nonlinear", "throughput_mbps", 18)
    assert found["sources"] == {"delay_us": [delay], "mtu_bytes": ["mtu_bytes"]}
    assert found["bootstrap"]["unit"] == "replicates"
    for name in FIT["free"]:
        low, high = found["estimates"][name]["ci95"]
        assert found["estimates"][name]["value"] == pytest.approx(TRUE[name], rel=0.02)
        assert low < TRUE[name] < high
    assert len(found["residuals"]) == 18
    assert found["residuals"][0]["factors"]["mtu_bytes"] == 1500


def test_what_the_output_depends_on_and_nobody_measured_is_told(client: Any) -> None:
    """Of a reply's packets, bursts and CPU costs the defaults decide what idle time is found."""
    client.upload(table(), "lab.csv")
    found = fit(client).json()
    costs = {name: find("request-response").defaults[name] for name in ("alpha", "beta", "gamma")}
    assert found["assumed"] == {
        **costs, "clients": 5, "reply_bytes": 8296, "small_packets": 0.5, "burst_rate_mbps": 240,
    }  # fmt: skip
    assert found["held"] == {"clients": 5}
    idle = found["estimates"]["idle_us"]["value"]
    other = fit(client, held={"clients": 5, "reply_bytes": 4096}).json()["estimates"]["idle_us"]
    low, high = other["ci95"] or other["ci95_if_independent"]
    assert not low < idle < high, "what is held matters"
    missing = fit(client, where={"mtu_bytes": "1500"}, output="lone_interrupts",
                  response="throughput_mbps", free=["small_packets"]).json()  # fmt: skip
    assert missing["assumed"] == {"reply_bytes": 8296, "burst_rate_mbps": 240}


def test_without_replicates_the_curvature_gives_intervals(client: Any) -> None:
    client.upload(table(replicates=1), "lab.csv")
    found = fit(client).json()
    assert (found["bootstrap"]["resamples"], found["bootstrap"]["unit"]) == (0, "rows")
    low, high = found["estimates"]["idle_us"]["ci95"]
    assert low < 300 < high


def test_factors_are_held_or_pooled(client: Any) -> None:
    client.upload(table(kernels=2, replicates=2), "lab.csv")
    assert fit(client).json()["n"] == 36
    held = fit(client, where={"kernel_version": "6.1"}).json()
    assert (held["n"], held["where"]) == (18, {"kernel_version": "6.1"})
    pooled = fit(client, pooled=["kernel_version"]).json()
    assert (pooled["n"], pooled["bootstrap"]["strata"]) == (18, 18)
    assert len(pooled["residuals"]) == 18


def test_parameters_that_do_not_matter_are_refused_by_name(client: Any) -> None:
    client.upload(table(), "lab.csv")
    found = fit(client, free=["idle_us", "alpha"]).json()
    assert not found["identifiable"]
    assert "cannot be told apart" in found["message"]
    assert found["estimates"]["alpha"]["value"] is None


USER = {
    "format": 1,
    "title": "Falls with the delay",
    "inputs": [{"name": "d", "source": "delay_us"}],
    "parameters": [
        {"name": "top", "default": 100, "lo": 1, "hi": 1000},
        {"name": "slope", "default": 0.1, "lo": 0, "hi": 10},
    ],
    "graph": {
        "format": 1,
        "inputs": ["d", "top", "slope"],
        "nodes": [
            ["input", 0],
            ["input", 1],
            ["input", 2],
            ["mul", 0, 2],
            ["const", 1.0],
            ["add", 3, 4],
            ["div", 1, 5],
        ],
        "outputs": {"throughput_mbps": 6},
    },
}


def test_a_users_model_is_fitted_as_any_other(client: Any) -> None:
    lines = ["delay_us,replicate,throughput_mbps"]
    lines += [f"{d},{r},{400 / (1 + 0.02 * d)!r}" for d in (0, 10, 40, 90) for r in (1, 2)]
    client.upload("\n".join(lines).encode(), "lab.csv")
    free = ["top", "slope"]
    found = fit(client, model=USER, free=free, held={}).json()
    assert found["model"] == "user-model"
    assert found["estimates"]["top"]["value"] == pytest.approx(400, rel=1e-6)
    assert found["estimates"]["slope"]["value"] == pytest.approx(0.02, rel=1e-6)
    assert found["sources"] == {"d": ["delay_us"]}


@pytest.mark.parametrize(
    ("request_", "status", "code"),
    [
        ({"model": "perpetual-motion"}, 422, "unknown_model"),
        ({"output": "happiness"}, 422, "wrong_fit"),
        ({"output": "reply_cycle_us"}, 422, "no_such_response"),
        ({"response": "drops"}, 422, "not_available"),
        ({"free": ["patience"]}, 422, "wrong_fit"),
        ({"free": ["clients"]}, 422, "wrong_fit"),
        ({"free": []}, 422, "invalid_request"),
        ({"pooled": ["colour"]}, 422, "unknown_factor"),
        ({"pooled": ["delay_us"]}, 422, "wrong_fit"),
        ({"where": {"mtu_bytes": 1492}}, 422, "no_such_cells"),
        ({"resamples": 10_001}, 422, "invalid_request"),
        ({"model": "moderation-trade", "output": "idle_cpu_percent"}, 422, "not_available"),
        (
            {"model": "cpu-overhead-surface", "output": "system_cpu_per_gb", "free": ["beta"],
             "response": "throughput_mbps", "held": {"packet_fill": 1}},
            422, "not_available",
        ),
    ],
)  # fmt: skip
def test_wrong_requests(client: Any, request_: dict[str, Any], status: int, code: str) -> None:
    client.upload(table(replicates=1), "lab.csv")
    answer = fit(client, **request_)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert answer.json()["error"]["advice"]


def test_too_much_work_is_refused_with_a_way_out(client: Any) -> None:
    lines = ["delay_us,mtu_bytes,replicate,throughput_mbps"]
    lines += [f"{d},1500,{r},{200 - d / 100}" for d in range(200) for r in (1, 2)]
    client.upload("\n".join(lines).encode(), "lab.csv")
    with mock.patch.object(nonlinear, "_MOST_WORK", 1_000_000):
        assert fit(client).json()["error"]["code"] == "too_much_work"
    error = fit(client, resamples=10_000).json()["error"]
    assert (error["code"], "at most " in error["advice"]) == ("too_many_draws", True)


def falling(wave: float) -> bytes:
    """Means of five runs, 1 % apart, that follow the user's model, or do so in waves."""
    lines = ["delay_us,n,throughput_mbps,throughput_mbps_sd"]
    for k, d in enumerate(range(0, 300, 15)):
        value = 400 / (1 + 0.02 * d) * (1 + wave * (-1) ** k)
        lines.append(f"{d},5,{value!r},{0.01 * value!r}")
    return "\n".join(lines).encode()


def test_means_that_say_how_their_runs_scattered_reject_a_model(client: Any) -> None:
    for slug, wave in (("lab", 0.05), ("sound", 0.0)):
        assert client.upload(falling(wave), f"{slug}.csv").status_code == 201
        found = fit(client, slug, model=USER, free=["top", "slope"], held={}).json()
        misfit = found["diagnostics"]["lack_of_fit"]
        assert (misfit["model_degrees_of_freedom"], misfit["noise_degrees_of_freedom"]) == (18, 80)
        assert misfit["rejected"] == (wave > 0), slug
        assert ("reject the model" in (found["message"] or "")) == (wave > 0)
        assert ("farthest off at delay_us" in (found["message"] or "")) == (wave > 0)
    lines = [line.split(",") for line in falling(0.05).decode().splitlines()]
    client.upload("\n".join(",".join(own[:3]) for own in lines).encode(), "bare.csv")
    nothing = fit(client, "bare", model=USER, free=["top", "slope"], held={}).json()
    assert nothing["diagnostics"]["lack_of_fit"] is None, "control: without a deviation"
