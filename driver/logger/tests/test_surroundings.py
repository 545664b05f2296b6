# SPDX-License-Identifier: Apache-2.0
"""Losses beyond the interface, and energy, are in the log."""

import json
import os
import subprocess
import sys
from itertools import pairwise

import pytest
from coalescope_host.run_log import read
from timeouts import TIMEOUT_S

pytestmark = pytest.mark.network

# A socket with room for a few of 300 datagrams, which is not read before all of them were sent.
FULL = """
import json, socket, time
time.sleep(0.3)
taken = {}
for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
    inbox = socket.socket(family, socket.SOCK_DGRAM)
    inbox.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    inbox.bind((address, 0)); inbox.setblocking(False)
    out = socket.socket(family, socket.SOCK_DGRAM)
    for _ in range(300): out.sendto(b"x" * 100, inbox.getsockname()[:2])
    count = 0
    try:
        while inbox.recv(1000): count += 1
    except BlockingIOError: pass
    taken[address] = count
time.sleep(0.3)
print(json.dumps(taken))
"""


def inside(namespace, *command):
    return ["ip", "netns", "exec", namespace, *map(str, command)]


def advance(log, name):
    column = log.streams[0].column(name)
    return column[-1] - column[0]


def in_window(log, name):
    times, column = log.streams[0].column("t_monotonic_ns"), log.streams[0].column(name)
    start, end = (times.index(time) for time in log.window)
    return column[end] - column[start]


@pytest.mark.fault("A4")
def test_datagrams_that_found_no_room_are_counted(logger, namespaces, tmp_path):
    path = tmp_path / "a.runlog"
    command = [logger, "-i", "lo", "-o", path, "-e", "loss", "--", sys.executable, "-c", FULL]
    done = subprocess.run(
        inside(namespaces[0], *command),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    log = read(path)
    taken = json.loads(bytes(log.result.body))
    assert all(0 < count < 300 for count in taken.values())
    lost = 600 - sum(taken.values())
    assert advance(log, "udp_rcvbuf_errors") == advance(log, "udp_in_errors") == lost
    assert advance(log, "udp_in_datagrams") == 600 - lost
    assert log.field("udp_in_datagrams").attributes["scope"] == "namespace"


# A socket that is never read: each datagram comes through lo and is lost, one every 2 ms or so.
LOSING = """
import socket, time
inbox = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
inbox.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
inbox.bind(("127.0.0.1", 0))
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
time.sleep(0.3)
until = time.monotonic() + 2
while time.monotonic() < until: out.sendto(b"x" * 100, inbox.getsockname()); time.sleep(0.002)
time.sleep(0.3)
"""


@pytest.mark.parametrize(
    "window",
    [
        ("--start", "now", "-w", "750ms", "-d", "400ms"),
        ("--start-on-traffic", "50", "-d", "400ms"),
        (),
        ("-w", "450ms", "-d", "1s"),
    ],
    ids=["now", "packets", "traffic", "part of the traffic"],
)
def test_losses_are_of_the_window_however_seldom_they_are_read(
    logger, namespaces, tmp_path, window
):
    path = tmp_path / "a.runlog"
    command = [logger, "-i", "lo", "-o", path, "-e", "loss", "-t", "100ms", *window]
    done = subprocess.run(
        inside(namespaces[0], *command, "--", sys.executable, "-c", LOSING),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    log = read(path)
    came, lost = (in_window(log, name) for name in ("rx_packets", "udp_rcvbuf_errors"))
    assert came > 50
    assert lost == pytest.approx(came, abs=5)  # one is read after the other
    assert log.field("udp_rcvbuf_errors").read_every_ns == 5_000_000_000


@pytest.mark.fault("A4")
def test_segments_sent_again_are_counted(logger, namespaces, tmp_path):
    """A peer whose link drops all that comes: the first segment goes again after a second."""
    subprocess.run(["ip", "-n", namespaces[1], "link", "set", "probe0", "arp", "off"], check=True)
    set_neighbour = ("neigh", "replace", "10.214.0.2", "lladdr", "02:00:00:00:00:01")
    subprocess.run(["ip", "-n", namespaces[0], *set_neighbour, "dev", "probe0"], check=True)
    path = tmp_path / "a.runlog"
    command = [logger, "-i", "probe0", "-o", path, "-e", "loss", "--start", "now", "--"]
    command += ["timeout", "2", "bash", "-c", "exec 3<>/dev/tcp/10.214.0.2/9"]
    subprocess.run(
        inside(namespaces[0], *command), capture_output=True, timeout=TIMEOUT_S, check=False
    )
    log = read(path)
    assert advance(log, "tcp_retransmitted_segments") >= 1
    assert advance(log, "tcp_out_segments") >= 1
    for name in ("tcp_in_segments", "tcp_rcv_queue_drops", "backlog_drops", "time_squeezes"):
        assert advance(log, name) >= 0
    assert log.field("backlog_drops").attributes["scope"] == "machine"


@pytest.mark.parametrize(
    ("interval", "read_every_ns"), [("10ms", 5 * 10**9), ("400ms", 5 * 10**9), ("5s", 0)]
)
def test_what_is_read_seldom_says_so(logger, tmp_path, interval, read_every_ns):
    path = tmp_path / "a.runlog"
    command = [logger, "-i", "lo", "-o", str(path), "-t", interval, "--source", "proc"]
    subprocess.run(
        [*command, "--start", "now", "--", "true"],
        capture_output=True,
        check=True,
        timeout=TIMEOUT_S,
    )
    log = read(path)
    for name in ("tcp_rcv_queue_drops", "cpu_idle_ns", "backlog_drops"):
        assert log.field(name).read_every_ns == read_every_ns
    assert log.field("rx_bytes").read_every_ns == 0


def test_nothing_stands_still_for_longer_than_it_says(logger, tmp_path):
    path = tmp_path / "a.runlog"
    command = [logger, "-i", "lo", "-o", str(path), "-t", "400ms", "-d", "11s", "--source", "proc"]
    subprocess.run(command, capture_output=True, check=True, timeout=TIMEOUT_S)
    stream = read(path).streams[0]
    classes = ("cpu_idle_ns", "cpu_user_ns", "cpu_nice_ns", "cpu_system_ns")
    times = stream.column("t_monotonic_ns")
    spent = [sum(at) for at in zip(*map(stream.column, classes), strict=True)]
    read_at = [times[0]] + [
        t for t, (a, b) in zip(times[1:], pairwise(spent), strict=True) if b > a
    ]
    assert len(read_at) >= 3
    assert max(b - a for a, b in pairwise(read_at)) <= 5.2e9


# Two packages, one of them near the end of its range and shown twice; and what is no package.
POWERCAP = """
set -e
mount -t tmpfs none /sys/class
zone() { mkdir -p /sys/class/powercap/$1; cd /sys/class/powercap/$1
         echo $2 > name; echo $3 > energy_uj; echo 1000000 > max_energy_range_uj; }
zone intel-rapl:0 package-0 999000
zone intel-rapl:1 package-1 5000
zone intel-rapl:0:0 core 1
zone intel-rapl:2 psys 1
zone intel-rapl-mmio:0 package-0 999000
exec "$@"
"""
USE_ENERGY = """
sleep 0.3; cd /sys/class/powercap
spend() { echo $1 > intel-rapl:0/energy_uj; echo $1 > intel-rapl-mmio:0/energy_uj; }
spend 999900; sleep 0.3
spend 99; echo 6000 > intel-rapl:1/energy_uj
echo 77 > intel-rapl:2/energy_uj; sleep 0.3
"""


def test_energy_of_the_packages_goes_on_beyond_their_range(logger, tmp_path):
    if os.geteuid() != 0:
        pytest.fail("needs root: deselect with -m 'not network'")
    path = tmp_path / "a.runlog"
    command = [logger, "-i", "lo", "-o", path, "-e", "energy", "--source", "proc", "--start", "now"]
    hidden = ["unshare", "--mount", "sh", "-c", POWERCAP, "sh"]
    done = subprocess.run(
        [*hidden, *command, "--", "sh", "-c", USE_ENERGY],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    log = read(path)
    assert advance(log, "package_energy_uj") == 900 + 200 + 1000
    column = list(log.streams[0].column("package_energy_uj"))
    assert column == sorted(column)
    assert log.field("package_energy_uj").attributes["packages"] == 2


def test_without_powercap_there_is_no_energy(logger, tmp_path):
    path = tmp_path / "a.runlog"
    command = [logger, "-i", "lo", "-o", str(path), "-d", "50ms", "--source", "proc"]
    hidden = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /sys/class; exec "$@"', "sh"]
    subprocess.run([*hidden, *command], capture_output=True, check=True, timeout=TIMEOUT_S)
    assert read(path).field("package_energy_uj") is None
