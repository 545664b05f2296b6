# SPDX-License-Identifier: Apache-2.0
"""A bound on request bodies, which the framework gathers in memory before anyone looks at them."""

from collections.abc import Container

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coalescope.errors import CoalescopeError
from coalescope.untrusted.nesting import exceeds_depth

# The deepest document that the API takes stands in about ten.
_MOST_BRACKETS = 64


class BodyLimit:
    """Refuses bodies larger than `most` bytes, by their declared length or while they come.

    JSON that is nested too deeply is refused before anybody reads it.

    Addresses in `streamed` look after themselves: they never hold a whole body.
    """

    def __init__(self, app: ASGIApp, most: int, streamed: Container[str]) -> None:
        self._app = app
        self._most = most
        self._streamed = streamed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 413, or pass the request on."""
        if scope["type"] != "http" or scope["path"] in self._streamed:
            await self._app(scope, receive, send)
            return
        declared = Headers(scope=scope).get("content-length", "")
        if declared.isdigit() and int(declared) > self._most:
            await self._refusal()(scope, receive, send)
            return
        received = bytearray()

        async def receive_bounded() -> Message:
            message = await receive()
            received.extend(message.get("body", b""))
            if len(received) > self._most:
                raise HTTPException(413)
            if not message.get("more_body", False) and exceeds_depth(
                _MOST_BRACKETS, bytes(received)
            ):
                raise HTTPException(422)  # error_responses has its words
            return message

        await self._app(scope, receive_bounded, send)

    def _refusal(self) -> JSONResponse:
        error = CoalescopeError(
            "too_large",
            f"The request body is larger than {self._most:,} bytes.",
            where={"limit": self._most},
            advice="Only files sent to /api/uploads may be large.",
            status=413,
        )
        return JSONResponse(error.as_json(), status_code=error.status)
