# SPDX-License-Identifier: Apache-2.0
"""Reads a plan from TOML and says everything that is wrong with it at once."""

import itertools
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from coalescope_host.spelling import suggestion

from .addresses import LEAST_IPV6_MTU, refusal_of_address, version_of
from .factor_rule import CPUS
from .factors import FAMILIES, FactorRule, Level, Levels, factor_name, rule_of
from .plan import (
    DriverParameter,
    DriverSpec,
    LoggerSpec,
    PeerSpec,
    Plan,
    PlanError,
    UploadSpec,
    WorkloadSpec,
)
from .server_url import A_SERVER, is_server
from .toml_table import ABSENT, Fault, Table
from .workload_options import KINDS, PLACEHOLDERS, Option

SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
INTERFACE = re.compile(r"[^\s/:]{1,15}")
#: `${NAME}` is a shell's, and `{3}` an expression's: these are left to the program.
PLACEHOLDER = re.compile(r"(?<!\$)\{([A-Za-z_][A-Za-z0-9_.-]*)\}")
MOST_CELLS = 100_000
SHORTEST_S, DAY_S = 0.01, 86_400.0
OF_THE_PLAN = frozenset(
    {"title", "kind", "interface", "replicates", "seed", "duration_s", "warmup_s", "settle_s"}
    | {"experiment", "interval_ms", "source", "pilot_s", "idle_s", "retries"}
)
_ABOVE = "{} is no factor but a key of the plan: it must stand above the first [table]."
LARGEST_SEED = (1 << 53) - 1


def load_plan(path: Path) -> Plan:
    """Read and check a plan.

    Raises:
        PlanError: with every fault that was found.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise _refusal(path, f"cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise _refusal(path, "is not UTF-8 text; a plan is a TOML file.") from None
    except tomllib.TOMLDecodeError as error:
        raise _refusal(path, f"is not TOML: {error}.") from None
    return plan_of(path, document)


def plan_of(path: Path, document: Mapping[str, Any]) -> Plan:
    """Check a plan's content; `path` says where it is from.

    Raises:
        PlanError: with every fault that was found.
    """
    faults: list[Fault] = []
    plan = _plan(path, document, Table("", document, faults))
    if faults:
        raise PlanError(path, tuple(faults))
    return plan


def _refusal(path: Path, message: str) -> PlanError:
    return PlanError(path, (Fault("", ABSENT, message),))


def _plan(path: Path, document: Mapping[str, Any], table: Table) -> Plan:
    driver = _driver(table)
    workloads = _workloads(table.table("workloads"))
    factors = _factors(table.table("factors"), driver, workloads)
    constants = _constants(table, factors, workloads)
    _check_parameters(table, factors, driver)
    plan = Plan(
        path=path,
        experiment=_matching(table, "experiment", SLUG, "lower-case words joined by hyphens"),
        title=table.optional_text("title"),
        kind=table.choice("kind", ("measured", "emulated", "simulated"), "measured"),
        interface=_matching(table, "interface", INTERFACE, "an interface's name"),
        replicates=table.whole("replicates", 10, low=1, high=10_000),
        seed=table.whole("seed", low=0, high=LARGEST_SEED) if "seed" in table else None,
        duration_s=table.number("duration_s", low=SHORTEST_S, high=DAY_S),
        warmup_s=table.number("warmup_s", 0.0, low=0, high=DAY_S),
        settle_s=table.number("settle_s", 0.2, low=0, high=3600),
        interval_ms=table.whole("interval_ms", 100, low=1, high=60_000),
        source=table.choice("source", ("auto", "module", "ebpf", "proc"), "auto"),
        pilot_s=table.number("pilot_s", 2.0, low=0, high=3600),
        idle_s=table.number("idle_s", 2.0, low=0, high=3600),
        retries=table.whole("retries", 1, low=0, high=100),
        factors=MappingProxyType(factors),
        constants=MappingProxyType(constants),
        excluded=_excluded(table, factors),
        workloads=MappingProxyType(workloads),
        driver=driver,
        peers=tuple(_peer(entry) for entry in table.tables("peers")),
        environment=MappingProxyType(_environment(table.table("environment"))),
        logger=_logger(table),
        upload=_upload(table, path.parent),
        document=document,
    )
    table.raw("seed")
    table.close(_below_factors)
    _check_dilation(table, plan)
    _check_placeholders(table, plan)
    _check_addresses(table, plan)
    return plan


def _below_factors(name: str) -> str:
    is_none = isinstance(rule_of(name), str)
    return "" if is_none else "is a factor: it belongs below [factors], as a list of levels."


def _matching(table: Table, name: str, pattern: re.Pattern[str], what: str) -> str:
    value = table.text(name, longest=80)
    if value and not pattern.fullmatch(value):
        table.fault(name, f"must be {what}.", value)
    return value


def _driver(above: Table) -> DriverSpec | None:
    if "driver" not in above:
        above.raw("driver")
        return None
    table = above.table("driver")
    fixed_table = table.table("fixed")
    fixed = {name: fixed_table.raw(name) for name in fixed_table.names()}
    rule = FAMILIES["driver"][1]
    for name, value in fixed.items():
        if not rule.allows(value):
            fixed_table.fault(name, f"must be {rule.description}.", value)
    parameters_table = table.table("parameters")
    parameters = {
        name: _driver_parameter(parameters_table, name) for name in parameters_table.names()
    }
    for name, parameter in parameters.items():
        if parameter.name in fixed:
            parameters_table.fault(name, f"{parameter.name} is in driver.fixed too: keep one.")
    module, after = table.text("module"), _commands(table, "after")
    table.close()
    return DriverSpec(module, MappingProxyType(fixed), MappingProxyType(parameters), after)  # type: ignore[arg-type]


def _commands(table: Table, name: str) -> tuple[tuple[str, ...], ...]:
    listed = table.raw(name) if name in table else []
    if not isinstance(listed, list) or not all(
        isinstance(command, list) and command and all(isinstance(word, str) for word in command)
        for command in listed
    ):
        table.fault(name, "must be a list of commands, each a list of texts.", listed)
        return ()
    return tuple(tuple(command) for command in listed)


def _driver_parameter(above: Table, name: str) -> DriverParameter:
    if isinstance(above.raw(name), str):
        return DriverParameter(above.text(name))
    table = above.table(name)
    parameter = DriverParameter(table.text("name"), table.number("multiply", 1.0, low=0, high=1e9))
    table.close()
    return parameter


def _workloads(table: Table) -> dict[str, WorkloadSpec]:
    found = {}
    for name in table.names():
        if not NAME.fullmatch(name):
            table.fault(name, "a workload's name is lower-case letters, digits and _.")
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


def _factors(
    table: Table, driver: DriverSpec | None, workloads: Mapping[str, WorkloadSpec]
) -> dict[str, tuple[Level, ...]]:
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


def _check_parameters(
    table: Table, factors: Mapping[str, tuple[Level, ...]], driver: DriverSpec | None
) -> None:
    for name in driver.parameters if driver else ():
        if name not in factors:
            near = suggestion(name, factors)
            table.fault(f"driver.parameters.{name}", f"is no factor of this plan.{near}")


def _constants(
    table: Table,
    factors: Mapping[str, tuple[Level, ...]],
    workloads: Mapping[str, WorkloadSpec],
) -> dict[str, Level]:
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


def _excluded(table: Table, factors: Mapping[str, tuple[Level, ...]]) -> tuple[Levels, ...]:
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


def _one_form(rule: FactorRule | str, level: object) -> Any:
    return level if isinstance(rule, str) else rule.normal(level)


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


def cells_of(
    factors: Mapping[str, tuple[Level, ...]], constants: Levels, excluded: list[Levels]
) -> list[Levels]:
    """All cells in the order of the plan, without the excluded ones."""
    names = list(factors)
    cells = (
        dict(zip(names, levels, strict=True)) for levels in itertools.product(*factors.values())
    )
    return [
        MappingProxyType(cell | dict(constants))
        for cell in cells
        if not any(all(cell[name] == level for name, level in out.items()) for out in excluded)
    ]


def _peer(table: Table) -> PeerSpec:
    ssh = table.text("ssh")
    if ssh.startswith("-"):
        table.fault("ssh", "must be a destination; options go to ssh_options.", ssh)
    address = table.text("address")
    if reason := refusal_of_address(address):
        table.fault("address", reason, address)
    peer = PeerSpec(
        ssh,
        address,
        _matching(table, "interface", INTERFACE, "an interface's name")
        if "interface" in table
        else None,
        table.texts("ssh_options", ()),
        table.text("python", "python3"),
    )
    table.raw("interface")
    table.close()
    return peer


def _environment(table: Table) -> dict[str, str]:
    notes: dict[str, str] = {}
    for name in table.names():
        value = table.raw(name)
        if name == "virtual_machine" and isinstance(value, dict):
            machine = _environment(table.table(name))
            notes |= {f"{name}.{fact}": text for fact, text in machine.items()}
            continue
        if not NAME.fullmatch(name):
            table.fault(name, "a note's name is lower-case letters, digits and _.")
        if isinstance(value, str | int | float):
            notes[name] = str(value)
        else:
            table.fault(name, "must be a text or a number.", value)
    return notes


def _logger(above: Table) -> LoggerSpec:
    table = above.table("logger")
    dilated = "time_dilation" in table
    spec = LoggerSpec(
        table.text("path", "coalescope-logger"),
        table.texts("options", ()),
        table.number("time_dilation", low=1, high=1e6) if dilated else None,
    )
    table.raw("time_dilation")
    table.close()
    return spec


def _upload(above: Table, folder: Path) -> UploadSpec | None:
    if "upload" not in above:
        above.raw("upload")
        return None
    table = above.table("upload")
    if "token" in table:
        table.raw("token")
        table.fault(
            "token", "a token does not belong in a plan: use token_file, or COALESCOPE_TOKEN."
        )
    server = table.text("server")
    if server and not is_server(server):
        table.fault("server", A_SERVER, server)
    token_file = table.optional_text("token_file")
    table.close()
    return UploadSpec(server, None if token_file is None else folder / token_file)


def _check_addresses(table: Table, plan: Plan) -> None:
    versions = {version_of(peer.address) for peer in plan.peers} - {None}
    if len(versions) > 1:
        table.fault("peers", "have addresses of IPv4 and of IPv6: their packets differ in size.")
    for mtu in plan.factors.get("mtu_bytes", ()) if 6 in versions else ():
        if isinstance(mtu, int) and mtu < LEAST_IPV6_MTU:
            table.fault(
                "factors.mtu_bytes",
                f"with an MTU below {LEAST_IPV6_MTU} an interface loses its IPv6 addresses.",
                mtu,
            )


def _check_dilation(table: Table, plan: Plan) -> None:
    if plan.logger.time_dilation and plan.kind == "measured":
        table.fault(
            "logger.time_dilation",
            'is for kind = "emulated" or "simulated": real hardware keeps real time.',
            plan.logger.time_dilation,
        )


def _check_placeholders(table: Table, plan: Plan) -> None:
    known = [*plan.factors, *(name for name in plan.constants if name not in plan.factors)]
    known += [name for name in PLACEHOLDERS if plan.peers or name != "peer"]
    listed = ", ".join(known)
    for name, spec in plan.workloads.items():
        for option in ("command", "server") if spec.kind == "command" else ():
            words = " ".join(spec.options.get(option, ()))
            for unknown in dict.fromkeys(PLACEHOLDER.findall(words)):
                if unknown not in known:
                    table.fault(
                        f"workloads.{name}.{option}",
                        f"{{{unknown}}} is not known.{suggestion(unknown, known)} Known are the "
                        f"factors of this plan and what a run has: {listed}. If the braces are for "
                        "the program, put its call into a script.",
                    )
