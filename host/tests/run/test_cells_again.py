# SPDX-License-Identifier: Apache-2.0
"""A sweep measures again what the store says needs more replicates, and nothing else."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from coalescope_host.plan.plan_file import load_plan
from coalescope_host.plan.schedule import schedule

from .conftest import Files

pytestmark = pytest.mark.fault("C18")
TWO_BY_TWO = "mtu_bytes = [1500, 9000]\nring_rx = [128, 512]"
NEEDY = {"mtu_bytes": 9000, "factor.ring_rx": 128, "workload": "udp"}


def answer(files: Files, *cells: dict[str, Any], experiment: str = "on-files") -> Path:
    path = files.folder / "again.json"
    path.write_text(json.dumps({"experiment": experiment, "cells": cells}))
    return path


def test_the_answer_of_the_store_is_what_is_measured(files: Files) -> None:
    """Each cell as often as it is said to need, with the ids of a plan of so many replicates."""
    files.plan(TWO_BY_TWO)
    assert files.sweep().returncode == 0
    first = files.done()

    def coalescope(*words: object) -> str:
        command = [sys.executable, "-m", "coalescope", *map(str, words)]
        done = subprocess.run(
            [*command, "--data", str(files.folder / "store")],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    coalescope("import", *sorted((files.folder / "out" / "logs").glob("*.runlog")))
    asked = ("plan", "on-files", "--measure", "elapsed_s", "--width", "100", "--json")
    said = json.loads(coalescope(*asked))
    assert len(said["cells"]) == 4
    for cell in said["cells"]:  # the machine's own scatter decides nothing here
        needy = cell["factors"] == NEEDY
        cell.update(needed=4 if needy else 2, more=2 if needy else 0)
    again = answer(files, *said["cells"])

    dry = files.sweep("--cells", str(again), "--dry-run")
    assert dry.stdout.startswith("on-files can be done: 1 cell, 4 runs, about ")
    done = files.sweep("--cells", str(again))
    assert done.returncode == 0, done.stderr
    files.plan(TWO_BY_TWO, replicates=4)
    runs = schedule(load_plan(files.folder / "plan.toml"), 7)
    wanted = [r.id for r in runs if r.levels["mtu_bytes"] == 9000 and r.levels["ring_rx"] == 128]
    assert files.done() == [*first, *wanted[2:]]


def test_where_no_cell_needs_more_nothing_is_done(files: Files) -> None:
    files.plan(TWO_BY_TWO)
    enough = answer(files, {"factors": NEEDY, "needed": 2, "more": 0})
    done = files.sweep("--cells", str(enough))
    assert (done.returncode, done.stdout) == (0, "")
    assert "no cell needs more replicates" in done.stderr
    assert not files.journal.exists()


@pytest.mark.parametrize(
    ("cell", "experiment", "reason"),
    [
        (NEEDY | {"mtu_bytes": 4000}, "on-files", "the plan has no cell, or several, with mtu_byt"),
        ({"mtu_bytes": 9000}, "on-files", "the plan has no cell, or several, with mtu_bytes 9000"),
        (NEEDY, "another", "is about another, the plan about on-files"),
    ],
)
def test_cells_that_the_plan_does_not_have_are_refused(
    files: Files, cell: dict[str, Any], experiment: str, reason: str
) -> None:
    files.plan(TWO_BY_TWO)
    path = answer(files, {"factors": cell, "needed": 4, "more": 2}, experiment=experiment)
    done = files.sweep("--cells", str(path))
    assert done.returncode == 2
    assert reason in done.stderr


def test_what_may_not_suffice_is_not_begun(files: Files) -> None:
    files.plan(TWO_BY_TWO)
    path = answer(files, {"factors": NEEDY, "needed": 10_000, "more": 9998})
    assert "a larger --width" in files.sweep("--cells", str(path)).stderr


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"experiment": "on-files", "cells": [1]}'])
def test_a_file_that_is_no_answer(files: Files, text: str) -> None:
    files.plan(TWO_BY_TWO)
    (files.folder / "again.json").write_text(text)
    done = files.sweep("--cells", str(files.folder / "again.json"))
    assert done.returncode == 2
    assert "is no answer of `coalescope plan … --json`" in done.stderr
