# SPDX-License-Identifier: Apache-2.0
"""`coalescope-host calibrate`: which delay a device does when it is asked for one."""

import shlex
import socket
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from coalescope_host.plan.plan import Plan
from coalescope_host.plan.plan_file import plan_of
from coalescope_host.plan.schedule import Run
from coalescope_host.protocols import SweepError
from coalescope_host.run import factory
from coalescope_host.run.calibration import Point, calibration
from coalescope_host.run.closing import what_next
from coalescope_host.run.effective_delay import estimate
from coalescope_host.run.invocation import Invocation
from coalescope_host.run.journal import Entry, Journal
from coalescope_host.run.window_counters import window_counters
from coalescope_host.run_log import read
from coalescope_host.settings.host import open_host

from .ending import FAILED, ended, say
from .sweep import with_upload
from .without_plan import check_interface, peer_on, slug

DELAYS_US = [0, 1, 2, 4, 8, 16, 32, 50, 64, 100, 128, 250, 500, 1000]
FRAMES = [4, 64]


def run(options: Namespace) -> int:
    """Measure, and say what the device does."""
    return ended("calibrate", lambda: _calibrate(options), "The same command goes on.")


def _calibrate(options: Namespace) -> int:
    check_interface(options.interface, options)
    plan = with_upload(plan_of(Path("the command line"), _document(options)), options)
    folder = options.out or Path(plan.experiment)
    invocation = Invocation(plan, folder, factory.open_bench)
    invocation.carry_out()
    runs, _ = invocation.planned()
    with Journal(folder) as journal:
        latest = {entry["id"]: entry for entry in journal.of_type("run")}
    points = list(_points(plan, runs, latest, folder))
    sys.stdout.writelines(f"{line}\n" for line in calibration(points))
    say(what_next(plan, folder))
    return 0 if any(not point.refused for point in points) else FAILED


def _document(options: Namespace) -> Mapping[str, Any]:
    words = shlex.split(options.ssh_options)
    host = open_host(options.interface)
    if "delay_us" not in host.save()["settings"]["coalescing"]:
        raise SweepError(
            f"{options.interface}: its driver has no rx-usecs (`ethtool -c`): nothing to calibrate"
        )
    return {
        "experiment": slug(f"{socket.gethostname()}-{options.interface}-calibration"),
        "interface": options.interface,
        "replicates": 1,
        "duration_s": 1.0,
        "warmup_s": 0.2,
        "pilot_s": 0,
        "idle_s": 0,
        "retries": 0,
        "factors": _factors(host.save()["settings"]["coalescing"]),
        "workloads": {
            "udp": {
                "kind": "udp-fan-in",
                "packet_rate_hz": options.packet_rate,
                "payload_bytes": 64,
            }
        },
        "peers": [peer_on(options.interface, ssh, words) for ssh in options.peer],
    }


def _factors(coalescing: Mapping[str, object]) -> dict[str, list[int]]:
    """The delays; with the numbers of frames where the driver has them."""
    if "rx_frames" not in coalescing:
        return {"delay_us": DELAYS_US}
    return {"delay_us": DELAYS_US, "rx_frames": FRAMES}


def _points(
    plan: Plan, runs: tuple[Run, ...], latest: Mapping[str, Entry], folder: Path
) -> Iterator[Point]:
    for run_ in runs:
        entry = latest.get(run_.id)
        if entry is None:
            continue
        asked, frames = run_.levels["delay_us"], run_.levels.get("rx_frames")
        assert isinstance(asked, int | float)
        many = frames if isinstance(frames, int) else None
        if entry["status"] != "done":
            yield Point(asked, many, None, None, None, refused=str(entry["reason"]))
            continue
        counters = window_counters(read(folder / entry["log"]))
        interrupts = counters.get("rx_interrupts", counters.get("rx_line_interrupts", 0.0))
        per_interrupt = counters.get("rx_packets", 0.0) / interrupts if interrupts else None
        kind = plan.workload_of(run_.levels).kind
        took = entry["read_back"].get("delay_us")
        yield Point(asked, many, took, estimate(counters, kind), per_interrupt)
