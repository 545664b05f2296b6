# SPDX-License-Identifier: Apache-2.0
"""The logger samples every 100 ms for less than 0.1 % of one CPU, whatever it reads.

With a command, the window is found at its end: then losses are read with every sample.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from pathlib import Path

from rows import Row

LOGGER = Path(__file__).parents[1] / "driver/logger/coalescope-logger"
INTERVAL_MS, START_S, ROUND_S, ROUNDS = 100, 2, 5, 3
SOURCES = ("module", "ebpf", "proc")
COMMANDS = ((), ("--", "sleep", "60"))
BAR_PERCENT = 0.1


def interface() -> str:
    """One with a device, and so with interrupts to read, where there is one."""
    devices = sorted(path.parent.name for path in Path("/sys/class/net").glob("*/device"))
    return devices[0] if devices else "lo"


def cpu_ns(process: subprocess.Popen[str]) -> int:
    """CPU time so far, as the scheduler accounts it."""
    return int(Path(f"/proc/{process.pid}/schedstat").read_text().split()[0])


def rounds(process: subprocess.Popen[str]) -> list[float]:
    """Percent of one CPU in each round, once it records; none where it did not start."""
    shares: list[float] = []
    time.sleep(START_S)
    if process.poll() is not None:
        return shares
    for _ in range(ROUNDS):
        before, begun = cpu_ns(process), time.monotonic_ns()
        time.sleep(ROUND_S)
        used = cpu_ns(process) - before
        shares.append(100 * used / (time.monotonic_ns() - begun))
    return shares


def cost(source: str, command: tuple[str, ...]) -> Row:
    """The cheapest of the rounds: what neighbours do to caches and clock only adds to it."""
    beside = " with a command" if command else ""
    what = f"logger{beside} at {INTERVAL_MS} ms, source {source}, on {interface()} / one CPU"
    bar = f"< {BAR_PERCENT} %"
    with tempfile.TemporaryDirectory() as folder:
        options = [f"-t{INTERVAL_MS}ms", f"--source={source}", "-o", f"{folder}/a.runlog"]
        logger = [str(LOGGER), "-i", interface(), *options, *command]
        with subprocess.Popen(logger, stderr=subprocess.PIPE, text=True) as process:
            shares = rounds(process)
            process.terminate()
            _, said = process.communicate()
    if not shares:
        return Row(what, f"not measured: {said.strip().rpartition(': --source ')[2]}", bar)
    percent = min(shares)
    sample_us = 1e4 * percent * INTERVAL_MS / 1e3
    measured = f"{percent:.3f} % ({sample_us:.0f} µs a sample; at most {max(shares):.3f} %)"
    return Row(what, measured, bar, percent < BAR_PERCENT)


def measure() -> list[Row]:
    """Rows for the report."""
    if not LOGGER.exists():
        return [Row("logger's cost", "not measured: make logger", f"< {BAR_PERCENT} %")]
    return [cost(source, command) for source in SOURCES for command in COMMANDS]
