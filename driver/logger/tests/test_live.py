# SPDX-License-Identifier: Apache-2.0
"""--live: a line each second on stderr, and one for the window."""

import contextlib
import os
import re
import subprocess
import sys

import pytest
from coalescope_host.run_log import read
from timeouts import TIMEOUT_S, retried_if_disturbed, wait_until

SEND = """
import socket, time
inbox = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); inbox.bind(("127.0.0.1", 0))
end = time.monotonic() + 2.5
while time.monotonic() < end:
    inbox.sendto(b"x" * 972, inbox.getsockname()); inbox.recv(2000); time.sleep(0.002)
"""
ROW = re.compile(r"^(window|      ) +([\d.]+) +([\d.]+) +(\d+) +(\S+) +(\S+) +([\d.]+) +(\d+)$")


def record(logger, path, *arguments):
    options = ["-i", "lo", "-o", str(path), "-t", "50ms", "--source", "proc", "--live"]
    options += ["--force"]
    done = subprocess.run(
        [logger, *options, *arguments, "--", sys.executable, "-c", SEND],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return read(path), done.stderr.splitlines()


def counted(log, name):
    """Advance of a counter in the window."""
    times, column = log.streams[0].column("t_monotonic_ns"), log.streams[0].column(name)
    start, end = (times.index(moment) for moment in log.window)
    return column[end] - column[start]


@pytest.mark.parametrize("dilation", [1.0, 12.5])
@retried_if_disturbed
def test_lines_say_what_the_log_holds(logger, tmp_path, dilation):
    more = ["--kind", "emulated", "--time-dilation", str(dilation)] if dilation > 1 else []
    log, lines = record(logger, tmp_path / "a.runlog", *more)
    rows = [found for found in map(ROW.match, lines) if found]
    assert 2 <= len(rows) - 1 <= 3
    assert all(len(line) <= 80 for line in lines if ROW.match(line) or "Mb/s" in line)
    assert [row[1] for row in rows[:-1]] == ["      "] * (len(rows) - 1)
    own = [line for line in lines if not line.startswith("coalescope-logger: ")]
    assert (rows[-1][1], rows[-1][0]) == ("window", own[-1])
    seconds = counted(log, "t_monotonic_ns") / 1e9 / dilation
    packets, octets = counted(log, "rx_packets"), counted(log, "rx_bytes")
    assert float(rows[-1][2]) == pytest.approx(seconds, abs=0.06)
    assert int(rows[-1][4]) == pytest.approx(packets / seconds, abs=1)
    link_level = octets + 18 * packets  # on lo, a packet is counted without header and check
    assert float(rows[-1][3]) == pytest.approx(link_level * 8e-6 / seconds, abs=0.006)
    assert (rows[-1][5], rows[-1][6]) == ("-", "-")  # lo has no interrupts
    assert ("12.5 times" in "\n".join(lines)) is (dilation > 1)


def whole(path):
    log = read(path)
    return log if log.complete else None


def fill(pipe):
    """Write through a description of its own, which alone does not block."""
    writer = os.open(f"/proc/self/fd/{pipe}", os.O_WRONLY | os.O_NONBLOCK)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writer, b"x" * 4096)
    os.close(writer)


def test_a_reader_that_does_not_read_holds_nothing_up(logger, recording, tmp_path):
    path = tmp_path / "a.runlog"
    options = ["-i", "lo", "-o", str(path), "-t", "10ms", "-d", "2s", "--live"]
    unread, pipe = os.pipe()
    with subprocess.Popen([logger, *options, "--source", "proc"], stderr=pipe) as process:
        recording(path)
        fill(pipe)
        os.close(pipe)
        log = wait_until(lambda: whole(path), "the log does not end")
        while os.read(unread, 65536):  # its last words may wait for a reader
            pass
        assert process.wait(TIMEOUT_S) == 0
    os.close(unread)
    assert log.records + log.footer["missed_ticks"] > 190
