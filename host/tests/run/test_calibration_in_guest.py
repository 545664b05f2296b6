# SPDX-License-Identifier: Apache-2.0
"""`coalescope-host calibrate` on emulated cards, whose floors, steps and rounding are known.

One processor counts instructions, so that the guest's time is its own, whatever else this machine
does. The peer is a network namespace with a card of its own on the same cable; a stand-in for ssh
enters it.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from coalescope_host.remote.bundle import bundle

pytestmark = [pytest.mark.guest, pytest.mark.slow, pytest.mark.timeout(1800)]

SSH = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift 2
exec ip netns exec peer sh -c "$*"
"""
RATE_HZ = 16_300
"""No delay that is asked for is a whole number of gaps: where a frame comes at the moment at which
a delay ends, the count depends on which of both is first."""
GAP_US = 1e6 / RATE_HZ
CARDS = ("e1000-82545em", "e1000")
OTHERS = ("e1000e", "igb")
"""The guests' cards. Those of the second take minutes more, and show the same commands; both
interrupt once more after a late interrupt, so that what is counted depends on when frames come."""
PREPARE = """
set -e
insmod /coalescope.ko
name_of() { ls /sys/bus/pci/devices/0000:00:0$1.0/net; }
ip netns add peer
sender=$(ls -d /sys/bus/pci/devices/0000:00:04.0/virtio*/net/* | xargs basename)
ip link set $sender netns peer
ip -n peer link set $sender up
ip -n peer link set lo up
cd /tmp
"""
CALIBRATE = """
card=$(name_of {slot})
ip -n peer address add 10.9.{slot}.2/24 dev $sender
ip address add 10.9.{slot}.1/24 dev $card
ip link set $card up
sleep 3
status=0
PYTHONPATH=/opt/coalescope-host.pyz python3 -m coalescope_host calibrate $card --peer root@peer \
    --packet-rate {rate_hz} --rx-usecs 0,4,8,50,128,250,1000 --out /tmp/{card} \
    >/out/{card}.said 2>/out/{card}.progress || status=$?
echo $status >/out/{card}.status
cp -r /tmp/{card} /out/{card}.experiment || true
ip address del 10.9.{slot}.1/24 dev $card
ip link set $card down
"""


of_one = pytest.mark.parametrize("said", [CARDS], indirect=True)
of_others = pytest.mark.parametrize(
    "said", [pytest.param(OTHERS, marks=pytest.mark.soak)], indirect=True
)
of_both = pytest.mark.parametrize(
    ("said", "card"),
    [(CARDS, "e1000-82545em"), pytest.param(OTHERS, "e1000e", marks=pytest.mark.soak)],
    indirect=["said"],
)


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory: pytest.TempPathFactory) -> Callable[[tuple[str, ...]], Path]:
    """Calibrates the cards of a guest, once; what came of it."""
    return cache(lambda cards: calibrated_in_a_guest(cards, tmp_path_factory.mktemp("guest")))


@pytest.fixture
def said(request: pytest.FixtureRequest, calibrated: Callable[[tuple[str, ...]], Path]) -> Path:
    """The folder with what the command said of each card of a guest, and what it recorded."""
    return calibrated(request.param)


def calibrated_in_a_guest(cards: tuple[str, ...], folder: Path) -> Path:
    """Fill the folder; returns it."""
    from guest.folders import alone
    from guest.kernel import debian_kernel
    from guest.machine import Guest
    from guest.programs import build_programs

    with alone():
        kernel = debian_kernel()
        programs = build_programs(kernel)
    guest = Guest(
        kernel=kernel,
        nics=("virtio-net-pci", *cards),
        modules=("virtio_net", "e1000", "e1000e", "igb"),
        icount_shift=0,
        files={
            **programs,
            "/opt/coalescope-host.pyz": bundle(),
            "/usr/local/bin/ssh": SSH,
        },
    )
    script = PREPARE + "".join(
        CALIBRATE.format(card=card, slot=5 + place, rate_hz=RATE_HZ)
        for place, card in enumerate(cards)
    )
    guest.run(script, folder, timeout_s=1500)
    return folder


def lines_of(said: Path, card: str) -> list[str]:
    """What the command printed of a card; with its progress where that was a fault."""
    assert (said / f"{card}.status").read_text() == "0\n", (said / f"{card}.progress").read_text()
    return (said / f"{card}.said").read_text().splitlines()


def effective_us(lines: list[str]) -> dict[int, float]:
    """The intervals of what was taken and could be told."""
    start = next(place for place, line in enumerate(lines) if "asked_us" in line) + 1
    rows = [line.split() for line in lines[start : lines.index("", start)]]
    return {int(row[0]): float(row[2]) for row in rows if row[2][0].isdigit()}


@of_both
def test_a_floor_of_128_us(said: Path, card: str) -> None:
    """QEMU lets none of both interrupt more often than every 500 units of 256 ns."""
    lines = lines_of(said, card)
    found = effective_us(lines)
    for asked in (0, 50, 128):
        assert found[asked] == pytest.approx(128, rel=0.05)
    for asked in (250, 1000):
        assert found[asked] == pytest.approx(asked, rel=0.05)
    assert any(line.startswith("floor: asked for 0 to 128 us it does ") for line in lines)
    assert "4 us is no delay to its driver: simplified balancing" in lines


@of_both
def test_a_rate_that_is_a_multiple_of_four(said: Path, card: str) -> None:
    """Their drivers turn a delay into a rate without its last two bits: steps of 4 us at 1 ms."""
    lines = lines_of(said, card)
    assert "asked for 100 to 108 us it says that each is another delay" in lines
    assert "asked for 1000 to 1008 us it says that it took 1000, 1004, 1008 us" in lines
    assert any(line.startswith("refused: 8 us (") for line in lines)


@of_others
def test_a_card_that_does_another_delay_than_it_says(said: Path) -> None:
    """Until 10.1, QEMU's igb counts 1.024 us where the hardware counts a quarter of it, and does
    not throttle the interrupt after a late one: two of them share an interval and a frame's gap."""
    from guest.emulator import debian_qemu

    lines = lines_of(said, "igb")
    old = tuple(map(int, debian_qemu().version().split(".")[:2])) < (10, 1)
    found = effective_us(lines)
    assert 0 not in found  # each frame interrupts
    for asked in (50, 128, 250, 1000):
        does_us = (4.096 * asked + GAP_US) / 2 if old else asked
        assert found[asked] == pytest.approx(does_us, rel=0.1)
    assert "each of the 4 delays that this traffic can tell is another one" in lines
    assert "asked for 1000 to 1008 us it says that each is another delay" in lines
    assert any(line.startswith("refused: 4, 8 us (") for line in lines)


@of_one
def test_a_card_without_rx_usecs_is_refused(said: Path) -> None:
    assert (said / "e1000.status").read_text() == "1\n"
    assert "its driver has no rx-usecs" in (said / "e1000.progress").read_text()


@of_one
def test_the_experiment_is_stored_and_drawn(said: Path, tmp_path: Path) -> None:
    lines_of(said, "e1000-82545em")

    def store(*words: object) -> str:
        command = [sys.executable, "-m", "coalescope", *map(str, words), "--data", str(tmp_path)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    store("import", *sorted((said / "e1000-82545em.experiment/logs").glob("*.runlog")))
    (experiment,) = set(re.findall(r"guest-\w+-calibration", store("experiments")))
    drawn = json.loads(store("surface", experiment, "packets_per_interrupt", "--json"))
    means = {cell["x"]: cell["mean"] for cell in drawn["cells"]}
    assert means[1000] == pytest.approx(1000 / GAP_US, rel=0.1)
    assert means[250] == pytest.approx(250 / GAP_US, rel=0.1)
    assert means[0] == pytest.approx(128 / GAP_US, rel=0.1)
