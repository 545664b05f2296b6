# SPDX-License-Identifier: Apache-2.0
"""Recommendations over HTTP, from runs and from models."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from coalescope.recommendations import endpoints
from coalescope.recommendations.forms import FORMS
from coalescope.recommendations.from_runs import advise

# delay: throughput, CPU seconds per GB
NFS = {10: (198.0, 15.6), 40: (200.0, 13.2), 100: (183.0, 12.0), 320: (133.0, 11.0)}


def table(replicates: int = 6, noise: float = 0.004, workload: str = "nfs") -> bytes:
    rng = np.random.default_rng(2)
    lines = ["delay_us,workload,replicate,throughput_mbps,system_cpu_s_per_gb"]
    for delay, values in NFS.items():
        for r in range(1, replicates + 1):
            a, b = (v * (1 + noise * rng.standard_normal()) for v in values)
            lines.append(f"{delay},{workload},{r},{a!r},{b!r}")
    return "\n".join(lines).encode()


FAST = [{"measure": "throughput_mbps"}]
CHEAP = [{"measure": "system_cpu_s_per_gb"}]


def ask(client: Any, aims: Any = FAST, slug: str = "lab", **more: Any) -> Any:
    return client.post(f"/api/experiments/{slug}/recommendations", json={"aims": aims, **more})


def best(found: dict[str, Any]) -> dict[str, Any]:
    return found["candidates"][found["best"]]


def delays(found: dict[str, Any], places: list[int]) -> list[float]:
    return [found["candidates"][place]["factors"]["delay_us"] for place in places]


def test_what_is_better_follows_from_the_quantity(client: Any) -> None:
    client.upload(table(), "lab.csv")
    fast, cheap = ask(client).json(), ask(client, CHEAP).json()
    assert best(fast)["factors"]["delay_us"] == 40
    assert best(cheap)["factors"]["delay_us"] == 40, "with the throughput within 1 % of its best"
    alone = ask(client, CHEAP, guarded=False).json()
    assert best(alone)["factors"]["delay_us"] == 320
    assert best(fast)["surely_allowed"] is True
    assert best(fast)["n"] == 6
    assert best(fast)["gain_percent"] == 100
    assert (fast["experiment"], fast["model"], fast["commands"]) == ("lab", None, None)
    assert best(ask(client, [{**FAST[0], "sense": "less"}]).json())["factors"]["delay_us"] == 320


def test_the_same_question_about_the_same_data_is_answered_once(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A view asks it each time that it is opened; other data, or another question, are new."""
    asked = []

    def counted(*about: Any) -> Any:
        asked.append(about)
        return advise(*about)

    monkeypatch.setattr(endpoints, "advise", counted)
    client.upload(table(), "lab.csv")
    first = ask(client, CHEAP).json()
    assert ask(client, CHEAP).json() == first
    assert len(asked) == 1
    assert ask(client, CHEAP, guarded=False).json() != first
    assert len(asked) == 2
    run = client.get("/api/experiments/lab/runs").json()["runs"][0]["id"]
    assert client.post(f"/api/runs/{run}/retraction", json={"reason": "x"}).is_success
    assert ask(client, CHEAP).json()["data_version"] > first["data_version"]
    assert len(asked) == 3


def test_a_throughput_that_some_settings_lack_is_said_to_guard_nothing(client: Any) -> None:
    rows = [row.split(",") for row in table().decode().splitlines()]
    short = [",".join([*r[:3], "" if r[0] == "320" else r[3], r[4]]) for r in rows]
    client.upload("\n".join(short).encode(), "lab.csv")
    limit = [{"measure": "delay_us", "limit": "at most", "value": 320}]
    found = ask(client, CHEAP, constraints=limit).json()
    assert (found["guards"], best(found)["factors"]["delay_us"]) == ([], 320)
    (caution,) = found["cautions"]
    assert caution.startswith("throughput_mbps was measured in some of these settings only")
    whole = ask(client, CHEAP, constraints=[{**limit[0], "value": 100}]).json()
    assert ([g["measure"] for g in whole["guards"]], whole["cautions"]) == (["throughput_mbps"], [])
    assert ask(client, CHEAP, guarded=False).json()["cautions"] == []


def test_energy_is_a_goal_and_a_cost(client: Any) -> None:
    """It is guarded as CPU time is: the longest delay is not the answer."""
    client.upload(table().replace(b"system_cpu_s_per_gb", b"energy_j_per_gb"), "lab.csv")
    found = ask(client, [{"measure": "energy_j_per_gb"}]).json()
    assert best(found)["factors"]["delay_us"] == 40
    assert [guard["measure"] for guard in found["guards"]] == ["throughput_mbps"]


def test_a_trade_and_its_curve(client: Any) -> None:
    client.upload(table(noise=0.0005), "lab.csv")
    found = ask(client, [*FAST, *CHEAP]).json()
    assert delays(found, found["frontier"]) == [40, 100, 320]
    heavy = ask(client, [*FAST, {**CHEAP[0], "weight": 5}]).json()
    assert best(heavy)["factors"]["delay_us"] > 40


def test_a_balance_needs_no_weights(client: Any) -> None:
    client.upload(table(noise=0.0005), "lab.csv")
    found = ask(client, [*FAST, *CHEAP], goal="balance").json()
    assert best(found)["factors"]["delay_us"] == 100
    for aims, words in ((FAST, "two aims"), ([*FAST, {**CHEAP[0], "weight": 2}], "no weights")):
        refused = ask(client, aims, goal="balance")
        assert refused.status_code == 422
        assert words in refused.json()["error"]["message"]
    assert ask(client, [*FAST, *CHEAP], goal="knee").status_code == 422


def test_constraints_and_tolerance(client: Any) -> None:
    client.upload(table(), "lab.csv")
    bound = {"measure": "system_cpu_s_per_gb", "limit": "at most", "value": 12.5}
    found = ask(client, constraints=[bound], tolerance_percent=50).json()
    assert best(found)["factors"]["delay_us"] == 100
    assert delays(found, found["good_enough"]) == [100, 320]
    assert delays(found, [found["enough"]]) == [100]
    assert [c["allowed"] for c in found["candidates"]] == [True, True, False, False]
    none = ask(client, constraints=[{**bound, "value": 1}]).json()
    assert (none["best"], none["enough"]) == (None, None)
    assert "loosen one" in none["message"]


def test_the_commands_and_the_way_back(client: Any) -> None:
    client.upload(table(), "lab.csv")
    found = ask(client, interface="eth0", driver="igb").json()["commands"]
    assert "ethtool -C eth0 rx-usecs 10" in found["apply"]
    assert found["back"] == ["sh /run/coalescope-eth0.back"]
    assert [form["name"] for form in found["forms"]] == list(FORMS)
    assert found["refused"] == []
    older = ask(client, interface="eth0", driver="mana", kernel="6.12.0").json()["commands"]
    assert older["apply"] == []
    assert "cannot set rx-usecs" in older["refused"][0]
    assert ask(client, interface="eth0", driver="mana", kernel="new").status_code == 422
    assert found["notes"]


@pytest.mark.parametrize(
    ("request_", "code", "words"),
    [
        ({"aims": [{"measure": "rx_bytes"}]}, "no_better", "more or less"),
        ({"aims": [{"measure": "joy"}]}, "no_better", "glossary"),
        ({"aims": [{"measure": "latency_us"}]}, "not_available", "Measure it"),
        ({"aims": []}, "invalid_request", ""),
        ({"aims": [{**FAST[0], "weight": 0}]}, "invalid_request", ""),
        ({"where": {"delay_us": 10}}, "no_recommendation", "Without holding delay_us there are"),
        ({"where": {"delay_us": 7}}, "no_such_cells", "Levels there are: delay_us: 10, 40"),
        ({"interface": "eth0; reboot"}, "wrong_interface", "ip link"),
        ({"interface": "eth0", "driver": "$(reboot)"}, "wrong_driver", "ethtool -i"),
    ],
)
def test_what_is_refused(client: Any, request_: dict[str, Any], code: str, words: str) -> None:
    client.upload(table(), "lab.csv")
    answer = ask(client, **request_)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (422, code)
    assert words in error["advice"]


def test_traffic_is_not_for_choice(client: Any) -> None:
    client.upload(table(), "lab.csv")
    client.upload(table(workload="tcp"), "more.csv", experiment="lab")
    error = ask(client).json()["error"]
    assert (error["code"], "workload: nfs, tcp" in error["advice"]) == ("traffic_varies", True)
    assert best(ask(client, where={"workload": "tcp"}).json())["factors"]["workload"] == "tcp"


def test_single_values_are_ranked_only(client: Any) -> None:
    client.upload(table(replicates=1), "lab.csv")
    found = ask(client).json()
    assert best(found)["surely_allowed"] is None
    assert "Measure each setting at least three times" in found["message"]


# --- models

OVER = {"delay_us": [10, 20, 40, 80, 160, 320]}


def ask_model(client: Any, **more: Any) -> Any:
    body = {"model": "request-response", "values": {"mtu_bytes": 1500}, "over": OVER, "aims": FAST}
    return client.post("/api/recommendations", json={**body, **more})


def test_a_model_is_asked_without_data(client: Any) -> None:
    found = ask_model(client, interface="eth0", driver="e1000").json()
    assert best(found)["factors"] == {"delay_us": 40}
    assert best(found)["surely_allowed"] is None
    assert "without probabilities" in found["message"]
    assert (found["model"], found["experiment"]) == ("request-response", None)
    assert found["candidates"][found["answer"]]["factors"] == {"delay_us": 10}
    assert "RxAbsIntDelay=10" in "\n".join(found["commands"]["apply"])


def test_over_two_inputs(client: Any) -> None:
    over = {"mtu_bytes": [1500, 9000], "delay_us": [10, 640]}
    found = ask_model(client, values={}, over=over, aims=CHEAP).json()
    assert len(found["candidates"]) == 4
    assert best(found)["factors"] == {"mtu_bytes": 9000, "delay_us": 10}, "with its throughput"
    alone = ask_model(client, values={}, over=over, aims=CHEAP, guarded=False).json()
    assert best(alone)["factors"] == {"mtu_bytes": 9000, "delay_us": 640}


@pytest.mark.parametrize(
    ("request_", "status", "code"),
    [
        ({"model": "perpetual-motion"}, 422, "unknown_model"),
        ({"over": {}}, 422, "wrong_range"),
        ({"over": {"delay_us": [1]}}, 422, "wrong_range"),
        ({"over": {"delay_us": [1.5] * 50, "alpha": [1.0] * 50}}, 422, "wrong_range"),
        ({"over": {"mtu_bytes": [1500, 9000], **OVER}}, 422, "wrong_range"),
        ({"over": {"delay_us": [-1, 1]}}, 422, "out_of_domain"),
        ({"values": {}}, 422, "missing_input"),
        ({"aims": [{"measure": "drops"}]}, 422, "not_available"),
    ],
)
def test_wrong_questions(client: Any, request_: dict[str, Any], status: int, code: str) -> None:
    answer = ask_model(client, **request_)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def test_runs_in_a_row_are_ranked_without_probabilities(client: Any) -> None:
    head, *rows = table().decode().splitlines()
    lines = [f"{head},order", *(f"{row},{number}" for number, row in enumerate(rows))]
    client.upload("\n".join(lines).encode(), "lab.csv")
    found = ask(client).json()
    assert best(found)["factors"]["delay_us"] == 40
    assert best(found)["surely_allowed"] is None
    assert "one after another" in found["message"]


def test_a_model_keeps_limits_and_guards(client: Any) -> None:
    over = {"mtu_bytes": [1500, 9000], "delay_us": [10, 1000]}
    limits = [
        {"measure": "delay_us", "limit": "at least", "value": 1000},
        {"measure": "mtu_bytes", "limit": "at most", "value": 1500},
    ]
    kept = ask_model(client, values={}, over=over, constraints=limits)
    assert kept.status_code == 422, "one setting leaves no choice"
    two = ask_model(client, values={}, over=over, constraints=limits[:1]).json()
    assert {c["factors"]["delay_us"] for c in two["candidates"]} == {1000}
    guarded = ask_model(client, values={}, over=over, aims=CHEAP).json()
    assert [g["measure"] for g in guarded["guards"]] == ["throughput_mbps", "latency_us"]
    assert guarded["candidates"][guarded["answer"]]["factors"]["delay_us"] == 10


def with_latency(late: dict[int, float]) -> bytes:
    """The table with slow replies that take so long at each delay."""
    head, *rows = table(noise=0.001).decode().splitlines()
    lines = [f"{head},latency_p99_us"]
    for row in rows:
        delay, _, replicate, *_ = row.split(",")
        lines.append(f"{row},{late[int(delay)] * (1 + 0.002 * int(replicate))!r}")
    return "\n".join(lines).encode()


def test_latency_is_kept_near_what_it_is_now(client: Any) -> None:
    """40 is the cheapest that keeps the throughput, and is 15 % slower than 10."""
    client.upload(with_latency({10: 100.0, 40: 115.0, 100: 180.0, 320: 500.0}), "lab.csv")
    fast = {"measure": "throughput_mbps", "limit": "within", "value": 5}

    def cheapest(*limits: dict[str, Any], **more: Any) -> tuple[list[float], list[Any]]:
        found = ask(client, CHEAP, constraints=[fast, *limits], **more).json()
        return delays(found, [found["answer"]]), found["guards"]

    guard = {"measure": "latency_p99_us", "limit": "within current", "value": 10}
    assert cheapest() == ([10], [guard])
    assert cheapest({**guard, "value": 25}) == ([40], [])
    assert cheapest(current={"delay_us": 40}) == ([40], [guard]), "it is no slower than now"
    # who limits the delay has said how long a packet may wait
    assert cheapest({"measure": "delay_us", "limit": "at most", "value": 50}) == ([40], [])
    assert cheapest(guarded=False) == ([40], [])


def test_where_no_latency_is_known_a_limit_on_the_delay_is_asked_for(client: Any) -> None:
    client.upload(table(noise=0.001), "lab.csv")
    found = ask(client, CHEAP).json()
    assert found["answer"] is None
    assert [each["at_most"] for each in found["ask"]] == [40, 100]
    costs = [e for e in found["ask"][0]["effects"] if e["measure"] == "system_cpu_s_per_gb"]
    assert costs[0]["change_percent"] < -10
    assert costs[0]["ci95_percent"] is not None
    assert ask(client, FAST).json()["ask"] == [], "of throughput, a longer delay takes its share"


@pytest.mark.parametrize(
    "wait", ["factor.rx_frames", "factor.gro_flush_timeout_ns", "factor.napi_defer_hard_irqs"]
)
def test_whatever_makes_packets_wait_is_limited_as_a_delay_is(client: Any, wait: str) -> None:
    client.upload(table(noise=0.001).replace(b"delay_us", wait.encode()), "lab.csv")
    found = ask(client, CHEAP).json()
    assert found["answer"] is None
    assert [(each["factor"], each["at_most"]) for each in found["ask"]] == [(wait, 40), (wait, 100)]
    limited = ask(client, CHEAP, constraints=[{"measure": wait, "limit": "at most", "value": 40}])
    assert best(limited.json())["factors"][wait] == 40


def test_a_lower_rate_waits_longer(client: Any) -> None:
    """So the cheapest, at 10 a second, is no answer until somebody says how low it may be."""
    rates = table(noise=0.001).replace(b"delay_us", b"moderation_rate_hz")
    turned = [b"10", b"40", b"100", b"320"]
    for a, b in ((b"10", b"x"), (b"320", b"10"), (b"x", b"320"), (b"40", b"y"), (b"100", b"40"),
                 (b"y", b"100")):  # fmt: skip
        rates = rates.replace(b"\n" + a + b",", b"\n" + b + b",")
    assert all(b"\n" + rate + b"," in rates for rate in turned)
    client.upload(rates, "lab.csv")
    found = ask(client, CHEAP).json()
    assert (found["answer"], found["ask"]) == (None, [])
    assert "how long packets may wait by moderation_rate_hz" in found["message"]
    limit = {"measure": "moderation_rate_hz", "limit": "at least", "value": 100}
    limited = ask(client, CHEAP, constraints=[limit]).json()
    assert limited["candidates"][limited["answer"]]["factors"]["moderation_rate_hz"] >= 100


def beside(factor: str, levels: Sequence[int]) -> bytes:
    """The table with a second wait."""
    lines = table(noise=0.001).decode().splitlines()
    both = [f"{lines[0]},{factor}"]
    both += [f"{line},{level}" for line in lines[1:] for level in levels]
    return "\n".join(both).encode()


def test_frames_bound_no_time(client: Any) -> None:
    client.upload(beside("factor.rx_frames", (1, 8)), "lab.csv")
    limits = [{"measure": "factor.rx_frames", "limit": "at most", "value": 8}]
    asked = ask(client, CHEAP, constraints=limits).json()["ask"]
    assert {each["factor"] for each in asked} == {"delay_us"}
    limits += [{"measure": "delay_us", "limit": "at most", "value": 40}]
    assert ask(client, CHEAP, constraints=limits).json()["answer"] is not None


def test_two_waits_are_limited_one_after_the_other(client: Any) -> None:
    """A limit on the device's says nothing of the kernel's."""
    client.upload(beside("factor.gro_flush_timeout_ns", (0, 20_000)), "lab.csv")
    limits = [{"measure": "delay_us", "limit": "at most", "value": 40}]
    asked = ask(client, CHEAP, constraints=limits).json()["ask"]
    assert {each["factor"] for each in asked} == {"factor.gro_flush_timeout_ns"}
    limits += [{"measure": "factor.gro_flush_timeout_ns", "limit": "at most", "value": 0}]
    assert ask(client, CHEAP, constraints=limits).json()["answer"] is not None


def test_one_run_without_throughput_leaves_the_guard(client: Any) -> None:
    lines = table().decode().splitlines()
    lines[-1] = ",".join(["320", "nfs", "6", "", "11.0"])
    client.upload("\n".join(lines).encode(), "lab.csv")
    found = ask(client, CHEAP).json()
    assert [g["measure"] for g in found["guards"]] == ["throughput_mbps"]
    assert found["left_out"] == 1


def test_a_mean_is_that_of_the_surface_with_its_interval(client: Any) -> None:
    """One statistic for one quantity, wherever it stands."""
    client.upload(table(noise=0.3), "lab.csv")
    found = ask(client, guarded=False, current={"delay_us": "10"}).json()
    surface = client.get("/api/experiments/lab/surfaces/throughput_mbps").json()
    cells = {cell["x"]: cell for cell in surface["cells"]}
    for candidate in found["candidates"]:
        cell = cells[candidate["factors"]["delay_us"]]
        assert candidate["means"]["throughput_mbps"] == pytest.approx(cell["mean"], rel=1e-12)
        assert candidate["ci95"]["throughput_mbps"] == pytest.approx(cell["ci95"], rel=1e-12)


def test_what_is_set_now_is_asked_for_by_its_name(client: Any) -> None:
    client.upload(table(), "lab.csv")
    asked = ask(client, current={"delay": 40})
    assert asked.status_code == 422
    assert "no factor 'delay'" in asked.json()["error"]["message"]
    for level in (40, 40.0, "40"):
        found = ask(client, CHEAP, current={"delay_us": level}).json()
        assert found["reference"]["delay_us"] == 40


def test_what_is_set_now_and_was_not_measured_is_said(client: Any) -> None:
    client.upload(table(), "lab.csv")
    found = ask(client, CHEAP, current={"delay_us": 30}).json()
    assert found["reference"]["delay_us"] == 40
    assert (
        "What is set now (delay_us 30) was not measured; changes are against delay_us 40."
        in found["message"]
    )
    measured = ask(client, CHEAP, current={"delay_us": 40}).json()
    assert "was not measured" not in (measured["message"] or "")
