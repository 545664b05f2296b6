# SPDX-License-Identifier: Apache-2.0
"""A kernel whose interrupt handlers are threads: what no interrupt is seen to do is not known."""

import pytest
from coalescope_host.run_log import read
from guest.folders import alone
from guest.kernel import debian_kernel
from guest.machine import Guest
from guest.programs import SNAPSHOT_MODULE, build_programs
from guest.versions import NEWEST

pytestmark = pytest.mark.guest

FRAMES = 50
SCRIPT = f"""
for slot in 4 5; do
	card=$(basename $(ls -d /sys/bus/pci/devices/0000:00:0$slot.0/net/*))
	[ $card = e$((slot - 4)) ] || ip link set $card name e$((slot - 4))
done
for card in e0 e1; do ip link set $card up; done
insmod {SNAPSHOT_MODULE}
sleep 1.5 # the cards have their link
for source in module ebpf; do
	coalescope-logger -i e1 -o /out/$source.runlog -t 20ms --source $source 2>/out/$source.said &
	logger=$!
	until [ -s /out/$source.runlog ]; do sleep 0.1; done
	sleep 1
	python3 -c 'import socket
out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
out.bind(("e0", 0x0800))
for _ in range({FRAMES}): out.send(bytes.fromhex("525400000002") + bytes(94))'
	sleep 0.5
	kill -INT $logger
	wait $logger || true
done
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    with alone():
        kernel = debian_kernel(NEWEST)
        programs = build_programs(kernel)
    wanted = (SNAPSHOT_MODULE, "/usr/local/bin/coalescope-logger")
    guest = Guest(
        nics=("e1000e", "e1000e"),
        modules=("e1000e",),
        files={path: programs[path] for path in wanted},
        command_line="ipv6.disable=1 threadirqs",
        kernel=kernel,
    )
    return guest.run(SCRIPT, tmp_path_factory.mktemp("threads"), timeout_s=300)


@pytest.mark.parametrize("source", ["module", "ebpf"])
def test_its_receive_interrupts_are_absent_and_its_frames_are_there(run, source):
    """Not 0, as no interrupt was seen to schedule a poll."""
    stream = read(run.output / f"{source}.runlog").streams[0]
    packets = stream.column("rx_packets")
    assert packets[-1] - packets[0] == FRAMES
    names = {field.name.partition(".")[0] for field in stream.fields}
    assert not {"rx_interrupts", "schedules", "irq_cycles", "irq_ns"} & names
    lines = stream.column("rx_line_interrupts")
    assert lines[-1] > lines[0]
    assert "handlers of interrupts are threads here" in run.text(f"{source}.said")
