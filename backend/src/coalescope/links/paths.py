# SPDX-License-Identifier: Apache-2.0
"""Addresses that a link may stand for, in one canonical spelling, and the tokens made from them."""

import hashlib
import re
from collections.abc import Iterator
from urllib.parse import quote

from coalescope.errors import CoalescopeError

MAX_BYTES = 8192
SHORTEST_TOKEN = 10

# Without 0, O, I and l, which are mistaken for each other when read aloud or from paper.
_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_LONGEST_TOKEN = 40

_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_PATH_SAFE = "/:@!$&'()*+,;=%"
_QUERY_SAFE = _PATH_SAFE + "?"
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
# Browsers drop tabs and newlines from addresses and read a backslash as a slash.
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f\\]")
_NOT_THE_PAGE = re.compile(r"/(api|l)(/|$)")


def canonical_path(path: str) -> str:
    """Return the one spelling of an address of the page: path, query and fragment in ASCII.

    Dot segments and repeated slashes are resolved, percent escapes are spelled one way. The
    parameters keep their order, since it may matter.

    Raises:
        CoalescopeError: not an address on this server, not one of the page, or too long.

    """
    if not path.startswith("/"):
        raise _refused("it has to start with '/', without scheme and host")
    if path.startswith("//") or _FORBIDDEN.search(path):
        raise _refused("it could lead to another host")
    try:
        rest, hash_mark, fragment = path.partition("#")
        location, question_mark, query = rest.partition("?")
        canonical = _resolved(_escaped(location, _PATH_SAFE))
        if question_mark and query:
            canonical += "?" + _escaped(query, _QUERY_SAFE)
        if hash_mark and fragment:
            canonical += "#" + _escaped(fragment, _QUERY_SAFE)
    except UnicodeEncodeError:
        raise _refused("it is not valid Unicode") from None
    if len(canonical) > MAX_BYTES:
        raise _refused(f"it has {len(canonical)} bytes; {MAX_BYTES} is the most a link can hold")
    if _NOT_THE_PAGE.match(canonical):
        raise _refused("it is not an address of the page")
    return canonical


def tokens(canonical: str) -> Iterator[str]:
    """Yield the tokens for an address, each one character longer than the one before.

    They depend on the address alone, so the same view always gets the same link; the longer ones
    are for the case that another address has the same beginning.
    """
    number = int.from_bytes(hashlib.sha256(canonical.encode()).digest())
    digits = []
    for _ in range(_LONGEST_TOKEN):
        number, digit = divmod(number, len(_ALPHABET))
        digits.append(_ALPHABET[digit])
    for length in range(SHORTEST_TOKEN, _LONGEST_TOKEN + 1):
        yield "".join(digits[:length])


def _escaped(text: str, safe: str) -> str:
    text = _STRAY_PERCENT.sub("%25", text)
    return quote(_ESCAPE.sub(_one_spelling, text), safe=safe)


def _one_spelling(escape: re.Match[str]) -> str:
    character = chr(int(escape[1], 16))
    return character if character in _UNRESERVED else f"%{escape[1].upper()}"


def _resolved(location: str) -> str:
    kept: list[str] = []
    segments = location.split("/")
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment not in ("", "."):
            kept.append(segment)
    is_folder = segments[-1] in ("", ".", "..") and kept
    return "/" + "/".join(kept) + ("/" if is_folder else "")


def _refused(reason: str) -> CoalescopeError:
    return CoalescopeError(
        "invalid_path",
        f"This address cannot be linked to: {reason}.",
        where={"field": "path"},
        advice="Give the path and query of a view of this page, such as "
        "/explorer/geist-2005-nfs?measure=throughput_mbps.",
    )
