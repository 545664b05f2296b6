# SPDX-License-Identifier: Apache-2.0
"""JSON as the format allows it: UTF-8, bounded, finite, no name twice, storable text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import NoReturn

INTEGER_LOW = -(1 << 63)
INTEGER_HIGH = (1 << 64) - 1
_CONTAINERS = frozenset({dict, list})
_STEP_BYTES = 1 << 20

# What only a text with this in it can hold; the search costs less than a look at every value.
_ESCAPED_ODDITY = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")


class JsonRefusedError(ValueError):
    """JSON that the format does not allow; the text says why."""


def parse(raw: bytes, *, depth: int, values: int, unique_names: bool = True) -> object:
    """Parse one JSON text.

    Args:
        raw: the text's bytes.
        depth: deepest nesting of arrays and objects allowed.
        values: largest number of values allowed, all levels together.
        unique_names: refuse objects that have a name twice; otherwise the last one counts.

    Raises:
        JsonRefusedError: for anything that is not such a text.
    """
    if values_in(raw, values) > values:  # read, each takes tens of times its bytes
        raise JsonRefusedError(f"more than {values} values")
    try:
        document: object = _LENIENT.decode(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise JsonRefusedError(f"not UTF-8 at its byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise JsonRefusedError(f"not JSON: {error.msg} at its character {error.pos}") from None
    except RecursionError:
        raise JsonRefusedError(f"nested deeper than {depth} levels") from None
    names = _check_shape(document, depth, values)
    if unique_names and names != _most_names(raw):
        _STRICT.decode(raw.decode("utf-8"))
    if _ESCAPED_ODDITY.search(raw):
        _check_texts(document)
    return document


def values_in(raw: bytes, most: int) -> int:
    """How many values a JSON text has, at most, without reading it; of more than `most`, some more.

    Each stands behind a comma or an opening bracket, so what is empty counts as two. Those within
    texts are told from others only where it decides.
    """
    if (seen := _begun(raw)) <= most:
        return seen
    plain = raw.replace(rb"\\", b"").replace(rb"\"", b"")  # each quotation mark now begins or ends
    seen = within = 0
    for start in range(0, len(plain), _STEP_BYTES):
        parts = plain[start : start + _STEP_BYTES].split(b'"')
        seen += _begun(b"".join(parts[within::2]))
        if seen > most:
            break
        within ^= len(parts) + 1 & 1
    return seen


def _begun(raw: bytes) -> int:
    return raw.count(b",") + raw.count(b"[") + raw.count(b"{")


def dump(document: object) -> bytes:
    """The text the writers write: compact, UTF-8, names in the order given."""
    return json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode(
        "utf-8"
    )


Pairs = list[tuple[str, object]]


def _most_names(raw: bytes) -> int:
    """How many names the text has if none is repeated; −1 if that cannot be told by counting."""
    if b" :" in raw or b"\n:" in raw or b"\t:" in raw or b"\r:" in raw:
        return -1
    return raw.count(b'":')


def _unique_names(pairs: Pairs) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise JsonRefusedError("an object has the same name twice")
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise JsonRefusedError(f"{name} is not a JSON number")


def _bounded_integer(digits: str) -> int:
    if len(digits) > 20:
        raise JsonRefusedError("an integer does not fit into 64 bits")
    value = int(digits)
    if not INTEGER_LOW <= value <= INTEGER_HIGH:
        raise JsonRefusedError("an integer does not fit into 64 bits")
    return value


def _finite_float(digits: str) -> float:
    value = float(digits)
    if value - value != 0.0:
        raise JsonRefusedError("a number is not finite")
    return value


def _check_shape(document: object, depth: int, values: int) -> int:
    """Check nesting and number of values; returns how many names the objects have together."""
    level = [document]
    seen = names = 0
    for _ in range(depth):
        children: list[object] = []
        for node in level:
            if type(node) is dict:
                names += len(node)
                children += node.values()
            elif type(node) is list:
                children += node
        seen += len(children)
        if seen > values:
            raise JsonRefusedError(f"more than {values} values")
        level = [child for child in children if type(child) in _CONTAINERS]
        if not level:
            return names
    raise JsonRefusedError(f"nested deeper than {depth} levels")


def _check_texts(document: object) -> None:
    rest = [document]
    while rest:
        node = rest.pop()
        if isinstance(node, dict):
            rest.extend(node)
            rest.extend(node.values())
        elif isinstance(node, list):
            rest.extend(node)
        elif isinstance(node, str):
            _check_text(node)


def _check_text(text: str) -> None:
    if "\x00" in text:
        raise JsonRefusedError("a text holds the NUL character")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise JsonRefusedError("a text holds half of a surrogate pair") from None


def _decoder(hook: Callable[[Pairs], dict[str, object]] | None) -> json.JSONDecoder:
    return json.JSONDecoder(
        object_pairs_hook=hook,
        parse_int=_bounded_integer,
        parse_float=_finite_float,
        parse_constant=_refuse_constant,
    )


_LENIENT = _decoder(None)
_STRICT = _decoder(_unique_names)


def members(value: object) -> Mapping[str, object]:
    """The members of an object; none of what is no object."""
    return value if isinstance(value, dict) else {}
