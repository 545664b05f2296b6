# SPDX-License-Identifier: Apache-2.0
"""docs/routes.md is fresh, and has every address that the code answers."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..web.security.addresses import server_routes

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs/routes.md"


def test_it_is_as_it_would_be_written_now() -> None:
    command = [sys.executable, str(ROOT / "docs/routes_table.py")]
    written = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert PAGE.read_text() == written


def test_it_has_every_address(make_client: Callable[..., Any]) -> None:
    text = PAGE.read_text()
    for methods, path in server_routes(make_client().app):
        for method in methods - {"HEAD"}:
            assert f"| `{method} {path}` |" in text
