# SPDX-License-Identifier: Apache-2.0
"""What runs on the host under test needs no installation but Python."""

import ast
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


def test_only_the_standard_library_is_imported() -> None:
    modules = sorted(PACKAGE.rglob("*.py"))
    assert len(modules) > 5
    found = {path.name: foreign(path.read_text(encoding="utf-8")) for path in modules}
    assert {name: names for name, names in found.items() if names} == {}


def test_that_check_can_fail() -> None:
    source = "import os, httpx.auth\nfrom numpy import array\nfrom . import layout\n"
    assert foreign(source) == {"httpx", "numpy"}
