# SPDX-License-Identifier: Apache-2.0
"""The token for a server: from a file, or from the environment."""

import os
from pathlib import Path

from coalescope.errors import CoalescopeError


def token_in(path: Path | None) -> str | None:
    """What the file holds; without one, COALESCOPE_TOKEN; None where neither is there.

    Errors: CoalescopeError for what no header can carry: what goes wrong later would be told with
    the token in it; and for a file that cannot be read.
    """
    if path is None:
        return checked_token("COALESCOPE_TOKEN", os.environ.get("COALESCOPE_TOKEN", "")) or None
    token = checked_token(str(path), _read(path).decode(errors="replace"))
    if not token:
        raise _no_token(str(path))
    return token


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CoalescopeError(
            "unreadable",
            f"{path}: {error.strerror or error}.",
            advice="Name the file that holds the server's token.",
        ) from None


def checked_token(source: str, text: str) -> str:
    """The token without the space around it; empty where there is none."""
    token = text.strip()
    if not (token.isascii() and token.isprintable()):
        raise _no_token(source)
    return token


def _no_token(source: str) -> CoalescopeError:
    return CoalescopeError(
        "no_token",
        f"{source} holds no token: it is one line of plain characters.",
        advice="`coalescope token create` prints one; keep nothing else in the file.",
    )
