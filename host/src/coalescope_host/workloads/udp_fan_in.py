# SPDX-License-Identifier: Apache-2.0
"""UDP from all peers to this host: frames of one size, at a rate or as fast as they go."""

from __future__ import annotations

from coalescope_host.plan.plan import WorkloadSpec
from coalescope_host.protocols import RunContext

from . import iperf3, traffic_tool
from .demand import ETHERNET_BYTES, IPERF3, Demand
from .traffic import Traffic


def prepare(spec: WorkloadSpec, context: RunContext) -> Traffic:
    """The traffic of one run.

    Factors that set it: `streams`, `frame_bytes`, `packet_rate_hz`, and `mtu_bytes` for the size
    where no other is given.
    """
    demand = Demand(spec, context)
    return _iperf3(demand) if demand.tool() == IPERF3 else _own(demand)


def _iperf3(demand: Demand) -> Traffic:
    payload = demand.payload_bytes
    bits_per_second = demand.packet_rate_hz(payload) * payload * 8
    each = round(bits_per_second / demand.streams)
    shape = ["--udp", "--length", str(payload), "--bitrate", str(each)]
    shape += ["--pacing-timer", str(iperf3.PACING_US)]
    return iperf3.traffic(demand, shape, bits_per_second / 1e6 or None)


def _own(demand: Demand) -> Traffic:
    payload = demand.payload_bytes
    rate_hz = demand.packet_rate_hz(payload)

    def source(streams: int) -> dict[str, float | None]:
        return {
            "frame_bytes": payload + ETHERNET_BYTES + demand.headers_bytes,
            "packet_rate": rate_hz * streams / demand.streams,
            "seed": demand.context.seed,
        }

    return traffic_tool.fan_in(demand, "udp", {"read_bytes": 65536}, source, rate_hz)
