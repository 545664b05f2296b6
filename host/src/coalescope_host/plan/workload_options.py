# SPDX-License-Identifier: Apache-2.0
"""Which keys each kind of workload takes in a plan, beside `kind`, `user`, `cpus` and `timeout_s`.

Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Option:
    """One key: its type (int, float, str, bool, or list for a list of texts) and bounds."""

    type: type
    low: float = 0
    high: float = 1e12
    required: bool = False


_PORT = Option(int, 1, 65535)
_STREAMS = Option(int, 1, 10000)

#: What kind `command` fills in beside the factors of the plan; peer is the address of the first.
PLACEHOLDERS = ("seed", "replicate", "interface", "warmup_s", "duration_s", "peer")

#: Kinds whose programs at peers need root there.
ROOT_AT_PEERS = frozenset({"pktgen"})

KINDS: Mapping[str, Mapping[str, Option]] = MappingProxyType(
    {
        "udp-fan-in": {
            "streams": _STREAMS,
            "port": _PORT,
            "payload_bytes": Option(int, 1, 65507),
            "frame_bytes": Option(int, 64, 65554),
            "packet_rate_hz": Option(float, 0, 1e12),
            "rate_mbps": Option(float, 0, 1e6),
            "tool": Option(str),
        },
        "tcp-fan-in": {
            "streams": _STREAMS,
            "port": _PORT,
            "window_bytes": Option(int, 1, 1 << 31),
            "tool": Option(str),
        },
        "request-response": {
            "streams": _STREAMS,
            "port": _PORT,
            "request_bytes": Option(int, 1, 1 << 30),
            "response_bytes": Option(int, 1, 1 << 30),
            "service_us": Option(float, 0, 1e9),
            "service_exponential_us": Option(float, 0, 1e9),
            "request_rate_hz": Option(float, 0, 1e9),
            "outstanding": Option(int, 1, 100_000),
            "small_every": Option(int, 1, 1_000_000),
            "protocol": Option(str),
        },
        "nfs": {
            "server": Option(str, required=True),
            "directory": Option(str),
            "options": Option(str),
            "read_bytes": Option(int, 1, 1 << 30),
            "streams": _STREAMS,
        },
        "pktgen": {
            "streams": _STREAMS,
            "port": _PORT,
            "frame_bytes": Option(int, 64, 65554),
            "packet_rate_hz": Option(float, 0, 1e12),
        },
        "command": {
            "command": Option(list, required=True),
            "server": Option(list),
        },
    }
)
