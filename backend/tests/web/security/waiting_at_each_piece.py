# SPDX-License-Identifier: Apache-2.0
"""A mutant for the test of slow connections: `coalescope` that waits at each piece of a body, as a
disk has one wait, on the thread that serves everybody.
"""

import sys
import time
from collections.abc import AsyncIterator

from coalescope.cli import main
from starlette.requests import Request

_stream = Request.stream
WAIT_S = 0.006  # of some 170 pieces a second


async def stream(self: Request) -> AsyncIterator[bytes]:
    async for piece in _stream(self):
        time.sleep(WAIT_S)
        yield piece


Request.stream = stream  # type: ignore[assignment, method-assign]
sys.exit(main())
