# SPDX-License-Identifier: Apache-2.0
"""Clients on this host ask servers at the peers, as one that reads files over NFS does."""

from coalescope_host.plan.plan import WorkloadSpec
from coalescope_host.protocols import RunContext, Where

from .demand import TRAFFIC_TOOL, Demand
from .traffic import TAIL_S, Traffic
from .traffic_tool import arguments, requests_faults, requests_remarks

PORT = 5210
RESPONSE_BYTES = 4096
MOST_CLIENTS = 64


def prepare(spec: WorkloadSpec, context: RunContext) -> Traffic:
    """The traffic of one run. A factor that sets it: `streams`, the number of clients.

    Client i asks a server of its own at peer i modulo the number of peers. Latencies are those
    within the window.
    """
    demand = Demand(spec, context)
    if not 1 <= demand.streams <= MOST_CLIENTS:
        raise demand.refusal(f"{demand.streams} clients: 1 to {MOST_CLIENTS} can be had.")
    port = demand.whole("port", PORT)
    protocol = demand.text("protocol", "udp", ("udp", "tcp"))
    serving = arguments(
        port=port,
        bind=demand.listen_address,
        servers=demand.streams,
        transport=protocol,
        service_us=demand.number("service_us", 0),
        service_exponential_us=demand.number("service_exponential_us", 0),
        seed=context.seed,
    )
    servers: list[tuple[Where, list[str]]] = [
        (place, [TRAFFIC_TOOL, "request-response", "server", *serving])
        for place in range(min(len(demand.peers), demand.streams))
    ]
    return Traffic(
        command=[TRAFFIC_TOOL, "request-response", "client", *_asking(demand, port, protocol)],
        servers=servers,
        user=context.user,
        programs=[TRAFFIC_TOOL],
        judge=requests_faults,
        remark=requests_remarks,
    )


def _asking(demand: Demand, port: int, protocol: str) -> list[str]:
    to = [part for peer in demand.peers for part in ("--to", peer.address)]
    return to + arguments(
        port=port,
        clients=demand.streams,
        transport=protocol,
        request_bytes=demand.whole("request_bytes", 120),
        response_bytes=demand.whole("response_bytes", RESPONSE_BYTES),
        outstanding=demand.whole("outstanding", 0) or None,
        small_every=demand.whole("small_every", 0) or None,
        rate=demand.number("request_rate_hz", 0) or None,
        seed=demand.context.seed,
        warmup=demand.context.warmup_s,
        duration=demand.context.duration_s,
        cooldown=TAIL_S,
    )
