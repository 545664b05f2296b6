# SPDX-License-Identifier: Apache-2.0
"""Text of strangers made fit for one line; numbers as the page writes them."""

import math
import re
import unicodedata

_THIN_SPACE = "\u2009"
# what the picture can write: its typeface has Latin letters and general punctuation, and digits
# that it can raise
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_WRITTEN = re.compile(r"[⁰⁴-⁹\x20-\xff\u0131\u0152\u0153\u2000-\u206f\u20ac\u2122\u2212]")


def one_line(text: str, most: int) -> str:
    """`text` without line breaks, controls and marks of direction, cut to `most` characters."""
    # the cut before the work: normalising is quick on a few hundred characters
    kept = unicodedata.normalize("NFC", text[: 4 * most])
    kept = "".join(" " if character.isspace() else character for character in kept)
    kept = "".join(c for c in kept if not unicodedata.category(c).startswith("C"))
    kept = re.sub(" +", " ", kept).strip()
    return kept if len(kept) <= most else kept[: most - 1].rstrip() + "…"


def writable(text: str, otherwise: str) -> str:
    """`text` if the picture's typeface has its letters, bare of marks at need, else `otherwise`."""
    letters = (c if _WRITTEN.match(c) else unicodedata.normalize("NFD", c)[0] for c in text)
    bare = "".join(letters)
    return bare if all(_WRITTEN.match(c) for c in bare) else otherwise


def decimal(value: float, digits: int) -> str:
    """A number with a true minus sign, and thin spaces from five digits on."""
    text = f"{abs(value):.{digits}f}"
    whole, _, part = text.partition(".")
    if len(whole) > 4:
        whole = f"{int(whole):,}".replace(",", _THIN_SPACE)
    sign = "−" if value < 0 and float(text) != 0 else ""
    return sign + whole + (f".{part}" if part else "")


def brief(value: float, significant: int = 4) -> str:
    """A number as short as it can be said, to `significant` digits."""
    if value == 0:
        return "0"
    digits = max(0, min(12, significant - 1 - math.floor(math.log10(abs(value)))))
    text = decimal(value, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text


def digits_for(span: float) -> int:
    """Decimals that show about three digits of what changes over `span`."""
    if not (span > 0 and math.isfinite(span)):
        return 2
    return max(0, min(8, 2 - math.floor(math.log10(span))))
