# SPDX-License-Identifier: Apache-2.0
"""coalescope runs."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

ANSWERS = (Path(__file__).parents[3] / "docs/command-answers.md").read_text(encoding="utf-8")


@pytest.fixture
def runs(run: Run, tmp_path: Path) -> list[str]:
    """Identities of four runs of an experiment."""
    rows = ["mtu_bytes,replicate,drops", "1500,1,3", "1500,2,90", "9000,1,4", "9000,2,5"]
    (tmp_path / "lab.csv").write_text("\n".join(rows))
    assert run("import", "lab.csv").returncode == 0
    listed = json.loads(run("runs", "list", "lab", "--json").stdout)
    assert listed["total"] == 4
    return [each["id"] for each in listed["runs"]]


@pytest.mark.fault("C7")
def test_a_run_that_is_retracted_counts_no_more_until_it_is_restored(
    run: Run, runs: list[str]
) -> None:
    surface = ("surface", "lab", "drops", "--json")

    def means() -> list[float]:
        return sorted(cell["mean"] for cell in json.loads(run(*surface).stdout)["cells"])

    assert means() == [4.5, 46.5]
    done = run("runs", "retract", runs[1], "--reason", "The switch was rebooting.")
    assert (done.returncode, done.stdout, done.stderr) == (0, "retracted 1 run\n", "")
    assert means() == [3, 4.5]
    text = run("runs", "list", "lab", "--state", "retracted").stdout
    assert runs[1] in text
    assert "mtu_bytes 1500" in text
    assert runs[0] not in text
    told = run("changes").stdout
    assert "command line" in told
    assert "retracted: The switch was rebooting." in told
    again = run("runs", "restore", runs[1], "--reason", "It was not.")
    assert again.stdout == "restored 1 run\n"
    assert means() == [4.5, 46.5]


def test_all_runs_are_changed_or_none(run: Run, runs: list[str]) -> None:
    absent = runs[0][:-1] + ("0" if runs[0][-1] != "0" else "1")
    done = run("runs", "retract", runs[0], absent, "--reason", "Both are wrong.")
    assert (done.returncode, done.stdout) == (1, "")
    assert f"There is no run {absent!r}." in done.stderr
    assert "`coalescope runs list EXPERIMENT` lists" in done.stderr
    assert "retracted" not in run("runs", "list", "lab").stdout


def test_what_is_in_that_state_already_is_refused(run: Run, runs: list[str]) -> None:
    done = run("runs", "restore", runs[0], "--reason", "It is right.")
    assert done.returncode == 1
    assert "The run is current already." in done.stderr


def test_each_run_has_the_members_that_the_document_names(run: Run, runs: list[str]) -> None:
    row = next(line for line in ANSWERS.splitlines() if line.startswith("| `runs list` |"))
    listed = json.loads(run("runs", "list", "lab", "--json").stdout)
    assert {name for each in listed["runs"] for name in each} | set(listed) == set(
        re.findall(r"`(\w+)`", row.split("|")[2])
    )
    assert len(listed["runs"]) == len(runs)


def test_a_list_is_chosen_and_cut(run: Run, runs: list[str]) -> None:
    text = run("runs", "list", "lab", "--limit", "1").stdout
    assert text.endswith("… and 3 more\n")
    chosen = run("runs", "list", "lab", "--where", "mtu_bytes=9000").stdout
    assert [uid in chosen for uid in runs] == [False, False, True, True]


@pytest.mark.fault("C7")
def test_what_a_run_says_wrongly_is_set_right(run: Run, runs: list[str]) -> None:
    chosen = ("runs", "list", "lab", "--where", "mtu_bytes=9000", "--json")
    done = run("runs", "correct", *runs[:2], "--set", "mtu_bytes=4000", "--reason", "Noted wrong.")
    assert (done.returncode, done.stdout, done.stderr) == (0, "corrected 2 runs\n", "")
    done = run("runs", "correct", runs[2], "--replicate", "7", "--reason", "Noted wrong.")
    assert done.stdout == "corrected 1 run\n"
    found = json.loads(run("runs", "list", "lab", "--json").stdout)["runs"]
    assert [(each["factors"], each["replicate"]) for each in found] == [
        ({"mtu_bytes": 4000}, 1),
        ({"mtu_bytes": 4000}, 2),
        ({"mtu_bytes": 9000}, 7),
        ({"mtu_bytes": 9000}, 2),
    ]
    assert "corrected: Noted wrong." in run("changes").stdout
    more = ("--set", "mtu_bytes=unknown", "--set", "workload=udp")
    assert run("runs", "correct", runs[2], *more, "--reason", "Nobody knows.").returncode == 0
    (left,) = json.loads(run(*chosen).stdout)["runs"]
    assert left["id"] == runs[3]


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("", "Say it with --set FACTOR=LEVEL or --replicate N."),
        ("--set mtu_bytes=big", "mtu_bytes is a number"),
        ("--set drops=3", "is a measure, not a factor"),
        ("--set utc_offset=+01:00", "'utc_offset' is not a factor"),
        ("--set mtu_bytes", "Write mtu_bytes=9000."),
        ("--set mtu_bytes=1500", "these factors and this replicate number already"),
        ("--set mtu_bytes=9000", "Replicate 1 of this cell is there already"),
    ],
)
def test_a_correction_that_is_none(run: Run, runs: list[str], typed: str, reason: str) -> None:
    before = run("runs", "list", "lab").stdout
    done = run("runs", "correct", runs[0], *typed.split(), "--reason", "x")
    assert (done.returncode, done.stdout) == (1, "")
    assert reason in done.stderr
    assert run("runs", "list", "lab").stdout == before


def test_several_runs_have_no_one_number(run: Run, runs: list[str]) -> None:
    done = run("runs", "correct", *runs, "--replicate", "3", "--reason", "x")
    assert done.returncode == 1
    assert "one run at a time" in done.stderr


@pytest.mark.parametrize("reason", ["", "  ", "a\x1b[2J", "x" * 2001])
def test_a_reason_that_is_none(run: Run, reason: str) -> None:
    with pytest.raises(SystemExit) as ended:
        run("runs", "retract", "x", "--reason", reason)
    assert ended.value.code == 2


def test_nothing_is_made_where_there_is_nothing(run: Run, tmp_path: Path) -> None:
    done = run("runs", "retract", "x", "--reason", "It is wrong.", "--data", tmp_path / "none")
    assert done.returncode == 1
    assert not (tmp_path / "none").exists()
