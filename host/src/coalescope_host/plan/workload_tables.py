# SPDX-License-Identifier: Apache-2.0
"""[workloads.NAME]: the traffic of a plan."""

from __future__ import annotations

from types import MappingProxyType

from .factor_rule import CPUS
from .plan import DAY_S, WorkloadSpec
from .toml_table import Table
from .workload_options import KINDS, Option


def workloads_of(table: Table) -> dict[str, WorkloadSpec]:
    """All of [workloads], by name."""
    found = {}
    for name in table.names():
        table.check_name(name, "a workload")
        found[name] = _workload(name, table.table(name))
    return found


def _workload(name: str, table: Table) -> WorkloadSpec:
    kind = table.choice("kind", KINDS)
    options = {
        option: _option(table, option, rule)
        for option, rule in KINDS[kind].items()
        if rule.required or option in table
    }
    for option in KINDS[kind]:
        table.raw(option)
    if options.get("command") == ():
        table.fault("command", "must name a program.", [])
    spec = WorkloadSpec(
        name,
        kind,
        MappingProxyType(options),
        table.optional_text("user"),
        table.number("timeout_s", 30.0, low=1, high=DAY_S),
        _cpus(table),
    )
    table.close()
    return spec


def _cpus(table: Table) -> str | None:
    cpus = table.optional_text("cpus")
    if cpus is not None and not CPUS.allows(cpus):
        table.fault("cpus", f"must be {CPUS.description}.", cpus)
    return cpus


def _option(table: Table, name: str, rule: Option) -> object:
    if rule.type is list:
        return table.texts(name)
    if rule.type is int:
        return table.whole(name, low=int(rule.low), high=int(rule.high))
    if rule.type is float:
        return table.number(name, low=rule.low, high=rule.high)
    if rule.type is bool:
        value = table.raw(name)
        if not isinstance(value, bool):
            table.fault(name, "must be true or false.", value)
        return bool(value)
    return table.text(name)
