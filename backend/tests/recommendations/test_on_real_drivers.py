# SPDX-License-Identifier: Apache-2.0
"""The table, the emulated host and the blocks beside the drivers of a real kernel, in a guest."""

from pathlib import Path

import pytest
from coalescope.recommendations.commands import commands_for
from coalescope.recommendations.target import target_for
from coalescope_host.drivers import driver_named
from guest.machine import Guest

from .emulated_host import PARAMETERS, RefusedError, check

CARDS = {"igb": "igb", "e1000e": "e1000e", "vmxnet3": "vmxnet3"}
ASKED = (0, 1, 2, 3, 4, 5, 9, 10, 50, 120, 130, 1000, 8191, 9000, 10_000, 10_001, 20_000)

pytestmark = [pytest.mark.guest, pytest.mark.slow]


def named(card: str) -> str:
    return f"{card}0"


def renaming() -> list[str]:
    lines = ["mkdir -p /run"]
    for place, card in enumerate(CARDS.values()):
        lines += [
            f"card=$(ls /sys/bus/pci/devices/0000:00:0{4 + place}.0/net)",
            f"ip link set $card down; ip link set $card name {named(card)}",
            f"ip link set {named(card)} up",
        ]
    return lines


def asking(card: str) -> list[str]:
    dev = named(card)
    return [
        f"for usecs in {' '.join(map(str, ASKED))}; do",
        f"  if ethtool -C {dev} rx-usecs $usecs 2>/dev/null; then",
        f"    echo $usecs $(ethtool -c {dev} | awk '$1 == \"rx-usecs:\" {{ print $2 }}')",
        "  else echo $usecs refused; fi",
        f"done >/out/{card}",
    ]


def setting(card: str, delay_us: int) -> list[str]:
    dev = named(card)
    found = commands_for(target_for({"mtu_bytes": 3000, "delay_us": delay_us}, dev, card, "6.1"))
    show = f"cat /sys/class/net/{dev}/mtu; ethtool -c {dev}"  # the carrier comes and goes
    return [
        f"({show}) >/out/{card}.before",
        "cat >/tmp/block <<'END-OF-BLOCK'",
        *found.apply,
        "END-OF-BLOCK",
        f"sh /tmp/block >/out/{card}.said 2>&1; echo $? >/out/{card}.status",
        f"({show}) >/out/{card}.set",
        *found.back,
        f"({show}) >/out/{card}.after",
    ]


def test_drivers_of_linux_6_1_do_what_the_table_says(tmp_path: Path) -> None:
    script = [*renaming()]
    for card in CARDS.values():
        script += [*setting(card, 120), *asking(card)]
    guest = Guest(nics=tuple(CARDS), modules=tuple(CARDS.values()))
    result = guest.run("\n".join(script), tmp_path)
    # QEMU's has version 1, as the table's condition says: refused before anything is set
    assert result.text("vmxnet3.said").endswith("vmxnet30: rx-usecs cannot be read\n")
    assert result.text("vmxnet3.status") == "1\n"
    assert result.text("vmxnet3.after") == result.text("vmxnet3.before")
    for card in ("igb", "e1000e"):
        assert result.text(f"{card}.status") == "0\n", result.text(f"{card}.said")
        assert result.text(f"{card}.set").startswith("3000\n")
        assert "\nrx-usecs: 120\n" in result.text(f"{card}.set").replace("\t", " ")
        assert result.text(f"{card}.after") == result.text(f"{card}.before")
        driver = driver_named(card, "6.1")
        assert driver is not None
        for line in result.text(card).splitlines():
            asked, took = line.split()
            wanted = {**dict.fromkeys(PARAMETERS, 0), "rx-usecs": int(asked)}
            try:
                check(driver, wanted)
            except RefusedError:
                assert took == "refused", (card, asked)
            else:
                modes = driver.value("usecs_modes", {})
                shown = asked if asked in modes else str(driver.reads_back(int(asked)))
                assert took == shown, (card, asked)
