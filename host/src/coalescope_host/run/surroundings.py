# SPDX-License-Identifier: Apache-2.0
"""What each log of a block is told beside its run: what the hosts do when idle, and the peers.

Whatever else burned processor time before the first run of a block is likely to during its runs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from io import BufferedWriter, FileIO
from pathlib import Path
from typing import Any

from coalescope_host.plain_files import plain
from coalescope_host.plan.plan import Plan
from coalescope_host.protocols import SweepError
from coalescope_host.run_log import RunLogError, read, run_values, tasks_percent

from .bench import Bench
from .processes import LocalProcess
from .quietness import busy_before

_NAME = "environment.json"
_ENDS_S = 10.0
_VALUES = ("host_cpu_percent", "system_cpu_percent")


def surroundings(
    plan: Plan, bench: Bench, folder: Path, block: int, say: Callable[[str], None]
) -> Path:
    """Look around, and write a file for the logger; what cannot be had is not in it.

    `say`: is told where others keep the processors busy, while there is time to end them.
    """
    told: dict[str, Any] = {}
    if baseline := _idle(plan, bench, folder, block):
        told["idle_baseline"] = baseline
    if peers := list(filter(None, (_of_peer(plan, bench, at) for at in range(len(bench.peers))))):
        told["peers"] = peers
    if warning := busy_before(told):
        say(f"Before block {block}, {warning}")
    path = folder / _NAME
    with BufferedWriter(FileIO(path, "w", opener=plain)) as file:
        file.write(json.dumps(told, ensure_ascii=False, indent=1).encode())
    return path


def _idle(plan: Plan, bench: Bench, folder: Path, block: int) -> Mapping[str, float]:
    """Record without a workload; the log stays beside the others, but it is no run."""
    if not plan.idle_s:
        return {}
    path = folder / "logs" / f"block-{block:04}.idle"
    path.unlink(missing_ok=True)
    argv = [bench.logger, "--interface", plan.interface, "--output", str(path)]
    argv += ["--interval", f"{plan.interval_ms}ms", "--duration", f"{plan.idle_s:g}s"]
    argv += ["--source", plan.source, "--experiment", plan.experiment, "--kind", plan.kind]
    try:
        logger = LocalProcess(argv)
        try:
            if not logger.wait(plan.idle_s + _ENDS_S) or logger.status:
                return {}
        finally:
            logger.stop()
        bench.alive()
        return _baseline(path, block)
    except (SweepError, RunLogError, OSError):
        return {}


def _baseline(path: Path, block: int) -> Mapping[str, float]:
    log = read(path)
    values = run_values(log)
    found = {name: values[name] for name in _VALUES if name in values}
    others = tasks_percent(log)  # no workload ran: all tasks are others'
    if others is not None:
        found["other_cpu_percent"] = others
    rounded = {name: round(value, 3) for name, value in found.items()}
    return {**rounded, "duration_s": values["elapsed_s"], "block": block} if rounded else {}


def _of_peer(plan: Plan, bench: Bench, place: int) -> Mapping[str, Any] | None:
    """What a peer tells, without what the logger is to leave out of what it tells of this host."""
    if place in bench.unreachable:
        return None
    peer = bench.peers[place]
    try:
        told = {"address": peer.spec.address, **peer.environment()}
    except bench.failures:
        return None
    if _names_no_host(plan.logger.options):
        told.pop("kernel_command_line", None)  # it may name the host
    return told


def _names_no_host(options: Sequence[str]) -> bool:
    given = (option.removeprefix("--redact=") for option in options)
    return any("host" in option.split(",") for option in given)
