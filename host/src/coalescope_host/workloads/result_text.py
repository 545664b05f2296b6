# SPDX-License-Identifier: Apache-2.0
"""What workloads print, as JSON that was checked a little. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

LONGEST_QUOTE = 300


def parse(body: bytes, tool: str) -> Mapping[str, Any] | str:
    """The object that a program printed, or what is wrong with it."""
    if not body.strip():
        return f"{tool} printed nothing"
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        begin = body[:LONGEST_QUOTE].decode("utf-8", "replace").strip()
        return f"{tool} printed no JSON: {begin}"
    return document if isinstance(document, dict) else f"{tool} printed JSON that is no object"


def number(document: object, *path: str) -> float | None:
    """A number within nested objects, None if it is not there."""
    for name in path:
        if not isinstance(document, Mapping):
            return None
        document = document.get(name)
    if isinstance(document, bool) or not isinstance(document, (int, float)):
        return None
    return float(document)
