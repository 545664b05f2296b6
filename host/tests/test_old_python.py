# SPDX-License-Identifier: Apache-2.0
"""The zipapp with each Python that a host may bring: the oldest that it runs on, and one older.

Debian 11 and RHEL 9 have Python 3.9, Ubuntu 22.04 has 3.10.
"""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
START = ROOT / "host/zipapp/__main__.py"
SOURCES = ROOT / "host/src/coalescope_host"
LOG = ROOT / "driver/testdata/small.runlog"
AS_OLD = "import runpy, sys; sys.version_info = (3, 8, 2, 'final', 0); runpy.run_path(sys.argv[1])"
MINORS = (9, 10, 11, 12, 13, 14)

IMPORT_ALL = """
import importlib, pkgutil, sys
sys.path.insert(0, sys.argv[1])
import coalescope_host
for module in pkgutil.walk_packages(coalescope_host.__path__, "coalescope_host."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
print("all of them")
"""
STRICT = """
import sys
sys.path.insert(0, sys.argv[1])
from coalescope_host.newer_python import pairwise, zip_strict
print(list(zip_strict("ab", [1, 2])), list(pairwise(iter("abc"))))
try:
    list(zip_strict("ab", [1]))
except ValueError:
    print("refused")
"""
SLICES = """
import sys
sys.path.insert(0, sys.argv[1])
from coalescope_host.run_log import latencies_of
print(latencies_of({
    "t_start_monotonic_ns": 0, "t_end_monotonic_ns": 100,
    "latency_us": {"p50": 0.002, "max": 0.009},
    "histogram": {"lower_ns": [1, 8], "upper_ns": [2, 9], "counts": [9, 1]},
    "latency_slices": {
        "t_start_monotonic_ns": 0, "interval_ns": 50,
        "sum_ns": [10, 8], "max_ns": [2, 9], "buckets": [[0], [1]], "counts": [[9], [1]],
    },
}).between(0, 50))
"""


def test_it_says_which_it_needs() -> None:
    command = [sys.executable, "-c", AS_OLD, START]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("coalescope-host needs Python 3.9 or newer")
    assert "Python 3.8.2" in line
    assert sys.executable in line


@pytest.mark.parametrize("minor", [6, 8])
def test_an_old_one_can_read_it(minor: int) -> None:
    """What it cannot parse it would refuse in words of its own."""
    tree = ast.parse(START.read_text(), feature_version=(3, minor))
    first = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom, ast.If))]
    assert ast.unparse(first[0]) == "import sys"
    assert isinstance(first[1], ast.If), "before anything of the tools is imported"


def test_the_oldest_can_parse_all_of_it() -> None:
    """Whatever Pythons this machine has."""
    sources = sorted(SOURCES.rglob("*.py"))
    assert len(sources) > 100
    for path in sources:
        ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 9))


@pytest.fixture(params=MINORS, ids=lambda minor: f"3.{minor}")
def python(request: pytest.FixtureRequest) -> str:
    """A Python of that version, where this machine has one that starts."""
    name = f"python3.{request.param}"
    for folder in os.get_exec_path():
        found = shutil.which(name, path=folder)
        if found is not None and _starts(found):
            return found
    pytest.skip(f"no {name} is on the PATH, or none that starts")


def _starts(program: str) -> bool:
    command = [program, "-I", "-S", "-c", ""]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def zipapp() -> Path:
    subprocess.run(["make", "-s", "-C", str(ROOT), "host-tools"], check=True)
    return ROOT / "host/dist/coalescope-host.pyz"


def run(python: str, *command: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python, "-I", "-S", *map(str, command)],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )


def test_each_imports_all_of_it(zipapp: Path, python: str) -> None:
    done = run(python, "-c", IMPORT_ALL, zipapp)
    assert done.stdout == "all of them\n", done.stderr


def test_each_reads_a_log(zipapp: Path, python: str) -> None:
    done = run(python, zipapp, "check", LOG)
    assert done.returncode == 0, done.stderr
    assert "OK: valid" in done.stdout
    here = run(sys.executable, zipapp, "check", LOG, "--json")
    there = run(python, zipapp, "check", LOG, "--json")
    assert there.returncode == 0, there.stderr
    assert there.stdout == here.stdout


def test_each_reads_a_plan(zipapp: Path, python: str, tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text('experiment = "x"\ninterfaces = 3\n')
    here = run(sys.executable, zipapp, "sweep", plan, "--dry-run")
    there = run(python, zipapp, "sweep", plan, "--dry-run")
    assert there.returncode == 2
    assert "interface: is missing" in there.stderr
    assert there.stderr == here.stderr


def test_columns_of_different_lengths_are_refused_by_each(zipapp: Path, python: str) -> None:
    done = run(python, "-c", STRICT, zipapp)
    assert done.stdout == "[('a', 1), ('b', 2)] [('a', 'b'), ('b', 'c')]\nrefused\n", done.stderr


def test_each_adds_up_slices_of_latency(zipapp: Path, python: str) -> None:
    done = run(python, "-c", SLICES, zipapp)
    here = run(sys.executable, "-c", SLICES, zipapp)
    assert "'max': 0.002" in here.stdout, here.stderr
    assert done.stdout == here.stdout, done.stderr
