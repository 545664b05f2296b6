# SPDX-License-Identifier: Apache-2.0
"""What is done for a client ends when it leaves, or when the server does."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coalescope.errors import CoalescopeError
from coalescope.untrusted.confinement import Ending
from coalescope.web.error_responses import answer_of


@asynccontextmanager
async def ended_with(request: Request, ending: Ending) -> AsyncIterator[None]:
    """End the work for a client that leaves, and if the request ends before the work does."""

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        ending.come()

    watching = asyncio.create_task(watch())
    try:
        yield
    except asyncio.CancelledError:  # the server ends
        ending.come()
        ending.check()
    finally:
        watching.cancel()


class AnswersAtTheEnd:
    """Answers in words what a server that ends waits for no longer.

    Such a request is cancelled: else its client would get no answer, and the log a traceback.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass it on; where that is cancelled before anything was answered, answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def noted(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, noted)
        except asyncio.CancelledError:
            if not begun:
                ended = CoalescopeError(
                    "server_ends",
                    "The server ended before this was computed; nothing was changed by it.",
                    where={"method": scope["method"], "path": scope["path"]},
                    advice="Send it again when the server is back.",
                    status=503,
                )
                await answer_of(ended, {"Connection": "close"})(scope, receive, send)
