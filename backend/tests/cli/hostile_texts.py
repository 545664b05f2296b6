# SPDX-License-Identifier: Apache-2.0
"""Text that would steer a terminal, or look like a line of ours, in each place of a document."""

import re
from collections.abc import Iterator
from typing import Any

STEERS = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp\rover"
HOSTILE = f"{STEERS}\nFORGED"
STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_FORGED = re.compile(r"^\s*FORGED", re.MULTILINE)


def steers(printed: str) -> list[str]:
    """What of the printed text would steer a terminal, or is a line that others wrote."""
    return [*STEERING.findall(printed), *_FORGED.findall(printed)]


def kinds_of_text(document: Any, above: str = "") -> Iterator[str]:
    """What the texts of a document are called there: the name of their place, or `name of`."""
    if isinstance(document, str):
        yield above
    elif isinstance(document, dict):
        for name, part in document.items():
            yield from kinds_of_text(part, name)
        if document:
            yield f"name of {above}"
    elif isinstance(document, list):
        for part in document:
            yield from kinds_of_text(part, above)


def hostile_throughout(document: Any) -> Any:
    """The document, hostile text behind each text and each name of it."""
    if isinstance(document, str):
        return document + HOSTILE
    if isinstance(document, list):
        return [hostile_throughout(part) for part in document]
    if isinstance(document, dict):
        return {name + HOSTILE: hostile_throughout(part) for name, part in document.items()}
    return document


def with_hostile(document: Any, kind: str, above: str = "") -> Any:
    """The document, each text of that kind with hostile text behind it."""
    if isinstance(document, str):
        return document + HOSTILE if above == kind else document
    if isinstance(document, list):
        return [with_hostile(part, kind, above) for part in document]
    if isinstance(document, dict):
        behind = HOSTILE if kind == f"name of {above}" else ""
        return {name + behind: with_hostile(part, kind, name) for name, part in document.items()}
    return document
