# SPDX-License-Identifier: Apache-2.0
"""`coalescope-host calibrate`: which delay a device does when it is asked for one."""

from __future__ import annotations

import shlex
import socket
import time
from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from coalescope_host.drivers import driver_named
from coalescope_host.exit_statuses import FAILED
from coalescope_host.plan.plan import Plan
from coalescope_host.plan.plan_file import plan_of
from coalescope_host.plan.schedule import Run
from coalescope_host.protocols import SweepError
from coalescope_host.run import factory
from coalescope_host.run.calibration import Point, calibration, granularity
from coalescope_host.run.closing import places, what_next
from coalescope_host.run.effective_delay import DelayEstimate, estimate
from coalescope_host.run.invocation import Invocation
from coalescope_host.run.journal import Entry, Journal
from coalescope_host.run.signals import interruptible
from coalescope_host.run.sweeping import guarded
from coalescope_host.run.textfile import textfile, write_textfile
from coalescope_host.run_log import read, window_counters
from coalescope_host.settings.errors import SettingError
from coalescope_host.settings.host import open_host
from coalescope_host.terminal import say
from coalescope_host.workloads.demand import TRAFFIC_TOOL

from .answer import Answer
from .ending import ended
from .measured import measured_in
from .sweep import with_upload
from .without_plan import check_interface, peer_on, slug

FRAMES = (4, 64)
NEIGHBOURS_US = (*range(100, 109), *range(1000, 1009))


def run(options: Namespace) -> int:
    """Measure, and say what the device does."""
    return ended(
        "calibrate",
        options,
        lambda answer: _calibrate(options, answer),
        "The same command goes on.",
    )


def _calibrate(options: Namespace, answer: Answer) -> int:
    check_interface(options.interface, options)
    coalescing = open_host(options.interface).save()["settings"]["coalescing"]
    document = calibration_document(options, coalescing)
    plan = with_upload(plan_of(Path("the command line"), document), options)
    folder = options.out or Path(plan.experiment)
    took_us = _read_back(plan)
    invocation = Invocation(plan, folder, factory.open_bench, measured_in(answer))
    invocation.carry_out()
    runs, _ = invocation.planned()
    with Journal(folder) as journal:
        latest = {entry["id"]: entry for entry in journal.of_type("run")}
    points = list(_points(plan, runs, latest, folder))
    if options.textfile is not None:
        write_textfile(options.textfile, textfile(plan.interface, points, time.time()))
    lines = (*calibration(points), *granularity(took_us))
    answer.tell(
        lines,
        **places(plan, folder),
        points=[asdict(point) for point in points],
        read_back_us=[{"asked_us": asked, "took_us": took} for asked, took in took_us.items()],
    )
    say(*what_next(plan, folder))
    return 0 if any(not point.refused for point in points) else FAILED


def _read_back(plan: Plan) -> Mapping[int, float | None]:
    """What the device says it takes of neighbouring delays; without traffic, which takes time."""
    found: dict[int, float | None] = {}
    alone = replace(plan, peers=())
    with (
        interruptible() as interruption,
        factory.open_bench(alone, interruption.check) as bench,
        guarded(bench),
    ):
        for delay_us in NEIGHBOURS_US:
            interruption.check()
            found[delay_us] = None
            with suppress(SettingError):
                took = bench.host.apply({"delay_us": delay_us})["delay_us"]
                found[delay_us] = took if isinstance(took, (int, float)) else None
    return found


def calibration_document(options: Namespace, coalescing: Mapping[str, object]) -> Mapping[str, Any]:
    """The plan, by what coalescing the interface has.

    Raises:
        SweepError: if that is not what is to be calibrated.
    """
    words = shlex.split(options.ssh_options)
    if "delay_us" not in coalescing:
        raise SweepError(
            f"{options.interface}: its driver has no rx-usecs (`ethtool -c`): nothing to calibrate"
        )
    frames = frames_factor(options.interface, options.rx_frames, coalescing)
    return {
        "experiment": slug(f"{socket.gethostname()}-{options.interface}-calibration"),
        "interface": options.interface,
        "replicates": 1,
        "duration_s": 1.0,
        "warmup_s": 0.2,
        "pilot_s": 0,
        "idle_s": 0,
        "retries": 0,
        "factors": {"delay_us": options.rx_usecs, **frames},
        "workloads": {
            "udp": {
                "kind": "udp-fan-in",
                "tool": TRAFFIC_TOOL,  # frames evenly spaced: iperf3 sends those of 0.1 ms at once
                "packet_rate_hz": options.packet_rate,
                "payload_bytes": 64,
            }
        },
        "peers": [peer_on(options.interface, ssh, words) for ssh in options.peer],
    }


def frames_factor(
    interface: str, asked: list[int] | None, coalescing: Mapping[str, object]
) -> Mapping[str, list[int]]:
    """The numbers of frames that are asked for; none where the driver has none.

    Raises:
        SweepError: if they were typed and the driver has none.
    """
    if "rx_frames" in coalescing:
        return {"rx_frames": asked or list(FRAMES)}
    if asked is None:
        return {}
    raise SweepError(
        f"{interface}: its driver has no rx-frames (`ethtool -c`): leave --rx-frames out"
    )


def _points(
    plan: Plan, runs: tuple[Run, ...], latest: Mapping[str, Entry], folder: Path
) -> Iterator[Point]:
    modes, is_interval = _known(plan)
    for run_ in runs:
        entry = latest.get(run_.id)
        if entry is None:
            continue
        asked, frames = run_.levels["delay_us"], run_.levels.get("rx_frames")
        assert isinstance(asked, (int, float))
        many = frames if isinstance(frames, int) else None
        if entry["status"] != "done":
            yield Point(asked, many, None, None, None, refused=str(entry["reason"]))
            continue
        counters = window_counters(read(folder / entry["log"]))
        interrupts = counters.get("rx_interrupts", counters.get("rx_line_interrupts", 0.0))
        per_interrupt = counters.get("rx_packets", 0.0) / interrupts if interrupts else None
        kind = plan.workload_of(run_.levels).kind
        took = entry["read_back"].get("delay_us")
        found = estimate(counters, kind)
        if found is not None and is_interval:
            found = DelayEstimate(found.high_us, found.high_us)
        mode = modes.get(str(asked), "")
        yield Point(asked, many, took, found, per_interrupt, mode=mode)


def _known(plan: Plan) -> tuple[Mapping[str, str], bool]:
    """Which requests mean a mode to this driver, and whether a delay is one between interrupts.

    A frame waits when such an interval ends, so that interrupts show it as it is.
    """
    facts = open_host(plan.interface).facts()
    driver = driver_named(facts.get("driver"), facts.get("kernel_version"))
    if driver is None:
        return {}, False
    return driver.value("usecs_modes", {}), driver.value("meaning") == "interval"
