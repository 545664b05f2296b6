# SPDX-License-Identifier: Apache-2.0
"""Who may talk to the server: its own Host and Origin on loopback, a token elsewhere. Body size."""

from coalescope.web.security.body_limit import BodyLimit
from coalescope.web.security.headers import DOCUMENTS_POLICY, EMBED_POLICY, SANDBOX_POLICY
from coalescope.web.security.middleware import protect
from coalescope.web.security.policy import (
    AccessPolicy,
    access_policy,
    previews_are_open,
    reading_is_open,
)
from coalescope.web.security.rates import Counted, RateLimit, counted
from coalescope.web.security.scopes import SCOPES, Caller, Scope, is_api_path
from coalescope.web.security.slow_clients import SlowBodyTimeout

__all__ = [
    "DOCUMENTS_POLICY",
    "EMBED_POLICY",
    "SANDBOX_POLICY",
    "SCOPES",
    "AccessPolicy",
    "BodyLimit",
    "Caller",
    "Counted",
    "RateLimit",
    "Scope",
    "SlowBodyTimeout",
    "access_policy",
    "counted",
    "is_api_path",
    "previews_are_open",
    "protect",
    "reading_is_open",
]
