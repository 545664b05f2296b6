# SPDX-License-Identifier: Apache-2.0
"""A setting that loses more than what is set now is not recommended unless that is asked for."""

from typing import Any

import pytest

from .test_recommendations import ask, best, delays

DROPS = {10: (0, 1, 0, 0), 40: (1, 0, 0, 2), 320: (40_000, 38_000, 41_000, 40_500)}
SPEED = {10: 940.0, 40: 941.0, 320: 941.0}
CPU = {10: 9.0, 40: 7.0, 320: 4.0}
COST = [{"measure": "system_cpu_s_per_gb"}]
LIMIT = {"measure": "delay_us", "limit": "at most", "value": 320}


def table(column: str = "drops", runs: int = 4) -> bytes:
    lines = [f"delay_us,workload,replicate,throughput_mbps,system_cpu_s_per_gb,{column}"]
    for delay, drops in DROPS.items():
        for r in range(runs):
            near = 1 + 0.0003 * (-1) ** r
            lines.append(f"{delay},tcp,{r},{near * SPEED[delay]},{near * CPU[delay]},{drops[r]}")
    return "\n".join(lines).encode()


def cheapest(client: Any, **more: Any) -> Any:
    answer = ask(client, COST, constraints=[LIMIT, *more.pop("bounds", [])], **more)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("runs", [1, 2, 3, 4])
@pytest.mark.parametrize("column", ["drops", "datagrams_lost", "retransmitted_segments"])
def test_a_setting_that_begins_to_lose_is_not_recommended(
    client: Any, column: str, runs: int
) -> None:
    client.upload(table(column, runs), "lab.csv")
    found = cheapest(client)
    assert best(found)["factors"]["delay_us"] == 40
    if runs > 2:
        assert delays(found, [found["answer"]]) == [40]
    guard = {"measure": column, "limit": "within current", "value": 10.0}
    assert guard in found["guards"]
    (far,) = (c for c in found["candidates"] if c["factors"]["delay_us"] == 320)
    assert far["allowed"] is False
    assert far["means"][column] > 38_000


def test_what_is_lost_stands_beside_what_is_gained(client: Any) -> None:
    """Unguarded, the answer is what it was; the drops are a cost of it."""
    client.upload(table(), "lab.csv")
    found = cheapest(client, guarded=False)
    assert delays(found, [found["answer"]]) == [320]
    lost = next(e for e in found["effects"] if e["measure"] == "drops")
    assert lost["answer"] == 39_875
    assert lost["change"] == 39_875 - 0.25
    assert lost["gain"] is False


def test_the_guard_is_adjusted_and_limits_may_be_absolute(client: Any) -> None:
    client.upload(table(), "lab.csv")
    wide = {"measure": "drops", "limit": "at most", "value": 50_000}
    found = cheapest(client, bounds=[wide])
    assert delays(found, [found["answer"]]) == [320]
    assert "drops" not in [guard["measure"] for guard in found["guards"]]
    narrow = {**wide, "value": 0}
    assert cheapest(client, bounds=[narrow])["best"] is None
    least = {"measure": "drops", "limit": "within", "value": 50}
    assert delays(cheapest(client, bounds=[least]), [0])[0] == 40
    already = cheapest(client, current={"delay_us": 320})
    assert delays(already, [already["answer"]]) == [320], "it loses no more than now"


def test_measures_of_ones_own_are_among_the_effects(client: Any) -> None:
    client.upload(table("measure.jitter"), "lab.csv")
    found = cheapest(client)
    assert delays(found, [found["answer"]]) == [320]
    own = next(e for e in found["effects"] if e["measure"] == "measure.jitter")
    assert own["answer"] == 39_875
    assert own["gain"] is None, "nothing says which direction of it is good"
