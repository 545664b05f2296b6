# SPDX-License-Identifier: Apache-2.0
"""The guard in front of the application: asks the policy about each request's head."""

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from coalescope.errors import CoalescopeError
from coalescope.security.headers import SecurityHeaders
from coalescope.security.policy import AccessPolicy, Refusal, RequestHead


class Guard:
    """Refuses what the policy refuses before a byte of the body is read."""

    def __init__(self, app: ASGIApp, policy: AccessPolicy) -> None:
        self._app = app
        self._policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the refusal, or pass the request on."""
        if scope["type"] == "http":
            refusal = self._policy.refusal(_head(scope))
            if refusal is not None:
                await _answer(refusal)(scope, receive, send)
                return
        await self._app(scope, receive, send)


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


def _answer(refusal: Refusal) -> JSONResponse:
    error = CoalescopeError(
        refusal.code, refusal.message, advice=refusal.advice, status=refusal.status
    )
    headers = {"WWW-Authenticate": "Bearer"} if refusal.status == 401 else None
    return JSONResponse(error.as_json(), status_code=refusal.status, headers=headers)


def protect(app: Starlette, policy: AccessPolicy) -> None:
    """Put the guard in front of an application, and the headers in front of the guard."""
    app.add_middleware(Guard, policy=policy)
    app.add_middleware(SecurityHeaders)
