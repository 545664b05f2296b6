# SPDX-License-Identifier: Apache-2.0
"""The eBPF source on a card of this machine, which is only looked at."""

import socket
import time
from pathlib import Path

import pytest
from coalescope_host.run_log import read

pytestmark = pytest.mark.network

SETTLE_S = 0.3
BURSTS = 20


@pytest.fixture
def card():
    """An interface that is up and has message-signalled interrupts, and an address behind it."""
    for row in Path("/proc/net/route").read_text().splitlines()[1:]:
        name, destination, gateway = row.split()[:3]
        device = Path("/sys/class/net", name, "device").resolve()
        signalled = any(p.is_dir() for p in (device / "msi_irqs", device.parent / "msi_irqs"))
        if destination == "00000000" and signalled:
            yield name, socket.inet_ntoa(bytes.fromhex(gateway)[::-1])
            return
    pytest.skip("no interface with a default route has interrupt lines of its own here")


def test_interrupts_are_those_of_the_kernels_own_count(recording, card):
    name, gateway = card

    with (
        recording(interface=name) as log,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out,
    ):
        for _ in range(BURSTS):
            out.sendto(b"x" * 100, (gateway, 9))
            time.sleep(0.02)
        time.sleep(SETTLE_S)
    stream = read(log.path).streams[0]
    lines = [
        f["name"] for f in read(log.path).header["fields"] if f["name"].startswith("interrupts.")
    ]
    counted = sum(int(stream.column(line)[-1] - stream.column(line)[0]) for line in lines)
    assert log.difference("tx_packets") >= BURSTS
    # two readings one after the other, at either end; and a kernel may leave programs out
    unsure = 2 + log.difference("missed_events")
    assert log.difference("interrupts") == pytest.approx(counted, abs=unsure)
    assert log.difference("irq_ns") > 0 or not counted
