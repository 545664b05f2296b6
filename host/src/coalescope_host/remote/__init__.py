# SPDX-License-Identifier: Apache-2.0
"""The hosts at the other end, driven over ssh."""

from .deadlines import Deadlines
from .errors import PeerError, PeerLostError
from .path_mtu import verify_mtu
from .peer import Peer, Server, absent, connect

__all__ = [
    "Deadlines",
    "Peer",
    "PeerError",
    "PeerLostError",
    "Server",
    "absent",
    "connect",
    "verify_mtu",
]
