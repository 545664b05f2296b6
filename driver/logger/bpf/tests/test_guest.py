# SPDX-License-Identifier: Apache-2.0
"""The eBPF source on Debian's kernel, with an emulated network card whose interrupts it sees."""

import subprocess
from pathlib import Path

import pytest
from coalescope_host.run_log import read
from guest.folders import alone
from guest.kernel import debian_kernel
from guest.machine import Guest
from guest.programs import build_programs

pytestmark = pytest.mark.guest

LOGGER = Path(__file__).resolve().parents[2]
FRAMES = 600
SEND = f"""
import socket, time
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for number in range({FRAMES}):
    out.sendto(bytes(1000), ("10.0.0.1", 9))
    if number % 3 == 2:
        time.sleep(0.002)
"""
DRIVERS = ("e1000e", "e1000")  # the first has lines of its own, the other one that can be shared
SCRIPT = """
set -e
sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
record() { # NAME NEAR FAR: two cards of one driver
	ip netns add far
	ip link set $3 netns far
	ip -n far link set $3 address 02:00:00:00:00:02 up
	ip -n far address add 10.0.0.2/24 dev $3
	ip -n far neigh replace 10.0.0.1 lladdr 02:00:00:00:00:01 dev $3 nud permanent
	ip link set $2 address 02:00:00:00:00:01 up
	ip address add 10.0.0.1/24 dev $2
	ip route add blackhole 10.0.0.2/32
	sleep 4
	/logger -i $2 -o /tmp/$1.runlog -t 20ms -d 4s --source ebpf >/out/$1.said 2>&1 &
	logger=$!
	sleep 1.5
	ip netns exec far python3 /send.py
	wait $logger
	cp /tmp/$1.runlog /out
	ip route del blackhole 10.0.0.2/32
	ip address flush dev $2
	ip link set $2 down
	ip -n far link set $3 down
	ip netns del far
}
record e1000e eth0 eth1
record e1000 eth2 eth3
"""


@pytest.fixture(scope="module")
def static_logger():
    would = ["make", "-n", "-C", str(LOGGER), "LDFLAGS=-static"]
    said = subprocess.run(would, capture_output=True, text=True, check=True).stdout
    assert "without eBPF" not in said, "sh e2e/require-tools.sh installs what is missing"
    with alone():
        return build_programs(debian_kernel())["/usr/local/bin/coalescope-logger"]


@pytest.fixture(scope="module")
def logs(static_logger, tmp_path_factory):
    """Boot once; where their logs are."""
    guest = Guest(
        nics=tuple(driver for driver in DRIVERS for _ in range(2)),
        modules=DRIVERS,
        files={"/logger": static_logger, "/send.py": SEND},
    )
    return guest.run(SCRIPT, tmp_path_factory.mktemp("cards")).output


@pytest.mark.parametrize("driver", DRIVERS)
def test_frames_and_interrupts_of_a_card(logs, driver):
    log = read(logs / f"{driver}.runlog")
    assert log.header["environment"]["driver"] == driver

    def difference(name):
        assert log.field(name).source == "ebpf"
        values = log.streams[0].column(name)
        return int(values[-1] - values[0])

    assert (difference("rx_packets"), difference("rx_bytes")) == (FRAMES, FRAMES * 1046)
    assert (difference("tx_packets"), difference("tx_bytes")) == (0, 0)
    lines = [f["name"] for f in log.header["fields"] if f["name"].startswith("interrupts.")]
    counted = sum(
        int(log.streams[0].column(name)[-1] - log.streams[0].column(name)[0]) for name in lines
    )
    assert difference("interrupts") == counted
    assert difference("rx_interrupts") <= difference("interrupts")
    assert FRAMES / 4 <= difference("rx_interrupts") <= FRAMES  # bursts of three
    assert difference("rx_interrupts") <= difference("schedules")
    assert difference("rx_interrupts") <= difference("rx_polls") <= difference("polls")
    assert difference("poll_work") == FRAMES
    assert difference("irq_ns") > 0
    assert difference("softirq_ns") > difference("irq_ns")
