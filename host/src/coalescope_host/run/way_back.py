# SPDX-License-Identifier: Apache-2.0
"""To a tuning's answer and back from it, at both ends, as shell commands."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from coalescope_host.newer_python import zip_strict
from coalescope_host.plan.factors import Level, Levels
from coalescope_host.plan.registry import BY_NAME
from coalescope_host.protocols import Host, Peer

from .bench import Bench
from .sweeping import peer_levels

_MTU = "mtu_bytes"


@dataclass(frozen=True)
class WayBack:
    """What leads back from an answer.

    Attributes:
        commands: shell commands, for this host.
        lacking: what they do not put back, each with the reason.
    """

    commands: Sequence[str] = ()
    lacking: Sequence[str] = ()


@dataclass(frozen=True)
class Before:
    """What was set when a tuning began, as far as that can be read.

    Attributes:
        here: levels of this host.
        peer_mtus: of each peer's interface, in the order of the plan; None where not known.
    """

    here: Levels
    peer_mtus: Sequence[Level | None]


def levels_before(host: Host, factors: Iterable[str]) -> Levels:
    """How these factors are set, and the switches that are on and that setting them turns off."""
    names = [name for name in factors if name != "workload"]
    rows = [BY_NAME[name] for name in names if name in BY_NAME]
    switches = {row.overridden_by for row in rows if row.overridden_by} - set(names)
    now = host.now([*names, *sorted(switches)])
    return {name: level for name, level in now.items() if name in names or level is True}


def read_before(bench: Bench, factors: Iterable[str]) -> Before:
    """What there is to go back to from settings of these factors."""
    names = list(factors)
    return Before(levels_before(bench.host, names), _peer_mtus(bench, names))


def noted(before: Before) -> Mapping[str, Any]:
    """As the journal has it."""
    return {"start": dict(before.here), "peer_mtus": list(before.peer_mtus)}


def before_of(entry: Mapping[str, Any], bench: Bench) -> Before:
    """What the journal says; of an older version's, which has no peers, their MTUs are not known.

    `entry`: its line of the type "tuning".
    """
    unknown = [None] * len(bench.peers)
    return Before(dict(entry["start"]), entry.get("peer_mtus", unknown))


def commands_to(bench: Bench, answer: Levels, before: Before) -> list[str]:
    """Shell commands that set an answer; to be called while all is as it was."""
    commands = list(bench.host.changes(answer))
    for peer, _ in _known(bench, answer, before):
        commands += _over_ssh(peer, answer)
    return commands


def way_back(bench: Bench, answer: Levels, before: Before) -> WayBack:
    """Set an answer at both ends, which shows that it can be set, and say what leads back from it.

    Peers are put back; this host is left with the answer.
    """
    took = bench.host.apply(answer)
    commands = list(bench.host.changes(before.here))
    lacking = [f"{name}: what it was cannot be read" for name in took if name not in before.here]
    known = list(_known(bench, answer, before))
    for peer, mtu in known:
        bench.alive()
        peer.apply(peer_levels(peer.spec, answer))
        commands += _over_ssh(peer, {_MTU: mtu})
        peer.apply({_MTU: mtu})
    told = [peer for peer, _ in known]
    if _MTU in answer and answer[_MTU] != before.here.get(_MTU):
        lacking += [_unknown(peer) for peer in bench.peers if peer not in told]
    return WayBack(commands, lacking)


def _peer_mtus(bench: Bench, names: Collection[str]) -> list[Level | None]:
    """Peers are asked only where their MTU is to be set."""
    return [
        peer.now([_MTU]).get(_MTU)
        if _MTU in names and place not in bench.unreachable and peer.spec.interface is not None
        else None
        for place, peer in enumerate(bench.peers)
    ]


def _known(bench: Bench, answer: Levels, before: Before) -> Iterator[tuple[Peer, Level]]:
    """The peers that an answer changes and whose MTU before is known, with that."""
    for peer, mtu in zip_strict(bench.peers, before.peer_mtus):
        if mtu is not None and peer_levels(peer.spec, answer):
            yield peer, mtu


def _over_ssh(peer: Peer, levels: Levels) -> Iterator[str]:
    """What differs there. One word for ssh: whatever a peer says, nothing of it is run here."""
    for command in peer.changes(peer_levels(peer.spec, levels)):
        yield shlex.join(["ssh", *peer.spec.ssh_options, peer.spec.ssh, command])


def _unknown(peer: Peer) -> str:
    if peer.spec.interface is None:
        why = "the plan does not name its interface"
    else:
        why = "what it was is not known"
    return f"{_MTU} at {peer.spec.ssh}: {why}; set it there by hand, and back"
