# SPDX-License-Identifier: Apache-2.0
"""Reads a plan from TOML and says everything that is wrong with it at once."""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from coalescope_host.spelling import suggestion

from .addresses import LEAST_IPV6_MTU, version_of
from .factor_tables import check_parameters, constants_of, excluded_of, factors_of
from .factors import rule_of
from .machine_tables import INTERFACE, driver_of, environment_of, logger_of, peer_of, upload_of
from .plan import DAY_S, LARGEST_SEED, SHORTEST_S, SLUG, Plan, PlanError
from .toml_table import ABSENT, Fault, Table
from .workload_options import PLACEHOLDERS
from .workload_tables import workloads_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: `${NAME}` is a shell's, and `{3}` an expression's: these are left to the program.
PLACEHOLDER = re.compile(r"(?<!\$)\{([A-Za-z_][A-Za-z0-9_.-]*)\}")


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
    driver = driver_of(table)
    workloads = workloads_of(table.table("workloads"))
    factors = factors_of(table.table("factors"), driver, workloads)
    constants = constants_of(table, factors, workloads)
    check_parameters(table, factors, driver)
    plan = Plan(
        path=path,
        experiment=table.matching("experiment", SLUG, "lower-case words joined by hyphens"),
        title=table.optional_text("title"),
        kind=table.choice("kind", ("measured", "emulated", "simulated"), "measured"),
        interface=table.matching("interface", INTERFACE, "an interface's name"),
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
        excluded=excluded_of(table, factors),
        workloads=MappingProxyType(workloads),
        driver=driver,
        peers=tuple(peer_of(entry) for entry in table.tables("peers")),
        environment=MappingProxyType(environment_of(table.table("environment"))),
        logger=logger_of(table),
        upload=upload_of(table, path.parent),
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
