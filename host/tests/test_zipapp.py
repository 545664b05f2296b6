# SPDX-License-Identifier: Apache-2.0
"""The one file that goes to a host under test: it runs with Python alone."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOG = ROOT / "driver" / "testdata" / "small.runlog"


@pytest.fixture(scope="module")
def zipapp() -> Path:
    subprocess.run(["make", "-s", "-C", str(ROOT), "host-tools"], check=True)
    return ROOT / "host" / "dist" / "coalescope-host.pyz"


def run(*command: object) -> subprocess.CompletedProcess[str]:
    """Without this environment's packages: -I and -S leave the standard library alone."""
    return subprocess.run(
        [sys.executable, "-I", "-S", *map(str, command)],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )


def test_it_checks_a_log(zipapp: Path) -> None:
    done = run(zipapp, "check", LOG)
    assert done.returncode == 0, done.stderr
    assert "OK: valid" in done.stdout


def test_it_says_what_is_wrong_with_a_plan(zipapp: Path, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text('experiment = "x"\n')
    done = run(zipapp, "sweep", tmp_path / "plan.toml", "--dry-run")
    assert done.returncode == 2
    assert "interface: is missing" in done.stderr


def test_it_brings_the_library_that_talks_to_the_kernel(zipapp: Path) -> None:
    program = f"import sys; sys.path.insert(0, {str(zipapp)!r})\n"
    program += "from coalescope_host.settings.host import open_host\n"
    program += "print(open_host('lo').facts()['interface'])\n"
    done = run("-c", program)
    assert done.stdout == "lo\n", done.stderr
    assert run("-c", "import pyroute2").returncode != 0
