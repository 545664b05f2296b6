# SPDX-License-Identifier: Apache-2.0
"""Who may talk to the server: its own Host and Origin on loopback, a token elsewhere. Body size."""

from coalescope.security.body_limit import BodyLimit
from coalescope.security.headers import SANDBOX_POLICY
from coalescope.security.middleware import protect
from coalescope.security.policy import (
    AccessPolicy,
    UnsafeBinding,
    access_policy,
    is_api_path,
    is_loopback,
)

__all__ = [
    "SANDBOX_POLICY",
    "AccessPolicy",
    "BodyLimit",
    "UnsafeBinding",
    "access_policy",
    "is_api_path",
    "is_loopback",
    "protect",
]
