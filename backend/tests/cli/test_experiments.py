# SPDX-License-Identifier: Apache-2.0
"""coalescope experiments: list, rename, describe, delete and restore."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def lab(run: Run, tmp_path: Path) -> Run:
    """Two experiments of one's own beside those that are shipped."""
    for name, drops in (("lab", 3), ("other", 5)):
        table = f"mtu_bytes,replicate,drops\n1500,1,{drops}\n9000,1,4\n"
        (tmp_path / f"{name}.csv").write_text(table)
        assert run("import", f"{name}.csv").returncode == 0
    return run


def listed(run: Run) -> dict[str, str]:
    """Titles by name."""
    found = json.loads(run("experiments", "list", "--json").stdout)
    return {each["slug"]: each["title"] for each in found}


@pytest.mark.fault("C7")
def test_a_title_changes_and_the_name_stays(lab: Run) -> None:
    done = lab("experiments", "rename", "lab", "Two hosts")
    said = "lab is called 'Two hosts' now; its name, and every link to it, stays lab\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, said, "")
    assert listed(lab)["lab"] == "Two hosts"
    assert lab("experiments").stdout == lab("experiments", "list").stdout
    assert "lab: renamed to 'Two hosts'" in lab("changes").stdout


def test_the_table_says_how_many_factors_it_does_not_name(run: Run, tmp_path: Path) -> None:
    for first in (0, 64):
        names = ",".join(f"factor.a{number:03}" for number in range(first, first + 64))
        table = f"{names},replicate,drops\n{'1,' * 64}1,3\n"
        (tmp_path / f"{first}.csv").write_text(table)
        assert run("import", f"{first}.csv", "--experiment", "lab").returncode == 0
    (line,) = [each for each in run("experiments").stdout.splitlines() if each.startswith("lab ")]
    assert "× factor.a063 and 64 more" in line


def test_what_is_said_stays_until_it_is_removed(lab: Run) -> None:
    said = ("--citation", "Us 2026", "--how-made", "By hand.", "--note", "One.", "--note", "Two.")
    assert lab("experiments", "describe", "lab", *said).stdout == "described lab\n"
    more = ("--subtitle", "two hosts", "--how-made", "", "--note", "Three.", "--json")
    found = json.loads(lab("experiments", "describe", "lab", *more).stdout)
    assert (found["subtitle"], found["source"]) == (
        "two hosts",
        {
            "citation": "Us 2026",
            "url": None,
            "licence": None,
            "how_made": None,
            "notes": ["Three."],
        },
    )


@pytest.mark.fault("C7")
def test_what_is_deleted_is_not_listed_until_it_is_restored(lab: Run) -> None:
    before = listed(lab)
    done = lab("experiments", "delete", "lab", "other")
    assert done.stdout == (
        "deleted lab, 2 runs\ndeleted other, 2 runs\n"
        "`coalescope experiments restore lab other` undoes it\n"
    )
    assert {*before} - {*listed(lab)} == {"lab", "other"}
    deleted = json.loads(lab("experiments", "list", "--deleted", "--json").stdout)
    assert sorted((each["slug"], each["runs"]) for each in deleted) == [("lab", 2), ("other", 2)]
    assert "other" in lab("experiments", "list", "--deleted").stdout
    for typed in (
        ("surface", "lab", "drops"),
        ("export", "lab", "--format", "csv"),
        ("runs", "list", "lab"),
    ):
        refused = lab(*typed)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert "`coalescope experiments restore lab`" in refused.stderr
    again = lab("import", "lab.csv")
    assert again.returncode == 1
    assert "was deleted on" in again.stderr
    assert lab("verify").returncode == 0
    assert lab("experiments", "restore", "lab", "other").stdout == (
        "restored lab, 2 runs\nrestored other, 2 runs\n"
    )
    assert listed(lab) == before


def test_all_are_deleted_or_none(lab: Run) -> None:
    before = listed(lab)
    done = lab("experiments", "delete", "lab", "geist-2005-nfs")
    assert (done.returncode, done.stdout) == (1, "")
    assert "comes from a data set" in done.stderr
    assert listed(lab) == before


def test_the_folder_that_is_typed_first_is_the_one(lab: Run, tmp_path: Path) -> None:
    """An action's own options do not take back those before it."""
    done = lab("experiments", "--data", tmp_path / "none", "delete", "lab")
    assert done.returncode == 1
    assert "There is no store" in done.stderr
    assert not (tmp_path / "none").exists()
    assert json.loads(lab("experiments", "--json", "list").stdout)


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        (("rename", "lab", " "), "The title: "),
        (("rename", "lab", "x" * 201), "The title: "),
        (("rename", "lab", "a\x1b[2J"), "The title: has a control"),
        (("rename", "geist-2005-nfs", "x"), "comes from a data set"),
        (("describe", "lab"), "Say it with --subtitle, --citation"),
        (("describe", "lab", "--url", "javascript:alert(1)"), "The url: "),
        (("restore", "lab"), "was not deleted"),
    ],
)
def test_what_cannot_be_said_is_refused(lab: Run, typed: tuple[str, ...], reason: str) -> None:
    before = listed(lab)
    done = lab("experiments", *typed)
    assert (done.returncode, done.stdout) == (1, "")
    assert reason in done.stderr
    assert listed(lab) == before
