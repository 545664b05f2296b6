# SPDX-License-Identifier: Apache-2.0
"""What a run's traffic is to be: levels of the cell, then the plan's options, then defaults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from coalescope_host.plan.addresses import version_of
from coalescope_host.plan.plan import PeerSpec, WorkloadSpec
from coalescope_host.protocols import RunContext

from .traffic import TAIL_S, WorkloadError

UDP_BYTES = 8
IP_BYTES = {4: 20, 6: 40}
ETHERNET_BYTES = 14 + 4  # header, frame check sequence
USUAL_MTU_BYTES = 1500
MOST_UDP_PAYLOAD_BYTES = 65507
IPERF3 = "iperf3"
TRAFFIC_TOOL = "coalescope-traffic"


@dataclass(frozen=True)
class Demand:
    """One workload in one cell."""

    spec: WorkloadSpec
    context: RunContext

    def number(self, name: str, default: float) -> float:
        """A level, or an option, of that name."""
        value = self.context.levels.get(name, self.spec.options.get(name, default))
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.refusal(f"{name} = {value!r} is not a number.")
        return value

    def whole(self, name: str, default: int) -> int:
        """The same, as a whole number."""
        value = self.number(name, default)
        if value != int(value):
            raise self.refusal(f"{name} = {value!r} is not a whole number.")
        return int(value)

    def text(self, name: str, default: str, choices: Sequence[str] = ()) -> str:
        """An option that is a text, one of the choices where there are any."""
        value: Any = self.spec.options.get(name, default)
        if not isinstance(value, str) or (choices and value not in choices):
            raise self.refusal(f"{name} = {value!r} is not {' or '.join(choices) or 'a text'}.")
        return value

    def refusal(self, message: str) -> WorkloadError:
        """An error that says which workload it is about."""
        return WorkloadError(f"[workloads.{self.spec.name}]: {message}")

    @property
    def peers(self) -> Sequence[PeerSpec]:
        """The other ends: at least one."""
        if not self.context.peers:
            raise self.refusal(f"kind “{self.spec.kind}” needs a peer: add [[peers]] to the plan.")
        return self.context.peers

    @property
    def streams(self) -> int:
        """Flows in all."""
        return self.whole("streams", 1)

    @property
    def seconds(self) -> float:
        """How long the command must run so that the window lies within."""
        return self.context.warmup_s + self.context.duration_s + TAIL_S

    @property
    def ipv6(self) -> bool:
        """Whether the traffic goes over IPv6: all peers have addresses of one version."""
        return version_of(self.peers[0].address) == 6

    @property
    def listen_address(self) -> str | None:
        """What coalescope-traffic is to listen at, beyond its preset."""
        return "::" if self.ipv6 else None

    @property
    def headers_bytes(self) -> int:
        """Of IP and UDP."""
        return IP_BYTES[6 if self.ipv6 else 4] + UDP_BYTES

    @property
    def payload_bytes(self) -> int:
        """Of a UDP datagram: from the frame if one is asked for, else what the MTU holds."""
        if "frame_bytes" in {**self.spec.options, **self.context.levels}:
            payload = self.whole("frame_bytes", 0) - ETHERNET_BYTES - self.headers_bytes
        elif "payload_bytes" in self.spec.options:
            payload = self.whole("payload_bytes", 0)
        else:
            payload = self.whole("mtu_bytes", USUAL_MTU_BYTES) - self.headers_bytes
        if not 1 <= payload <= MOST_UDP_PAYLOAD_BYTES:
            raise self.refusal(f"a UDP datagram cannot hold {payload} bytes.")
        return payload

    def packet_rate_hz(self, payload_bytes: int) -> float:
        """Datagrams a second in all; 0: as many as go. From `rate_mbps` of payload if need be."""
        if "packet_rate_hz" in {**self.spec.options, **self.context.levels}:
            return self.number("packet_rate_hz", 0)
        return self.number("rate_mbps", 0) * 1e6 / 8 / payload_bytes

    def tool(self) -> str:
        """The program that makes fan-in traffic: iperf3 reports of one sender only."""
        default = IPERF3 if len(self.peers) == 1 else TRAFFIC_TOOL
        tool = self.text("tool", default, (IPERF3, TRAFFIC_TOOL))
        if tool == IPERF3 and len(self.peers) > 1:
            raise self.refusal(
                f"iperf3 takes one peer, and there are {len(self.peers)}: "
                f'write tool = "{TRAFFIC_TOOL}".'
            )
        return tool


def shares(total: int, parts: int) -> list[int]:
    """Divide a number of streams as evenly as it goes: no part is without one where that can be."""
    return [total // parts + (index < total % parts) for index in range(parts)]
