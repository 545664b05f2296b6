# SPDX-License-Identifier: Apache-2.0
"""What is done for a client ends when it leaves."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import Request

from coalescope.untrusted.confinement import Ending


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
