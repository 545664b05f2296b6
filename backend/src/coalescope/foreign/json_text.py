# SPDX-License-Identifier: Apache-2.0
"""JSON that another tool wrote: read within bounds, and looked into without trust. Pure."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from coalescope_host.run_log import values_in

from coalescope.foreign.records import Unreadable
from coalescope.untrusted.bounds import JSON_VALUES, most
from coalescope.untrusted.nesting import exceeds_depth

_DEEPEST = 64
_LARGEST = 1e15  # a number beyond is a fault of the tool: no count or rate here is as large
_MOST_DOCUMENTS = 100_000
_AGAIN = "Let the tool finish and keep all that it writes, or leave the file out."
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_SPACE = re.compile(r"[\s\x00]*")


def documents(content: bytes) -> Iterator[Any]:
    """The JSON values that follow each other in a file.

    What JSON cannot hold (NaN, Infinity) is None. Errors: Unreadable, with its offset.
    """
    if values_in(content, most(JSON_VALUES)) > most(JSON_VALUES):
        raise Unreadable(
            f"It holds more than {JSON_VALUES:,} JSON values.",
            "Split it: let the tool write several shorter files.",
        )
    if exceeds_depth(_DEEPEST, content):
        raise Unreadable(
            f"Its brackets are nested more than {_DEEPEST} deep, which no tool writes.",
            "Send the file as the tool wrote it.",
        )
    text = decoded(content)
    may_be_halves = _SURROGATE.search(content) is not None
    decoder = json.JSONDecoder(parse_constant=lambda _name: None)
    place, found = _skip(text, 0), 0
    while place < len(text):
        try:
            value, place = decoder.raw_decode(text, place)
        except json.JSONDecodeError as error:
            raise _broken(text, error.pos, error.msg) from None
        except ValueError as error:  # a whole number of thousands of digits
            raise _broken(text, place, str(error)) from None
        if may_be_halves:
            _check_texts(value)
        found += 1
        if found > _MOST_DOCUMENTS:
            raise Unreadable(f"It holds more than {_MOST_DOCUMENTS:,} JSON values.", "Split it.")
        yield value
        place = _skip(text, place)


def _check_texts(value: Any) -> None:
    """Errors: Unreadable for a text that UTF-8 cannot hold, in names, too."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Unreadable(
            "A text of it holds half of a surrogate pair, which is no character.",
            "Send the file as the tool wrote it.",
        ) from None


def decoded(content: bytes) -> str:
    """The text of a file. Errors: Unreadable, with the offset of what is not UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(
            "It is not UTF-8 text.", "Send the file as the tool wrote it.", offset=error.start
        ) from None


def at(tree: Any, path: str) -> Any:
    """What stands at `end.streams.0.sender`; None where nothing does."""
    for name in path.split("."):
        if isinstance(tree, Mapping):
            tree = tree.get(name)
        elif isinstance(tree, list) and name.isdigit() and int(name) < len(tree):
            tree = tree[int(name)]
        else:
            return None
    return tree


def number(tree: Any, path: str, least: float = -_LARGEST) -> float | None:
    """The number there; None where there is none, or none that can be used."""
    return as_number(at(tree, path), least)


def as_number(value: Any, least: float = -_LARGEST) -> float | None:
    """A finite number of at least `least`; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return float(value) if least <= value <= _LARGEST else None


def written(text: str, least: float = -_LARGEST) -> float | None:
    """The number that a text spells; None where it spells none that can be used."""
    try:
        return as_number(float(text), least)
    except ValueError:
        return None


def text_at(tree: Any, path: str) -> str | None:
    """The text there; None where there is none."""
    value = at(tree, path)
    return value[:200] if isinstance(value, str) and value else None


def list_at(tree: Any, path: str) -> list[Any]:
    """The list there; an empty one where there is none."""
    value = at(tree, path)
    return value if isinstance(value, list) else []


def _skip(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _broken(text: str, place: int, why: str) -> Unreadable:
    offset = len(text[:place].encode())
    if place >= len(text.rstrip()) or "Unterminated" in why:
        return Unreadable(
            "It ends in the middle of its JSON: it was cut off.", _AGAIN, offset=offset
        )
    return Unreadable(f"It is no JSON there: {why[:200]}.", _AGAIN, offset=offset)
