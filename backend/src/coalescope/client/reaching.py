# SPDX-License-Identifier: Apache-2.0
"""How httpx reaches a server: past the environment's proxy or not, and whose certificates hold."""

import ssl
from typing import TypedDict
from urllib.parse import urlsplit

from coalescope.untrusted.web_addresses import is_loopback


class Reaching(TypedDict):
    """What clients of httpx take."""

    trust_env: bool
    verify: bool | ssl.SSLContext


def reaching(address: str) -> Reaching:
    """For a server's address; not for redirections, which may lead elsewhere."""
    parts = urlsplit(address)
    return {
        # This machine is reached directly, whatever proxy the environment names.
        "trust_env": not is_loopback(parts.hostname or ""),
        # Authorities take long to load: without TLS no certificate is trusted, and none is asked.
        "verify": ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if parts.scheme == "http" else True,
    }
