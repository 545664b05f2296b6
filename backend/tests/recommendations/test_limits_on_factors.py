# SPDX-License-Identifier: Apache-2.0
"""A limit on a factor says what may be chosen, and nothing of what is known."""

from typing import Any

import numpy as np
import pytest

MTUS, DELAYS = (1500, 4000, 9000), (0, 10, 25, 50, 100)
AIMS = {
    "cpu": [{"measure": "system_cpu_percent"}],
    "speed": [{"measure": "throughput_mbps"}],
}


def table(runs: int = 4, seed: int = 3, stopped: int | None = None) -> bytes:
    """Of a host where CPU falls with both, and nothing arrives at the delay `stopped`."""
    rng = np.random.default_rng(seed)
    lines = ["mtu_bytes,delay_us,replicate,throughput_mbps,system_cpu_percent"]
    for mtu in MTUS:
        for delay in DELAYS:
            for run in range(runs):
                chance = 1.0 + 0.02 * rng.standard_normal(2)
                speed = 0.0 if delay == stopped else 1000.0 * (1.0 - delay / 2000.0)
                cpu = (4.0 + 6e4 / mtu) * (1.0 + 20.0 / (10.0 + delay))
                lines.append(f"{mtu},{delay},{run + 1},{speed * chance[0]},{cpu * chance[1]}")
    return "\n".join(lines).encode()


def ask(client: Any, limit: float, aim: str = "cpu", **more: Any) -> dict[str, Any]:
    limits = [{"measure": "delay_us", "limit": "at most", "value": limit}]
    asked = {"aims": AIMS[aim], "constraints": limits, **more}
    answer = client.post("/api/experiments/lab/recommendations", json=asked)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def choices(found: dict[str, Any]) -> set[tuple[float, float]]:
    chosen = [found["candidates"][place]["factors"] for place in found["choices"]]
    return {(own["mtu_bytes"], own["delay_us"]) for own in chosen}


@pytest.mark.parametrize("aim", AIMS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_stricter_limit_takes_nothing_away_that_it_allows(
    client: Any, aim: str, seed: int
) -> None:
    client.upload(table(seed=seed), "lab.csv")
    looser = None
    for limit in (100, 50, 25, 10):
        found = ask(client, limit, aim, guarded=False)
        assert {c["factors"]["delay_us"] for c in found["candidates"]} <= set(range(limit + 1))
        chosen = choices(found)
        if looser is not None:
            assert {own for own in looser if own[1] <= limit} <= chosen
        looser = chosen


def test_what_is_set_now_may_lie_beyond_the_limit(client: Any) -> None:
    client.upload(table(), "lab.csv")
    now = {"mtu_bytes": 9000, "delay_us": 100}
    found = ask(client, 25, current=now, guarded=False)
    assert found["reference"] == now
    assert "was not measured" not in (found["message"] or "")
    change = next(e for e in found["effects"] if e["measure"] == "system_cpu_percent")
    assert change["change_percent"] > 0, "less wait costs more than what is set now"


def test_a_setting_beyond_the_limit_in_which_nothing_arrived_is_no_reason_to_refuse(
    client: Any,
) -> None:
    client.upload(table(stopped=100), "lab.csv")
    assert len(ask(client, 25, "speed")["candidates"]) == 9


def test_a_models_answer_is_compared_with_what_is_set_now(client: Any) -> None:
    limits = [{"measure": "delay_us", "limit": "at most", "value": 40}]
    asked = {
        "model": "request-response",
        "values": {"clients": 3},
        "over": {"mtu_bytes": [1500, 9000], "delay_us": [10, 20, 40, 80]},
        "aims": AIMS["speed"],
        "constraints": limits,
        "current": {"mtu_bytes": 9000, "delay_us": 80},
    }
    found = client.post("/api/recommendations", json=asked).json()
    assert found["reference"] == {"mtu_bytes": 9000, "delay_us": 80}
    assert {c["factors"]["delay_us"] for c in found["candidates"]} == {10, 20, 40}


def delays_only(speeds: dict[int, list[float]], late: bool = True) -> bytes:
    lines = ["delay_us,replicate,throughput_mbps,latency_p99_us"]
    for delay, own in speeds.items():
        tail = f",{50 + delay}" if late or delay < 200 else ","
        lines += [f"{delay},{k + 1},{speed}{tail}" for k, speed in enumerate(own)]
    return "\n".join(lines).encode()


def near(speed: float) -> list[float]:
    return [speed * (1 + 0.001 * k) for k in (-2, -1, 0, 1, 2)]


HOST = {0: near(700.0), 50: near(710.0), 100: near(720.0)}


def test_of_a_setting_in_which_some_runs_stopped_no_other_run_is_told(client: Any) -> None:
    client.upload(delays_only({**HOST, 200: [0.0, 0.0, 0.0, 0.0, 700.0]}), "lab.csv")
    now = {"delay_us": 200}
    found = ask(client, 100, "speed", current=now, guarded=False)
    assert found["reference"] == {"delay_us": 100}
    assert "(delay_us 200) was not measured with all that was asked about" in found["message"]
    bound = {"measure": "throughput_mbps", "limit": "within current", "value": 5}
    limits = [{"measure": "delay_us", "limit": "at most", "value": 100}, bound]
    asked = {"aims": AIMS["speed"], "constraints": limits, "current": now}
    refused = client.post("/api/experiments/lab/recommendations", json=asked)
    assert refused.status_code == 422
    assert "no limit of throughput_mbps can be held" in refused.json()["error"]["message"]


def test_what_is_set_now_and_lacks_a_measure_is_said(client: Any) -> None:
    client.upload(delays_only({**HOST, 200: near(650.0)}, late=False), "lab.csv")
    limits = [
        {"measure": "delay_us", "limit": "at most", "value": 100},
        {"measure": "latency_p99_us", "limit": "at most", "value": 170},
    ]
    asked = {"aims": AIMS["speed"], "constraints": limits, "current": {"delay_us": 200}}
    found = client.post("/api/experiments/lab/recommendations", json=asked).json()
    assert "was not measured with all that was asked about" in found["message"]


def test_settings_without_the_factor_take_no_neighbours_away(client: Any) -> None:
    lines = table(seed=1).decode().splitlines()
    with_adaptive = [f"{lines[0]},factor.adaptive_rx", *(f"{line},off" for line in lines[1:])]
    with_adaptive += [f"{mtu},,{k + 1},900,{20 + k},on" for mtu in MTUS for k in range(4)]
    answers = []
    for text in ("\n".join(lines), "\n".join(with_adaptive)):
        client.upload(text.encode(), "lab.csv")
        answers.append(choices(ask(client, 100, "speed", guarded=False)))
    assert answers[0] == answers[1] != set()
