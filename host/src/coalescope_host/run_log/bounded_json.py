# SPDX-License-Identifier: Apache-2.0
"""JSON as the format allows it: UTF-8, bounded, finite, no name twice, storable text."""

import json
import re
from typing import NoReturn

INTEGER_LOW = -(1 << 63)
INTEGER_HIGH = (1 << 64) - 1

# Cheap tests on the raw text; only a text that trips one is walked value by value.
_LONG_NUMBER = re.compile(rb"-[0-9]{19}|[0-9]{20}|[0-9][eE]\+?[0-9]{3}")
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
    try:
        text = raw.decode("utf-8")
        document: object = json.loads(
            text,
            object_pairs_hook=_unique_names if unique_names else None,
            parse_constant=_refuse_constant,
        )
    except UnicodeDecodeError as error:
        raise JsonRefusedError(f"not UTF-8 at its byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise JsonRefusedError(f"not JSON: {error.msg} at its character {error.pos}") from None
    except RecursionError:
        raise JsonRefusedError(f"nested deeper than {depth} levels") from None
    except JsonRefusedError:
        raise
    except ValueError:  # an integer of thousands of digits
        raise JsonRefusedError("a number is too long") from None
    _check_shape(document, depth, values)
    if _LONG_NUMBER.search(raw) or _ESCAPED_ODDITY.search(raw) or b"\x00" in raw:
        _check_values(document)
    return document


def dump(document: object) -> bytes:
    """The text the writers write: compact, UTF-8, names in the order given."""
    return json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode(
        "utf-8"
    )


def _unique_names(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise JsonRefusedError("an object has the same name twice")
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise JsonRefusedError(f"{name} is not a JSON number")


def _check_shape(document: object, depth: int, values: int) -> None:
    level = [document]
    seen = 0
    for _ in range(depth + 1):
        level = [node for node in level if type(node) is dict or type(node) is list]
        if not level:
            return
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, dict) else node)  # type: ignore[attr-defined]
        ]
        seen += len(level)
        if seen > values:
            raise JsonRefusedError(f"more than {values} values")
    raise JsonRefusedError(f"nested deeper than {depth} levels")


def _check_values(document: object) -> None:
    rest = [document]
    while rest:
        node = rest.pop()
        if isinstance(node, dict):
            rest.extend(node)
            rest.extend(node.values())
        elif isinstance(node, list):
            rest.extend(node)
        else:
            _check_value(node)


def _check_value(node: object) -> None:
    if isinstance(node, str):
        if "\x00" in node:
            raise JsonRefusedError("a text holds the NUL character")
        try:
            node.encode("utf-8")
        except UnicodeEncodeError:
            raise JsonRefusedError("a text holds half of a surrogate pair") from None
    elif isinstance(node, float):
        if node - node != 0.0:
            raise JsonRefusedError("a number is not finite")
    elif isinstance(node, int) and not INTEGER_LOW <= node <= INTEGER_HIGH:
        raise JsonRefusedError("an integer does not fit into 64 bits")
