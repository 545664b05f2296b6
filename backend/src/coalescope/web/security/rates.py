# SPDX-License-Identifier: Apache-2.0
"""How often one client may ask for what takes long to compute, and add to what is stored."""

import ipaddress
import math
import re
import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import Literal

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from coalescope.errors import CoalescopeError
from coalescope.web.security.scopes import CALLER, needed_scope

_NAME = "[^/]+"
_COSTLY = re.compile(
    rf"/api/(?:jobs|uploads/look|recommendations|predictions|models/{_NAME}/predictions|policies/trials"
    rf"|comparisons|runs/{_NAME}/contents|experiments/{_NAME}/"
    r"(?:fits|nonlinear-fits|recommendations|variance|replication-plan|replicates|environment"
    r"|export))|/previews/.*"
)
_MOST_CLIENTS = 10_000

Counted = Literal["costly", "links", "uploads"]


def counted(method: str, path: str) -> Counted | None:
    """What a request is counted with; None if it is not."""
    if _COSTLY.fullmatch(path):
        return "costly"
    if needed_scope(method, path) != "upload":
        return None
    return "links" if path == "/api/links" else "uploads"


class RateLimiter:
    """Per client a store of `per_minute` requests, which fills again evenly."""

    def __init__(self, per_minute: int) -> None:
        self._most = float(per_minute)
        self._per_s = per_minute / 60
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait_s(self, client: str, now: float) -> float:
        """Take one request from the client's store; seconds to wait if it is empty, else 0."""
        left, since = self._left.pop(client, (self._most, now))
        left = min(self._most, left + (now - since) * self._per_s)
        allowed = left >= 1
        self._left[client] = (left - 1 if allowed else left, now)
        if len(self._left) > _MOST_CLIENTS:
            self._left.popitem(last=False)
        return 0.0 if allowed else (1 - left) / self._per_s


def client_of(scope: Scope) -> str:
    """The address that a request came from; of IPv6 the /64, which one host has to itself.

    A socket for both families has each IPv4 address as an IPv6 one, all in the same /64.
    """
    client = scope.get("client")
    if not client:
        return ""
    try:
        address = ipaddress.ip_address(client[0])
    except ValueError:
        return str(client[0])
    if isinstance(address, ipaddress.IPv6Address):
        address = address.ipv4_mapped or address
    own = (
        address if address.version == 4 else ipaddress.ip_network((int(address), 64), strict=False)
    )
    return str(own)


class RateLimit:
    """Answers 429 to whoever asks for costly things, or adds something, too often.

    What is costly is counted by address; what is added by the token that was shown, so that those
    behind one proxy do not wait for each other.
    """

    def __init__(self, app: ASGIApp, per_minute: Mapping[Counted, int]) -> None:
        self._app = app
        self._rates = {kind: RateLimiter(most) for kind, most in per_minute.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count the request, and refuse it or pass it on."""
        kind = counted(scope["method"], scope["path"]) if scope["type"] == "http" else None
        if kind is not None:
            caller = None if kind == "costly" else scope.get(CALLER)
            client = client_of(scope) if caller is None else f"token {caller}"
            wait_s = self._rates[kind].wait_s(client, time.monotonic())
            if wait_s > 0:
                whose = "from your address" if caller is None else "with your token"
                await _refusal(wait_s, whose)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _refusal(wait_s: float, whose: str) -> JSONResponse:
    seconds = math.ceil(wait_s)
    error = CoalescopeError(
        "too_many_requests",
        f"Too many requests of this kind came {whose}.",
        where={"retry_after_s": seconds},
        advice=f"Try again in {seconds} s.",
        status=429,
    )
    headers = {"Retry-After": str(seconds)}
    return JSONResponse(error.as_json(), status_code=429, headers=headers)
