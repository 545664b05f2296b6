# SPDX-License-Identifier: Apache-2.0
"""A plan from the command line: an interface, factors by the names of the field, peers."""

from __future__ import annotations

import re
import shlex
import socket
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from coalescope_host.plan.factors import FAMILIES, rule_of
from coalescope_host.plan.plan import DAY_S, SHORTEST_S, SLUG, PeerSpec, Plan
from coalescope_host.plan.plan_file import plan_of
from coalescope_host.plan.server_url import A_SERVER, is_server
from coalescope_host.protocols import SweepError
from coalescope_host.remote import connect
from coalescope_host.remote.addresses import addresses, on_one_link
from coalescope_host.run.factory import NEEDS_SUDO
from coalescope_host.settings import safety
from coalescope_host.settings.host import may_administer
from coalescope_host.spelling import suggestion

from .ending import UsageError

BLOCKS = 3
WORKLOADS: Mapping[str, Mapping[str, Any]] = {
    "udp": {"kind": "udp-fan-in"},
    "tcp": {"kind": "tcp-fan-in"},
    "rr": {"kind": "request-response"},
}


def plan_without(options: Namespace) -> Plan:
    """The plan that the options say.

    Raises:
        UsageError: if they say none.
        PlanError: with what is wrong in it.
        SweepError: if a peer cannot be reached, or is not on the interface's link.
    """
    factors = checked_factors(options)
    replicates = _blocks(options.replicates)
    check_interface(options.plan, options)
    if not factors:
        raise UsageError(
            f"what is to be varied on {options.plan}? --mtu 1500,9000 --rx-usecs 0,25,50, say."
        )
    return plan_with(options, factors, options.workload, replicates=replicates)


def plan_with(
    options: Namespace, factors: Mapping[str, Sequence[Any]], workload: str, **keys: Any
) -> Plan:
    """The plan of these factors and workloads at the options' interface and peers.

    Raises:
        UsageError, PlanError, SweepError: as `plan_without`.
    """
    workloads = _workloads(workload)
    if not options.peer:
        raise UsageError("who sends? --peer root@HOST, a host at the other end of the link.")
    words = shlex.split(options.ssh_options)
    document = {
        "experiment": options.experiment or slug(f"{socket.gethostname()}-{options.plan}"),
        "interface": options.plan,
        "duration_s": options.duration,
        "factors": {**factors, "workload": list(workloads)},
        "workloads": workloads,
        "peers": [peer_on(options.plan, ssh, words) for ssh in options.peer],
        **keys,
    }
    return plan_of(Path("the command line"), document)


def check_interface(interface: str, options: Namespace) -> None:
    """Look at the interface of a command without a plan before anybody else is asked.

    Raises:
        UsageError: if there is none of this name.
        SweepError: if it must not be touched, or may not: a dry run needs no root.
    """
    names = [name for _, name in socket.if_nameindex()]
    if interface not in names:
        near = suggestion(interface, names) or f" There are {', '.join(names)}."
        raise UsageError(f"there is no interface {interface} here.{near}")
    if not may_administer() and not getattr(options, "dry_run", False):
        raise SweepError(NEEDS_SUDO)
    if refused := refused_interface(interface, options, peers_named(options)):
        raise SweepError(*refused)


def refused_interface(
    interface: str, options: Namespace, peers: Sequence[PeerSpec] = ()
) -> list[str]:
    """Why the interface must not be touched, unless the options say twice that it may."""
    reasons = safety.refusals(interface, peers=peers)
    if not reasons or (options.yes_this_interface == interface and options.really):
        return []
    return [
        f"{interface} is refused: {'; '.join(reasons)}. Name another interface; or, if it "
        f"must be this one, add --yes-this-interface {interface} --really."
    ]


def peers_named(options: Namespace) -> list[PeerSpec]:
    """The peers that were typed; where they are on the link is not known yet."""
    words = tuple(shlex.split(options.ssh_options))
    return [PeerSpec(ssh, address="", ssh_options=words) for ssh in options.peer]


def peer_on(interface: str, ssh: str, ssh_options: Sequence[str]) -> dict[str, Any]:
    """A peer as a plan has it, with its interface and address on the link of ours.

    Raises:
        SweepError: if it cannot be reached, or has none.
    """
    peer = connect(PeerSpec(ssh, address="", ssh_options=tuple(ssh_options)))
    try:
        there = peer.addresses()
    finally:
        peer.close()
    found = on_one_link(interface, addresses(), there)
    if found is None:
        own = ", ".join(f"{a}/{n}" for name, a, n in addresses() if name == interface) or "none"
        raise SweepError(
            f"{ssh} has no address on the network of {interface} ({own}): give both ends one, or "
            "write a plan with the peer's address."
        )
    name, address, _ = found
    options = {"ssh_options": list(ssh_options)} if ssh_options else {}
    return {"ssh": ssh, "interface": name, "address": address, **options}


def slug(text: str) -> str:
    """Lower-case words joined by hyphens."""
    return "-".join(re.findall(r"[a-z0-9]+", text.lower())) or "sweep"


def checked_factors(options: Namespace) -> dict[str, list[Any]]:
    """What the options vary, once all of them are values that can be: before anybody is asked.

    Raises:
        UsageError: with the option and the value that cannot.
    """
    if not SHORTEST_S <= options.duration <= DAY_S:
        span = f"a number from {SHORTEST_S:g} to {DAY_S:g}, in seconds"
        raise UsageError(f"--duration {options.duration:g}: must be {span}.")
    if options.experiment is not None and not SLUG.fullmatch(options.experiment):
        words = "lower-case words joined by hyphens"
        raise UsageError(f"--experiment {options.experiment}: must be {words}.")
    if options.server is not None and not is_server(options.server):
        raise UsageError(f"--server {A_SERVER}")
    if options.workload is not None:
        _workloads(options.workload)
    factors = factors_of(options)
    for name, levels in factors.items():
        _check_levels(name, levels)
    return factors


def _check_levels(name: str, levels: Sequence[Any]) -> None:
    rule = rule_of(name)
    if isinstance(rule, str):
        raise UsageError(f"--{name}: {rule}")
    if not levels:
        raise UsageError(f"--{name}: has no level; it must be {rule.description}.")
    for level in levels:
        if not rule.allows(rule.normal(level)):
            raise UsageError(f"--{name} {level}: must be {rule.description}.")


def factors_of(options: Namespace) -> dict[str, list[Any]]:
    """What the options vary, by the names that were typed.

    Raises:
        UsageError: if something typed is neither an option nor a factor.
    """
    return dict(_factors(options))


def _factors(options: Namespace) -> Iterator[tuple[str, list[Any]]]:
    for name, text in vars(options).items():
        if name.startswith("factor ") and text is not None:
            yield name.removeprefix("factor "), _levels(text)
    words = iter(options.unknown)
    for word in words:
        name, equals, text = word.removeprefix("--").partition("=")
        if not word.startswith("--"):
            raise UsageError(
                f"{word}: what is this? A sweep takes a plan, or one interface; levels are joined "
                "by commas, as in --mtu 1500,9000."
            )
        if name.partition(".")[0] not in FAMILIES:
            said = rule_of(name)
            raise UsageError(f"{word}: {said if isinstance(said, str) else 'has no levels.'}")
        yield name, _levels(text if equals else next(words, ""))


def _levels(text: str) -> list[Any]:
    """Divided by commas, or by semicolons where levels have commas in them."""
    return [_level(part) for part in text.split(";" if ";" in text else ",") if part]


def _level(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _workloads(text: str) -> dict[str, Mapping[str, Any]]:
    names = text.split(",")
    for name in names:
        if name not in WORKLOADS:
            near = suggestion(name, WORKLOADS)
            raise UsageError(f"--workload {name}: must be of {', '.join(WORKLOADS)}.{near}")
    return {name: WORKLOADS[name] for name in names}


def _blocks(text: str | None) -> int:
    if text is not None and not (text.isdecimal() and int(text)):
        raise UsageError(f"--replicates {text}: without a plan this is how many, such as 5.")
    return BLOCKS if text is None else int(text)
