# SPDX-License-Identifier: Apache-2.0
"""One run: servers, logger and workload, and whether the log that came of it is good."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

from coalescope_host.missing_program import not_installed
from coalescope_host.plan.factors import (
    DEFERRALS,
    INTERRUPT_DELAYS,
    Level,
    Levels,
    level_text,
    log_level,
    log_name,
)
from coalescope_host.plan.plan import Plan
from coalescope_host.plan.schedule import Run
from coalescope_host.plan.workload_options import ROOT_AT_PEERS
from coalescope_host.protocols import RunContext, Server, SweepError, Workload
from coalescope_host.run_log import RunLog, RunLogError, read, window_counters
from coalescope_host.run_log.doubts import doubts

from .bench import Bench
from .processes import LocalProcess, workload_user

_SERVERS_START_S = 0.3
_STEP_S = 0.5
_TOGETHER_S = 0.5
_LOGGER_ENDS_S = 10.0
_FEWEST_PACKETS = 2
_INTERRUPTS = frozenset({"rx_interrupts", "rx_line_interrupts"})
#: Doubts for which every count and time of a run may be too low or wrong.
_COUNTS_LACK = frozenset({"events_missed", "time_of_unknown_owner", "cycles_disagree"})
_RECORDED_ANYWAY = frozenset({"interface", "driver", "kernel_version", "speed_mbps"})


@dataclass(frozen=True)
class Recording:
    """A good log, and what it shows.

    Attributes:
        counters: advances of the counters in the window, and `elapsed_s`.
        warnings: what is to be said about it although it counts.
    """

    path: Path
    counters: Mapping[str, float]
    warnings: tuple[str, ...]


def record(
    plan: Plan,
    bench: Bench,
    run: Run,
    read_back: Mapping[str, Level | None],
    path: Path,
    duration_s: float,
    told: Path | None = None,
) -> Recording:
    """Record one run to a new file; `told` is a file for its environment.

    Raises:
        SweepError: if it failed; the file holds what was recorded, if it is there.
    """
    spec = plan.workload_of(run.levels)
    workload = prepared(plan, bench, run, duration_s)
    if missing := _missing(workload.needs()):
        raise SweepError(" ".join(missing))
    argv = logger_command(plan, bench, run, read_back, path, duration_s, workload, told)
    user_at_peers = "root" if spec.kind in ROOT_AT_PEERS else "nobody"
    with _servers(workload, bench, user_at_peers) as servers:
        logger = partial(LocalProcess, argv, acts_for=workload.user)
        _run_logger(logger, bench, servers, _longest_s(plan, run, duration_s) + _LOGGER_ENDS_S)
    return _judge(path, plan.interface, workload, run.levels)


def missing_logger(bench: Bench) -> list[str]:
    """What is wrong where the logger is not there."""
    if shutil.which(bench.logger) is not None:
        return []
    return [
        f"the logger {bench.logger} is not installed on this host, or not in PATH: "
        "`make logger` builds driver/logger/coalescope-logger. Install it (`make install`), or "
        "name it in the plan with [logger] path."
    ]


def missing_programs(plan: Plan, bench: Bench, run: Run) -> list[str]:
    """Which programs the workload of a run lacks on this host.

    A workload that cannot be prepared with the settings of now may be with those of its cell.
    """
    try:
        return _missing(prepared(plan, bench, run, plan.duration_s).needs())
    except bench.failures:
        return []


def peers_needed(plan: Plan, bench: Bench, run: Run) -> set[int]:
    """Places of the peers that a run changes, verifies the way to, or starts programs at."""
    if "mtu_bytes" in run.levels:
        return set(range(len(bench.peers)))
    try:
        servers = prepared(plan, bench, run, plan.duration_s).servers
    except bench.failures:
        return set()
    return {where for where, _ in servers if where != "here"}


def prepared(plan: Plan, bench: Bench, run: Run, duration_s: float) -> Workload:
    """The traffic of a run.

    Raises:
        SweepError: why there can be none.
    """
    spec = plan.workload_of(run.levels)
    context = RunContext(
        plan.interface,
        run.levels,
        run.seed,
        run.replicate,
        plan.warmup_s,
        duration_s,
        tuple(peer.spec for peer in bench.peers),
        workload_user(spec.user),
    )
    return bench.prepare(spec, context)


def logger_command(
    plan: Plan,
    bench: Bench,
    run: Run,
    read_back: Mapping[str, Level | None],
    path: Path | str,
    duration_s: float,
    workload: Workload,
    told: Path | None = None,
) -> list[str]:
    """The logger's whole command line."""
    argv = [bench.logger, "--interface", plan.interface, "--output", str(path)]
    argv += ["--interval", f"{plan.interval_ms}ms", "--duration", f"{duration_s:g}s"]
    argv += ["--warmup", f"{plan.warmup_s:g}s", "--source", plan.source]
    argv += [
        "--quiet",  # what it says is why a run failed
        "--command-timeout",
        f"{_longest_s(plan, run, duration_s):g}s",
        "--experiment",
        plan.experiment,
        "--kind",
        plan.kind,
    ]
    argv += ["--plan", plan.plan_hash, "--run-id", run.id]
    argv += ["--order", str(run.order), "--seed", str(run.seed)]
    if run.replicate:  # a pilot is of no block
        argv += ["--replicate", str(run.replicate)]
    if plan.title is not None:
        argv += ["--title", plan.title]
    if plan.logger.time_dilation is not None:
        argv += ["--time-dilation", f"{plan.logger.time_dilation:.15g}"]
    for name, level in run.levels.items():
        argv += ["--factor", f"{log_name(name)}={level_text(level)}"]
    for name, taken in read_back.items():
        if taken is not None and name in run.levels:
            argv += ["--read-back", f"{log_name(name)}={level_text(taken)}"]
    facts = {n: fact for n, fact in bench.host.facts().items() if n not in _RECORDED_ANYWAY}
    placed = {} if workload.cpus is None else {"workload_cpus": workload.cpus}
    for name, note in {**facts, **placed, **plan.environment}.items():
        argv += ["--environment", f"{name}={note}"]
    if told is not None:
        argv += ["--environment-file", str(told)]
    if workload.user is not None:
        argv += ["--user", workload.user]
    return [*argv, *plan.logger.options, "--", *workload.command]


def read_back_differs(requested: Level, taken: Level | None) -> bool:
    """Whether a host took something else than it was asked for."""
    return taken is not None and log_level(requested) != log_level(taken)


def _longest_s(plan: Plan, run: Run, duration_s: float) -> float:
    return plan.warmup_s + duration_s + plan.workload_of(run.levels).timeout_s


def _missing(programs: Sequence[str]) -> list[str]:
    return [
        not_installed(program, " on this host, or not in PATH")
        for program in programs
        if shutil.which(program) is None
    ]


@contextmanager
def _servers(
    workload: Workload, bench: Bench, user_at_peers: str
) -> Iterator[list[tuple[str, Server]]]:
    started: list[tuple[str, Server]] = []
    together_s = _TOGETHER_S if len(bench.peers) > 1 else 0.0
    at_ns = time.monotonic_ns() + round(together_s * 1e9) if together_s else None
    with ExitStack() as stack:  # a peer that is lost does not keep the others' from being stopped
        for where, argv in workload.servers:
            server: Server
            if where == "here":
                name, server = f"{argv[0]} on this host", LocalProcess(argv, workload.user)
            else:
                peer = bench.peers[where]
                name = f"{argv[0]} on {peer.spec.ssh}"
                server = peer.start_server(argv, user=user_at_peers, at_ns=at_ns)
            stack.callback(server.stop)
            started.append((name, server))
        if started:
            bench.pause(_SERVERS_START_S + together_s)
        _check_servers(started)
        yield started


def _check_servers(servers: Sequence[tuple[str, Server]]) -> None:
    for name, server in servers:
        if not server.alive():
            raise SweepError(f"{name} ended at once: {server.stop() or 'it said nothing'}")


def _run_logger(
    start: Callable[[], LocalProcess],
    bench: Bench,
    servers: Sequence[tuple[str, Server]],
    longest_s: float,
) -> None:
    logger = start()
    try:
        end = time.monotonic() + longest_s
        while not logger.wait(_STEP_S):
            bench.alive()
            if time.monotonic() > end:
                raise SweepError(f"the logger did not end within {longest_s:g} s: it was ended")
        if logger.status:
            reason = logger.said() or f"ended with status {logger.status}"
            gone = [name for name, server in servers if not server.alive()]
            raise SweepError(" ".join([reason, *(f"({name} ended too)" for name in gone)]))
    finally:
        logger.stop()


def _judge(path: Path, interface: str, workload: Workload, levels: Levels) -> Recording:
    try:
        log = read(path)
    except (RunLogError, OSError) as error:
        raise SweepError(f"{path}: {error}") from None
    if not log.complete:
        raise SweepError(f"{path}: the log was cut off: {log.problems[0].message}")
    counters = window_counters(log)
    faults = (
        _result_faults(log, workload)
        or traffic_faults(counters, interface)
        or interrupt_faults(_columns(log), interface, levels)
    )
    if faults:
        raise SweepError("; ".join(faults))
    remarks = workload.remarks(bytes(log.result.body)) if log.result else []
    problems = [doubt for doubt in doubts(log) if doubt.code in _COUNTS_LACK] + list(log.problems)
    said = (problem.message for problem in problems)
    return Recording(path, counters, (*remarks, *_source_remarks(log, interface), *said))


def _source_remarks(log: RunLog, interface: str) -> Iterator[str]:
    """What a log lacks because of where its counters come from."""
    environment = cast("Mapping[str, Any]", log.header.get("environment") or {})
    for better, reason in (environment.get("counter_sources_refused") or {}).items():
        taken = environment.get("counter_source")
        yield f"counters come from {taken}, not from {better}: {reason}"
    if not _counts_interrupts(log):
        yield f"no interrupts of {interface} can be found: the log has none"


def _counts_interrupts(log: RunLog) -> bool:
    return not _INTERRUPTS.isdisjoint(_columns(log))


def _columns(log: RunLog) -> set[str]:
    return {field.name.partition(".q")[0] for field in log.fields}


def interrupt_faults(columns: AbstractSet[str], interface: str, levels: Levels) -> list[str]:
    """What is wrong where interrupts are delayed and a log with these columns counts none."""
    shown = DEFERRALS if "polls" in columns else frozenset()
    delays = [name for name in levels if name in INTERRUPT_DELAYS - shown]
    if not delays or not _INTERRUPTS.isdisjoint(columns):
        return []
    return [
        f"no interrupts of {interface} can be found, so nothing shows what {' and '.join(delays)} "
        "did. The kernel module counts them (modprobe coalescope) where the interface has any; "
        f"where it has none, as a virtual one, leave {' and '.join(delays)} out of the plan."
    ]


def _result_faults(log: RunLog, workload: Workload) -> list[str]:
    if log.result is None:
        return []
    return list(workload.result(bytes(log.result.body)))


def traffic_faults(counters: Mapping[str, float], interface: str) -> list[str]:
    """What is wrong where no packet went either way."""
    if not counters:
        return ["the measurement window holds fewer than two samples"]
    packets = counters.get("rx_packets", 0) + counters.get("tx_packets", 0)
    if packets < _FEWEST_PACKETS:
        return [
            f"no traffic passed {interface}: is the workload's address on the other side of it?"
        ]
    return []


def discard(path: Path) -> None:
    """Keep a failed run's log beside the good ones, or nothing of it where the disk is full."""
    if not path.exists():
        return
    if shutil.disk_usage(path.parent).free < (4 << 20) or path.stat().st_size == 0:
        path.unlink()
    else:
        path.replace(path.with_suffix(".failed"))
