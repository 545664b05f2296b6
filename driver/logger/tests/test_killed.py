# SPDX-License-Identifier: Apache-2.0
"""Killed at any moment, the logger loses at most what it had not yet to write: a second.

While it waits for the traffic of its command: five seconds, in which nothing passed.
"""

import random
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from coalescope_host.run_log import read
from timeouts import TIMEOUT_S, retried_if_disturbed, wait_until

LOGGER = Path(__file__).resolve().parents[1]
TIMES = 24
MOST_LOST_S = 1.5  # a second by the format, and the time for which a busy machine may hold it up


def start(logger, path, interval="5ms"):
    options = ["-i", "lo", "-o", str(path), "-t", interval, "-d", "600s"]
    options += ["--source", "proc", "--force"]
    return subprocess.Popen([logger, *options], stderr=subprocess.DEVNULL)


def lost_s(log, killed_ns):
    return (killed_ns - log.streams[0].column("t_realtime_ns")[-1]) / 1e9


def killed_at_any_moment(logger, tmp_path):
    """When each of the logs was cut off."""
    dice = random.Random()
    paths = [tmp_path / f"{number}.runlog" for number in range(TIMES)]
    moments = sorted((dice.uniform(0.1, 4.0), path) for path in paths)
    processes = {path: start(logger, path) for path in paths}
    for path in paths:
        wait_until(lambda path=path: path.exists() and path.stat().st_size, "one does not begin")
    begun, killed = time.monotonic(), {}
    for moment, path in moments:
        time.sleep(max(0.0, begun + moment - time.monotonic()))
        killed[path] = time.time_ns()
        processes[path].kill()
    for process in processes.values():
        process.wait(TIMEOUT_S)
    return killed


def test_killed_at_any_moment_all_that_was_written_is_read(logger, tmp_path):
    for path in killed_at_any_moment(logger, tmp_path):
        assert [problem.code for problem in read(path).problems] == ["cut_off"]


@retried_if_disturbed
def test_killed_at_any_moment_it_loses_a_second_at_most(logger, tmp_path):
    killed = killed_at_any_moment(logger, tmp_path)
    for path, moment in killed.items():
        log = read(path)
        if log.records:
            assert -0.1 < lost_s(log, moment) < MOST_LOST_S
    assert sum(read(path).records for path in killed) > 100 * TIMES


@retried_if_disturbed
def test_what_came_while_traffic_is_waited_for_is_written_within_seconds(
    logger, namespaces, tmp_path
):
    """It writes less often while nothing comes, and as often as ever from the first frame on."""
    path, inside = tmp_path / "a.runlog", ["ip", "netns", "exec", namespaces[0]]
    options = ["-i", "probe0", "-o", str(path), "-t", "20ms", "--source", "proc", "--force"]
    command = [*inside, logger, *options, "--", "sleep", "60"]
    neighbour = ["ip", "neigh", "replace", "10.214.0.2", "lladdr", "02:00:00:00:00:02"]
    subprocess.run([*inside, *neighbour, "dev", "probe0"], check=True)
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        wait_until(lambda: path.exists() and path.stat().st_size, "it does not begin")
        written = path.stat().st_size
        begun = time.monotonic()
        wait_until(lambda: path.stat().st_size > written + 10_000, "it does not write")
        waited_s, silent = time.monotonic() - begun, read(path).streams[0].column("tx_packets")
        ping = [*inside, "ping", "-c1", "-W1", "10.214.0.2"]
        subprocess.run(ping, capture_output=True, check=False)  # nobody has that address
        sent_ns = time.time_ns()
        wait_until(lambda: read(path).streams[0].column("tx_packets")[-1] > silent[-1], "no frame")
        written_s = (time.time_ns() - sent_ns) / 1e9
        process.kill()
    assert len(set(silent)) == 1
    assert 3.0 < waited_s < 7.0
    assert written_s < MOST_LOST_S


@pytest.fixture
def idle_writer(tmp_path):
    """A logger that writes only when a block is full."""
    folder = tmp_path / "driver" / "logger"
    folder.mkdir(parents=True)
    for source in [*LOGGER.glob("*.[ch]"), LOGGER / "Makefile"]:
        shutil.copy(source, folder)
    for shared in ("include", "terminal"):
        (tmp_path / "driver" / shared).symlink_to(LOGGER.parent / shared)
    writer = folder / "log_writer.c"
    text = writer.read_text()
    writer.write_text(text.replace("FLUSH_AFTER_NS = 1000000000", "FLUSH_AFTER_NS = 60000000000"))
    assert writer.read_text() != text
    subprocess.run(["make", "-s", "-C", str(folder), "EBPF=0"], check=True, capture_output=True)
    return str(folder / "coalescope-logger")


@retried_if_disturbed
def test_a_logger_that_waits_for_a_full_block_is_noticed(logger, idle_writer, tmp_path):
    """The negative control, and its good twin."""
    paths = {idle_writer: tmp_path / "idle.runlog", logger: tmp_path / "good.runlog"}
    processes = [start(program, path, "20ms") for program, path in paths.items()]
    for path in paths.values():
        wait_until(lambda path=path: path.exists() and path.stat().st_size, "one does not begin")
    time.sleep(MOST_LOST_S + 1.5)
    killed_ns = time.time_ns()
    for process in processes:
        process.kill()
        process.wait(TIMEOUT_S)
    assert lost_s(read(paths[idle_writer]), killed_ns) > MOST_LOST_S
    assert lost_s(read(paths[logger]), killed_ns) < MOST_LOST_S
