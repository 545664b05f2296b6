# SPDX-License-Identifier: Apache-2.0
"""poll_busily.py NAPI_ID: have a NAPI instance polled by a thread that never sleeps (Linux 7).

The kernel takes this by generic netlink only; the guest has no tool for it.
"""

import socket
import struct
import sys

NETLINK_GENERIC, NLM_F_REQUEST, NLM_F_ACK = 16, 1, 4
CONTROLLER, GET_FAMILY, FAMILY_ID, FAMILY_NAME = 16, 3, 1, 2
NAPI_SET, NAPI_ID, NAPI_THREADED, BUSILY = 14, 2, 8, 2


def attribute(kind: int, value: bytes) -> bytes:
    return struct.pack("HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)


def ask(family: int, command: int, *attributes: bytes) -> bytes:
    """What the kernel answers first, without headers."""
    body = struct.pack("BBxx", command, 1) + b"".join(attributes)
    netlink.send(
        struct.pack("IHHII", 16 + len(body), family, NLM_F_REQUEST | NLM_F_ACK, 1, 0) + body
    )
    answer = netlink.recv(65536)
    if struct.unpack_from("H", answer, 4)[0] == 2 and struct.unpack_from("i", answer, 16)[0]:
        raise SystemExit(f"netlink: error {struct.unpack_from('i', answer, 16)[0]}")
    return answer[20:]


netlink = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC)
described = ask(CONTROLLER, GET_FAMILY, attribute(FAMILY_NAME, b"netdev\0"))
netlink.recv(65536)  # the acknowledgement
at, family = 0, None
while at < len(described) and family is None:
    size, kind = struct.unpack_from("HH", described, at)
    if kind == FAMILY_ID:
        family = struct.unpack_from("H", described, at + 4)[0]
    at += size + (-size % 4)
numbers = (attribute(NAPI_ID, struct.pack("I", int(sys.argv[1]))),)
ask(family, NAPI_SET, *numbers, attribute(NAPI_THREADED, struct.pack("I", BUSILY)))
