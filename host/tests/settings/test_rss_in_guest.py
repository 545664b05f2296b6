# SPDX-License-Identifier: Apache-2.0
"""Queues with RSS on a real driver: in either direction, and the driver's own table afterwards."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from coalescope_host.remote.bundle import bundle

pytestmark = [pytest.mark.guest, pytest.mark.slow]

PROGRAM = Path(__file__).with_name("rss_in_guest.py")
SWEPT = (
    "shrinking",
    "growing",
    "as many as before",
    "one of more",
    "table alone",
    "queues alone",
)
KERNELS = ("fewer queues", "more queues", "table alone", "both")
QUEUES = 2


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `rss_in_guest.py` saw in its guest."""
    from guest.kernel import NEWEST, debian_kernel
    from guest.machine import Guest
    from testbed.block import unzipped

    guest = Guest(
        kernel=debian_kernel(NEWEST),
        nics=("igb",),
        modules=("igb",),
        cpus=2,
        icount_shift=None,
        files={**unzipped(io.BytesIO(bundle()), "/opt/host"), "/opt/rss_in_guest.py": PROGRAM},
    )
    script = """
    card=$(basename $(ls -d /sys/bus/pci/devices/0000:00:04.0/net/*))
    PYTHONPATH=/opt/host python3 /opt/rss_in_guest.py $card >/out/said 2>&1
    """
    result = guest.run(script, tmp_path_factory.mktemp("guest"), timeout_s=600)
    return dict(json.loads(result.text("seen.json")))


@pytest.mark.parametrize("which", SWEPT)
def test_each_cell_is_set(seen: dict[str, Any], which: str) -> None:
    assert seen[which]["problems"] == []
    assert set(seen[which]["said"]) == {"set"}


@pytest.mark.parametrize("which", SWEPT)
def test_the_drivers_own_table_is_put_back_as_such(seen: dict[str, Any], which: str) -> None:
    """The kernel takes fewer queues only while nobody has asked for a table."""
    assert seen[which]["left"] == ""
    assert seen[which]["queues"] == QUEUES
    assert len(seen[which]["table"]) == 128
    assert set(seen[which]["table_before"]) == {0, 1}
    assert seen[which]["table"] == seen[which]["table_before"]
    assert seen[which]["takes_fewer"]
    assert seen[which]["table_later"] == seen[which]["table_before"]


@pytest.mark.parametrize("which", KERNELS)
def test_the_kernels_default_is_put_back_as_such(seen: dict[str, Any], which: str) -> None:
    """After `ethtool -X … default`: the same queues in turn, and nobody's table as before."""
    swept = seen[f"the kernel's, {which}"]
    assert set(swept["said"]) == {"set"}
    assert swept["left"] == ""
    assert swept["queues"] == QUEUES
    assert swept["table"] == swept["table_before"] == [0, 1] * 64
    assert swept["takes_fewer"]


def test_somebodys_table_is_put_back_as_it_was(seen: dict[str, Any]) -> None:
    swept = seen["somebody's table"]
    assert swept["said"] == ["set", "set"]
    assert swept["left"] == ""
    assert swept["queues"] == QUEUES
    assert swept["table"] == swept["table_before"] == [0] * 32 + [1] * 96
    assert not swept["takes_fewer"]


def test_queues_that_somebodys_table_leads_to_are_refused_before(seen: dict[str, Any]) -> None:
    swept = seen["somebody's table and queues alone"]
    (problem,) = swept["problems"]
    assert "queues = 1: its indirection table leads to queue 1: set rss_queues" in problem
    assert "too low for existing indirection table" in swept["said"][1]
    assert swept["table"] == [0] * 32 + [1] * 96
