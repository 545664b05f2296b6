# SPDX-License-Identifier: Apache-2.0
"""Who may talk to the server: its own Host and Origin on loopback, a token elsewhere. Body size."""

from coalescope.security.body_limit import BodyLimit
from coalescope.security.headers import SANDBOX_POLICY
from coalescope.security.middleware import protect
from coalescope.security.policy import (
    AccessPolicy,
    UnsafeBinding,
    access_policy,
    is_loopback,
    reading_is_open,
)
from coalescope.security.rates import RateLimit
from coalescope.security.scopes import SCOPES, Caller, Scope, is_api_path
from coalescope.security.slow_clients import SlowBodies

__all__ = [
    "SANDBOX_POLICY",
    "SCOPES",
    "AccessPolicy",
    "BodyLimit",
    "Caller",
    "RateLimit",
    "Scope",
    "SlowBodies",
    "UnsafeBinding",
    "access_policy",
    "is_api_path",
    "is_loopback",
    "protect",
    "reading_is_open",
]
