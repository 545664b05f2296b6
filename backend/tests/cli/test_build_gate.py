# SPDX-License-Identifier: Apache-2.0
"""compare --fail-if-worse: what passes, what fails, and what nobody can know."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Run = Callable[..., Any]
Write = Callable[..., None]

BOTH = ("--measure", "throughput_mbps", "--measure", "latency_us")
GATE = ("compare", "old", "new", *BOTH, "--fail-if-worse")


@pytest.fixture
def write(run: Run, tmp_path: Path) -> Write:
    """Import an experiment of two settings: throughput around 200, latency around 50."""

    def written(
        name: str, throughput: float = 1.0, latency: float = 1.0, *, replicates: int = 6,
        delays: tuple[int, ...] = (0, 100), spread: float = 0.003, slow_at: float = 1.0,
        day: int | None = 1, more: str = "",
    ) -> None:  # fmt: skip
        rng = np.random.default_rng(len(name) + ord(name[0]))
        when = "" if day is None else ",recorded_at"
        named, _, level = more.partition("=")
        own = (f",{named}", f",{level}") if more else ("", "")
        head = "delay_us,driver_version,replicate,throughput_mbps,latency_us"
        lines = [f"{head}{own[0]}{when}"]
        for replicate in range(1, replicates + 1):
            for delay in delays:
                noise = 1 + spread * rng.standard_normal(2)
                mbps = 200 * throughput * (slow_at if delay else 1.0) * noise[0]
                us = 50 * latency * noise[1]
                row = f"{delay},{name},{replicate},{mbps:.9g},{us:.9g}{own[1]}"
                minute = len(lines)
                at = "" if day is None else f",2026-01-{day:02}T10:{minute:02}:00Z"
                lines.append(row + at)
        (tmp_path / f"{name}.csv").write_text("\n".join(lines))
        (tmp_path / "none").mkdir(exist_ok=True)
        none = str(tmp_path / "none")
        done = run("import", f"{name}.csv", "--experiment", name, COALESCOPE_DATASETS_DIR=none)
        assert done.returncode == 0, done.stderr

    return written


def test_nothing_is_worse(run: Run, write: Write) -> None:
    write("old")
    write("new", throughput=1.1, latency=0.9)
    done = run(*GATE)
    assert (done.returncode, done.stderr) == (0, "")
    assert "throughput_mbps is not worse by more than 0 %. B over A is 1.1" in done.stdout
    assert "more is better." in done.stdout
    assert "latency_us is not worse by more than 0 %. B over A is 0.9" in done.stdout
    assert "less is better." in done.stdout


@pytest.mark.parametrize(
    ("changed", "named"),
    [({"throughput": 0.9}, "throughput_mbps"), ({"latency": 1.1}, "latency_us")],
    ids=["less throughput", "more latency"],
)
def test_each_measure_is_worse_in_its_own_direction(
    run: Run, write: Write, changed: dict[str, float], named: str
) -> None:
    write("old")
    write("new", **changed)
    done = run(*GATE, "--allow", "2%")
    assert done.returncode == 3
    assert done.stderr.startswith(
        f"coalescope: {named} is worse by more than 2 %: overall; delay_us"
    )
    assert done.stderr.count("\n") == 1
    other = {"throughput_mbps": "latency_us", "latency_us": "throughput_mbps"}[named]
    assert f"\n{other} is not worse by more than 2 %." in done.stdout
    allowed = run(*GATE, "--allow", "2%", "--allow", f"{named}=20%")
    assert (allowed.returncode, allowed.stderr) == (0, "")


def test_one_setting_that_is_worse_fails(run: Run, write: Write) -> None:
    write("old")
    write("new", throughput=1.2, slow_at=0.7)
    done = run(*GATE, "--allow", "2")
    assert done.returncode == 3
    assert "throughput_mbps is worse by more than 2 %: delay_us 100. B over A is" in done.stderr


def test_a_difference_within_chance_passes_and_says_so(run: Run, write: Write) -> None:
    write("old", spread=0.1)
    write("new", spread=0.1)
    done = run(*GATE)
    assert (done.returncode, done.stderr) == (0, "")
    assert "not worse beyond chance, and not shown to be as good: up to" in done.stdout
    assert "% worse is not ruled out, 0 % is allowed." in done.stdout


@pytest.mark.parametrize("better", [1.0, 1.5], ids=["the same", "better"])
def test_of_single_runs_it_is_not_known(run: Run, write: Write, better: float) -> None:
    """Not even where B looks better."""
    write("old", replicates=1)
    write("new", throughput=better, replicates=1)
    done = run(*GATE)
    assert done.returncode == 4
    assert "It is not known whether throughput_mbps is worse: Not every setting" in done.stderr
    assert "It is not known whether latency_us is worse" in done.stderr
    assert "is not worse" not in done.stdout + done.stderr


def test_of_two_sessions_it_is_not_known(run: Run, write: Write) -> None:
    """The runs of B may be slower for what else was different that day."""
    write("old", day=1)
    write("new", throughput=0.8, day=2)
    done = run(*GATE)
    assert done.returncode == 4
    assert "what differs between sessions cannot be told" in done.stderr


@pytest.mark.parametrize("throughput", [0.8, 1.2], ids=["worse", "better"])
def test_of_runs_that_do_not_say_when_it_is_not_known(
    run: Run, write: Write, throughput: float
) -> None:
    """They may be of two days, as those of a baseline that was kept; who knows better says so."""
    write("old", day=None)
    write("new", throughput=throughput, day=None)
    done = run(*GATE)
    assert done.returncode == 4
    assert "It is not known when every run was recorded" in done.stderr
    assert "--same-session" in done.stderr
    assert "is worse by" not in done.stderr
    assert run(*GATE, "--same-session").returncode == (3 if throughput < 1 else 0)


@pytest.mark.parametrize("sides", [(None, 1), (1, None)], ids=["a baseline", "a candidate"])
def test_one_side_that_does_not_say_when_is_enough(
    run: Run, write: Write, sides: tuple[int | None, int | None]
) -> None:
    write("old", day=sides[0])
    write("new", throughput=1.1, day=sides[1])
    assert run(*GATE).returncode == 4


def test_days_that_are_known_are_not_one_session(run: Run, write: Write) -> None:
    write("old", day=1)
    write("new", throughput=1.2, day=2)
    assert run(*GATE, "--same-session").returncode == 4


@pytest.mark.parametrize("throughput", [0.8, 1.2], ids=["worse", "better"])
@pytest.mark.parametrize(
    ("name", "levels"),
    [
        ("mtu_bytes", ("1500", "9000")),
        ("factor.adaptive_rx", ("off", "on")),
        ("napi_weight", ("32", "64")),
        ("frame_bytes", ("64", "1500")),
        ("workload", ("udp", "tcp")),
        ("factor.ring", ("256", "512")),
    ],
)
def test_settings_and_traffic_that_differ_throughout_are_not_known(
    run: Run, write: Write, name: str, levels: tuple[str, str], throughput: float
) -> None:
    """B measured none of A's settings: whether B is worse cannot be told from what they do."""
    for experiment, level in zip(("old", "new"), levels, strict=True):
        factor = throughput if experiment == "new" else 1.0
        write(experiment, throughput=factor, more=f"{name}={level}")
    done = run(*GATE)
    assert done.returncode == 4
    split = f"{name}={':'.join(levels)}"
    assert f"{name} is {levels[0]} in A and {levels[1]} in B" in done.stderr
    assert f"split {split} (--split on the command line)" in done.stderr
    assert run(*GATE, "--split", split).returncode == (3 if throughput < 1 else 0)


@pytest.mark.parametrize(
    ("name", "levels"),
    [
        ("kernel_version", ("6.1.0-a", "6.12.0-b")),
        ("host", ("left", "right")),
        ("factor.build", ("main", "topic")),
    ],
)
def test_builds_and_machines_may_differ(
    run: Run, write: Write, name: str, levels: tuple[str, str]
) -> None:
    for experiment, level in zip(("old", "new"), levels, strict=True):
        write(experiment, more=f"{name}={level}", throughput=1.1 if experiment == "new" else 1.0)
    assert run(*GATE, "--allow", "2%").returncode == 0


def test_a_setting_that_one_side_does_not_say_is_not_known(run: Run, write: Write) -> None:
    write("old")
    write("new", throughput=1.1, more="mtu_bytes=9000")
    done = run(*GATE)
    assert done.returncode == 4
    assert "mtu_bytes is not said in A and 9000 in B" in done.stderr
    assert "and say it of both." in done.stderr


def test_settings_that_are_missing_are_not_known(run: Run, write: Write) -> None:
    write("old")
    write("new", throughput=1.1, latency=0.9, delays=(0,))
    done = run(*GATE)
    assert done.returncode == 4
    assert "1 setting of A is not in B." in done.stderr
    chosen = run(*GATE, "--where", "delay_us=0")
    assert (chosen.returncode, chosen.stderr) == (0, "")


def test_a_measure_that_one_side_lacks_is_not_known(run: Run, write: Write, tmp_path: Path) -> None:
    write("old")
    (tmp_path / "new.csv").write_text(
        "delay_us,replicate,throughput_mbps\n" + "".join(f"0,{n},{300 + n}\n" for n in range(1, 4))
    )
    assert run("import", "new.csv").returncode == 0
    done = run(*GATE, "--where", "delay_us=0", "--same-session")
    assert done.returncode == 4
    said = "It is not known whether latency_us is worse: No cell of new with these levels has it"
    assert said.replace(" has it", " has latency_us.") in done.stderr
    assert "throughput_mbps is not worse" in done.stdout


def test_worse_comes_before_not_known(run: Run, write: Write, tmp_path: Path) -> None:
    write("old")
    write("new", throughput=0.5, delays=(0,))
    done = run(*GATE)
    assert done.returncode == 3
    assert "throughput_mbps is worse by more than 0 %: overall" in done.stderr
    assert "Of the rest it is not known: 1 setting of A is not in B." in done.stderr
    assert "It is not known whether latency_us is worse" in done.stderr


@pytest.fixture
def close(run: Run, tmp_path: Path) -> None:
    """Throughput is worse with p = 0.036, latency not at all."""
    for name, lower in (("old", 0.0), ("new", 0.2)):
        lines = ["delay_us,driver_version,replicate,throughput_mbps,latency_us,recorded_at"]
        for n, chance in enumerate((0.0, 0.4, 0.1, 0.3, 0.2, 0.25), 1):
            at = f"2026-01-01T10:{n:02}:{'00' if name == 'old' else '30'}Z"
            lines.append(f"0,{name},{n},{100 - lower + chance},{50 + chance},{at}")
        (tmp_path / f"{name}.csv").write_text("\n".join(lines))
        assert run("import", f"{name}.csv", "--experiment", name).returncode == 0


@pytest.mark.usefixtures("close")
def test_several_measures_are_corrected_for_their_number(run: Run) -> None:
    alone = run("compare", "old", "new", "--measure", "throughput_mbps", "--fail-if-worse")
    assert alone.returncode == 3
    done = run(*GATE)
    assert (done.returncode, done.stderr) == (0, "")
    said = (
        "throughput_mbps is not worse beyond what chance does to one of 2 measures, and not shown"
    )
    assert said in done.stdout
    found = json.loads(run(*GATE, "--json").stdout)
    mbps, latency = found["measures"]
    assert 0.05 < mbps["p_value"] < 0.1
    assert mbps["verdict"] == "within_chance"
    assert latency["p_value"] == 1
    assert not mbps["comparison"]["regression"]["found"]
    # without a gate, too
    one, other = json.loads(run("compare", "old", "new", *BOTH, "--json").stdout)
    by_itself = json.loads(run("compare", "old", "new", *BOTH[:2], "--json").stdout)
    assert (by_itself["overall_verdict"], one["overall_verdict"]) == ("worse", "unresolved")
    assert one["overall_ci95"] == by_itself["overall_ci95"]
    assert other["overall_verdict"] == "unresolved"
    assert "of 2 measures together" in run("compare", "old", "new", *BOTH).stdout


def test_several_factors_are_split(run: Run, write: Write) -> None:
    for experiment, ring in (("old", "256"), ("new", "512")):
        write(experiment, more=f"factor.ring={ring}", throughput=1.1 if ring == "512" else 1.0)
    both = ("--split", "factor.ring=256:512", "--split", "driver_version=old:new")
    assert run(*GATE, "--allow", "2%").returncode == 4
    assert run(*GATE, "--allow", "2%", *both).returncode == 0
    twice = run(*GATE, *both, "--split", "factor.ring=512:256")
    assert twice.returncode == 1
    assert "factor.ring is given with --split twice." in twice.stderr


def test_all_that_differs_is_named_with_its_splits(run: Run, write: Write, tmp_path: Path) -> None:
    write("old", more="factor.ring=256")
    write("new", more="factor.ring=512")
    for name, mtu in (("old", 1500), ("new", 9000)):
        table = (tmp_path / f"{name}.csv").read_text().splitlines()
        rows = [f"{table[0]},mtu_bytes", *(f"{row},{mtu}" for row in table[1:])]
        (tmp_path / f"{name}-mtu.csv").write_text("\n".join(rows))
        assert run("import", f"{name}-mtu.csv", "--experiment", f"{name}-mtu").returncode == 0
    done = run("compare", "old-mtu", "new-mtu", "--measure", "throughput_mbps", "--fail-if-worse")
    assert done.returncode == 4
    for split in ("factor.ring=256:512", "mtu_bytes=1500:9000"):
        assert f"split {split}" in done.stderr


def test_in_json(run: Run, write: Write) -> None:
    write("old")
    write("new", throughput=0.9)
    done = run(*GATE, "--allow", "2%", "--allow", "latency_us=5", "--json")
    found = json.loads(done.stdout)
    assert (found["status"], found["verdict"]) == (done.returncode, "worse") == (3, "worse")
    mbps, latency = found["measures"]
    assert (mbps["measure"], mbps["verdict"], mbps["allowed_percent"]) == (
        "throughput_mbps", "worse", 2,
    )  # fmt: skip
    assert mbps["comparison"]["regression"]["verdict"] == "worse"
    assert done.stderr == f"coalescope: {mbps['sentence']}\n"
    assert (latency["verdict"], latency["allowed_percent"]) == ("not_worse", 5)


def test_several_measures_without_a_gate_are_a_list(run: Run, write: Write) -> None:
    write("old")
    write("new")
    done = run("compare", "old", "new", *BOTH, "--json")
    assert [one["measure"]["name"] for one in json.loads(done.stdout)] == [
        "throughput_mbps", "latency_us",
    ]  # fmt: skip
    assert run("compare", "old", "new", *BOTH).stdout.count("B over A") == 2


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("compare", "old", "new", *BOTH, "--allow", "2%"), "no effect without --fail-if-worse"),
        (("compare", "old", "new", *BOTH, "--same-session"), "no effect without --fail-if-worse"),
        ((*GATE, "--allow", "drops=2%"), "--allow drops: that measure is not compared"),
        ((*GATE, "--allow", "2", "--allow", "3"), "--allow is given twice for all measures"),
        ((*GATE, "--better", "more"), "--better more does not say of which measure"),
        ((*GATE, "--measure", "driver_version"), "driver_version"),
        (("compare", "old", "lost", *BOTH, "--fail-if-worse"), "lost"),
    ],
)
def test_what_is_typed_wrong_is_neither(
    run: Run, write: Write, typed: tuple[str, ...], said: str
) -> None:
    write("old")
    write("new")
    done = run(*typed)
    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr


def test_neither_direction_is_better(run: Run, write: Write, tmp_path: Path) -> None:
    for name, octets in (("old", 1000), ("new", 900)):
        rows = "".join(f"0,{n},{octets + n}\n" for n in range(1, 4))
        (tmp_path / f"{name}.csv").write_text(f"delay_us,replicate,rx_bytes\n{rows}")
    assert run("import", "old.csv", "new.csv").returncode == 0
    typed = ("compare", "old", "new", "--measure", "rx_bytes", "--fail-if-worse")
    typed += ("--same-session",)
    refused = run(*typed)
    assert refused.returncode == 1
    assert "Say which with --better more or --better less." in refused.stderr
    assert run(*typed, "--better", "less").returncode == 0
