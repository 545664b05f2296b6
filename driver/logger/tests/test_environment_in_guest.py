# SPDX-License-Identifier: Apache-2.0
"""What the header says of a card with two queues, on a kernel that tells it."""

import json

import pytest
from guest.folders import alone
from guest.kernel import debian_kernel
from guest.machine import Guest
from guest.programs import build_programs

pytestmark = pytest.mark.guest
LOGGER = "/usr/local/bin/coalescope-logger"
SCRIPT = """
card=$(basename $(ls -d /sys/bus/pci/devices/0000:00:04.0/net/*))
ip link set $card up
ethtool -X $card weight 3 1
ls /sys/bus/pci/devices/0000:00:04.0/msi_irqs > /out/interrupts
coalescope-logger -i $card -o /tmp/none --preview --source proc > /out/header
"""


def test_spread_over_queues_and_napi_instances(tmp_path):
    with alone():
        kernel = debian_kernel("7.2")
        programs = build_programs(kernel)
    guest = Guest(
        nics=("igb",),
        modules=("igb",),
        files={LOGGER: programs[LOGGER]},
        kernel=kernel,
        cpus=2,
        icount_shift=None,
    )
    run = guest.run(SCRIPT, tmp_path, timeout_s=600)
    environment = json.loads(run.text("header"))["environment"]
    assert environment["rss"] == {"entries": {"0": 96, "1": 32}, "hash_function": "toeplitz"}
    lines = set(map(int, run.text("interrupts").split()))
    assert {napi["irq"] for napi in environment["napi"]} <= lines
    assert {napi["threaded"] for napi in environment["napi"]} == {"disabled"}
    assert environment["network_namespace"] == "initial"
