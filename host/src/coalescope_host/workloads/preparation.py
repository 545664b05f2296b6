# SPDX-License-Identifier: Apache-2.0
"""From a workload of the plan and a cell to the traffic of one run."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from coalescope_host.plan.plan import WorkloadSpec
from coalescope_host.plan.registry import WORKLOAD_CPUS
from coalescope_host.protocols import RunContext

from . import command, nfs, pktgen, request_response, tcp_fan_in, udp_fan_in
from .placement import pinned
from .traffic import Traffic, WorkloadError

Preparation = Callable[[WorkloadSpec, RunContext], Traffic]

KINDS: Mapping[str, Preparation] = MappingProxyType(
    {
        "udp-fan-in": udp_fan_in.prepare,
        "tcp-fan-in": tcp_fan_in.prepare,
        "request-response": request_response.prepare,
        "nfs": nfs.prepare,
        "pktgen": pktgen.prepare,
        "command": command.prepare,
    }
)


def prepare(spec: WorkloadSpec, context: RunContext) -> Traffic:
    """The traffic of one run: levels of the cell go before the plan's options of the same name.

    Raises:
        WorkloadError: if it cannot be had on these hosts.
    """
    if spec.kind not in KINDS:
        raise WorkloadError(
            f"[workloads.{spec.name}]: there is no kind “{spec.kind}”; "
            f"known are {', '.join(KINDS)}."
        )
    cpus = context.levels.get(WORKLOAD_CPUS, spec.cpus)
    traffic = KINDS[spec.kind](spec, context)
    return traffic if cpus is None else pinned(traffic, str(cpus))
