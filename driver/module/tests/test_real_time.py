# SPDX-License-Identifier: Apache-2.0
"""A kernel with PREEMPT_RT: the module refuses it, and eBPF counts without times."""

import pytest
from coalescope_host.run_log import read
from guest.folders import alone
from guest.kernel import REAL_TIME, debian_kernel
from guest.machine import Guest
from guest.programs import SNAPSHOT_MODULE, build_programs

pytestmark = [pytest.mark.guest, pytest.mark.soak]

FRAMES = 50
SCRIPT = f"""
uname -v >/out/version
insmod {SNAPSHOT_MODULE} 2>/out/said && echo loaded >>/out/said || true
ip link add e0 type veth peer name e1
for card in e0 e1; do ip link set $card up; done
/logger -i e0 -o /out/a.runlog -t 10ms --source ebpf 2>/out/logger.said &
logger=$!
until [ -s /out/a.runlog ]; do sleep 0.1; done
sleep 3
python3 -c 'import socket
out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
out.bind(("e1", 0x0800))
for _ in range({FRAMES}): out.send(bytes(100))'
sleep 1
kill -INT $logger
wait $logger
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    with alone():
        kernel = debian_kernel(REAL_TIME)
        programs = build_programs(kernel)
    files = {"/logger": programs["/usr/local/bin/coalescope-logger"]}
    files[SNAPSHOT_MODULE] = programs[SNAPSHOT_MODULE]
    guest = Guest(kernel=kernel, modules=("veth",), files=files, command_line="ipv6.disable=1")
    return guest.run(SCRIPT, tmp_path_factory.mktemp("real-time"), timeout_s=300)


def test_the_module_refuses_it(run):
    assert "PREEMPT_RT" in run.text("version")
    assert "Operation not supported" in run.text("said")
    assert "loaded" not in run.text("said")
    assert "softirqs that are preempted, as with PREEMPT_RT, cannot be counted" in run.kernel_log


@pytest.mark.fault("I5")
def test_the_logger_counts_there_and_has_no_times(run):
    stream = read(run.output / "a.runlog").streams[0]
    packets = stream.column("rx_packets")
    assert packets[-1] - packets[0] == FRAMES
    names = [field.name for field in stream.fields]
    assert [n for n in names if n.endswith("_ns") and not n.startswith(("t_", "cpu_"))] == []
