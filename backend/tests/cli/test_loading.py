# SPDX-License-Identifier: Apache-2.0
"""A command loads what it needs: each library that it does not takes a good part of a second."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import environment

HEAVY = ["fastapi", "httpx", "pyarrow", "scipy", "uvicorn"]
LOOKING = ["experiments"], ["verify"], ["runs", "list", "lab"]


def loaded(data: Path, command: list[str]) -> list[str]:
    """Those of HEAVY that are loaded once the command has done what it does."""
    script = (
        "import atexit, json, sys\n"
        f"heavy = set({HEAVY})\n"
        "atexit.register(lambda: print(json.dumps(sorted(heavy & set(sys.modules)))))\n"
        "from coalescope.cli import main; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *command],
        env=environment(data, COALESCOPE_DATASETS_DIR=""),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("command", LOOKING, ids=" ".join)
def test_what_looks_at_a_store_loads_no_server(
    run: Callable[..., Any], tmp_path: Path, command: list[str]
) -> None:
    (tmp_path / "lab.csv").write_text("mtu_bytes,drops\n1500,1\n")
    data = tmp_path / "store"
    assert run("import", "lab.csv", data=data).returncode == 0
    assert loaded(data, command) == []


def test_a_library_that_is_loaded_is_seen(run: Callable[..., Any], tmp_path: Path) -> None:
    """The control."""
    data = tmp_path / "store"
    assert run("migrate", data=data, COALESCOPE_DATASETS_DIR="").returncode == 0
    assert "uvicorn" in loaded(data, ["token", "list"])
