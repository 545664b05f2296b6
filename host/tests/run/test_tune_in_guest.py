# SPDX-License-Identifier: Apache-2.0
"""A tuning that is killed in a guest leaves an emulated card and its peer as they were.

The command line is the one that people type: no plan, a peer over a stand-in for ssh, which enters
the network namespace of the cable's other card. Every change runs the same between two namespaces
(test_tune_network.py), and kills of sweeps in a guest (settings/test_plans_in_guest.py).
"""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from coalescope_host.remote.bundle import bundle

pytestmark = [pytest.mark.guest, pytest.mark.soak, pytest.mark.timeout(1800)]

FOLDER = Path(__file__).parent
SETTINGS = FOLDER.parent / "settings"
FEW, MANY = 2, 20
"""Kills, of an ordinary test and of the long form."""
PROGRAMS = ("plans_in_guest.py", "kernel_says.py", "simulated_interface.py")
SSH = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift 2
exec ip netns exec peer sh -c "$*"
"""
SCRIPT = """
set -e
for which in all default; do echo 1 >/proc/sys/net/ipv6/conf/$which/disable_ipv6; done
insmod /coalescope.ko
card=$(ls /sys/bus/pci/devices/0000:00:04.0/net)
other=$(ls -d /sys/bus/pci/devices/0000:00:05.0/virtio*/net/* | xargs basename)
ip netns add peer
ip link set $other netns peer
ip -n peer link set $other up
ip -n peer link set lo up
ip -n peer address add 10.9.4.2/24 dev $other
ip address add 10.9.4.1/24 dev $card
ip link set $card up
sleep 3
cd /opt
PYTHONPATH=/opt/host:/opt python3 tune_in_guest.py {kills} {seed} $card $other >/out/said 2>&1
"""


def run_in_guest(output: Path, kills: int, seed: int, timeout_s: float) -> dict[str, Any]:
    """What the program saw."""
    from guest.folders import alone
    from guest.kernel import NEWEST, debian_kernel
    from guest.kernel_numbers import kernel_numbers
    from guest.machine import Guest
    from guest.programs import build_programs

    with alone():
        kernel = debian_kernel(NEWEST)
        programs = build_programs(kernel)
    guest = Guest(
        kernel=kernel,
        nics=("igb", "virtio-net-pci"),
        modules=("igb", "virtio_net"),
        cpus=2,
        icount_shift=None,
        files={
            **programs,
            "/opt/host": bundle(),
            "/opt/tune_in_guest.py": FOLDER / "tune_in_guest.py",
            **{f"/opt/{name}": SETTINGS / name for name in PROGRAMS},
            "/opt/kernel-numbers.json": json.dumps(kernel_numbers(kernel.headers)),
            "/usr/local/bin/ssh": SSH,
        },
    )
    script = SCRIPT.format(kills=kills, seed=seed)
    ended = guest.run(script, output, timeout_s=timeout_s, check=False)
    assert ended.exit_status == 0, ended.text("said")
    return dict(json.loads(ended.text("seen.json")))


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return run_in_guest(tmp_path_factory.mktemp("guest"), FEW, 1, 1500)


def test_one_that_ends_leaves_nothing(seen: dict[str, Any]) -> None:
    whole = seen["whole"]
    assert whole["status"] in (0, 1), whole["said"]
    assert whole["runs"] >= 6, whole["said"]
    assert whole["left"] == []


def test_what_is_left_would_be_seen(seen: dict[str, Any]) -> None:
    """The control: while nobody puts back, settings differ, and the way back is on disk."""
    left = seen["nobody_puts_back"]
    assert any(" became " in line for line in left), left
    assert any(line.endswith(".json is left") for line in left), left


def test_one_that_is_killed_leaves_nothing(seen: dict[str, Any]) -> None:
    assert len(seen["killed"]) == FEW
    assert [kill for kill in seen["killed"] if kill["left"]] == []


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_twenty_kills(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    kills = run_in_guest(tmp_path, MANY, seed, 4 * 3600)["killed"]
    assert len(kills) == MANY
    assert [kill for kill in kills if kill["left"]] == [], f"seed {seed}"
    assert sum(kill["changed"] > 0 for kill in kills) >= MANY / 5, f"seed {seed}"
    assert {"watchdog", "hand"} <= {kill["by"] for kill in kills}, f"seed {seed}"
