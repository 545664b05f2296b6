# SPDX-License-Identifier: Apache-2.0
"""Caches responses about an experiment, as the bytes that were sent, while its entity tag holds."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sqlalchemy.exc import DBAPIError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coalescope.db.engine import Database
from coalescope.experiments.conditional import current_tag, holds, tag_at_once
from coalescope.lru_cache import LruCache

# A surface of a thousand cells is about 100 KB, a hundred cells with every measure are 350 KB;
# 10,000 cells with two measures are 3.3 MB. By the most bytes, how many are kept.
KEPT = {2**20: 64, 2**23: 4}
_ABOUT_ONE = re.compile(r"/api/experiments/([^/]+)(?:/cells|/surfaces/[^/]+)?")


@dataclass
class _Answer:
    """An answer on its way, then kept."""

    status: int = 0
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    body: bytes = b""
    route: Any = None

    @cached_property
    def tag(self) -> str | None:
        return Headers(raw=self.headers).get("etag")


class ResponseCacheMiddleware:
    """Sends an answer again where the database names the version of the data that it was made of.

    What it costs is one row read. An answer belongs to its address with the query; those without
    the experiment's tag (conditional.tag) are never kept.
    """

    def __init__(self, app: ASGIApp, database: Database) -> None:
        self._app = app
        self._database = database
        self._answers = {most: LruCache[_Answer](number) for most, number in KEPT.items()}
        self._most = max(KEPT)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send what is kept, or pass the request on and keep what comes."""
        about = _ABOUT_ONE.fullmatch(scope["path"]) if scope.get("method") == "GET" else None
        if about is None:
            await self._app(scope, receive, send)
            return
        key = (scope["path"], scope["query_string"])
        found = [kept for answers in self._answers.values() if (kept := answers.find(key))]
        tag = await self._tag(about[1]) if found else None
        kept = next((answer for answer in found if answer.tag == tag), None)
        if kept is not None:
            scope["route"] = kept.route  # for the metrics
            await _send_again(kept, scope, send)
            return
        answer = _Answer()

        async def watched_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer.status, answer.headers = message["status"], [*message["headers"]]
            elif len(answer.body) <= self._most:
                answer.body += message.get("body", b"")
            await send(message)

        await self._app(scope, receive, watched_send)
        fits = [answers for most, answers in self._answers.items() if len(answer.body) <= most]
        if fits and answer.status == 200 and answer.tag is not None:
            answer.route = scope.get("route")
            fits[0].keep(key, answer)

    async def _tag(self, slug: str) -> str | None:
        tag = tag_at_once(self._database, slug)
        return await run_in_threadpool(self._awaited_tag, slug) if tag is None else tag

    def _awaited_tag(self, slug: str) -> str | None:
        try:
            with self._database.read() as connection:
                return current_tag(connection, slug)
        except DBAPIError:
            return None  # the endpoint meets it too, and says so


async def _send_again(kept: _Answer, scope: Scope, send: Send) -> None:
    status, body = 200, kept.body
    headers = kept.headers
    if holds(Headers(scope=scope).get("if-none-match", ""), str(kept.tag)):
        status, body = 304, b""
        headers = [pair for pair in headers if pair[0] not in (b"content-length", b"content-type")]
    # a copy: what stands around the application may add its own to it
    await send({"type": "http.response.start", "status": status, "headers": [*headers]})
    await send({"type": "http.response.body", "body": body})
