# SPDX-License-Identifier: Apache-2.0
"""Comparisons over HTTP: two experiments, two driver versions, and what counts as worse."""

from typing import Any

import numpy as np
import pytest


def table(
    factor: float = 1.0, version: str = "1.0", *, seed: int = 1, replicates: int = 8,
    measure: str = "throughput_mbps", delays: tuple[int, ...] = (0, 50, 100),
) -> bytes:  # fmt: skip
    rng = np.random.default_rng(seed)
    lines = [f"delay_us,driver_version,replicate,{measure}"]
    for delay in delays:
        for r in range(1, replicates + 1):
            value = factor * (200 - delay / 2) * (1 + 0.005 * rng.standard_normal())
            lines.append(f"{delay},{version},{r},{value!r}")
    return "\n".join(lines).encode()


def compare(client: Any, a: str = "old", b: str = "new", **more: Any) -> Any:
    query = {"a": a, "b": b, "measure": "throughput_mbps", "same_session": True, **more}
    return client.get("/api/comparisons", params=query)


def both(client: Any, factor: float, **more: Any) -> None:
    client.upload(table(**more), "old.csv")
    client.upload(table(factor, "1.1", seed=2, **more), "new.csv")


def test_two_driver_versions_in_two_experiments(client: Any) -> None:
    both(client, 0.9)
    found = compare(client, fail_if_worse_percent=5).json()
    assert found["differing"] == [{"factor": "driver_version", "a": "1.0", "b": "1.1"}]
    assert found["overall_ratio"] == pytest.approx(0.9, rel=0.01)
    low, high = found["overall_ci95"]
    assert low < 0.9 < high
    assert [cell["factors"] for cell in found["cells"]] == [{"delay_us": d} for d in (0, 50, 100)]
    assert {cell["verdict"] for cell in found["cells"]} == {"worse"}
    for cell in found["cells"]:
        assert cell["simultaneous_ci95"][0] < cell["ci95"][0]
        assert cell["ratio"] == pytest.approx(cell["b"]["mean"] / cell["a"]["mean"])
    assert (found["better"], found["overall_verdict"]) == ("more", "worse")
    assert found["regression"]["found"]
    assert len(found["regression"]["cells"]) == 3


def test_within_the_limit_is_no_regression(client: Any) -> None:
    both(client, 0.97)
    found = compare(client, fail_if_worse_percent=5).json()
    assert found["overall_verdict"] == "worse"
    assert found["regression"] == {
        "limit_percent": 5, "found": False, "verdict": "not_worse", "overall": False, "cells": [],
        "reason": None, "p_value": 1.0,
    }  # fmt: skip


def test_beside_other_measures_a_verdict_takes_more(client: Any) -> None:
    both(client, 0.97)
    alone = compare(client).json()
    assert alone["overall_verdict"] == "worse"
    assert 0 < alone["p_value"] < 0.05
    held = compare(client, level=alone["p_value"] / 2).json()
    assert held["overall_verdict"] == "unresolved"
    assert held["overall_ci95"] == alone["overall_ci95"]


def test_chance_is_no_regression(client: Any) -> None:
    both(client, 1.0)
    found = compare(client, fail_if_worse_percent=0).json()
    assert found["overall_verdict"] == "unresolved"
    assert not found["regression"]["found"]
    assert found["regression"]["verdict"] == "within_chance"


def test_an_interval_that_holds_the_limit_is_no_regression(client: Any) -> None:
    """Worse beyond chance, but not by more than allowed beyond chance."""
    both(client, 0.97, replicates=4)
    ratio = compare(client).json()["overall_ratio"]
    limit = 100 * (1 - ratio) - 0.01
    found = compare(client, fail_if_worse_percent=limit).json()
    assert found["overall_verdict"] == "worse"
    assert not found["regression"]["overall"]
    assert found["regression"]["verdict"] == "within_chance"


def test_settings_that_only_the_former_has_are_not_known(client: Any) -> None:
    client.upload(table(delays=(0, 50)), "old.csv")
    client.upload(table(1.1, "1.0", delays=(50,)), "new.csv")
    found = compare(client, fail_if_worse_percent=5).json()["regression"]
    assert (found["verdict"], found["found"]) == ("not_known", False)
    assert found["reason"].startswith("1 setting of A is not in B.")
    turned = compare(client, a="new", b="old", fail_if_worse_percent=5).json()["regression"]
    assert turned["verdict"] == "worse", "and more settings are none of its business"


def test_of_runs_at_no_known_time_it_is_not_known(client: Any) -> None:
    """They may be of two days, unless the asker says otherwise."""
    both(client, 0.9)
    found = compare(client, fail_if_worse_percent=5, same_session=False).json()
    assert (found["overall_verdict"], found["regression"]["verdict"]) == ("worse", "not_known")
    assert (found["regression"]["overall"], found["regression"]["cells"]) == (False, [])
    assert "same_session=true" in found["regression"]["reason"]


@pytest.mark.parametrize("order", [True, False])
def test_the_order_tells_the_sequence_within_one_experiment(client: Any, order: bool) -> None:
    rows = (table() + b"\n" + table(0.9, "1.1", seed=2).split(b"\n", 1)[1]).decode().splitlines()
    places = np.random.default_rng(1).permutation(len(rows) - 1)
    if order:
        ordered = zip(rows[1:], places, strict=True)
        rows = [f"{rows[0]},order", *(f"{row},{place + 1}" for row, place in ordered)]
    client.upload("\n".join(rows).encode(), "lab.csv")
    more = {"split": "driver_version=1.0:1.1", "fail_if_worse_percent": 5, "same_session": False}
    found = compare(client, a="lab", b="lab", **more).json()
    assert found["regression"]["verdict"] == ("worse" if order else "not_known")


@pytest.mark.parametrize("turns", [True, False])
def test_sides_one_after_the_other_say_that_a_drift_would_be_in_the_ratio(
    client: Any, turns: bool
) -> None:
    """Of two experiments the times tell it: these have no order in common."""
    delays = tuple(range(0, 80, 10))
    rng = np.random.default_rng(7)
    for side, version in enumerate(("1.0", "1.1")):
        sent = table(version=version, seed=side + 1, delays=delays, replicates=5)
        head, *rows = sent.decode().splitlines()
        minutes = (
            2 * rng.permutation(len(rows)) + side
            if turns
            else rng.permutation(len(rows)) + side * len(rows)
        )
        stamps = [f"2026-11-02T{8 + m // 60:02d}:{m % 60:02d}:00Z" for m in minutes]
        timed = [f"{row},{stamp}" for row, stamp in zip(rows, stamps, strict=True)]
        text = "\n".join([f"{head},recorded_at", *timed])
        client.upload(text.encode(), f"{('old', 'new')[side]}.csv")
    found = compare(client, same_session=False).json()
    assert found["overall_ci95"] is not None, found["message"]
    said = "One side was recorded wholly or mostly before the other, in one session"
    assert (found["message"] or "").startswith(said) is not turns


@pytest.mark.parametrize("set_back", [True, False])
def test_a_clock_set_back_within_one_of_two_experiments_leaves_the_order_unknown(
    client: Any, set_back: bool
) -> None:
    """By the clock both lie over the same hours, as if recorded in turns; by its numbers B's second
    half came after its first."""
    delays = tuple(range(0, 80, 10))
    rng = np.random.default_rng(7)
    for side, (slug, version) in enumerate((("old", "1.0"), ("new", "1.1"))):
        sent = table(0.9**side, version, seed=side + 1, delays=delays, replicates=5)
        head, *rows = sent.decode().splitlines()
        minutes = 2 * np.arange(len(rows)) + side
        if side and set_back:
            minutes = np.roll(minutes, len(rows) // 2)
        stamps = [f"2026-11-02T{8 + m // 60:02d}:{m % 60:02d}:00Z" for m in minutes]
        mixed = zip(rng.permutation(rows), range(1, len(rows) + 1), stamps, strict=True)
        lines = [f"{row},{order},{stamp}" for row, order, stamp in mixed]
        client.upload("\n".join([f"{head},order,recorded_at", *lines]).encode(), f"{slug}.csv")
    found = compare(client, fail_if_worse_percent=5, same_session=False).json()
    assert found["regression"]["verdict"] == ("not_known" if set_back else "worse")
    assert ("contradict each other" in (found["message"] or "")) is set_back


def test_a_mean_of_runs_says_nothing_of_when_they_were_recorded(client: Any) -> None:
    for slug, mean in (("old", 200), ("new", 220)):
        head = "delay_us,n,throughput_mbps,throughput_mbps_sd"
        rows = [f"{delay},8,{mean},1" for delay in (0, 50)]
        sent = client.upload("\n".join([head, *rows]).encode(), f"{slug}.csv")
        assert sent.status_code == 201, sent.text
    gate = {"fail_if_worse_percent": 5, "same_session": False}
    assert compare(client, **gate).json()["regression"]["verdict"] == "not_known"
    stated = compare(client, **{**gate, "same_session": True}).json()
    assert stated["regression"]["verdict"] == "not_worse"


def test_of_a_latency_less_is_better(client: Any) -> None:
    both(client, 1.2, measure="latency_us")
    found = compare(client, measure="latency_us", fail_if_worse_percent=10).json()
    assert (found["better"], found["overall_verdict"]) == ("less", "worse")
    assert found["regression"]["overall"]
    turned = compare(client, a="new", b="old", measure="latency_us").json()
    assert turned["overall_verdict"] == "better"
    assert turned["overall_ratio"] == pytest.approx(1 / found["overall_ratio"])
    assert turned["regression"] is None


def test_one_experiment_is_split_by_a_factor(client: Any) -> None:
    client.upload(table() + b"\n" + table(1.1, "1.1", seed=2).split(b"\n", 1)[1], "lab.csv")
    found = compare(client, a="lab", b="lab", split="driver_version=1.0:1.1").json()
    assert found["overall_ratio"] == pytest.approx(1.1, rel=0.01)
    assert found["a"]["where"] == {"driver_version": "1.0"}
    some = compare(client, a="lab", b="lab", split="driver_version=1.0:1.1", delay_us="50").json()
    assert len(some["cells"]) == 1


def test_settings_of_one_side_are_listed(client: Any) -> None:
    client.upload(table(delays=(0, 50)), "old.csv")
    client.upload(table(1.0, "1.0", delays=(50, 100)), "new.csv")
    found = compare(client).json()
    assert [cell["factors"]["delay_us"] for cell in found["cells"]] == [50]
    assert [f["delay_us"] for f in found["only_a"]] == [0]
    assert [f["delay_us"] for f in found["only_b"]] == [100]


def test_single_runs_have_ratios_without_intervals(client: Any) -> None:
    both(client, 0.8, replicates=1)
    found = compare(client, fail_if_worse_percent=10).json()
    assert found["overall_ci95"] is None
    assert found["overall_verdict"] == "unresolved"
    assert found["regression"]["verdict"] == "not_known"
    assert (found["regression"]["overall"], found["regression"]["cells"]) == (False, [])
    assert "Measure each setting at least three times." in found["regression"]["reason"]
    assert "do not say in which order" in found["message"]


@pytest.mark.fault("P15")
def test_means_without_deviations_are_not_called_single_runs(client: Any) -> None:
    rows = "".join(f"{delay},10,{200 - delay}\n" for delay in (0, 50, 100))
    client.upload(f"delay_us,n,throughput_mbps\n{rows}".encode(), "old.csv")
    client.upload(table(0.8, "1.1"), "new.csv")
    found = compare(client, fail_if_worse_percent=10).json()
    assert found["overall_ci95"] is None
    for words in (found["message"], found["regression"]["reason"]):
        assert "came without their deviation" in words
        assert "three times" not in words


@pytest.mark.parametrize(
    ("request_", "status", "code"),
    [
        ({"b": "nowhere"}, 404, "not_found"),
        ({"b": "old"}, 422, "nothing_to_compare"),
        ({"measure": "speed"}, 422, "unknown_measure"),
        ({"measure": "drops"}, 422, "no_such_cells"),
        ({"split": "driver_version"}, 422, "wrong_split"),
        ({"split": "driver_version=1.0:9.9"}, 422, "no_such_cells"),
        ({"colour": "red"}, 422, "unknown_factor"),
        ({"b": "far"}, 422, "not_comparable"),
        ({"measure": "rx_bytes", "fail_if_worse_percent": 5}, 422, "no_better"),
        ({"fail_if_worse_percent": -1}, 422, "invalid_request"),
    ],
)
def test_wrong_comparisons(client: Any, request_: dict[str, Any], status: int, code: str) -> None:
    both(client, 1.0)
    client.upload(table(delays=(7, 8)), "far.csv")
    for slug, octets in (("old", 1000), ("new", 1001)):
        text = f"delay_us,replicate,rx_bytes\n0,20,{octets}\n".encode()
        client.upload(text, f"{slug}-2.csv", experiment=slug)
    answer = compare(client, **request_)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert answer.json()["error"]["advice"]


def test_which_is_better_can_be_said(client: Any) -> None:
    both(client, 1.0)
    for slug, octets in (("old", 1000), ("new", 500)):
        rows = "".join(f"0,{20 + more},{octets + more}\n" for more in range(3))
        text = f"delay_us,replicate,rx_bytes\n{rows}".encode()
        client.upload(text, f"{slug}-2.csv", experiment=slug)
    query = {"measure": "rx_bytes", "better": "more", "fail_if_worse_percent": 5}
    assert compare(client, **query).json()["regression"]["overall"]


def recorded(content: bytes, days: list[int]) -> bytes:
    """The same table with the day of each run: replicate by replicate, the days in turn."""
    head, *rows = content.decode().splitlines()
    lines = [f"{head},recorded_at"]
    for number, row in enumerate(rows):
        day = days[(int(row.split(",")[2]) - 1) % len(days)]
        lines.append(f"{row},2026-01-{day:02}T10:{number:02}:00Z")
    return "\n".join(lines).encode()


def test_two_experiments_of_two_days_have_a_ratio_without_an_interval(client: Any) -> None:
    client.upload(recorded(table(), [1]), "old.csv")
    client.upload(recorded(table(0.9, "1.1", seed=2), [2]), "new.csv")
    found = compare(client, fail_if_worse_percent=0).json()
    assert found["overall_ratio"] == pytest.approx(0.9, rel=0.01)
    assert found["overall_ci95"] is None
    assert found["regression"]["verdict"] == "not_known"
    assert found["regression"]["reason"] == found["message"]
    assert {cell["verdict"] for cell in found["cells"]} == {"unresolved"}
    assert "what differs between sessions cannot be told" in found["message"]


def test_two_experiments_of_the_same_days_are_compared_within_them(client: Any) -> None:
    days = [1, 2, 3, 4]
    client.upload(recorded(table(), days), "old.csv")
    client.upload(recorded(table(0.9, "1.1", seed=2), days), "new.csv")
    found = compare(client).json()
    low, high = found["overall_ci95"]
    assert low < 0.9 < high
    assert found["message"] == "The intervals are made of the 4 sessions of the runs."


def test_levels_that_stand_for_each_other(client: Any) -> None:
    """A published workload and its emulation have two names: a split says that they are one."""
    for slug, workload in (("paper", "nfs"), ("testbed", "request_response")):
        rows = "".join(
            f"{mtu},{workload},{number},{mtu / 10 + number}\n"
            for mtu in (1500, 9000)
            for number in (1, 2, 3)
        )
        sent = f"mtu_bytes,workload,replicate,throughput_mbps\n{rows}"
        assert client.upload(sent.encode(), f"{slug}.csv").status_code == 201
    client.upload(
        b"mtu_bytes,workload,replicate,throughput_mbps\n1500,udp,1,9\n",
        "udp.csv",
        experiment="testbed",
    )
    asked = {"a": "paper", "b": "testbed", "measure": "throughput_mbps"}
    refused = client.get("/api/comparisons", params=asked)
    assert refused.status_code == 422
    assert "split workload=nfs:request_response" in refused.json()["error"]["advice"]
    split = {**asked, "split": "workload=nfs:request_response"}
    found = client.get("/api/comparisons", params=split).json()
    assert len(found["cells"]) == 2
    assert found["differing"]
