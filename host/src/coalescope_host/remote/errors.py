# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with a peer, with its name."""

from ..protocols import SweepError


class PeerError(SweepError):
    """The peer cannot be reached, or could not do something; the text names it and says why."""


class PeerLostError(PeerError):
    """The connection to the peer is gone; what it had changed it puts back itself."""
