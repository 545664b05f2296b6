# SPDX-License-Identifier: Apache-2.0
"""Any program: what it prints is the run's result, and only its exit status is judged."""

import re
from collections.abc import Mapping, Sequence

from coalescope_host.plan.factors import level_text
from coalescope_host.plan.plan import WorkloadSpec
from coalescope_host.protocols import RunContext, Where

from .demand import Demand
from .traffic import Traffic

_PLACEHOLDER = re.compile(r"\{([A-Za-z0-9_.-]+)\}")


def prepare(spec: WorkloadSpec, context: RunContext) -> Traffic:
    """The traffic of one run: `command` here, and `server`, if there is one, at every peer.

    In both, `{name}` is filled in: any factor, seed, replicate, interface, warmup_s, duration_s,
    and peer, the address of the first. Other braces stay as they are: programs have uses for them.
    """
    demand = Demand(spec, context)
    values = _values(context)
    command = [_fill(part, values) for part in _parts(demand, "command")]
    serving = [_fill(part, values) for part in _parts(demand, "server")]
    if not command:
        raise demand.refusal("command is empty: write the program and its arguments.")
    servers: list[tuple[Where, Sequence[str]]] = []
    if serving:
        servers = [(place, serving) for place in range(len(demand.peers))]
    return Traffic(command, servers, user=context.user, programs=[command[0]])


def _parts(demand: Demand, name: str) -> Sequence[str]:
    parts = demand.spec.options.get(name, ())
    if isinstance(parts, str) or not all(isinstance(part, str) for part in parts):
        raise demand.refusal(f'{name} is a list of texts: ["program", "argument"].')
    return list(parts)


def _values(context: RunContext) -> Mapping[str, str]:
    values = {name: level_text(level) for name, level in context.levels.items()}
    values |= {
        "seed": str(context.seed),
        "replicate": str(context.replicate),
        "interface": context.interface,
        "warmup_s": f"{context.warmup_s:g}",
        "duration_s": f"{context.duration_s:g}",
    }
    if context.peers:
        values["peer"] = context.peers[0].address
    return values


def _fill(part: str, values: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), part)
