# SPDX-License-Identifier: Apache-2.0
"""The eBPF source on Debian's kernel, with an emulated network card whose interrupts it sees."""

import subprocess
from pathlib import Path

import pytest
from coalescope_host.run_log import read
from testbed.guest import Guest

pytestmark = pytest.mark.guest

LOGGER = Path(__file__).resolve().parents[2] / "logger"
FRAMES = 600
SEND = f"""
import socket, time
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for number in range({FRAMES}):
    out.sendto(bytes(1000), ("10.0.0.1", 9))
    if number % 3 == 2:
        time.sleep(0.002)
"""
SCRIPT = """
set -e
sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
ip netns add far
ip link set eth1 netns far
ip -n far link set eth1 address 02:00:00:00:00:02 up
ip -n far address add 10.0.0.2/24 dev eth1
ip -n far neigh replace 10.0.0.1 lladdr 02:00:00:00:00:01 dev eth1 nud permanent
ip link set eth0 address 02:00:00:00:00:01 up
ip address add 10.0.0.1/24 dev eth0
ip route add blackhole 10.0.0.2/32
sleep 4
/logger -i eth0 -o /tmp/a.runlog -t 20ms -d 4s --source ebpf >/out/said 2>&1 &
sleep 1.5
ip netns exec far python3 /send.py
wait %1
cp /tmp/a.runlog /out
"""


@pytest.fixture(scope="module")
def static_logger(tmp_path_factory):
    build = tmp_path_factory.mktemp("static")
    done = subprocess.run(
        ["make", "-s", "-C", str(LOGGER), f"BUILD={build}", "LDFLAGS=-static"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "without eBPF" not in done.stdout, "sh e2e/require-tools.sh installs what is missing"
    return build / "coalescope-logger"


@pytest.mark.parametrize("driver", ["e1000e", "e1000"])
def test_frames_and_interrupts_of_a_card(static_logger, tmp_path, driver):
    """e1000e has lines of its own, e1000 one that can be shared."""
    guest = Guest(
        nics=(driver, driver),
        modules=(driver,),
        files={"/logger": static_logger, "/send.py": SEND},
    )
    result = guest.run(SCRIPT, tmp_path / "out")
    log = read(result.output / "a.runlog")

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
