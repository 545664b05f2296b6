# SPDX-License-Identifier: Apache-2.0
"""Frames from the kernel's pktgen at each peer: rates that no program reaches, evenly spaced.

It needs root at the peers, which their agent has, and the module pktgen. On this host a sink takes
the datagrams, so that they go the whole way to a socket. What counts is what arrives.
"""

from functools import partial

from coalescope_host.newer_python import zip_strict
from coalescope_host.plan.plan import PeerSpec, WorkloadSpec
from coalescope_host.protocols import RunContext, Where

from .demand import ETHERNET_BYTES, TRAFFIC_TOOL, USUAL_MTU_BYTES, Demand, shares
from .local_address import address_towards, hardware_address
from .traffic import Traffic, WorkloadError
from .traffic_tool import arguments, sink_faults, sink_remarks

PORT = 5203
FIRST_SOURCE_PORT = 10000
FRAME_CHECK_BYTES = 4  # that pktgen leaves to the hardware
LEAST_FRAME_BYTES = 64
HEADER_BYTES = 16  # of pktgen itself, in the payload: its numbers show what was lost

#: Arguments: interface, then a pktgen command each. The write of `start` lasts as long as frames
#: are sent; a signal to the shell, which itself writes, ends them. So does SIGKILL, which takes the
#: shell along, when the agent that started it was killed. Last, pktgen's own report is printed.
SCRIPT = """
set -eu
interface=$1; shift
folder=/proc/net/pktgen
[ -d $folder ] || modprobe pktgen || true
[ -d $folder ] || { echo "this kernel has no module pktgen, or this is not root" >&2; exit 1; }
say() { printf '%s\\n' "$2" > "$folder/$1" || { echo "pktgen refuses: $1: $2" >&2; exit 1; }; }
say kpktgend_0 rem_device_all
say kpktgend_0 "add_device $interface"
for line in "$@"; do say "$interface" "$line"; done
trap : TERM INT HUP
echo start > $folder/pgctrl || true
cat "$folder/$interface"
say kpktgend_0 rem_device_all
"""


def prepare(spec: WorkloadSpec, context: RunContext) -> Traffic:
    """The traffic of one run.

    Factors that set it: `frame_bytes`, `packet_rate_hz` (in all; 0: as many as go), `streams`.
    """
    demand = Demand(spec, context)
    port = demand.whole("port", PORT)
    hardware = hardware_address(context.interface)
    frame_bytes = _frame_bytes(demand)
    divided = shares(demand.streams, len(demand.peers))
    servers: list[tuple[Where, list[str]]] = []
    for place, (peer, streams) in enumerate(zip_strict(demand.peers, divided)):
        if streams:
            lines = _lines(demand, peer, streams, frame_bytes, port)
            lines.append(f"dst_mac {hardware}")
            servers.append((place, ["sh", "-c", SCRIPT, "pktgen", _interface(peer), *lines]))
    listening = arguments(
        port=port, bind=demand.listen_address, duration=demand.seconds, read_bytes=65536
    )
    return Traffic(
        command=[TRAFFIC_TOOL, "sink", "udp", *listening],
        servers=servers,
        user=context.user,
        programs=[TRAFFIC_TOOL],
        judge=sink_faults,
        remark=partial(sink_remarks, packet_rate_hz=demand.number("packet_rate_hz", 0)),
    )


def _interface(peer: PeerSpec) -> str:
    if peer.interface is None:
        raise WorkloadError(
            f"pktgen sends from an interface: write that of the peer {peer.ssh} in the plan."
        )
    return peer.interface


def _frame_bytes(demand: Demand) -> int:
    longest = demand.whole("mtu_bytes", USUAL_MTU_BYTES) + ETHERNET_BYTES
    frame_bytes = demand.whole("frame_bytes", longest)
    least = max(LEAST_FRAME_BYTES, ETHERNET_BYTES + demand.headers_bytes + HEADER_BYTES)
    if not least <= frame_bytes <= longest:
        raise demand.refusal(
            f"frame_bytes = {frame_bytes}: with this MTU, {least} to {longest} can be."
        )
    return frame_bytes


def _lines(demand: Demand, peer: PeerSpec, streams: int, frame_bytes: int, port: int) -> list[str]:
    rate_hz = demand.number("packet_rate_hz", 0) * streams / demand.streams
    return [
        "count 0",
        f"pkt_size {frame_bytes - FRAME_CHECK_BYTES}",
        f"ratep {max(1, round(rate_hz))}" if rate_hz else "delay 0",
        *_addresses(peer.address, address_towards(peer.address), ipv6=demand.ipv6),
        f"udp_dst_min {port}",
        f"udp_dst_max {port}",
        f"udp_src_min {FIRST_SOURCE_PORT}",
        f"udp_src_max {FIRST_SOURCE_PORT + streams}",
    ]


def _addresses(source: str, destination: str, *, ipv6: bool) -> list[str]:
    """Over IPv6 a datagram without a checksum is not taken."""
    if ipv6:
        return [f"dst6 {destination}", f"src6 {source}", "flag UDPCSUM"]
    return [f"dst {destination}", f"src_min {source}", f"src_max {source}"]
