# SPDX-License-Identifier: Apache-2.0
"""Which texts are taken where names come in. Standard library only.

What steers a terminal or turns the direction of writing around shows something else than it is;
half a character cannot be stored.
"""

import re

from coalescope.errors import CoalescopeError

_DESCRIBED = r"\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
_INVISIBLE = _DESCRIBED + r"\ud800-\udfff"
#: What no name holds: control characters (Unicode's Cc), ends of lines, and marks of direction.
CONTROL = re.compile(rf"[\x00-\x1f{_INVISIBLE}]")
#: The same, where there may be several lines.
_IN_LINES = rf"\x00-\x08\x0b-\x1f{_INVISIBLE}"
CONTROL_IN_LINES = re.compile(f"[{_IN_LINES}]")
#: Lines with a word, as the API's description has it.
_TOLD = rf"\x00-\x08\x0b-\x1f{_DESCRIBED}"  # not every engine takes half characters
LINES_PATTERN = rf"^[^{_TOLD}]*[^\s{_TOLD}][^{_TOLD}]*$"

_ADVICE = "Write it as one line of plain text."


def one_line(text: str) -> str:
    """The text. Errors: ValueError, where it is not one line of plain text."""
    if CONTROL.search(text):
        raise ValueError(f"has control characters. {_ADVICE}")
    return text


def lines(text: str) -> str:
    """The text. Errors: ValueError, where it has control characters other than ends of lines."""
    if CONTROL_IN_LINES.search(text):
        raise ValueError("has control characters. Write it as plain text.")
    return text


def refuse_control(field: str, text: str | None) -> None:
    """Errors: 422 naming the field, where it is not one line of plain text."""
    if text is not None and CONTROL.search(text):
        raise CoalescopeError(
            "control_characters",
            f"The {field.replace('_', ' ')} has control characters: {text[:200]!a}.",
            where={"field": field},
            advice=_ADVICE,
        )
