# SPDX-License-Identifier: Apache-2.0
"""The API's answers, compressed on their way to whoever takes that."""

from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

# What fits into a few packets comes no sooner when it is smaller.
_LEAST_BYTES = 2**14

# Of 5,000 cells this leaves a tenth; higher levels take several times as long for a few per cent.
_LEVEL = 4

# Run logs are compressed in themselves.
_AS_THEY_ARE = (*DEFAULT_EXCLUDED_CONTENT_TYPES, "application/octet-stream")


class CompressedAnswers:
    """Gzip for what /api answers; the page's files are compressed when it is built."""

    def __init__(self, app: ASGIApp) -> None:
        self._plain = app
        self._packing = GZipMiddleware(
            app,
            minimum_size=_LEAST_BYTES,
            compresslevel=_LEVEL,
            exclude_content_types=_AS_THEY_ARE,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and compress what comes back if it is of the API."""
        of_the_api = scope["type"] == "http" and scope["path"].startswith("/api/")
        await (self._packing if of_the_api else self._plain)(scope, receive, send)
