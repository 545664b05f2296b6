# SPDX-License-Identifier: Apache-2.0
"""Answers that are made when they are asked for, compressed on their way to whoever takes that."""

from collections.abc import Hashable
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Protocol

from starlette.datastructures import Headers
from starlette.middleware.gzip import (
    DEFAULT_EXCLUDED_CONTENT_TYPES,
    GZipResponder,
    IdentityResponder,
)
from starlette.types import ASGIApp, Receive, Scope, Send

# What fits into a few packets comes no sooner when it is smaller.
_LEAST_BYTES = 2**14

# Of 5,000 cells this leaves a tenth; higher levels take several times as long for a few per cent.
_LEVEL = 4

# Run logs are compressed in themselves.
_AS_THEY_ARE = (*DEFAULT_EXCLUDED_CONTENT_TYPES, "application/octet-stream")

#: Of packed answers: the cells of the largest experiments are some MB.
KEPT_BYTES = 2**24


class Kept(Protocol):
    """Packed answers by what they say, of which the least recently used are forgotten."""

    def find(self, key: Hashable) -> bytes | None:
        """What is kept under that key."""

    def keep(self, key: Hashable, answer: bytes) -> None:
        """Keep it under that key."""


class CompressedAnswers:
    """Gzip for what /api answers, and for documents; files are compressed when the page is built.

    An answer that is sent again is not compressed again: its packed bytes are kept by what it says.
    """

    def __init__(self, app: ASGIApp, kept: Kept) -> None:
        self._plain = app
        self._kept = kept

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and compress what comes back if it is no file of the page."""
        made = scope["type"] == "http" and _is_made(scope["path"])
        await (self._answering(scope) if made else self._plain)(scope, receive, send)

    def _answering(self, scope: Scope) -> ASGIApp:
        if "gzip" in Headers(scope=scope).get("accept-encoding", ""):
            return _Packing(self._plain, self._kept)
        return IdentityResponder(self._plain, _LEAST_BYTES, exclude_content_types=_AS_THEY_ARE)


def _is_made(path: str) -> bool:
    """Whether it is the API's, or an address of the page, whose document brings answers along."""
    return path.startswith("/api/") or not PurePosixPath(path).suffix


class _Packing(GZipResponder):
    """One answer: what comes whole is packed unless that was done before."""

    def __init__(self, app: ASGIApp, kept: Kept) -> None:
        super().__init__(app, _LEAST_BYTES, _LEVEL, exclude_content_types=_AS_THEY_ARE)
        self._kept = kept
        self._in_pieces = False

    async def apply_compression(self, body: bytes, *, more_body: bool) -> bytes:
        """The body or a piece of it, packed."""
        self._in_pieces = self._in_pieces or more_body
        if self._in_pieces:
            return await super().apply_compression(body, more_body=more_body)
        content = sha256(body).digest()
        packed = self._kept.find(content)
        if packed is None:
            packed = await super().apply_compression(body, more_body=False)
            self._kept.keep(content, packed)
        return packed
