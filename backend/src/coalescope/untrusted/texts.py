# SPDX-License-Identifier: Apache-2.0
"""Which texts are taken where names come in. Standard library only.

What steers a terminal, turns the direction of writing around or is not seen shows something else
than it is: two names that look alike would be two. Half a character cannot be stored.
"""

import re

from coalescope.errors import CoalescopeError
from coalescope.untrusted.bounds import is_read_as_stored

# Format characters (Unicode's Cf, of its version 16) up to U+FFFF, among them U+FEFF, U+200B and
# marks of direction; ends of lines and of paragraphs.
_FORMAT = (
    r"\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e"
    r"\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
)
_FORMAT_BEYOND = (
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0001\U000e0020-\U000e007f"
)
_DESCRIBED = rf"\x7f-\x9f{_FORMAT}"
_REFUSED = rf"{_DESCRIBED}{_FORMAT_BEYOND}\ud800-\udfff"
#: What no name holds: control characters (Cc), format characters, and ends of lines.
CONTROL = re.compile(rf"[\x00-\x1f{_REFUSED}]")
#: The same, where there may be several lines.
CONTROL_IN_LINES = re.compile(rf"[\x00-\x08\x0b-\x1f{_REFUSED}]")
#: Lines with a word, as the API's description has it.
# not every engine takes half characters, or those beyond U+FFFF
_TOLD = rf"\x00-\x08\x0b-\x1f{_DESCRIBED}"
LINES_PATTERN = rf"^[^{_TOLD}]*[^\s{_TOLD}][^{_TOLD}]*$"

_ADVICE = "Write it as one line of plain text."


def fault_in(text: str, refused: re.Pattern[str] = CONTROL) -> str | None:
    """What a text has that no name may have, to be said behind what it is; None where nothing.

    Which characters are refused has changed: what was stored keeps those that it has.
    """
    found = None if is_read_as_stored() else refused.search(text)
    if found is None:
        return None
    number = f"U+{ord(found[0]):04X}"
    return f"has a control or format character, {number}, at place {found.start() + 1}"


def one_line(text: str) -> str:
    """The text. Errors: ValueError, where it is not one line of plain text."""
    if fault := fault_in(text):
        raise ValueError(f"{fault}. {_ADVICE}")
    return text


def lines(text: str) -> str:
    """The text. Errors: ValueError, where it has control characters other than ends of lines."""
    if fault := fault_in(text, CONTROL_IN_LINES):
        raise ValueError(f"{fault}. Write it as plain text.")
    return text


def refuse_control(field: str, text: str | None) -> None:
    """Errors: 422 naming the field, where it is not one line of plain text."""
    if text is not None and (fault := fault_in(text)):
        raise CoalescopeError(
            "control_characters",
            f"The {field.replace('_', ' ')} {fault}: {text[:200]!a}.",
            where={"field": field},
            advice=_ADVICE,
        )
