# SPDX-License-Identifier: Apache-2.0
"""The rules of access as pure functions: the head of a request in, a refusal or nothing out."""

import hmac
from dataclasses import dataclass
from urllib.parse import urlsplit

from coalescope.errors import CoalescopeError
from coalescope.settings import Settings
from coalescope.untrusted.web_addresses import is_loopback
from coalescope.web.security.scopes import Caller, is_public_reading, needed_scope

_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Refusal:
    """Why a request is turned away.

    Attributes:
        status: HTTP status, 401, 403, 421 or 429.
        code: stable name of the reason.
        message: what is wrong, in words.
        advice: what to do about it.
        challenge: WWW-Authenticate of the answer, where a token would help.
        retry_after_s: seconds to wait, where that helps.

    """

    status: int
    code: str
    message: str
    advice: str
    challenge: str | None = None
    retry_after_s: int | None = None


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
    """How the server is bound, and whether it asks for tokens.

    Attributes:
        loopback: bound to this machine only, so that every honest request names this machine.
        asks: requests under /api must show a token; only GET /api/health need not.
        public_read: what changes nothing needs none even then.

    """

    loopback: bool
    asks: bool
    public_read: bool = False

    def foreign(self, head: RequestHead) -> Refusal | None:
        """Return why a request is refused for where it comes from, or None."""
        return self._foreign_host(head) or _foreign_origin(head)

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
            "it with --host and tokens (`coalescope token create`).",
        )

    def is_open(self, method: str, path: str) -> bool:
        """Whether that takes no token."""
        open_reading = self.public_read and is_public_reading(method, path)
        return not self.asks or needed_scope(method, path) is None or open_reading

    def forbidden(self, head: RequestHead, caller: Caller | None) -> Refusal | None:
        """Return why this caller may not do this, or None if they may."""
        needed = needed_scope(head.method, head.path)
        if needed is None or self.is_open(head.method, head.path):
            return None
        if caller is None:
            return _unknown_caller(head)
        if caller.may(needed):
            return None
        return Refusal(
            403,
            "scope_too_small",
            f"The token {caller.name!r} has the scope {caller.scope!r}; this takes {needed!r}.",
            f"Use a token made with: coalescope token create NAME --scope {needed}",
            challenge=f'Bearer realm="Coalescope", error="insufficient_scope", scope="{needed}"',
        )


def _unknown_caller(head: RequestHead) -> Refusal:
    advice = (
        "Send the header 'Authorization: Bearer TOKEN'. Whoever runs the server makes tokens with "
        "`coalescope token create`, or set one in COALESCOPE_TOKEN."
    )
    if head.authorization is None:
        message = "This server asks for a token."
        return Refusal(
            401, "token_required", message, advice, challenge='Bearer realm="Coalescope"'
        )
    return Refusal(
        401,
        "wrong_token",
        "The token is not known here: it is mistyped, has expired or was revoked.",
        advice,
        challenge='Bearer realm="Coalescope", error="invalid_token"',
    )


def too_many_guesses(retry_after_s: int) -> Refusal:
    """Of a client that has shown many tokens that are not known."""
    return Refusal(
        429,
        "too_many_guesses",
        "Too many tokens that are not known here came from your address.",
        f"Try again in {retry_after_s} s, with a token that was made here.",
        retry_after_s=retry_after_s,
    )


def bearer(authorization: str | None) -> str | None:
    """The token in an Authorization header, None if there is none in it."""
    scheme, _, given = (authorization or "").partition(" ")
    return given.strip() or None if scheme.lower() == "bearer" else None


def same_secret(given: str, expected: str) -> bool:
    """Compare in a time that says nothing of where they differ."""
    # Header bytes reach us decoded as Latin-1; the environment's text is UTF-8.
    return hmac.compare_digest(given.encode("latin-1"), expected.encode())


def access_policy(settings: Settings, *, stored_tokens: bool = False) -> AccessPolicy:
    """Return the policy for a server with these settings.

    Raises:
        CoalescopeError: it can be reached from other machines, and nobody has a token.

    """
    loopback, token = is_loopback(settings.host), has_token(settings)
    if not loopback and not (token or stored_tokens or settings.public_read):
        raise CoalescopeError(
            "unsafe_binding",
            f"{settings.host} can be reached from other machines, and there is no token.",
            advice="Make one with `coalescope token create NAME --scope admin`, or set "
            "COALESCOPE_TOKEN to a secret of your choice. To let everybody read and nobody change "
            "anything, set COALESCOPE_PUBLIC_READ=true. Or listen on 127.0.0.1 only.",
            status=500,
        )
    return AccessPolicy(loopback, token or not loopback, settings.public_read)


def has_token(settings: Settings) -> bool:
    """Whether the settings themselves hold a token."""
    return settings.token is not None and settings.token.get_secret_value() != ""


def reading_is_open(settings: Settings) -> bool:
    """Whether the server shows what it holds to anybody who can reach it."""
    return settings.public_read or (is_loopback(settings.host) and not has_token(settings))


def previews_are_open(settings: Settings) -> bool:
    """Whether anybody may see what experiments look like: what a token guards, a link does not."""
    return settings.public_previews or reading_is_open(settings)


def _is_own_host(host: str | None, port: int | None) -> bool:
    if host is None:
        return False
    name, host_port = _split_host(host)
    return is_loopback(name) and (host_port or 80) == (port or host_port or 80)


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


def _quoted(value: str | None) -> str:
    return "(none)" if value is None else repr(value[:200])
