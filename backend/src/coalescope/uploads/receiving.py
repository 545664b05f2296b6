# SPDX-License-Identifier: Apache-2.0
"""A request's body into a file, as it comes."""

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from coalescope.errors import CoalescopeError
from coalescope.storage.object_store import StagedObject

_WRITE_BYTES = 2**20


#: What to do where the most is what the server's settings say.
_OF_SETTINGS = "Record with a longer interval, or raise COALESCOPE_MAX_UPLOAD_BYTES."


async def receive(
    request: Request, staged: StagedObject, most: int, advice: str = _OF_SETTINGS
) -> bytearray:
    """Stream the body into the staged file; memory stays at one buffer whatever its size.

    The end of it, less than a buffer, is returned and not yet written.
    Errors: CoalescopeError 413 for more than `most` bytes, 400 where it was cut off.
    """
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > most:
        raise _too_large(most, advice)
    buffer = bytearray()
    try:
        async for chunk in request.stream():
            buffer += chunk
            if staged.size + len(buffer) > most:
                raise _too_large(most, advice)
            if len(buffer) >= _WRITE_BYTES:
                await run_in_threadpool(staged.write, buffer)
                buffer = bytearray()
    except ClientDisconnect:
        raise CoalescopeError(
            "cut_off", "The upload was cut off; nothing was kept.", status=400
        ) from None
    return buffer


def _too_large(most: int, advice: str) -> CoalescopeError:
    return CoalescopeError(
        "too_large",
        f"The file is larger than the {most:,} bytes this server accepts; nothing was kept.",
        where={"limit": most},
        advice=advice,
        status=413,
    )
