# SPDX-License-Identifier: Apache-2.0
"""The logger with eBPF, and network namespaces to watch."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from coalescope_host.run_log import RunLogError, read
from timeouts import TIMEOUT_S

LOGGER = Path(__file__).resolve().parents[2]
ADDRESSES = ("10.215.0.1", "10.215.0.2")


def has_records(path):
    try:
        return read(path).streams[0].records > 0
    except (FileNotFoundError, RunLogError):  # not begun yet
        return False


@dataclass(frozen=True)
class Machine:
    """A network namespace with the interface `probe0`."""

    namespace: str

    def start(self, *command, **options):
        return subprocess.Popen(
            ["ip", "netns", "exec", self.namespace, *map(str, command)], text=True, **options
        )

    def run(self, *command):
        done = subprocess.run(
            ["ip", "netns", "exec", self.namespace, *map(str, command)],
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def ip(self, *arguments):
        command = ["ip", "-n", self.namespace, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@dataclass
class Recording:
    """Where the log is written, and what the logger said and returned once it has ended."""

    path: Path
    process: subprocess.Popen
    said: str = ""
    began_ns: int = 0
    ended_ns: int = 0

    def difference(self, name):
        """How far the counter advanced from the first record to the last."""
        stream = read(self.path).streams[0]
        times, values = stream.column("t_monotonic_ns"), stream.column(name)
        assert times[0] < self.began_ns
        assert times[-1] > self.ended_ns
        return int(values[-1] - values[0])

    def disturbance(self):
        """What kept the programs from counting each frame that was sent, if anything did.

        A queue that is one for all that a CPU receives may be full; and hardened kernels leave
        programs out while certain processes run (README, "What differs from the module"), which the
        log then says by itself. Frames that were not seen without a word of it are a fault.
        """
        for way in ("rx", "tx"):
            if self.difference(f"{way}_dropped"):
                return f"{way}: frames were dropped"
            seen, passed = self.difference(f"{way}_skbs"), self.difference(f"driver_{way}_packets")
            if seen != passed and (missed := self.difference("missed_events")):
                return f"{way}: {seen} of {passed} skbs were seen, {missed} events were not"
        return ""

    def end(self):
        """Lets the log end of itself, where its interface has gone away."""
        _, self.said = self.process.communicate(timeout=TIMEOUT_S)


@pytest.fixture(scope="session")
def logger(tmp_path_factory):
    build = tmp_path_factory.mktemp("build")
    done = subprocess.run(
        ["make", "-s", "-C", str(LOGGER), f"BUILD={build}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "without eBPF" not in done.stdout, "sh e2e/require-tools.sh installs what is missing"
    return build / "coalescope-logger"


@pytest.fixture(autouse=True)
def allowed(request):
    """This machine runs eBPF programs; a guest brings a kernel of its own."""
    if request.node.get_closest_marker("guest"):
        return
    if os.geteuid() != 0:
        pytest.skip("eBPF programs and namespaces need root")
    if not Path("/sys/kernel/btf/vmlinux").exists():
        pytest.skip("this kernel does not describe its types: no /sys/kernel/btf/vmlinux")


@pytest.fixture
def recording(logger, tmp_path):
    """Records while a block runs: `with recording(machine) as log: …`."""

    @contextmanager
    def record(
        machine=None, interface="probe0", interval="10ms", program=logger
    ) -> Iterator[Recording]:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.runlog"
        options = ["-i", interface, "-o", path, "-t", interval, "-d", "600s", "--source", "ebpf"]
        command = [str(word) for word in (program, *options)]
        if machine:
            command = ["ip", "netns", "exec", machine.namespace, *command]
        log = Recording(path, subprocess.Popen(command, stderr=subprocess.PIPE, text=True))
        try:
            while not has_records(path):
                assert log.process.poll() is None, log.process.communicate()[1]
                time.sleep(0.05)
            log.began_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
            yield log
            time.sleep(0.05)  # for what is still on its way
            log.ended_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        finally:
            if log.process.returncode is None:
                log.process.terminate()
                log.end()

    return record


@pytest.fixture
def machines():
    """Two, connected by a veth pair whose ends have the same index, and acquainted."""
    pair = [Machine(f"coalescope-bpf-{os.getpid()}-{side}") for side in "ab"]
    try:
        for machine in pair:
            subprocess.run(["ip", "netns", "add", machine.namespace], check=True)
        peer = ("peer", "name", "probe0", "netns", pair[1].namespace, "index", "77")
        pair[0].ip("link", "add", "name", "probe0", "index", "77", "type", "veth", *peer)
        for machine, number in zip(pair, (1, 2), strict=True):
            machine.run("sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1")
            machine.ip("link", "set", "probe0", "address", f"02:00:00:00:00:0{number}", "up")
            machine.ip("link", "set", "lo", "up")
            machine.ip("address", "add", f"{ADDRESSES[number - 1]}/24", "dev", "probe0")
            know_neighbour(machine, number)
        yield pair
    finally:
        for machine in pair:
            subprocess.run(
                ["ip", "netns", "del", machine.namespace], capture_output=True, check=False
            )


def know_neighbour(machine, number, interface="probe0"):
    other = 3 - number
    address, link = ADDRESSES[other - 1], f"02:00:00:00:00:0{other}"
    machine.ip("neigh", "replace", address, "lladdr", link, "dev", interface, "nud", "permanent")


@pytest.fixture
def meet():
    """Tells a machine, 1 or 2, the other's address anew."""
    return know_neighbour
