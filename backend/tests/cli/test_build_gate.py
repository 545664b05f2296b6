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
        day: int | None = None,
    ) -> None:  # fmt: skip
        rng = np.random.default_rng(len(name) + ord(name[0]))
        when = "" if day is None else ",recorded_at"
        lines = [f"delay_us,driver_version,replicate,throughput_mbps,latency_us{when}"]
        for replicate in range(1, replicates + 1):
            for delay in delays:
                noise = 1 + spread * rng.standard_normal(2)
                mbps = 200 * throughput * (slow_at if delay else 1.0) * noise[0]
                us = 50 * latency * noise[1]
                row = f"{delay},{name},{replicate},{mbps:.9g},{us:.9g}"
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
    done = run(*GATE, "--where", "delay_us=0")
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
    refused = run(*typed)
    assert refused.returncode == 1
    assert "Say which with --better more or --better less." in refused.stderr
    assert run(*typed, "--better", "less").returncode == 0
