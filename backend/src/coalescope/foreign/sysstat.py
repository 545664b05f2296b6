# SPDX-License-Identifier: Apache-2.0
"""What sysstat's sadf and mpstat write alike: the hosts, their facts and their CPU shares. Pure.

The shares are means over all CPUs, in percent of all; the glossary's are in percent of one CPU, but
for idle time. `%system` of sar holds hard and soft interrupts, `%sys` of `-u ALL` and mpstat does
not.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from coalescope.foreign.json_text import documents, list_at, number, text_at
from coalescope.foreign.records import (
    ENVIRONMENT,
    Reading,
    Record,
    Unreadable,
    Window,
    fact,
    measure,
)

#: How a file begins, up to the member that tells the tools apart.
START = r'\{\s*"sysstat"\s*:\s*\{\s*"hosts"[\s\S]*?'
#: The timestamps have whole seconds.
LATE_S = 1.0
_HOST = "sysstat.hosts[]"
_ALL = ("all", "-1", -1)


class Host(NamedTuple):
    """One of the hosts in a file.

    Attributes:
        said: its member of the file; `statistics` of it has an item for each moment.

    """

    said: Any
    name: str | None
    cpus: float | None
    statistics: list[Any]


def read_hosts(
    content: bytes, samples: Callable[[Host], Iterator[Record]], nothing: str, advice: str
) -> Reading:
    """The facts and `samples` of every host. Errors: Unreadable, of `nothing` if none is there."""
    found = [_host(said) for one in documents(content) for said in list_at(one, "sysstat.hosts")]
    records = [record for host in found for record in (*_facts(host), *samples(host))]
    if not any(record.kind == "sample" for record in records):
        raise Unreadable(nothing, advice, field=f"{_HOST}.statistics")
    return Reading(beside=records)


def cpu_shares(statistics: Any, window: Window | None, host: Host) -> Iterator[Record]:
    """Of one moment's `cpu-load`; without the number of CPUs only the idle time is known."""
    loads = list_at(statistics, "cpu-load") or list_at(statistics, "cpu-load-all")
    load = next((one for one in loads if isinstance(one, dict) and one.get("cpu") in _ALL), None)
    idle = number(load, "idle", 0.0)
    if load is None or idle is None:
        return

    def share(quantity: str, value: float, field: str) -> Record:
        where = f"statistics[].cpu-load[all].{field}"
        return measure(quantity, value, where, window, host.name, "sample")

    yield share("idle_cpu_percent", idle, "idle")
    if host.cpus is None:
        return
    split = [number(load, name, 0.0) for name in ("sys", "irq", "soft")]
    known = [part for part in split if part is not None]
    if len(known) == len(split):
        system = host.cpus * sum(known)
        yield share("system_cpu_percent", system, "sys + irq + soft, by number-of-cpus")
    elif (whole := number(load, "system", 0.0)) is not None:
        yield share("system_cpu_percent", host.cpus * whole, "system, by number-of-cpus")
    waiting, stolen = number(load, "iowait", 0.0), number(load, "steal", 0.0)
    if waiting is not None and stolen is not None:
        busy = max(100.0 - idle - waiting - stolen, 0.0)
        field = "100 - idle - iowait - steal, by number-of-cpus"
        yield share("host_cpu_percent", host.cpus * busy, field)


def _host(said: Any) -> Host:
    cpus = number(said, "number-of-cpus", 1.0)
    return Host(said, text_at(said, "nodename"), cpus, list_at(said, "statistics"))


def _facts(host: Host) -> Iterator[Record]:
    release = text_at(host.said, "release")
    if release is not None:
        yield fact(f"{ENVIRONMENT}kernel_version", release, f"{_HOST}.release", host.name)
    if host.cpus is not None:
        yield fact(f"{ENVIRONMENT}cpus", host.cpus, f"{_HOST}.number-of-cpus", host.name)


#: What cpu_shares gives, for the documents.
CPU_SHARES = (
    ("cpu-load[all].idle", "idle_cpu_percent", "of all CPUs"),
    (
        "cpu-load[all].sys + irq + soft, by number-of-cpus",
        "system_cpu_percent",
        "of one CPU, as the glossary has it; `system` of plain sar -u",
    ),
    ("cpu-load[all]: 100 - idle - iowait - steal, by number-of-cpus", "host_cpu_percent", ""),
)
