# SPDX-License-Identifier: Apache-2.0
"""CPU time of the command and of all that it starts, and of nothing else."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from coalescope_host.run_log import read, run_values
from cpu_watch import Hogs
from timeouts import TIMEOUT_S

BURN = """
import os, sys, time, threading, subprocess
def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end: pass
def daemon(seconds):
    ends = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            burn(seconds)
        os._exit(0)
    os.close(ends[1])
    os.wait()
    os.read(ends[0], 1)  # until the daemon is gone, too
"""
SHAPES = {
    "alone": ("burn(0.4)", 0.4),
    "threads": (
        "many = [threading.Thread(target=burn, args=(0.2,)) for _ in range(3)]\n"
        "for one in many: one.start()\n"
        "for one in many: one.join()",
        0.6,
    ),
    "children": (
        "for _ in range(4):\n    if os.fork() == 0: burn(0.1); os._exit(0)\n    os.wait()",
        0.4,
    ),
    "daemon": ("daemon(0.5)", 0.5),
    "asleep": ("time.sleep(0.3)", 0.0),
    "never waited for": (
        "import signal\n"
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "for _ in range(2):\n"
        "    if os.fork() == 0: burn(0.5); os._exit(0)\n"
        "    try: os.wait()\n"
        "    except ChildProcessError: pass\n"
        "burn(0.5)",
        1.5,
    ),
}
# in user mode and in the kernel, by a thread, a child and a grandchild; then what getrusage says of
# the process and of its children
TOLD = """
import json, resource
def copy(seconds):
    end = time.thread_time() + seconds
    with open("/dev/zero", "rb", buffering=0) as zeros:
        while time.thread_time() < end: zeros.read(1 << 16)
second = threading.Thread(target=burn, args=(0.5,))
second.start()
if os.fork() == 0:
    if os.fork() == 0: copy(0.5); os._exit(0)
    os.wait()
    burn(0.5)
    os._exit(0)
copy(0.5)
second.join()
os.wait()
own, children = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(json.dumps([own.ru_utime + own.ru_stime, children.ru_utime + children.ru_stime]))
"""
HOGS = 2
AGREE = 0.02
STARTS_S = 0.15  # Python itself
INTERVAL_S = 0.1
WITHOUT_CGROUPS = (
    'for m in $(findmnt -nrt cgroup2 -o TARGET); do umount -l "$m"; done; exec "$0" "$@"'
)


def used(logger, path, script, *without):
    command = [logger, "-i", "lo", "-o", path, "--force", "-e", "cpu", "--source", "proc"]
    command = [*without, *command, "--", sys.executable, "-c", BURN + script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert done.returncode == 0, done.stderr
    log = read(path)
    column = log.streams[0].column("workload_cpu_ns")
    assert list(column) == sorted(column)
    return (column[-1] - column[0]) / 1e9, log.field("workload_cpu_ns").attributes["basis"]


@pytest.fixture(params=["cgroup", "process tree"])
def without(request):
    """What to run before the logger so that it takes this way; and its name."""
    if os.geteuid() != 0:
        pytest.fail("needs root: deselect with -m 'not network'")
    hide = ("unshare", "--mount", "sh", "-c", WITHOUT_CGROUPS)
    return request.param, () if request.param == "cgroup" else hide


@pytest.mark.network
@pytest.mark.fault("A1")
@pytest.mark.parametrize("shape", SHAPES)
def test_all_that_it_starts_counts(logger, tmp_path, without, shape):
    basis, before = without
    script, burnt = SHAPES[shape]
    hog = [sys.executable, "-c", BURN + "burn(60)"]
    with subprocess.Popen(hog) as other:  # it shares the machine, not the account
        seconds, taken = used(logger, tmp_path / "a.runlog", script, *before)
        other.kill()
    assert taken == basis
    # each of its two processes may work on for an interval after it was last seen
    unseen = 2 * INTERVAL_S if shape == "never waited for" and basis == "process tree" else 0
    assert burnt - 0.011 - unseen <= seconds < burnt * 1.02 + STARTS_S


@pytest.mark.network
@pytest.mark.fault("A1")
def test_it_is_what_the_kernel_says_of_these_processes(logger, tmp_path, without):
    """Beside hogs that want all CPUs: a log's measure agrees with getrusage."""
    _, before = without
    path = tmp_path / "a.runlog"
    options = ["-i", "lo", "-o", path, "-e", "cpu", "--source", "proc", "--start", "now"]
    command = [*before, logger, *options, "--", sys.executable, "-c", BURN + TOLD]
    with Hogs(HOGS) as hogs:
        subprocess.run(command, check=True, capture_output=True, timeout=TIMEOUT_S)
        log = read(path)
    start, end = log.window
    assert hogs.between(start, end).hogs > 0
    own, children = json.loads(bytes(log.result.body))
    assert own >= 1.0
    assert children >= 1.0
    elapsed_s = (end - start) / 1e9
    seconds = 0.01 * run_values(log)["workload_cpu_percent"] * elapsed_s
    assert seconds == pytest.approx(own + children, rel=AGREE)


@pytest.mark.network
def test_a_cgroup_is_left_to_nobody(logger, tmp_path):
    """Neither one of a killed logger, nor one with a daemon in it."""
    mounts = subprocess.run(
        ["findmnt", "-nrt", "cgroup2", "-o", "TARGET"], capture_output=True, text=True, check=True
    ).stdout.split()
    own = Path("/proc/self/cgroup").read_text().rpartition("0::")[2].split()[0]
    parent = Path(mounts[0]) / own.lstrip("/")
    stale = parent / "coalescope-logger-999999999"
    stale.mkdir()
    stays = (
        "import subprocess as s; "
        "print(s.Popen(['sleep', '60'], start_new_session=True, stdout=s.DEVNULL,"
        " stderr=s.DEVNULL).pid)"
    )
    command = [logger, "-i", "lo", "-o", tmp_path / "a.runlog", "--", sys.executable, "-c", stays]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        _, said = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0, said
    assert not stale.exists()
    pid = int(bytes(read(tmp_path / "a.runlog").result.body))
    try:
        assert Path(f"/proc/{pid}/cgroup").read_text().rpartition("0::")[2].split()[0] == own
        # other loggers may run on this machine, each with a cgroup by its own number
        assert not (parent / f"coalescope-logger-{process.pid}").exists()
    finally:
        os.kill(pid, 9)


def test_without_a_command_there_is_none(logger, tmp_path):
    command = [logger, "-i", "lo", "-o", tmp_path / "a.runlog", "-d", "50ms"]
    subprocess.run(command, capture_output=True, check=True, timeout=TIMEOUT_S)
    assert read(tmp_path / "a.runlog").field("workload_cpu_ns") is None
