# SPDX-License-Identifier: Apache-2.0
"""The shapes that answers of a peer may have. Each function takes what came and returns it checked.

Text is one line of bounded length: it goes into messages, journals and the headers of logs.
"""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Mapping
from typing import Any

from ..plan.factors import Level
from ..terminal import joined_lines
from .addresses import Address

MOST_TEXT = 2000
MOST_TEXTS = 1000
MOST_ENVIRONMENT_BYTES = 1 << 16
_INTERFACE = re.compile(r"[!-.0-~]{1,15}")
"""The kernel's own rule without what no address or file name should have."""


class ShapeError(ValueError):
    """Not of that shape."""


def nothing(value: object) -> None:
    """No value."""
    _must(value is None)


def truth(value: object) -> bool:
    """True or false."""
    _must(isinstance(value, bool))
    return value is True


def count(value: object) -> int:
    """A whole number from 0."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ShapeError
    return value


def text(value: object) -> str:
    """A line of text; of more than one line, all in one."""
    if not isinstance(value, str):
        raise ShapeError
    return one_line(value)


def one_line(said: str) -> str:
    """Lines joined by semicolons, cut where they are too long."""
    joined = joined_lines(said)
    return joined if len(joined) <= MOST_TEXT else f"{joined[:MOST_TEXT]} …"


def text_or_nothing(value: object) -> str | None:
    """A line of text, or no value."""
    return None if value is None else text(value)


def texts(value: object) -> list[str]:
    """Lines of text."""
    if not isinstance(value, list) or len(value) > MOST_TEXTS:
        raise ShapeError
    return [text(each) for each in value]


def facts(value: object) -> dict[str, str]:
    """Lines of text by name."""
    return {text(name): text(fact) for name, fact in table(value).items()}


def levels(value: object) -> dict[str, Level | None]:
    """What settings are at, by name."""
    found: dict[str, Level | None] = {}
    for name, level in table(value).items():
        if level is not None and not isinstance(level, (bool, int, float, str)):
            raise ShapeError
        found[text(name)] = text(level) if isinstance(level, str) else level
    return found


def table(value: object) -> Mapping[str, Any]:
    """Anything by name."""
    if not isinstance(value, dict):
        raise ShapeError
    return value


def environment(value: object) -> Mapping[str, Any]:
    """What goes into the header of every log."""
    _must(len(json.dumps(value)) <= MOST_ENVIRONMENT_BYTES)
    return table(value)


def addresses(value: object) -> list[Address]:
    """Interfaces with an address and the length of its prefix."""
    if not isinstance(value, list):
        raise ShapeError
    return [_address(each) for each in value]


def outcome(value: object) -> tuple[int, str, str]:
    """Exit status of a program, and what it printed on standard output and standard error."""
    status, printed, complaints = _items(value, 3)
    if not (isinstance(status, int) and isinstance(printed, str) and isinstance(complaints, str)):
        raise ShapeError
    return status, printed, complaints


def _address(value: object) -> Address:
    name, address, length = _items(value, 3)
    if not isinstance(name, str) or not _INTERFACE.fullmatch(name) or not isinstance(address, str):
        raise ShapeError
    ipaddress.ip_interface(f"{address}/{count(length)}")
    return name, address, count(length)


def _items(value: object, number: int) -> list[Any]:
    if not isinstance(value, list) or len(value) != number:
        raise ShapeError
    return value


def _must(holds: bool) -> None:
    if not holds:
        raise ShapeError
