# SPDX-License-Identifier: Apache-2.0
"""Numbers as people write them: which sign is the decimal sign, and what a text then says. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

DecimalSign = Literal[".", ","]

SIGNS: tuple[DecimalSign, ...] = (".", ",")
#: What stands where nothing was measured.
NOT_KNOWN = frozenset({"", "-", "–", "—", "na", "n/a", "nan", "null", "none"})
_SPACES = " \u00a0\u202f"
_PLAIN = {
    sign: re.compile(rf"[+-]?(\d+(\{sign}\d*)?|\{sign}\d+)([eE][+-]?\d{{1,3}})?")
    for sign in (".", ",")
}
_GROUPED = {
    sign: re.compile(
        rf"[+-]?\d{{1,3}}(?P<mark>[{_SPACES}'\{other}])\d{{3}}((?P=mark)\d{{3}})*(\{sign}\d+)?"
    )
    for sign, other in ((".", ","), (",", "."))
}
# 1.234 and 1,234: a number with decimals, or one in groups of three digits
_EITHER = re.compile(r"[+-]?\d{1,3}([.,])\d{3}")


@dataclass(frozen=True)
class Numbers:
    """What the texts of a column are.

    Attributes:
        numeric: all that say something are numbers, with few exceptions.
        decimal: the sign that makes them so.
        sure: no other reading would do.
        marked: some have a point or a comma, so that the sign matters.
    """

    numeric: bool
    decimal: DecimalSign
    sure: bool
    marked: bool


def number(text: str, decimal: DecimalSign) -> Decimal | None:
    """The number that a text says with this decimal sign; None where it says none."""
    text = text.strip().replace("\u2212", "-")
    if _PLAIN[decimal].fullmatch(text):
        return Decimal(text.replace(",", "."))
    grouped = _GROUPED[decimal].fullmatch(text)
    if grouped is None:
        return None
    return Decimal(text.replace(grouped["mark"], "").replace(",", "."))


def is_known(text: str) -> bool:
    """Whether a text says something."""
    return text.strip().lower() not in NOT_KNOWN


def numbers_of(texts: Iterable[str], usual: DecimalSign | None = None) -> Numbers:
    """What the texts of a column are; `usual`: the sign of the file's other columns, if known."""
    given = [text.strip() for text in texts if is_known(text)]
    marked = [text for text in given if "." in text or "," in text]
    fits = {sign: sum(number(text, sign) is not None for text in given) for sign in SIGNS}
    most = max(fits.values(), default=0)
    numeric = bool(given) and most >= 0.8 * len(given)
    if not numeric or not marked:
        return Numbers(numeric, usual or ".", True, False)
    either = [text for text in marked if _EITHER.fullmatch(text)]
    if fits["."] != fits[","]:
        sign: DecimalSign = "." if fits["."] > fits[","] else ","
        # of 71,4 beside 1.234, the second may have been meant otherwise
        sure = not any(sign not in text for text in either)
        return Numbers(True, sign, sure, True)
    signs = {mark[1] for text in either if (mark := _EITHER.fullmatch(text))}
    if usual is not None:
        return Numbers(True, usual, signs == {usual}, True)
    return Numbers(True, "," if signs == {","} else ".", False, True)
