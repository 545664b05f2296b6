# SPDX-License-Identifier: Apache-2.0
"""Making links and finding them again."""

from sqlalchemy.engine import Connection

from coalescope.db.timestamps import utc_now
from coalescope.errors import not_found
from coalescope.links import repository
from coalescope.links.paths import canonical_path, tokens


def create(connection: Connection, path: str) -> tuple[str, str]:
    """Return (token, canonical path) of the link to `path`, stored if it is new.

    Raises:
        CoalescopeError: `path` is not an address of the page.

    """
    canonical = canonical_path(path)
    token = repository.token_of(connection, canonical)
    if token is None:
        token = next(
            candidate
            for candidate in tokens(canonical)
            if repository.path_of(connection, candidate) is None
        )
        repository.insert(connection, token, canonical, utc_now())
    return token, canonical


def find(connection: Connection, token: str) -> str | None:
    """Return the address that `token` stands for, None if there is no such link."""
    return repository.path_of(connection, token)


def get(connection: Connection, token: str) -> str:
    """Return the address that `token` stands for.

    Raises:
        CoalescopeError: there is no such link.

    """
    path = find(connection, token)
    if path is None:
        raise not_found("link", token, "Was it copied whole? Ask its sender for the link again.")
    return path
