# SPDX-License-Identifier: Apache-2.0
"""What runs on the host under test needs no installation but Python: the zipapp brings the rest."""

import ast
import subprocess
import sys
from pathlib import Path

import coalescope_host

PACKAGE = Path(coalescope_host.__file__).parent


def foreign(source: str) -> set[str]:
    """Packages that a module imports beside the standard library and its own."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(str(node.module).partition(".")[0])
    return found - sys.stdlib_module_names - {"coalescope_host"}


def test_only_settings_and_plans_import_more_than_the_standard_library() -> None:
    """Plans do where Python has no reader of TOML, before 3.11."""
    modules = sorted(PACKAGE.rglob("*.py"))
    assert len(modules) > 5
    found = {
        str(path.relative_to(PACKAGE)): foreign(path.read_text(encoding="utf-8"))
        for path in modules
    }
    assert [name for name, packages in found.items() if "tomli" in packages] == [
        "plan/plan_file.py"
    ]
    users = {name for name, packages in found.items() if packages - {"tomli"}}
    assert set().union(*found.values()) <= {"pyroute2", "tomli"}
    users.discard("remote/bundle.py")  # it packs the library for a peer
    assert {name.partition("/")[0] for name in users} == {"settings"}


def test_the_run_log_imports_nothing_else_of_the_host_tools() -> None:
    """The backend, and the page in the browser, read logs without what changes settings.

    What stands in for newer Pythons needs the standard library alone.
    """
    program = (
        "import sys, coalescope_host.run_log\n"
        "print(sorted(n for n in sys.modules if n.startswith(('pyroute2', 'coalescope_host'))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = ast.literal_eval(done.stdout)
    assert "coalescope_host.run_log" in loaded
    assert {name.split(".")[1] for name in loaded if "." in name} == {"run_log", "newer_python"}


def test_that_check_can_fail() -> None:
    source = "import os, httpx.auth\nfrom numpy import array\nfrom . import layout\n"
    assert foreign(source) == {"httpx", "numpy"}
