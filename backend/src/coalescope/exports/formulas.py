# SPDX-License-Identifier: Apache-2.0
"""Text that a spreadsheet would run as a formula, and its harmless spelling in a CSV."""

import re

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_DISARMED = re.compile(r"''*[=+\-@\t\r]")


def disarmed(text: str) -> str:
    """Put an apostrophe before what begins like a formula (or like a disarmed one)."""
    return f"'{text}" if _FORMULA.match(text) else text


def as_meant(text: str) -> str:
    """Take the apostrophe of `disarmed` away again."""
    return text[1:] if _DISARMED.match(text) else text
