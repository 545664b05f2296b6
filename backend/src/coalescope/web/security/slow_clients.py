# SPDX-License-Identifier: Apache-2.0
"""Clients that take their time, or the server's: heads, bodies and answers have to move.

A connection that waits costs a file and some memory; these bounds keep that a matter of seconds, or
of two minutes for one that rests between requests. Reading a chunk of a body takes as long whether
it holds a byte or some hundred, so that a body of single bytes would keep everybody waiting.
"""

import asyncio
import json
import time
from typing import Any

import h11
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from coalescope.errors import CoalescopeError
from coalescope.web.security.headers import SECURITY_HEADERS

HEAD_S = 10.0
BODY_S = 30.0
BODY_BYTES_PER_S = 1024
ANSWER_S = 60.0
# Longer than proxies and clients keep theirs (Caddy 120 s): who closes first is never the server,
# so that no request is sent into a connection that is just being closed.
KEEP_ALIVE_S = 130
MOST_HEAD_BYTES = 2**16
#: Chunks of a body that may be of any size; of more, each holds so many bytes in the mean.
SMALL_CHUNKS = 10_000
CHUNK_BYTES = 512


class SlowBodyTimeout:
    """Answers 408 where a body comes more slowly than `bytes_per_s`, `grace_s` aside."""

    def __init__(
        self, app: ASGIApp, grace_s: float = BODY_S, bytes_per_s: float = BODY_BYTES_PER_S
    ) -> None:
        self._app = app
        self._grace_s = grace_s
        self._bytes_per_s = bytes_per_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, with a clock beside its body."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start, received, whole = time.monotonic(), 0, False

        async def receive_in_time() -> Message:
            nonlocal received, whole
            if whole:  # what comes now is the end of the connection, whenever that is
                return await receive()
            end = start + self._grace_s + received / self._bytes_per_s
            try:
                # no task of its own for each piece, as wait_for makes
                async with asyncio.timeout(end - time.monotonic()):
                    message = await receive()
            except TimeoutError:
                raise HTTPException(408, headers={"Connection": "close"}) from None
            received += len(message.get("body", b""))
            whole = not message.get("more_body", False)
            return message

        await self._app(scope, receive_in_time, send)


class _BoundedRequests(h11.Connection):
    """A server's side of HTTP/1.1 that takes no long head, and no body of very many small chunks.

    h11 by itself measures only what is not whole yet: a head that comes at once may be longer.
    """

    _chunks = 0
    _body_bytes = 0

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """The next event. Errors: RemoteProtocolError, where a head or a body is refused."""
        if self.their_state is h11.IDLE:
            return self._head()
        event = super().next_event()
        if isinstance(event, h11.Data):
            self._chunks += event.chunk_start
            self._body_bytes += len(event.data)
            if self._chunks > SMALL_CHUNKS + self._body_bytes // CHUNK_BYTES:
                raise h11.RemoteProtocolError("the chunks are too small", error_status_hint=400)
        return event

    def _head(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        self._chunks = self._body_bytes = 0
        before = len(self.trailing_data[0])
        event = super().next_event()
        if before - len(self.trailing_data[0]) > MOST_HEAD_BYTES:
            raise h11.RemoteProtocolError("the head is too long", error_status_hint=431)
        return event


class TimeoutH11Protocol(H11Protocol):
    """HTTP/1.1 whose heads must come, and whose answers must be taken, within a time."""

    head_s = HEAD_S
    answer_s = ANSWER_S
    _head_clock: asyncio.TimerHandle | None = None
    _answer_clock: asyncio.TimerHandle | None = None

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.conn = _BoundedRequests(h11.SERVER, MOST_HEAD_BYTES)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the clock of the first head."""
        super().connection_made(transport)
        self._head_clock = self.loop.call_later(self.head_s, self._close)

    def data_received(self, data: bytes) -> None:
        """Stop it once the head is whole; start it with the next head."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            _stop(self._head_clock)
            self._head_clock = None
        elif self._head_clock is None and self.cycle is not None:
            self._head_clock = self.loop.call_later(self.head_s, self._close)

    def on_response_complete(self) -> None:
        """Leave it stopped where the next request came before this answer was sent."""
        super().on_response_complete()
        # the next head was there already, and its cycle runs
        if self.cycle is not None and not self.cycle.response_complete:
            _stop(self._head_clock)
            self._head_clock = None

    def send_400_response(self, msg: str) -> None:
        """What is no HTTP, or is not taken, is answered in the one shape too, unless it was."""
        error = CoalescopeError(
            "not_http",
            "The request cannot be read as HTTP.",
            advice=f"Its first line and headers together hold at most {MOST_HEAD_BYTES:,} bytes; "
            f"chunks of its body after the first {SMALL_CHUNKS:,} at least {CHUNK_BYTES} each.",
            status=400,
        )
        under_way = self.cycle if self.cycle and not self.cycle.response_complete else None
        if under_way:
            under_way.disconnected = True  # what the application says from now on goes nowhere
            under_way.message_event.set()
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.close()
            return
        without_body = under_way is not None and under_way.scope["method"] == "HEAD"
        headers = SECURITY_HEADERS | {"Content-Type": "application/json", "Connection": "close"}
        body = b"" if without_body else json.dumps(error.as_json()).encode()
        for event in (
            h11.Response(status_code=400, headers=list(headers.items()), reason=b"Bad Request"),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def pause_writing(self) -> None:
        """The client does not take what is sent: give it a while."""
        super().pause_writing()
        self._answer_clock = self.loop.call_later(self.answer_s, self.transport.abort)

    def resume_writing(self) -> None:
        """It takes it again."""
        super().resume_writing()
        _stop(self._answer_clock)
        self._answer_clock = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Leave no clock behind."""
        _stop(self._head_clock)
        self._head_clock = None
        _stop(self._answer_clock)
        self._answer_clock = None
        super().connection_lost(exc)

    def _close(self) -> None:
        self._head_clock = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()


def _stop(clock: asyncio.TimerHandle | None) -> None:
    if clock is not None:
        clock.cancel()
