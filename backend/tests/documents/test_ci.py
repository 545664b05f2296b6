# SPDX-License-Identifier: Apache-2.0
"""The recipe of docs/ci.md, run as it stands there: as a script, and as the step of a workflow."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from coalescope.cli.exit_statuses import ExitStatus
from manuals import ROOT, fences
from timeouts import TIMEOUT_S

pytestmark = pytest.mark.folder_stack

TYPED, SCRIPT = fences("docs/ci.md")
((STEP,),) = map(yaml.safe_load, fences("docs/ci.md", "yaml"))
RUNS = {
    "as good": (1.0, 5),
    "worse": (0.9, 5),
    "single runs": (1.0, 1),
    "another day": (1.0, 5),
    "at no known time": (1.0, 5),
}
STATUS = {
    "as good": 0,
    "worse": ExitStatus.WORSE,
    "single runs": ExitStatus.NOT_KNOWN,
    "another day": ExitStatus.NOT_KNOWN,
    "at no known time": ExitStatus.NOT_KNOWN,
}
each_status = pytest.mark.parametrize(("candidate", "status"), STATUS.items(), ids=STATUS)


def table(
    version: str, factor: float, replicates: int, day: int | None = 8, second: int = 0
) -> str:
    """Runs of that day, one a minute."""
    rows = []
    for n in range(1, replicates + 1):
        for delay in (0, 100) if n % 2 else (100, 0):
            chance = (n * 7 + delay // 100 * 3) % 5 / 10
            mbps, latency_us = 200 - delay / 2 + chance, 50 + delay - chance
            rows.append(f"{delay},{version},{n},{factor * mbps},{latency_us / factor}")
            if day is not None:
                rows[-1] += f",2026-01-{day:02}T10:{len(rows):02}:{second:02}Z"
    head = "delay_us,driver_version,replicate,throughput_mbps,latency_us"
    head += "" if day is None else ",recorded_at"
    return "\n".join([head, *rows])


def folders(below: Path, candidate: str) -> None:
    factor, replicates = RUNS[candidate]
    days = {"another day": (1, 8), "at no known time": (None, None)}.get(candidate, (8, 8))
    sides = (("baseline", "1.0", 1.0), ("candidate", "1.1", factor))
    for (name, version, own), day in zip(sides, days, strict=True):
        (below / name).mkdir()
        text = table(version, own, replicates, day, 30 if name == "candidate" else 0)
        (below / name / "runs.csv").write_text(text)


def shell(below: Path, *command: str) -> Any:
    """Run with this program on the path, and no settings."""
    (below / "bin").mkdir(exist_ok=True)
    program = below / "bin" / "coalescope"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m coalescope "$@"\n')
    program.chmod(0o755)
    (below / "none").mkdir(exist_ok=True)
    (below / "temporary").mkdir(exist_ok=True)
    own = {name: text for name, text in os.environ.items() if "COALESCOPE" not in name}
    own |= {"PATH": f"{below / 'bin'}:{os.environ['PATH']}", "TMPDIR": str(below / "temporary")}
    return subprocess.run(
        command,
        env={**own, "COALESCOPE_DATASETS_DIR": str(below / "none")},
        cwd=below,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


@pytest.mark.fault("C15")
@each_status
def test_the_script_ends_with_the_status_of_the_comparison(
    tmp_path: Path, candidate: str, status: int
) -> None:
    folders(tmp_path, candidate)
    (tmp_path / "compare.sh").write_text(SCRIPT)
    done = shell(tmp_path, "sh", "compare.sh", "baseline", "candidate")
    assert done.returncode == status, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert not list((tmp_path / "temporary").iterdir()), "the store is gone"


def test_a_script_without_anything_to_import_fails_otherwise(tmp_path: Path) -> None:
    folders(tmp_path, "as good")
    (tmp_path / "candidate" / "runs.csv").unlink()
    (tmp_path / "compare.sh").write_text(SCRIPT)
    assert shell(tmp_path, "sh", "compare.sh", "baseline", "candidate").returncode == 1


@each_status
def test_the_step_of_a_workflow_says_why_it_fails(
    tmp_path: Path, candidate: str, status: int
) -> None:
    """As a runner does it: `bash -e` on a file of the step's text."""
    folders(tmp_path, candidate)
    (tmp_path / "compare.sh").write_text(SCRIPT)
    (tmp_path / "step.sh").write_text(STEP["run"])
    done = shell(tmp_path, "bash", "-e", "step.sh")
    assert done.returncode == status, done.stdout + done.stderr
    said = {
        0: "",
        ExitStatus.WORSE: "::error::The candidate is worse",
        ExitStatus.NOT_KNOWN: "::error::It is not known",
    }
    assert done.stdout.count("::error::") == (status != 0)
    assert said[status] in done.stdout


def test_what_is_typed_at_the_beginning(tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_text(table("1.0", 1.0, 5))
    (tmp_path / "new.csv").write_text(table("1.1", 1.0, 4))
    both = table("1.0", 1.0, 5) + "\n" + table("1.1", 1.0, 4).partition("\n")[2]
    (tmp_path / "lab.csv").write_text(both)
    imported = shell(tmp_path, "coalescope", "import", "old.csv", "new.csv", "lab.csv")
    assert imported.returncode == 0, imported.stderr
    done = shell(tmp_path, "bash", "-e", "-c", TYPED)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "throughput_mbps is not worse" in done.stdout


def test_the_statuses_are_those_of_the_program() -> None:
    document = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d) \| ([^|]+) \|", document, re.MULTILINE)
    assert dict(rows) == {
        "0": "nothing is worse beyond chance",
        str(ExitStatus.WORSE): "something is worse",
        str(ExitStatus.NOT_KNOWN): "it is not known",
    }
