# SPDX-License-Identifier: Apache-2.0
"""Which address and which interface hardware a peer reaches this host by."""

import fcntl
import socket
import struct

from coalescope_host.plan.addresses import version_of

from .traffic import WorkloadError

_SIOCGIFHWADDR = 0x8927
_DISCARD_PORT = 9


def address_towards(peer_address: str) -> str:
    """The address that this host sends from to that peer. Sends nothing.

    Raises:
        WorkloadError: if there is no route, or that is no address.
    """
    family = socket.AF_INET6 if version_of(peer_address) == 6 else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((peer_address, _DISCARD_PORT))
            return str(probe.getsockname()[0])
    except OSError as error:
        raise WorkloadError(
            f"no way to the peer {peer_address}: {error.strerror or error}"
        ) from None


def hardware_address(interface: str) -> str:
    """The MAC address of an interface of this network namespace.

    Raises:
        WorkloadError: if it has none.
    """
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            request = struct.pack("256s", interface.encode()[:15])
            answer = fcntl.ioctl(probe.fileno(), _SIOCGIFHWADDR, request)
    except OSError as error:
        raise WorkloadError(
            f"{interface} has no hardware address: {error.strerror or error}"
        ) from None
    return ":".join(f"{byte:02x}" for byte in answer[18:24])
