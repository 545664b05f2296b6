# SPDX-License-Identifier: Apache-2.0
"""The rules of access as pure functions: the head of a request in, a refusal or nothing out."""

import hmac
import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_API = "/api"
# What watches over a container asks this and knows no token; it learns the version and no more.
_HEALTH = "/api/health"
_DEFAULT_PORTS = {"http": 80, "https": 443}


class UnsafeBinding(Exception):  # noqa: N818  (read as a sentence where it is caught)
    """The server would listen beyond this machine with nothing to keep strangers out."""


@dataclass(frozen=True)
class Refusal:
    """Why a request is turned away.

    Attributes:
        status: HTTP status, 401, 403 or 421.
        code: stable name of the reason.
        message: what is wrong, in words.
        advice: what to do about it.

    """

    status: int
    code: str
    message: str
    advice: str


@dataclass(frozen=True)
class RequestHead:
    """What the rules look at, and nothing else."""

    method: str
    path: str
    port: int | None
    host: str | None
    origin: str | None
    fetch_site: str | None
    authorization: str | None


@dataclass(frozen=True)
class AccessPolicy:
    """How the server is bound, and the token it asks for.

    Attributes:
        loopback: bound to this machine only, so that every honest request names this machine.
        token: if set, every request under /api must carry it; only GET /api/health need not.

    """

    loopback: bool
    token: str | None

    def refusal(self, head: RequestHead) -> Refusal | None:
        """Return why this request is refused, or None if it may pass."""
        return self._foreign_host(head) or _foreign_origin(head) or self._missing_token(head)

    def _foreign_host(self, head: RequestHead) -> Refusal | None:
        # A page elsewhere can let its own name resolve to 127.0.0.1 (DNS rebinding): the browser
        # then counts it as same-origin, and only the Host header still tells the truth.
        if not self.loopback or _is_own_host(head.host, head.port):
            return None
        return Refusal(
            421,
            "foreign_host",
            f"This server listens on this machine only and does not answer to the host name "
            f"{_quoted(head.host)}.",
            f"Open http://127.0.0.1:{head.port or 8000} instead. To serve other machines, start "
            "it with --host and a COALESCOPE_TOKEN.",
        )

    def _missing_token(self, head: RequestHead) -> Refusal | None:
        if self.token is None or not is_api_path(head.path) or _asks_for_health(head):
            return None
        scheme, _, given = (head.authorization or "").partition(" ")
        if scheme.lower() == "bearer" and _same_secret(given.strip(), self.token):
            return None
        return Refusal(
            401,
            "wrong_token" if head.authorization else "token_required",
            "The token is not the one this server was started with."
            if head.authorization
            else "This server asks for a token.",
            "Send the header 'Authorization: Bearer TOKEN' with the COALESCOPE_TOKEN that the "
            "server was started with.",
        )


def access_policy(host: str, token: str | None) -> AccessPolicy:
    """Return the policy for a server bound to `host`.

    Raises:
        UnsafeBinding: `host` is reachable from other machines and there is no token.

    """
    loopback = is_loopback(host)
    token = token or None
    if not loopback and token is None:
        raise UnsafeBinding(
            f"{host} can be reached from other machines, and no token is set. Set COALESCOPE_TOKEN "
            "to a secret of your choice (for example from: python3 -c 'import secrets; "
            "print(secrets.token_urlsafe())'), or listen on 127.0.0.1 only."
        )
    return AccessPolicy(loopback=loopback, token=token)


def is_loopback(host: str) -> bool:
    """Tell whether a bind address can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def is_api_path(path: str) -> bool:
    """Tell whether a path belongs to the API and not to the page's files."""
    return path == _API or path.startswith(f"{_API}/")


def _asks_for_health(head: RequestHead) -> bool:
    return head.path == _HEALTH and head.method in ("GET", "HEAD")


def _is_own_host(host: str | None, port: int | None) -> bool:
    if host is None:
        return False
    name, host_port = _split_host(host)
    return name in _LOOPBACK_NAMES and (host_port or 80) == (port or host_port or 80)


def _split_host(host: str) -> tuple[str, int | None]:
    """Split 'name:port', where an IPv6 name stands in brackets; an odd port never matches."""
    name, separator, digits = host.strip().lower().rpartition(":")
    if not separator or digits.endswith("]"):
        return host.strip().lower(), None
    return name, int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 6 else -1


def _foreign_origin(head: RequestHead) -> Refusal | None:
    if head.method in _READING:
        return None
    if head.origin is not None and not _same_origin(head.origin, head.host):
        origin = _quoted(head.origin)
    elif head.fetch_site not in (None, "same-origin", "none"):
        origin = "another site"
    else:
        return None
    return Refusal(
        403,
        "foreign_origin",
        f"A request from {origin} may not change anything here.",
        "Use the page that this server serves, or the command line.",
    )


def _same_origin(origin: str, host: str | None) -> bool:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    default = _DEFAULT_PORTS.get(parts.scheme)
    if host is None or default is None or parts.username is not None or parts.path:
        return False
    name, port = _split_host(parts.netloc)
    own_name, own_port = _split_host(host)
    return name == own_name and (port or default) == (own_port or default)


def _same_secret(given: str, expected: str) -> bool:
    # Header bytes reach us decoded as Latin-1; the environment's text is UTF-8.
    return hmac.compare_digest(given.encode("latin-1"), expected.encode())


def _quoted(value: str | None) -> str:
    return "(none)" if value is None else repr(value[:200])
