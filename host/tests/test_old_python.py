# SPDX-License-Identifier: Apache-2.0
"""What a Python that is too old says of the zipapp: which it needs, and which it is."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

START = Path(__file__).parents[1] / "zipapp/__main__.py"
# Debian 11 has 3.9
AS_OLD = "import runpy, sys; sys.version_info = (3, 9, 2, 'final', 0); runpy.run_path(sys.argv[1])"


def test_it_says_which_it_needs() -> None:
    command = [sys.executable, "-c", AS_OLD, START]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("coalescope-host needs Python 3.11 or newer")
    assert "Python 3.9.2" in line
    assert sys.executable in line


@pytest.mark.parametrize("minor", [6, 9])
def test_an_old_one_can_read_it(minor: int) -> None:
    """What it cannot parse it would refuse in words of its own."""
    tree = ast.parse(START.read_text(), feature_version=(3, minor))
    first = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom, ast.If))]
    assert ast.unparse(first[0]) == "import sys"
    assert isinstance(first[1], ast.If), "before anything of the tools is imported"
