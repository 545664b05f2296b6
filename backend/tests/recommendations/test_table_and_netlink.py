# SPDX-License-Identifier: Apache-2.0
"""The table of drivers beside each card's own answer over netlink, in guests."""

import io
import json
from pathlib import Path

import pytest
from coalescope_host.drivers import driver_named
from coalescope_host.remote.bundle import bundle
from guest.kernel import NEWEST, OLDEST, debian_kernel
from guest.machine import Guest
from testbed.block import unzipped

PROGRAM = Path(__file__).with_name("parameters_in_guest.py")
#: Of QEMU's cards, those whose drivers the table has. Of e1000, the 82545: the 82540 answers none.
CARDS = {
    "e1000-82545em": "e1000",
    "e1000e": "e1000e",
    "igb": "igb",
    "virtio-net-pci": "virtio_net",
    "vmxnet3": "vmxnet3",
}
FIRST_SLOT = 4

pytestmark = [pytest.mark.guest, pytest.mark.slow]


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_the_table_has_the_parameters_that_the_kernel_shows(version: str, tmp_path: Path) -> None:
    """No more and no less; what is not in it is refused, and changes nothing."""
    guest = Guest(
        nics=tuple(CARDS),
        modules=tuple(CARDS.values()),
        kernel=debian_kernel(version),
        files={**unzipped(io.BytesIO(bundle()), "/opt/host"), "/opt/parameters.py": PROGRAM},
    )
    slots = " ".join(str(FIRST_SLOT + place) for place in range(len(CARDS)))
    result = guest.run(f"PYTHONPATH=/opt/host python3 /opt/parameters.py {slots}", tmp_path)
    seen = json.loads(result.text("seen.json"))
    assert [card["driver"] for card in seen] == list(CARDS.values())
    for card in seen:
        driver = driver_named(card["driver"], version)
        assert driver is not None
        if card["driver"] == "vmxnet3":  # QEMU's has version 1, of which the table says that
            assert "version 3" in driver.value("condition")
            assert card["shown"] is None
        else:
            assert card["shown"] == sorted(driver.parameters), card["driver"]
        assert card["taken"] == [], card["driver"]
        assert card["unchanged"], card["driver"]
