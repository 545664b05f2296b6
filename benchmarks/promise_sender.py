# SPDX-License-Identifier: Apache-2.0
"""The traffic tool's source is no slower than iperf3's, and keeps a rate that is asked for.

Datagrams a second on a veth pair between two namespaces, to a sink of the traffic tool for both, by
turns. Needs root, iperf3, and a built traffic tool.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from rows import Row

TOOL = str(Path(__file__).parents[1] / "driver/traffic/coalescope-traffic")
HERE, THERE = (f"coalescope-bench-{os.getpid()}-{end}" for end in ("here", "there"))
ADDRESS, PORT = "10.217.0.1", 5202
FRAME_BYTES, UDP_FRAME_OVERHEAD = (64, 1518), 46
ROUNDS, ROUND_S, RATE_HZ = 5, 1, 20_000


def run(where: str, *command: str) -> str:
    """What a command in a namespace printed."""
    inside = ["ip", "netns", "exec", where, *command]
    return subprocess.run(inside, capture_output=True, text=True, check=True).stdout


@contextmanager
def cable() -> Iterator[None]:
    """Two namespaces and a veth pair between them."""
    link = f"link add bench0 netns {HERE} type veth peer name bench0 netns {THERE}"
    commands = [f"netns add {HERE}", f"netns add {THERE}", link]
    for end, name in ((1, HERE), (2, THERE)):
        commands += [f"-n {name} address add 10.217.0.{end}/24 dev bench0"]
        commands += [f"-n {name} link set bench0 up"]
    try:
        for command in commands:
            subprocess.run(["ip", *command.split()], check=True)
        yield
    finally:
        for name in (HERE, THERE):
            subprocess.run(["ip", "netns", "del", name], check=False)


def own(frame_bytes: int, rate_hz: int) -> float:
    """Datagrams a second that the source sends."""
    options = ["--to", ADDRESS, "--port", str(PORT), "--frame-bytes", str(frame_bytes)]
    options += ["--packet-rate", str(rate_hz), "--duration", str(ROUND_S)]
    with subprocess.Popen(
        ["ip", "netns", "exec", HERE, TOOL, "sink", "udp", "--port", str(PORT)],
        stdout=subprocess.DEVNULL,
    ) as sink:
        time.sleep(0.2)
        said = json.loads(run(THERE, TOOL, "source", "udp", *options))
        sink.terminate()
    return float(said["operations"]) / float(said["seconds"])


def iperf3(frame_bytes: int) -> float:
    """The same of iperf3, to its own server."""
    payload = str(frame_bytes - UDP_FRAME_OVERHEAD)
    with subprocess.Popen(
        ["ip", "netns", "exec", HERE, "iperf3", "--server", "--one-off"], stdout=subprocess.DEVNULL
    ):
        time.sleep(0.2)
        options = ["--udp", "--bitrate", "0", "--length", payload, "--time", str(ROUND_S), "--json"]
        said = json.loads(run(THERE, "iperf3", "--client", ADDRESS, *options))["end"]["sum"]
    return float(said["packets"]) / float(said["seconds"])


def fastest(frame_bytes: int) -> Row:
    """As fast as it goes, against iperf3."""
    pairs = [(own(frame_bytes, 0), iperf3(frame_bytes)) for _ in range(ROUNDS)]
    ours, theirs = (median(column) for column in zip(*pairs, strict=True))
    ratio = median(mine / other for mine, other in pairs)
    measured = f"{ratio:.2f} × ({ours:,.0f} and {theirs:,.0f}/s)"
    return Row(f"UDP source, frames of {frame_bytes} / iperf3", measured, ">= 1 ×", ratio >= 1)


def paced() -> Row:
    """At a rate: the best of the rounds, since neighbours only take away."""
    share = max(own(FRAME_BYTES[0], RATE_HZ) for _ in range(ROUNDS)) / RATE_HZ
    return Row(f"UDP source at {RATE_HZ:,}/s", f"{share:.1%} of it", ">= 99 %", share >= 0.99)


def measure() -> list[Row]:
    """Rows for the report."""
    if os.geteuid() != 0 or not Path(TOOL).exists():
        return [Row("UDP source", "not measured: needs root, and make traffic", ">= 1 ×")]
    with cable():
        return [*(fastest(frame_bytes) for frame_bytes in FRAME_BYTES), paced()]
