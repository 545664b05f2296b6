# SPDX-License-Identifier: Apache-2.0
"""Reads files of an NFS server, past this host's page cache.

A workload runs without root, so that it cannot mount: the file system must be mounted before, best
read-only.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from coalescope_host.plan.plan import WorkloadSpec
from coalescope_host.protocols import RunContext

from .demand import TRAFFIC_TOOL, Demand
from .traffic import TAIL_S, Traffic
from .traffic_tool import arguments, requests_faults

MOUNTS = Path("/proc/self/mounts")
READ_BYTES = 16384
_OCTAL = re.compile(r"\\([0-7]{3})")


def prepare(spec: WorkloadSpec, context: RunContext) -> Traffic:
    """The traffic of one run. A factor that sets it: `streams`, the number of readers.

    Raises:
        WorkloadError: if the server's export is not mounted.
    """
    demand = Demand(spec, context)
    reading = arguments(
        path=folder(demand, MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()),
        streams=demand.streams,
        read_bytes=demand.whole("read_bytes", READ_BYTES),
        warmup=context.warmup_s,
        duration=context.duration_s,
        cooldown=TAIL_S,
    )
    return Traffic(
        command=[TRAFFIC_TOOL, "read", "files", *reading],
        user=context.user,
        programs=[TRAFFIC_TOOL],
        judge=requests_faults,
    )


def folder(demand: Demand, mounts: Iterable[str]) -> str:
    """Where the files are: `directory`, or the place where `server` is mounted."""
    server, directory = demand.text("server", ""), demand.text("directory", "")
    places = [place for source, place, kind in map(_mount, mounts) if _is(source, kind, server)]
    if not places:
        mount = f"mount -t nfs -o {demand.text('options', 'ro')} {server} {directory or '/mnt'}"
        raise demand.refusal(
            f"{server} is not mounted, and a workload cannot do that. Before the sweep, as root: "
            f"{mount}"
        )
    if not directory:
        return places[0]
    if not any(Path(directory).is_relative_to(place) for place in places):
        raise demand.refusal(
            f"{directory} does not lie on {server}, which is mounted on {', '.join(places)}."
        )
    return directory


def _mount(line: str) -> tuple[str, str, str]:
    source, place, kind, *_ = [*line.split(" "), "", "", ""]
    return _plain(source), _plain(place), kind


def _plain(text: str) -> str:
    return _OCTAL.sub(lambda found: chr(int(found[1], 8)), text)


def _is(source: str, kind: str, server: str) -> bool:
    return kind in ("nfs", "nfs4") and source.rstrip("/") == server.rstrip("/") and bool(server)
