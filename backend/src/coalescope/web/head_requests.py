# SPDX-License-Identifier: Apache-2.0
"""HEAD at every address that answers GET: the same head, and no content (RFC 9110, 9.3.2)."""

import anyio
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class HeadRequests:
    """Asks the application as by GET, and sends the head of what it answers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; a stream, which may have no end, is ended after its head."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        with anyio.CancelScope() as answering:

            async def send_head(message: Message) -> None:
                if message["type"] != "http.response.start":
                    return
                await send(message)
                await send({"type": "http.response.body", "body": b""})
                if "content-length" not in Headers(raw=message["headers"]):
                    answering.cancel()

            await self._app({**scope, "method": "GET"}, receive, send_head)
