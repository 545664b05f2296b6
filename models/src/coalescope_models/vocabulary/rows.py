# SPDX-License-Identifier: Apache-2.0
"""Read the tables of this folder, from files or from within a zip."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any


def rows(name: str) -> dict[str, Any]:
    """Return what a TOML file of this folder says.

    Raises:
        tomllib.TOMLDecodeError: with the line, where it is no TOML.
    """
    return tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))
