# SPDX-License-Identifier: Apache-2.0
"""The eBPF source on Debian's kernels, with emulated network cards whose interrupts it sees."""

import subprocess
from pathlib import Path

import pytest
from coalescope_host.run_log import read
from guest.folders import alone
from guest.kernel import KERNELS, NEWEST, debian_kernel
from guest.machine import Guest
from guest.programs import SNAPSHOT_MODULE, build_programs

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
time.sleep(0.1)
"""
STEADY = """
import socket, time
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
while True:
    out.sendto(bytes(1000), ("10.0.0.1", 9))
    time.sleep(0.001)
"""
#: The last one's interrupt line can be shared, the others have lines of their own.
DRIVERS = {
    "e1000e": "e1000e",
    "igb": "igb",
    "virtio_net": "virtio-net-pci",
    "vmxnet3": "vmxnet3",
    "e1000": "e1000",
}
BEGUN = 3
SCRIPT = f"""
set -e
sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
insmod {SNAPSHOT_MODULE}
card() {{ # PCI slot
	device=/sys/bus/pci/devices/0000:00:$1.0
	basename $(find -L $device/ -maxdepth 3 -path '*/net/*' | head -1)
}}
log() {{ # NAME SOURCE WHAT...
	name=$1; source=$2; shift 2
	/logger -i $near -o /tmp/$name.runlog -t 20ms --force --source $source "$@" 2>/tmp/$name.said
	cp /tmp/$name.* /out
}}
record() {{ # NAME, PCI slots of the near and the far card
	near=$(card $2); far=$(card $3)
	ip netns add far
	ip link set $far netns far
	ip -n far link set $far up
	ip -n far address add 10.0.0.2/24 dev $far
	address=$(cat /sys/class/net/$near/address)
	ip -n far neigh replace 10.0.0.1 lladdr $address dev $far nud permanent
	ip link set $near up
	ip address add 10.0.0.1/24 dev $near
	ip route add blackhole 10.0.0.2/32
	sleep 4
	log $1-module module -- /logger -i $near -o /tmp/$1.runlog -t 20ms --force --source ebpf -- \\
		ip netns exec far python3 /send.py
	cp /tmp/$1.runlog /out
	ip netns exec far python3 /steady.py &
	steady=$!
	sleep 1.5
	for number in {" ".join(map(str, range(BEGUN)))}; do log $1-begun-$number ebpf -d 500ms; done
	kill $steady
	wait $steady || true
	ip route del blackhole 10.0.0.2/32
	ip address flush dev $near
	ip link set $near down
	ip -n far link set $far down
	ip netns del far
}}
"""


def script(drivers):
    """First come all the near cards, then all the far ones: an igb needs room for its functions."""
    return SCRIPT + "".join(
        f"record {driver} {4 + k:02x} {4 + len(drivers) + k:02x}\n"
        for k, driver in enumerate(drivers)
    )


@pytest.fixture(
    scope="module",
    params=[pytest.param(v, marks=() if v == NEWEST else pytest.mark.soak) for v in KERNELS],
)
def logs(request, tmp_path_factory):
    """Boot each kernel once; where its logs are."""
    would = ["make", "-n", "-C", str(LOGGER), "LDFLAGS=-static"]
    said = subprocess.run(would, capture_output=True, text=True, check=True).stdout
    assert "without eBPF" not in said, "sh e2e/require-tools.sh installs what is missing"
    with alone():
        kernel = debian_kernel(request.param)
        programs = build_programs(kernel)
    guest = Guest(
        nics=(*DRIVERS.values(), *DRIVERS.values()),
        modules=tuple(DRIVERS),
        files={
            "/logger": programs["/usr/local/bin/coalescope-logger"],
            SNAPSHOT_MODULE: programs[SNAPSHOT_MODULE],
            "/send.py": SEND,
            "/steady.py": STEADY,
        },
        kernel=kernel,
    )
    done = guest.run(script(DRIVERS), tmp_path_factory.mktemp("cards"), timeout_s=900)
    return done.output


class Counted:
    """How far the counters of a log advanced from the first record to the last."""

    def __init__(self, path, driver):
        self.log = read(path)
        assert self.log.header["environment"]["driver"] == driver

    def __call__(self, name):
        values = self.log.streams[0].column(name)
        return int(values[-1] - values[0])

    @property
    def of_lines(self):
        fields = [field["name"] for field in self.log.header["fields"]]
        return sum(self(name) for name in fields if name.startswith("interrupts."))


@pytest.mark.fault("F4")
@pytest.mark.parametrize("driver", DRIVERS)
def test_frames_and_interrupts_of_a_card(logs, driver):
    counted = Counted(logs / f"{driver}.runlog", driver)
    assert counted.log.field("rx_packets").source == "ebpf"
    assert (counted("rx_packets"), counted("rx_bytes")) == (FRAMES, FRAMES * 1046)
    assert (counted("tx_packets"), counted("tx_bytes")) == (0, 0)
    assert counted("rx_skbs") == counted("driver_rx_packets") == FRAMES
    assert counted("missed_events") == 0
    assert counted("interrupts") == counted.of_lines
    assert FRAMES / 4 <= counted("rx_interrupts") <= FRAMES  # bursts of three
    assert counted("rx_interrupts") <= counted("interrupts")
    assert counted("rx_polls") <= counted("polls")
    assert counted("poll_work") == FRAMES
    assert counted("irq_ns") > 0
    assert counted("softirq_ns") > counted("irq_ns")
    assert counted("unknown_ns") == 0
    assert counted.log.header["environment"]["probe_cost"]["irq_ns"] > 0


@pytest.mark.parametrize("driver", DRIVERS)
def test_module_and_programs_count_the_same(logs, driver):
    counted = Counted(logs / f"{driver}.runlog", driver)
    module = Counted(logs / f"{driver}-module.runlog", driver)
    for name in ("rx_packets", "rx_bytes", "rx_interrupts", "rx_polls", "poll_work"):
        assert counted(name) == module(name), name


@pytest.mark.fault("F1")
@pytest.mark.parametrize("number", range(BEGUN))
@pytest.mark.parametrize("driver", DRIVERS)
def test_receive_interrupts_are_right_when_recording_begins_under_traffic(logs, driver, number):
    """About one frame a millisecond: each poll that finds one has its interrupt."""
    counted = Counted(logs / f"{driver}-begun-{number}.runlog", driver)
    frames = counted("rx_packets")
    assert frames > 100
    assert counted("rx_interrupts") == pytest.approx(counted("rx_polls"), abs=1)
    assert counted("rx_interrupts") > 0.9 * frames
    assert counted("driver_rx_packets") == pytest.approx(frames, abs=2)
