# SPDX-License-Identifier: Apache-2.0
"""What commands end with is what their help says; `run` and `process` look at it in each test."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from coalescope.cli.exit_statuses import statuses_of

from .conftest import parsers, statuses_told

Run = Callable[..., Any]
LOGS = Path(__file__).parents[3] / "driver" / "testdata"
WORSE = "compare lab --split delay_us=0:300 --measure latency_us --fail-if-worse"


@pytest.mark.parametrize("command", parsers())
def test_help_tells_each_status(command: str) -> None:
    assert statuses_told(command) == set(statuses_of(command.split(maxsplit=1)[0]))


@pytest.fixture
def lab(run: Run, tmp_path: Path) -> None:
    rows = ["delay_us,replicate,block,throughput_mbps,latency_us"]
    for delay, speed, latency in ((0, 150, 60), (300, 140, 400)):
        rows += [f"{delay},{r},1,{speed + r},{latency + r}" for r in range(4)]
    (tmp_path / "lab.csv").write_text("\n".join(rows))
    entangled = "mtu_bytes,delay_us,replicate,throughput_mbps\n1500,0,1,150\n9000,300,1,160\n"
    (tmp_path / "odd.csv").write_text(entangled)
    (tmp_path / "bad.csv").write_text("no,table\n")
    assert run("import", "lab.csv", "odd.csv").returncode == 0


@pytest.mark.parametrize(
    ("typed", "status", "meaning"),
    [
        ("recommend lab --minimise latency_us", 0, "done"),
        ("recommend odd --maximise throughput_mbps", 1, "no setting is recommended"),
        ("fit lab cpu-overhead", 1, "the input is wrong"),
        ("check bad.csv", 1, "a file is refused"),
        (f"check {LOGS / 'cut-off.runlog'}", 1, "cut off"),
        ("import bad.csv lab.csv", 1, "not all of the files are stored"),
        ("upload lab.csv --server http://127.0.0.1:9", 1, "has not taken all of the files"),
        ("experiments --data none", 1, "the input is wrong"),
        (WORSE, 3, "B is worse in a measure"),
        (f"{WORSE} --allow 900%", 0, "B is worse in no measure"),
        ("compare odd lab --measure throughput_mbps --fail-if-worse", 4, "it is not known"),
    ],
)
def test_what_commands_end_with(run: Run, lab: None, typed: str, status: int, meaning: str) -> None:
    done = run(*typed.split())
    assert done.returncode == status, done.stdout + done.stderr
    assert meaning in statuses_of(typed.split(maxsplit=1)[0])[status]


def test_a_store_that_is_not_whole(run: Run, lab: None, tmp_path: Path) -> None:
    (kept,) = [path for path in (tmp_path / "data").rglob("*.csv") if "lab" not in path.name][:1]
    kept.unlink()
    done = run("verify")
    assert done.returncode == 1
    assert "missing" in statuses_of("verify")[1]
