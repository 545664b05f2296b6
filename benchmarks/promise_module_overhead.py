# SPDX-License-Identifier: Apache-2.0
"""What module and eBPF cost a receiver: packets per second with and without a watched interface.

One guest whose clock counts instructions, so that the result does not depend on how busy the
machine is. pktgen saturates its only CPU: what is received, by a program that takes each datagram,
costs the time that goes beyond sending the same frames to nobody. A saturated receiver polls and is
hardly interrupted where frames are coalesced; an interrupt for each frame is the other extreme. The
module is read as the logger does, every 100 ms; for eBPF the logger itself records. Runs with and
without them take turns and medians are compared: a run differs from the next by some tenths of a
percent, and by more than one where the kernel's allocator changes its ways, as it does once after
about a hundred thousand frames, hence the long warm-up.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from rows import Row

DRIVER = Path(__file__).resolve().parents[1] / "driver"
sys.path.insert(0, str(DRIVER))

from guest.folders import alone  # noqa: E402
from guest.kernel import debian_kernel  # noqa: E402
from guest.machine import Guest  # noqa: E402
from guest.programs import build_programs  # noqa: E402

COALESCED_BAR_PERCENT, INTERRUPT_BAR_PERCENT = 1.5, 10.0
FRAMES = 10_000
ROUNDS = 5
WARM_UPS = 8
DELAYS = {"an interrupt for each frame": 0, "coalesced": 1000}
SIZES = {"an interrupt for each frame": (60,), "coalesced": (60, 1514)}
STATES = {
    "loaded": "kernel module loaded",
    "watched": "kernel module attached",
    "ebpf": "eBPF recording",
}
CASES = {
    f"{how}, {size} bytes": (delay, size) for how, delay in DELAYS.items() for size in SIZES[how]
}

SCRIPT = f"""
set -e
modprobe pktgen
nobody=52:54:00:00:00:99
pktgen() {{ # NAME MAC
	echo rem_device_all >/proc/net/pktgen/kpktgend_0
	echo "add_device eth0" >/proc/net/pktgen/kpktgend_0
	for setting in "count {FRAMES}" "pkt_size $size" "delay 0" "dst_mac $2" "clone_skb 0" \\
		"src_min 10.9.0.1" "src_max 10.9.0.1" "dst_min 10.9.0.2" "dst_max 10.9.0.2"; do
		echo "$setting" >/proc/net/pktgen/eth0
	done
	if [ "$2" = $nobody ]; then
		echo start >/proc/net/pktgen/pgctrl
		us=$(sed -n 's/^Result: OK: \\([0-9]*\\)(.*/\\1/p' /proc/net/pktgen/eth0)
		echo "$1 ${{us}}000" >>/tmp/times
	else
		snapshots sink 9 {FRAMES} >/tmp/received & sink=$!
		sleep 0.2
		echo start >/proc/net/pktgen/pgctrl
		wait $sink
		echo "$1 $(cat /tmp/received)" >>/tmp/times
	fi
}}
for case in {" ".join(f"{delay}-{size}" for delay, size in CASES.values())}; do
	delay=${{case%-*}} size=${{case#*-}}
	modprobe -r e1000e
	modprobe e1000e IntMode=0,0 InterruptThrottleRate=0,0 TxIntDelay=1000,1000 \\
		TxAbsIntDelay=1000,1000 RxIntDelay=0,$((delay ? 60000 : 0)) RxAbsIntDelay=0,$delay
	ip addr add 10.9.0.2/24 dev eth1
	ip link set eth0 up; ip link set eth1 up
	for flag in all eth1; do echo 0 >/proc/sys/net/ipv4/conf/$flag/rp_filter; done
	until [ "$(cat /sys/class/net/eth0/carrier /sys/class/net/eth1/carrier | tr -d '\\n')" = 11 ]
	do sleep 0.1; done
	ip neigh replace 10.9.0.1 lladdr 52:54:00:00:00:01 dev eth1
	sleep 1
	for time in $(seq {WARM_UPS}); do pktgen warm-up 52:54:00:00:00:02; done
	pktgen nobody-$case $nobody
	for round in $(seq {ROUNDS}); do
		pktgen without-$case 52:54:00:00:00:02
		insmod /coalescope.ko
		pktgen loaded-$case 52:54:00:00:00:02
		snapshots hold eth1 100000 100 & reader=$!
		sleep 0.2
		pktgen watched-$case 52:54:00:00:00:02
		kill $reader; wait $reader || true
		rmmod coalescope
		/logger -i eth1 -o /tmp/ebpf.runlog -t 100ms --force --source ebpf 2>/dev/null & logger=$!
		until [ -s /tmp/ebpf.runlog ]; do sleep 0.1; done
		sleep 1.5 # its first samples are written
		pktgen ebpf-$case 52:54:00:00:00:02
		kill $logger; wait $logger || true
		rm /tmp/ebpf.runlog
	done
done
cp /tmp/times /out/times
"""


def _times() -> dict[str, float]:
    """Nanoseconds of each kind of run in the guest, as medians."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        include = DRIVER / "include"
        with alone():
            kernel = debian_kernel()
            programs = build_programs(kernel)
        module = kernel.build(DRIVER / "module", here / "m", f"COALESCOPE_INCLUDE={include}")[0]
        program = here / "snapshots"
        source = DRIVER / "module/tests/snapshots.c"
        compiler = ["gcc", "-O2", "-static", f"-I{include}/uapi", "-o", program, source]
        subprocess.run(compiler, check=True)
        guest = Guest(
            nics=("e1000e", "e1000e"),
            modules=("e1000e",),
            on_board=("pktgen",),
            files={
                "/coalescope.ko": module,
                "/bin/snapshots": program,
                "/logger": programs["/usr/local/bin/coalescope-logger"],
            },
            command_line="ipv6.disable=1",
        )
        result = guest.run(SCRIPT, here / "out", timeout_s=3600)
        lines = [line.split() for line in result.text("times").splitlines()]
    runs: dict[str, list[float]] = {}
    for name, ns in lines:
        runs.setdefault(name, []).append(float(ns))
    return {name: median(each) for name, each in runs.items()}


def measure() -> list[Row]:
    """Three rows for each case: module loaded only, and attached; eBPF recording."""
    times = _times()
    rows = []
    for how, (delay, size) in CASES.items():
        cost = {
            state: (times[f"{state}-{delay}-{size}"] - times[f"nobody-{delay}-{size}"]) / FRAMES
            for state in ("without", *STATES)
        }
        bar = COALESCED_BAR_PERCENT if delay else INTERRUPT_BAR_PERCENT
        bars = {"loaded": None, "watched": bar, "ebpf": bar}
        for state, bar in bars.items():
            slower = 100 * (1 - cost["without"] / cost[state])
            rates = f"{1e9 / cost['without']:.0f} → {1e9 / cost[state]:.0f} packets/s"
            rows.append(
                Row(
                    f"{STATES[state]}, {how}",
                    f"{slower:.2f} % fewer packets/s ({rates})",
                    "" if bar is None else f"≤ {bar} %",
                    None if bar is None else slower <= bar,
                )
            )
    return rows
