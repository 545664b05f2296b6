# SPDX-License-Identifier: Apache-2.0
"""`import coalescope` is quick, and says what it lacks when that is needed."""

import subprocess
import sys
import tomllib
from pathlib import Path

import coalescope as cs
import pytest

ROOT = Path(__file__).parents[3]
HEAVY = [
    "fastapi",
    "httpx",
    "numpy",
    "pandas",
    "pyarrow",
    "pydantic",
    "scipy",
    "sqlalchemy",
    "starlette",
    "xarray",
]


def test_it_imports_nothing_that_takes_long() -> None:
    script = (
        f"import sys, coalescope; print(sorted({set(HEAVY)} & set(sys.modules)), dir(coalescope))"
    )
    command = [sys.executable, "-W", "error", "-c", script]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.startswith("[] ")
    assert "'load'" in said


def test_a_server_is_asked_without_what_opens_a_store() -> None:
    script = (
        "import sys, coalescope as cs\n"
        "try: cs.open('http://127.0.0.1:9', 'lab')\n"
        "except cs.CoalescopeError as error: print(error.code)\n"
        "print(sorted({'alembic', 'fastapi', 'scipy', 'starlette', 'xarray', 'pyarrow'}"
        " & set(sys.modules)))"
    )
    command = [sys.executable, "-W", "error", "-c", script]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said == "unreachable\n[]\n"


def test_all_that_is_offered_is_there() -> None:
    for name in cs.__all__:
        assert getattr(cs, name).__doc__
    with pytest.raises(AttributeError, match="has no attribute 'lod'"):
        cs.lod  # noqa: B018


@pytest.mark.folder_stack
@pytest.mark.parametrize(("absent", "asked"), [("pyarrow", "runs"), ("xarray", "cells")])
def test_the_extra_is_named_where_a_library_is_absent(
    absent: str, asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with cs.load("geist-2005-nfs") as x:
        monkeypatch.setitem(sys.modules, absent, None)
        with pytest.raises(cs.CoalescopeError, match=f"This needs {absent}") as refused:
            getattr(x, asked)
        assert refused.value.__notes__ == ["pip install 'coalescope[client]'"]
        assert x.fit("cpu-overhead", resamples=0).identifiable  # needs neither
    described = tomllib.loads((ROOT / "backend/pyproject.toml").read_text())
    extra = described["project"]["optional-dependencies"]["client"]
    assert absent in [requirement.partition(">")[0] for requirement in extra]
