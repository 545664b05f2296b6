# SPDX-License-Identifier: Apache-2.0
"""The logger samples every 100 ms for less than 0.1 % of one CPU, whatever it reads.

With a command, the window is found at its end: samples with losses come more often then. It is
measured on a machine that does nothing else, where each sample begins with a processor's way out
of sleep, and beside TCP over the loopback (iperf3), as a recording has traffic. Beside both stands
what a program costs that wakes as often and does nothing (`wakes.c`).
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rows import Row

LOGGER = Path(__file__).parents[1] / "driver/logger/coalescope-logger"
WAKES = Path(__file__).with_name("wakes.c")
INTERVAL_MS, START_S, ROUND_S, ROUNDS = 100, 2, 5, 3
SOURCES = ("module", "ebpf", "proc")
COMMANDS = ((), ("--", "sleep", "60"))
BAR_PERCENT = 0.1
TRAFFIC_PORT, TRAFFIC_RATE = "5299", "2G"


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


def measured(shares: list[float]) -> tuple[float, str]:
    """The cheapest of the rounds, in percent of a CPU: neighbours only add to it; and its words."""
    percent = min(shares)
    sample_us = 1e4 * percent * INTERVAL_MS / 1e3
    return percent, f"{percent:.3f} % ({sample_us:.0f} µs a sample; at most {max(shares):.3f} %)"


@contextmanager
def traffic() -> Iterator[None]:
    """TCP over the loopback for as long as it is needed."""
    server = ["iperf3", "--server", "--bind", "127.0.0.1", "--port", TRAFFIC_PORT]
    client = ["iperf3", "--client", "127.0.0.1", "--port", TRAFFIC_PORT]
    options = ["--time", "3600", "--bitrate", TRAFFIC_RATE]
    with subprocess.Popen(server, stdout=subprocess.DEVNULL) as serving:
        time.sleep(START_S)
        with subprocess.Popen([*client, *options], stdout=subprocess.DEVNULL) as sending:
            time.sleep(START_S)
            if sending.poll() is not None:
                raise RuntimeError("iperf3 did not send: is another server at its port?")
            yield
            sending.terminate()
        serving.terminate()


def waking(beside: str) -> Row:
    """What is left when nothing is sampled."""
    what = f"a program that wakes every {INTERVAL_MS} ms and does nothing{beside} / one CPU"
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/wakes"
        subprocess.run(["cc", "-O2", WAKES, "-o", program], check=True)
        with subprocess.Popen([program, str(INTERVAL_MS)], text=True) as process:
            shares = rounds(process)
            process.terminate()
    return Row(what, measured(shares)[1])


def cost(source: str, command: tuple[str, ...], beside: str) -> Row:
    """Of one source, with a command or without."""
    which = "logger with a command" if command else "logger"
    what = f"{which} at {INTERVAL_MS} ms{beside}, source {source}, on {interface()} / one CPU"
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
    percent, words = measured(shares)
    return Row(what, words, bar, percent < BAR_PERCENT)


def costs(beside: str) -> list[Row]:
    """Of waking alone and of every source."""
    return [
        waking(beside),
        *(cost(source, command, beside) for source in SOURCES for command in COMMANDS),
    ]


def measure() -> list[Row]:
    """Rows for the report."""
    if not LOGGER.exists():
        return [Row("logger's cost", "not measured: make logger", f"< {BAR_PERCENT} %")]
    idle = costs(", nothing beside it")
    with traffic():
        return [*idle, *costs(", beside traffic")]
