# SPDX-License-Identifier: Apache-2.0
"""Text that a spreadsheet would run as a formula, and its harmless spelling in a CSV."""

import re

# As wide as a character of Japanese, they begin a formula in some languages of a spreadsheet.
_WIDE = "\uff1d\uff0b\uff0d\uff20"
_FORMULA = re.compile(rf"'*[=+\-@\t\r\n{_WIDE}]")
_DISARMED = re.compile(rf"''*[=+\-@\t\r\n{_WIDE}]")


def disarmed(text: str) -> str:
    """Put an apostrophe before what begins like a formula (or like a disarmed one)."""
    return f"'{text}" if _FORMULA.match(text) else text


def as_meant(text: str) -> str:
    """Take the apostrophe of `disarmed` away again."""
    return text[1:] if _DISARMED.match(text) else text
