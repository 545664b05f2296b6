# SPDX-License-Identifier: Apache-2.0
"""`coalescope-host init`: looks at an interface, its routes and a peer, and writes a plan."""

import json
import shlex
import socket
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from coalescope_host.as_typed import as_typed
from coalescope_host.plain_files import NotPlainError, write_plain
from coalescope_host.plan.factors import Level, level_text
from coalescope_host.plan.plan_file import load_plan
from coalescope_host.protocols import SweepError
from coalescope_host.settings import safety
from coalescope_host.settings.carrier import nothing_passes
from coalescope_host.settings.host import NEEDS_ROOT, Host, open_host
from coalescope_host.terminal import in_words, say

from .answer import Answer
from .ending import UsageError, ended
from .without_plan import peer_on, peers_named, slug

JUMBO_MTU_BYTES, USUAL_MTU_BYTES = 9000, 1500
DELAYS_US = [0, 25, 50, 100]
NO_PEER = """\
# Who sends? ssh must reach it over another link, without a password.
# [[peers]]
# ssh = "root@192.0.2.7"
# interface = "eth1"       # of the peer; it gets the same MTU
# address = "10.0.0.2"     # of the peer, on this link
"""


def run(options: Namespace) -> int:
    """Write a plan."""
    return ended("init", options, lambda answer: _init(options, answer))


def _init(options: Namespace, answer: Answer) -> int:
    if options.out.exists() and not options.force:
        raise UsageError(f"{options.out} is there already: add --force, or --out ANOTHER.")
    host = open_host(options.interface)
    if problems := [p for p in host.problems({}) if p != NEEDS_ROOT]:
        raise SweepError("; ".join(problems))
    words = shlex.split(options.ssh_options)
    peers = [peer_on(options.interface, ssh, words) for ssh in options.peer]
    settings = {
        name: level for group in host.save()["settings"].values() for name, level in group.items()
    }
    refused = safety.refusals(options.interface, peers=peers_named(options))
    lines = _plan(options.interface, host, settings, peers, refused)
    try:
        write_plain(options.out, "\n".join(lines), over=options.force)
    except (NotPlainError, FileExistsError) as error:
        raise UsageError(in_words(error)) from None
    answer.tell((), plan=str(options.out), has_peer=bool(peers), refused=refused)
    for reason in refused:
        say(f"Note: {reason}: a sweep of it is refused.")
    if why := nothing_passes(host.device):
        say(f"Note: {why}: a sweep of it needs that.")
    if peers:
        load_plan(options.out)
        check = as_typed(f"sweep {options.out} --dry-run")
        say(f"{options.out} is a plan. Next: {check}")
    else:
        say(
            f"{options.out} is written, and lacks a peer: uncomment [[peers]] there and say who "
            "sends, or write it again with --force --peer root@HOST."
        )
    return 0


def _plan(
    interface: str,
    host: Host,
    settings: Mapping[str, Level],
    peers: Sequence[Mapping[str, Any]],
    refused: Sequence[str],
) -> Iterator[str]:
    facts = host.facts()
    known = ", ".join(f"{name} {facts[name]}" for name in ("driver", "speed_mbps") if name in facts)
    yield f"# {interface}{f': {known}' if known else ''}"
    yield from (f"# Refused as it is: {reason}." for reason in refused)
    yield f'experiment = "{slug(f"{socket.gethostname()}-{interface}")}"'
    yield f'interface = "{interface}"'
    yield "replicates = 5            # blocks; more make the intervals shorter"
    yield "duration_s = 10.0         # of each run's window"
    yield ""
    yield "[factors]"
    factors = _factors(host, settings)
    for name, levels in factors.items():
        now = f"   # now {level_text(settings[name])}" if name in settings else ""
        yield f"{name} = {json.dumps(levels)}{now}"
    yield 'workload = ["udp", "tcp"]'
    yield "# What can be varied here as well, each with what is set now:"
    for name, level in _of_first_queue(settings).items():
        if name not in factors:
            key = f'"{name}"' if "." in name else name
            yield f"# {key} = {json.dumps([level])}"
    yield ""
    yield "[workloads.udp]           # one size of frames, at a rate or as fast as they go"
    yield 'kind = "udp-fan-in"'
    yield "# rate_mbps = 500"
    yield "[workloads.tcp]"
    yield 'kind = "tcp-fan-in"'
    yield ""
    for peer in peers:
        yield "[[peers]]"
        yield from (f"{name} = {json.dumps(value)}" for name, value in peer.items())
        yield ""
    if not peers:
        yield NO_PEER


def _of_first_queue(settings: Mapping[str, Level]) -> dict[str, Level]:
    """Settings by the names that factors have; of what each queue or CPU has, the first's."""
    found: dict[str, Level] = {}
    for name, level in settings.items():
        found.setdefault(name.partition("[")[0], level)
    return found


def _factors(host: Host, settings: Mapping[str, Level]) -> dict[str, list[Level]]:
    """What is worth varying first, as far as the device says that it can."""
    wanted: dict[str, list[Level]] = {
        "mtu_bytes": [USUAL_MTU_BYTES, JUMBO_MTU_BYTES],
        "delay_us": list(DELAYS_US),
    }
    if "delay_us" not in settings:
        del wanted["delay_us"]
    possible = {
        name: [level for level in levels if _can(host, name, level)]
        for name, levels in wanted.items()
    }
    return {name: levels for name, levels in possible.items() if levels}


def _can(host: Host, name: str, level: Level) -> bool:
    return not [problem for problem in host.problems({name: level}) if problem != NEEDS_ROOT]
