# SPDX-License-Identifier: Apache-2.0
"""[factors] and [[exclude]]: what a plan varies."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from coalescope_host.spelling import suggestion

from .cells import MOST_CELLS, cells_of
from .factors import FAMILIES, FactorRule, Level, Levels, factor_name, rule_of
from .plan import OF_THE_PLAN, DriverSpec, WorkloadSpec
from .toml_table import Table

_ABOVE = "{} is no factor but a key of the plan: it must stand above the first [table]."


def factors_of(
    table: Table, driver: DriverSpec | None, workloads: Mapping[str, WorkloadSpec]
) -> dict[str, tuple[Level, ...]]:
    """The factors of [factors] with their levels, in the order of the file."""
    entries: dict[str, object] = {}
    for name in table.names():
        value = table.raw(name)
        if name in FAMILIES and isinstance(value, dict):  # offload.gro without quotation marks
            entries |= {f"{name}.{rest}": levels for rest, levels in value.items()}
        else:
            entries[name] = value
    if not entries:
        table.fault("", "no factor is varied; add for example mtu_bytes = [1500, 9000].")
    found: dict[str, tuple[Level, ...]] = {}
    for word, value in entries.items():
        rule, name = rule_of(word), factor_name(word)
        if isinstance(rule, str):
            table.fault(word, _ABOVE.format(word) if word in OF_THE_PLAN else rule)
            continue
        if name in found:
            table.fault(word, f"is {name}, which is given already: keep one.")
            continue
        found[name] = _levels(table, word, value, rule)
        _check_factor(table, name, found[name], driver, workloads)
    return found


def _levels(table: Table, name: str, value: object, rule: FactorRule) -> tuple[Level, ...]:
    if not isinstance(value, list):
        table.fault(name, "must be a list of levels, in brackets: [1500, 9000].", value)
        return ()
    value = [_one_form(rule, level) for level in value]
    if not value:
        table.fault(name, "has no level: give at least one, or remove the factor.", value)
    for index, level in enumerate(value, 1):
        if not rule.allows(level):
            table.fault(f"{name}[{index}]", f"must be {rule.description}.", level)
        elif level in value[: index - 1]:
            table.fault(f"{name}[{index}]", "is given twice.", level)
    if len({isinstance(level, str) for level in value}) > 1:
        table.fault(name, "mixes texts and numbers.", value)
    if rule.recorded_only and len(value) > 1:
        table.fault(name, "says what is and sets nothing: it can have one level only.", value)
    return tuple(value)


def _one_form(rule: FactorRule | str, level: object) -> Any:
    return level if isinstance(rule, str) else rule.normal(level)


def _check_factor(
    table: Table,
    name: str,
    levels: tuple[Level, ...],
    driver: DriverSpec | None,
    workloads: Mapping[str, WorkloadSpec],
) -> None:
    if name == "workload":
        for level in levels:
            if level not in workloads:
                near = suggestion(str(level), workloads)
                table.fault(name, f"there is no [workloads.{level}].{near}", level)
    elif name.startswith("driver.") and driver is None:
        table.fault(name, 'is a parameter of a driver: say which with [driver] module = "…".')
    elif name == "delay_ticks" and (driver is None or name not in driver.parameters):
        table.fault(
            name,
            "is set by a driver parameter: name it with "
            '[driver.parameters] delay_ticks = "RxAbsIntDelay".',
        )


def check_parameters(
    table: Table, factors: Mapping[str, tuple[Level, ...]], driver: DriverSpec | None
) -> None:
    """Note each driver parameter that stands for no factor."""
    for name in driver.parameters if driver else ():
        if name not in factors:
            near = suggestion(name, factors)
            table.fault(f"driver.parameters.{name}", f"is no factor of this plan.{near}")


def constants_of(
    table: Table,
    factors: Mapping[str, tuple[Level, ...]],
    workloads: Mapping[str, WorkloadSpec],
) -> dict[str, Level]:
    """The workload, if there is one and no factor of it; notes those that are not used."""
    if not workloads:
        table.fault("workloads", "no workload is defined; add for example [workloads.udp].")
    used = set(factors.get("workload", ()))
    if "workload" not in factors and len(workloads) == 1:
        return {"workload": next(iter(workloads))}
    if "workload" not in factors and len(workloads) > 1:
        names = ", ".join(f'"{name}"' for name in workloads)
        table.fault("factors.workload", f"is missing: which of the workloads? [{names}]")
        return {}
    for name in workloads:
        if name not in used:
            table.fault(
                f"workloads.{name}", "is never used: add it to factors.workload, or remove it."
            )
    return {}


def excluded_of(table: Table, factors: Mapping[str, tuple[Level, ...]]) -> tuple[Levels, ...]:
    """The levels of each [[exclude]]."""
    found: list[Levels] = []
    for entry in table.tables("exclude"):
        levels: dict[str, Level] = {}
        for word in entry.names():
            name, value = factor_name(word), _one_form(rule_of(word), entry.raw(word))
            if name not in factors:
                entry.fault(word, f"is no factor of this plan.{suggestion(name, factors)}", value)
            elif value not in factors[name]:
                known = ", ".join(repr(level) for level in factors[name])
                entry.fault(word, f"matches no cell: the levels are {known}.", value)
            else:
                levels[name] = value
        if not entry.names():
            entry.fault("", "excludes every cell: name some levels.")
        found.append(MappingProxyType(levels))
    _check_cells(table, factors, found)
    return tuple(found)


def _check_cells(
    table: Table, factors: Mapping[str, tuple[Level, ...]], excluded: list[Levels]
) -> None:
    count = 1
    for levels in factors.values():
        count *= len(levels)
    if count > MOST_CELLS:
        table.fault("factors", f"{count} cells are too many; at most {MOST_CELLS} are possible.")
    elif count and excluded and all(excluded) and not cells_of(factors, {}, excluded):
        table.fault("exclude", "together they exclude every cell.")
