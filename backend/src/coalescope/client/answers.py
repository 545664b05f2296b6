# SPDX-License-Identifier: Apache-2.0
"""What a server answers, read within bounds: bytes, values, nesting and time.

A server is a stranger: it may be another program, or one that means harm.
"""

import json
import math
import time
import zlib
from collections.abc import Iterator
from typing import Any, Final, NoReturn

import httpx
from coalescope_host.run_log import values_in

from coalescope.errors import CoalescopeError
from coalescope.untrusted.nesting import exceeds_depth

#: Of all answers to one question, the pages of a list together. The largest experiment's runs are
#: 70 MiB; an export is as large as its file.
ANSWER_BYTES: Final = 96 * 2**20
EXPORT_BYTES: Final = 2**30
REFUSAL_BYTES: Final = 2**20
#: Of one answer: the cells of the largest experiment have about two million.
ANSWER_VALUES: Final = 4_000_000
ANSWER_DEPTH: Final = 64
#: From the question until all of the answer is there, waits in between included; seconds.
LONGEST_S: Final = 900.0
EXPORT_S: Final = 4 * 3600.0

#: What is asked for: each piece of it can be unpacked within bounds.
ENCODING: Final = "gzip"
_PIECE_BYTES = 2**18
_LONGEST_WHOLE_DIGITS = 20


class Allowance:
    """What is left of one question: time and bytes."""

    def __init__(self, place: str, most_bytes: int | None = None, longest_s: float | None = None):
        self.place = place
        self._most = ANSWER_BYTES if most_bytes is None else most_bytes
        self._left = self._most
        self._until = time.monotonic() + (LONGEST_S if longest_s is None else longest_s)

    @property
    def left_s(self) -> float:
        """Seconds; 0 where none are left."""
        return max(self._until - time.monotonic(), 0.0)

    def take(self, count: int) -> None:
        """So many bytes came. Errors: CoalescopeError where they are too many, or late."""
        self._left -= count
        if self._left < 0:
            raise CoalescopeError(
                "answer_too_large",
                f"{self.place} sent more than {self._most:,} bytes in answer to one question, "
                "which no server of experiments does.",
                advice="Check the address. If it is right, ask whoever runs the server.",
                status=502,
            )
        if not self.left_s:
            raise too_slow(self.place)


class Body:
    """The content of an answer, unpacked as it comes.

    Errors: CoalescopeError for more than the allowance, and for what cannot be unpacked.
    """

    def __init__(self, answer: httpx.Response, allowance: Allowance) -> None:
        encoding = answer.headers.get("content-encoding", "identity").strip().lower()
        self._place = allowance.place
        self._allowance = allowance
        self._unpacking = zlib.decompressobj(16 + zlib.MAX_WBITS) if encoding == ENCODING else None
        if encoding not in (ENCODING, "identity", ""):
            self._refuse(f"in the encoding {encoding[:40]!r}, which was not asked for")

    def take(self, raw: bytes) -> Iterator[bytes]:
        """What a piece of it says."""
        if self._unpacking is None:
            self._allowance.take(len(raw))
            yield raw
            return
        while raw and not self._unpacking.eof:
            try:
                piece = self._unpacking.decompress(raw, _PIECE_BYTES)
            except zlib.error:
                self._refuse("that cannot be unpacked")
            raw = self._unpacking.unconsumed_tail
            self._allowance.take(len(piece))
            yield piece

    def end(self) -> bytes:
        """The rest, where all pieces were taken."""
        if self._unpacking is None:
            return b""
        rest = self._unpacking.flush()
        if not self._unpacking.eof:
            self._refuse("that ends before its end")
        self._allowance.take(len(rest))
        return rest

    def _refuse(self, what: str) -> NoReturn:
        raise CoalescopeError(
            "wrong_answer",
            f"{self._place} sent an answer {what}.",
            advice="Check the address, and whether a proxy stands before the server.",
            status=502,
        )


def pieces_of(answer: httpx.Response, allowance: Allowance) -> Iterator[bytes]:
    """Of a blocking client's answer. Errors: as of `Body`, and httpx's own."""
    body = Body(answer, allowance)
    for raw in answer.iter_raw():
        yield from body.take(raw)
    yield body.end()


async def content_of(answer: httpx.Response, allowance: Allowance) -> bytes:
    """All of the answer of a client that does not block. Errors: as of `Body`, and httpx's own."""
    body, found = Body(answer, allowance), bytearray()
    async for raw in answer.aiter_raw():
        for piece in body.take(raw):
            found += piece
    return bytes(found + body.end())


def json_of(content: bytes) -> Any:
    """What it says; None where it is no JSON, or has more values or levels than any answer has.

    No number in it is beyond what a float holds.
    """
    if values_in(content, ANSWER_VALUES) > ANSWER_VALUES or exceeds_depth(ANSWER_DEPTH, content):
        return None
    try:
        return json.loads(content, parse_float=_number, parse_int=_whole, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None


def too_slow(place: str) -> CoalescopeError:
    """Its answer was not there in time."""
    return CoalescopeError(
        "unreachable",
        f"{place} did not answer in time.",
        advice="Check the address, and that the server runs.",
        status=503,
    )


def _number(text: str) -> float:
    found = float(text)
    if not math.isfinite(found):
        raise ValueError("a number beyond what a float holds")
    return found


def _whole(text: str) -> int:
    if len(text) > _LONGEST_WHOLE_DIGITS or not -(2**63) <= (found := int(text)) < 2**63:
        raise ValueError("a whole number of more than 64 bits")
    return found


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON")
