# SPDX-License-Identifier: Apache-2.0
"""What the manuals let somebody do in a checkout that takes minutes to hours: it begins.

`make` says what it would do, pytest which tests it would run, a benchmark that it is known.
"""

import shutil
import sys
from collections.abc import Callable

import pytest
from manuals import ROOT, fence

from .conftest import Reader

MAKE = f'exec {shutil.which("make")} --dry-run -C {ROOT} "$@"'
NPX = 'test "$1 $2" = "vitest run"; exec find "$3" -name "*.test.ts"'
PYTHON = f"""
case $1 in
-m) exec {sys.executable} "$@" -n 0 --collect-only;;
*) exec {sys.executable} known.py "$@";;
esac
"""
KNOWN = f"""
import sys
sys.path.insert(0, "{ROOT}/benchmarks")
import run
print(sys.argv[1], *run.promises(sys.argv[2:]))
"""
Type = Callable[[str], str]


@pytest.fixture
def type_(reader: Reader) -> Type:
    """Type it in a folder that looks like the checkout, where programs only begin."""
    for name in ("backend", "conftest.py", "driver", "e2e", "frontend", "pyproject.toml"):
        (reader.folder / name).symlink_to(ROOT / name)
    (reader.folder / ".venv/bin").mkdir(parents=True)
    for place, script in (("bin/make", MAKE), ("bin/npx", NPX), (".venv/bin/python", PYTHON)):
        (reader.folder / place).write_text(f"#!/bin/sh\nset -e\n{script}\n")
        (reader.folder / place).chmod(0o755)
    (reader.folder / "known.py").write_text(KNOWN)
    return reader.type


def test_tests_of_one_feature(type_: Type) -> None:
    said = type_(fence("CONTRIBUTING.md", "vitest"))
    assert "backend/tests/links/test_links_over_http.py::test_make_find_and_follow" in said
    assert "tests/state/addresses/" in said


def test_what_measures(type_: Type) -> None:
    said = type_(fence("benchmarks/README.md", "make bench"))
    assert ".venv/bin/python benchmarks/run.py" in said
    assert said.endswith("benchmarks/run.py promise_storage\n")
    said = type_(fence("docs/scaling.md", "BENCH_DATABASE_URL"))
    assert said == "benchmarks/run.py promise_many_runs\n"
    source = (ROOT / "benchmarks/promise_many_runs.py").read_text(encoding="utf-8")
    assert "BENCH_WORKERS" in source
    assert "BENCH_DATABASE_URL" in source


def test_what_is_made(type_: Type) -> None:
    assert "../.venv/bin/python -m testbed" in type_(fence("docs/virtual-testbed.md", "testbed"))
    said = type_(fence("docs/sweep.md", "make host-tools"))
    for made in ("coalescope-logger", "driver/traffic"):
        assert made in said
