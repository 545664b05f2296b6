# SPDX-License-Identifier: Apache-2.0
"""The guard in front of the application: asks the policy about each request's head."""

import logging
import math
import time
from typing import Protocol

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coalescope.db.engine import AUDIT_CONTEXT, AuditContext
from coalescope.errors import CoalescopeError
from coalescope.web.security.headers import SecurityHeaders
from coalescope.web.security.policy import (
    AccessPolicy,
    Refusal,
    RequestHead,
    bearer,
    same_secret,
    too_many_guesses,
)
from coalescope.web.security.rates import client_of
from coalescope.web.security.scopes import CALLER, Caller, is_recorded, needed_scope
from coalescope.web.security.token_attempts import TokenAttemptLimiter

_LOG = logging.getLogger("coalescope.access")
_MOST_ASKED = 500


class Callers(Protocol):
    """Whoever knows the tokens that were made."""

    def find(self, given: str) -> Caller | None:
        """Whose token this is; None if nobody's."""

    def note_use(self, key: str) -> None:
        """Write down that it was used."""


class Guard:
    """Refuses what the policy refuses before a byte of the body is read."""

    def __init__(
        self, app: ASGIApp, policy: AccessPolicy, token: str | None, callers: Callers | None
    ) -> None:
        self._app = app
        self._policy = policy
        self._token = token
        self._callers = callers
        self._guesses = TokenAttemptLimiter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the refusal, or pass the request on under the caller's name."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        head = _head(scope)
        given = bearer(head.authorization) if needed_scope(head.method, head.path) else None
        refusal = self._policy.foreign(head) or self._too_many(scope, given)
        caller = None
        if refusal is None:
            caller = await self._caller(given)
            refusal = self._policy.forbidden(head, caller)
        if refusal is not None:
            _LOG.info(
                "refused",
                extra={"code": refusal.code, **_asked(head), "who": _who(caller, scope)},
            )
            await _answer(refusal)(scope, receive, send)
            return
        scope[CALLER] = None if caller is None else caller.name
        await self._pass_on(head, caller, scope, receive, send)
        if caller is not None and caller.key is not None and self._callers is not None:
            await run_in_threadpool(self._callers.note_use, caller.key)

    def _too_many(self, scope: Scope, given: str | None) -> Refusal | None:
        """Why this token is not even looked at, or None."""
        if given is None or not self._policy.asks:
            return None
        wait_s = self._guesses.wait_s(client_of(scope), given, time.monotonic())
        return too_many_guesses(math.ceil(wait_s)) if wait_s > 0 else None

    async def _caller(self, given: str | None) -> Caller | None:
        if given is None:
            return None
        caller = await self._owner(given)
        self._guesses.note(given, right=caller is not None)
        return caller

    async def _owner(self, given: str) -> Caller | None:
        if self._token is not None and same_secret(given, self._token):
            return Caller("COALESCOPE_TOKEN", "admin")
        return None if self._callers is None else await run_in_threadpool(self._callers.find, given)

    async def _pass_on(
        self, head: RequestHead, caller: Caller | None, scope: Scope, receive: Receive, send: Send
    ) -> None:
        if not is_recorded(head.method, head.path):
            await self._app(scope, receive, send)
            return
        who = _who(caller, scope)
        query = scope["query_string"].decode("latin-1")
        what = f"{head.method} {head.path}{'?' if query else ''}{query}"[:_MOST_ASKED]
        status = 500

        async def watched_send(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        before = AUDIT_CONTEXT.set(AuditContext(who, what))
        try:
            await self._app(scope, receive, watched_send)
        finally:
            AUDIT_CONTEXT.reset(before)
            _LOG.info("change", extra={"who": who, "what": what, "status": status})


def _head(scope: Scope) -> RequestHead:
    headers = Headers(scope=scope)
    server = scope.get("server")
    return RequestHead(
        method=scope["method"],
        path=scope["path"],
        port=server[1] if server else None,
        host=headers.get("host"),
        origin=headers.get("origin"),
        fetch_site=headers.get("sec-fetch-site"),
        authorization=headers.get("authorization"),
    )


def _who(caller: Caller | None, scope: Scope) -> str:
    """The token's name; without one, from where."""
    if caller is not None:
        return caller.name
    client = scope.get("client")
    return f"without a token, from {client[0] if client else 'somewhere'}"


def _asked(head: RequestHead) -> dict[str, str]:
    return {"method": head.method, "path": head.path[:_MOST_ASKED]}


def _answer(refusal: Refusal) -> JSONResponse:
    error = CoalescopeError(
        refusal.code, refusal.message, advice=refusal.advice, status=refusal.status
    )
    headers = {"WWW-Authenticate": refusal.challenge} if refusal.challenge else {}
    if refusal.retry_after_s is not None:
        headers["Retry-After"] = str(refusal.retry_after_s)
    return JSONResponse(error.as_json(), status_code=refusal.status, headers=headers)


def protect(
    app: Starlette,
    policy: AccessPolicy,
    token: str | None = None,
    callers: Callers | None = None,
) -> None:
    """Put the guard in front of an application, and the headers in front of the guard."""
    app.add_middleware(Guard, policy=policy, token=token, callers=callers)
    app.add_middleware(SecurityHeaders)
