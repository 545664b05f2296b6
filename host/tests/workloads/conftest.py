# SPDX-License-Identifier: Apache-2.0
"""Workloads of plans that were never written, the traffic tool, and hosts in namespaces."""

import ctypes
import os
import shutil
import subprocess
import threading
from functools import partial
from pathlib import Path

import pytest
from coalescope_host.plan.plan import PeerSpec, WorkloadSpec
from coalescope_host.protocols import RunContext
from coalescope_host.workloads import prepare
from timeouts import TIMEOUT_S, wait_until

ROOT = Path(__file__).resolve().parents[3]
_CLONE_NEWNET = 0x40000000


@pytest.fixture
def context():
    """A run's context, from what is special about it."""

    def make(*addresses, warmup_s=1.0, duration_s=10.0, interface="lo", seed=7, **levels):
        peers = tuple(PeerSpec(f"root@{one}", one, "eth9") for one in addresses or ["127.0.0.1"])
        return RunContext(interface, levels, seed, 2, warmup_s, duration_s, peers, "nobody")

    return make


@pytest.fixture
def traffic_of(context):
    """The traffic of a workload of a kind with options, in a context."""

    def make(kind, around=None, **options):
        return prepare(WorkloadSpec("one", kind, options), around or context())

    return make


@pytest.fixture(scope="session")
def tool(tmp_path_factory):
    """The folder that holds coalescope-traffic."""
    build = tmp_path_factory.mktemp("traffic")
    source = ROOT / "driver" / "traffic"
    subprocess.run(["make", "-s", "-C", str(source), f"BUILD={build}"], check=True)
    return build


def is_ready(process, argv):
    """Whether it is the program itself, no longer what takes it into a namespace, and listens."""
    assert process.poll() is None, process.communicate()
    if Path(f"/proc/{process.pid}/exe").resolve().name == "ip":
        return False
    files = Path(f"/proc/{process.pid}/fd")
    return "source" in argv or any(is_socket(file) for file in files.iterdir())


def is_socket(file):
    try:
        return file.readlink().name.startswith("socket:")
    except FileNotFoundError:  # closed meanwhile
        return False


class Hosts:
    """A host under test and two peers, each on a cable of its own: 10.215.N.1 and 10.215.N.2,
    fd00:215:N::1 and fd00:215:N::2."""

    interface = "work0"

    def __init__(self, tool):
        self.here = f"coalescope-work-{os.getpid()}-here"
        self.peers = [f"coalescope-work-{os.getpid()}-peer{number}" for number in range(2)]
        self.environment = {**os.environ, "PATH": f"{tool}:{os.environ['PATH']}"}

    def ip(self, *arguments):
        subprocess.run(["ip", *arguments], check=True, capture_output=True)

    def build(self):
        self.ip("netns", "add", self.here)
        for number, peer in enumerate(self.peers):
            name = f"work{number}"
            self.ip("netns", "add", peer)
            pair = ["type", "veth", "peer", "name", name, "netns", peer]
            self.ip("link", "add", name, "netns", self.here, *pair)
            for end, place in enumerate((self.here, peer), 1):
                self.ip("-n", place, "address", "add", f"10.215.{number}.{end}/24", "dev", name)
                wide = f"fd00:215:{number}::{end}/64"
                self.ip("-n", place, "address", "add", wide, "dev", name, "nodad")
                self.ip("-n", place, "link", "set", name, "up")
                self.ip("-n", place, "link", "set", "lo", "up")

        for number in range(len(self.peers)):  # IPv6 waits for the carrier
            wait_until(partial(self.answers, f"fd00:215:{number}::2"), "a cable is not up")

    def answers(self, address):
        ping = ["ip", "netns", "exec", self.here, "ping", "-c", "1", "-W", "1", address]
        return subprocess.run(ping, capture_output=True, check=False).returncode == 0

    def remove(self):
        for name in (self.here, *self.peers):
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)

    def inside(self, call):
        """What a function says that is called on the host under test."""
        found = []

        def enter():
            namespace = os.open(f"/run/netns/{self.here}", os.O_RDONLY)
            assert ctypes.CDLL(None, use_errno=True).setns(namespace, _CLONE_NEWNET) == 0
            os.close(namespace)
            found.append(call())

        thread = threading.Thread(target=enter)
        thread.start()
        thread.join()
        return found[0]

    def start(self, where, argv):
        return subprocess.Popen(
            ["ip", "netns", "exec", where, *argv],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, traffic):
        """Start servers and command as a sweep does; status and output of the command, and of
        each server that was told to end."""
        servers = [self.start(self.peers[where], argv) for where, argv in traffic.servers]
        try:
            for server, (_, argv) in zip(servers, traffic.servers, strict=True):
                wait_until(partial(is_ready, server, argv), "a server is not ready")
            command = self.start(self.here, traffic.command)
            try:
                out, said = command.communicate(timeout=TIMEOUT_S)
            finally:
                command.kill()
                command.communicate()
            for server in servers:
                server.terminate()
            ended = [server.communicate(timeout=TIMEOUT_S) for server in servers]
        finally:
            for server in servers:
                server.kill()
                server.communicate()
        return command.returncode, out, said.decode(), ended


@pytest.fixture
def hosts(tool):
    if os.geteuid() != 0 or shutil.which("ip") is None or shutil.which("iperf3") is None:
        pytest.fail("needs root, iproute2 and iperf3: deselect with -m 'not network'")
    both = Hosts(tool)
    try:
        both.build()
        yield both
    finally:
        both.remove()
