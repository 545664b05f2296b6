# SPDX-License-Identifier: Apache-2.0
"""Make, list, revoke and recognise tokens.

A token is coalescope_KEY_SECRET. The key finds its row; of the secret the store has the SHA-256
only: with 256 random bits there is nothing to guess.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from urllib.parse import unquote_plus

from sqlalchemy.engine import Connection, Row

from coalescope.db.timestamps import as_utc, utc_now
from coalescope.errors import CoalescopeError, conflict, did_you_mean, not_found
from coalescope.tokens import repository
from coalescope.web.security import Caller, Scope

_TOKEN = re.compile(r"coalescope_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
_REQUEST = re.compile(r"[A-Z]+ /")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._@-]{0,79}")
_NOBODY = "0" * 64
# How exact the record of the last use is: each update is a transaction.
_LAST_USED = timedelta(minutes=1)


@dataclass(frozen=True)
class TokenRecord:
    """What is known of a token, which is all but the token itself."""

    name: str
    scope: Scope
    state: Literal["valid", "expired", "revoked"]
    created_at: str
    last_used_at: str | None
    expires_at: str | None
    revoked_at: str | None


@dataclass(frozen=True)
class Change:
    """One change that was made: when, by whom, and what happened to what.

    Of older changes, and of those that nothing tells of, `what` is the request.
    """

    at: str
    who: str
    what: str


def create(connection: Connection, name: str, scope: Scope, days: float | None) -> str:
    """Store a new token and return it: the only time that it can be seen.

    Errors: 409 if the name is taken, by a revoked token too, since names stand in the record of
    changes; 422 for a name that is none.
    """
    if not _NAME.fullmatch(name):
        raise CoalescopeError(
            "invalid_name",
            f"{name[:80]!r} cannot name a token.",
            where={"field": "name"},
            advice="Use up to 80 letters, digits, spaces and . _ @ -, a letter or digit first.",
        )
    if repository.by_name(connection, name) is not None:
        raise conflict(
            "name_taken",
            f"There is a token {name!r} already.",
            where={"field": "name"},
            advice="Choose another name: the record of changes tells tokens apart by it.",
        )
    key, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    now = datetime.now(UTC)
    values = {
        "key": key,
        "name": name,
        "scope": scope,
        "sha256": _hash(secret),
        "created_at": as_utc(now),
        "expires_at": None if days is None else as_utc(now + timedelta(days=days)),
    }
    repository.insert(connection, values)
    return f"coalescope_{key}_{secret}"


def revoke(connection: Connection, name: str) -> None:
    """End a token; again changes nothing. Errors: 404 if there is none of that name."""
    row = repository.by_name(connection, name)
    if row is None:
        near = did_you_mean(name, (each.name for each in repository.every(connection)))
        raise not_found("token", name, f"{near}List them with `coalescope token list`.")
    if row.revoked_at is None:
        repository.update(connection, row.key, {"revoked_at": utc_now()})


def every(connection: Connection) -> list[TokenRecord]:
    """All tokens, the oldest first."""
    now = utc_now()
    return [
        TokenRecord(
            row.name,
            row.scope,
            _state(row, now),
            row.created_at,
            row.last_used_at,
            row.expires_at,
            row.revoked_at,
        )
        for row in repository.every(connection)
    ]


def any_valid(connection: Connection) -> bool:
    """Whether anybody could show a token of the store, which may be older than tokens are."""
    return repository.are_kept(connection) and any(
        token.state == "valid" for token in every(connection)
    )


def recognise(connection: Connection, given: str) -> Caller | None:
    """Who shows this token; None if it was never made, has expired or was revoked."""
    parts = _TOKEN.fullmatch(given)
    if parts is None:
        return None
    row = repository.by_key(connection, parts[1])
    same = hmac.compare_digest(_hash(parts[2]), _NOBODY if row is None else row.sha256)
    now = utc_now()
    if row is None or not same or _state(row, now) != "valid":
        return None
    noted = row.last_used_at
    stale = noted is None or noted < as_utc(datetime.now(UTC) - _LAST_USED)
    return Caller(row.name, row.scope, key=row.key if stale else None)


def note_use(connection: Connection, key: str) -> None:
    """Remember that a token was used now."""
    repository.update(connection, key, {"last_used_at": utc_now()})


def newest_changes(connection: Connection, limit: int, offset: int = 0) -> Sequence[Change]:
    """What was changed last, the newest first, without the first `offset`."""
    return [
        Change(row.at, row.who, _plainly(row.what))
        for row in repository.newest_changes(connection, limit, offset)
    ]


def _plainly(what: str) -> str:
    """A request without the escapes of its address; what was told of a change as it is."""
    return unquote_plus(what) if _REQUEST.match(what) else what


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _state(row: Row[Any], now: str) -> Literal["valid", "expired", "revoked"]:
    # Timestamps of one form compare as text.
    if row.revoked_at is not None:
        return "revoked"
    return "expired" if row.expires_at is not None and row.expires_at <= now else "valid"
