# SPDX-License-Identifier: Apache-2.0
"""What a caller may do, and what each request takes."""

import re
from dataclasses import dataclass
from typing import Literal

Scope = Literal["read", "upload", "admin"]
#: Where a request's scope has the name of the token that was shown.
CALLER = "coalescope.caller"
# Each may do what those before it may.
SCOPES: tuple[Scope, ...] = ("read", "upload", "admin")

_READING = frozenset({"GET", "HEAD", "OPTIONS"})
# What watches over a container asks these and knows no token; it learns little by them.
_HEALTH = frozenset({"/api/health", "/api/ready"})
_METRICS = "/metrics"
# What was taken back, and who changed what, is not for every reader.
_FOR_ADMINS = frozenset({"/api/deleted-experiments", "/api/changes"})
_NAME = "[^/]+"
# Questions that come with a body: they are answered from the store and change nothing in it.
_QUESTIONS = re.compile(
    rf"/api/(?:predictions|recommendations|uploads/look|policies/trials|models/{_NAME}/predictions"
    rf"|experiments/{_NAME}/(?:fits|nonlinear-fits|recommendations))"
)
# Who may ask for a job may cancel it: it takes nothing away that was measured.
_ADDITIONS = re.compile(
    rf"/api/(?:experiments|uploads|links|jobs(?:/{_NAME}/cancellation)?"
    rf"|sweeps/{_NAME}(?:/progress)?)"
)
# How far a sweep is: said after each run, and nothing that is measured.
_PROGRESS = re.compile(rf"/api/sweeps/{_NAME}/progress")


@dataclass(frozen=True)
class Caller:
    """Whoever shows a token that is known.

    Attributes:
        name: of the token.
        scope: of the token.
        key: of a stored token whose use is worth writing down, else None.

    """

    name: str
    scope: Scope
    key: str | None = None

    def may(self, needed: Scope) -> bool:
        """Whether the scope of the token is enough."""
        return SCOPES.index(self.scope) >= SCOPES.index(needed)


def needed_scope(method: str, path: str) -> Scope | None:
    """Return what a request takes; None for the page's files and for the checks of health.

    What is not known to be a question or an addition is a matter for admins.
    """
    if path == _METRICS:
        return "read"
    if not is_api_path(path) or (path in _HEALTH and method in ("GET", "HEAD")):
        return None
    if path in _FOR_ADMINS:
        return "admin"
    if method in _READING or (method == "POST" and _QUESTIONS.fullmatch(path)):
        return "read"
    return "upload" if method in ("POST", "PUT") and _ADDITIONS.fullmatch(path) else "admin"


def is_recorded(method: str, path: str) -> bool:
    """Whether the record of changes takes this down: all that changes what others see."""
    changes = needed_scope(method, path) in ("upload", "admin")
    return changes and path not in _FOR_ADMINS and not _PROGRESS.fullmatch(path)


def is_public_reading(method: str, path: str) -> bool:
    """Whether a public server answers this without a token; its inner workings are not public."""
    return path != _METRICS and needed_scope(method, path) == "read"


def is_api_path(path: str) -> bool:
    """Tell whether a path belongs to the API and not to the page's files."""
    return path == "/api" or path.startswith("/api/")
