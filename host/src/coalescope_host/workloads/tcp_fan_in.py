# SPDX-License-Identifier: Apache-2.0
"""TCP from all peers to this host: connections that send all they can."""

from coalescope_host.plan.plan import WorkloadSpec
from coalescope_host.protocols import RunContext

from . import iperf3, traffic_tool
from .demand import IPERF3, Demand
from .traffic import Traffic


def prepare(spec: WorkloadSpec, context: RunContext) -> Traffic:
    """The traffic of one run. A factor that sets it: `streams`, the number of connections."""
    demand = Demand(spec, context)
    window = demand.whole("window_bytes", 0) or None
    if demand.tool() == IPERF3:
        of_sender = ["--get-server-output"]  # its retransmissions of each interval
        limit = ["--window", str(window)] if window else []
        return iperf3.traffic(demand, [*of_sender, *limit], None)
    return traffic_tool.fan_in(demand, "tcp", {"receive_window": window}, lambda _streams: {})
