# SPDX-License-Identifier: Apache-2.0
"""VLAN, macvlan, bridge and bond get back what a card that was made small took from them."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from coalescope_host.remote.bundle import bundle

pytestmark = [pytest.mark.guest, pytest.mark.slow]

PROGRAM = Path(__file__).with_name("uppers_in_guest.py")
KINDS = ("vlan", "macvlan", "bridge", "bond")
SMALL = 1200


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    from guest.folders import alone
    from guest.kernel import NEWEST, debian_kernel
    from guest.machine import Guest
    from testbed.block import unzipped

    with alone():
        kernel = debian_kernel(NEWEST)
    guest = Guest(
        kernel=kernel,
        nics=("igb",),
        modules=("igb", "8021q", "macvlan", "bridge", "bonding"),
        files={**unzipped(io.BytesIO(bundle()), "/opt/host"), "/opt/uppers.py": PROGRAM},
    )
    script = "PYTHONPATH=/opt/host python3 /opt/uppers.py 52:54:00:00:00:01 >/out/said 2>&1"
    result = guest.run(script, tmp_path_factory.mktemp("guest"), timeout_s=900)
    return dict(json.loads(result.text("seen.json")))


@pytest.mark.parametrize("kind", KINDS)
def test_what_stands_on_a_card_is_put_back(seen: dict[str, Any], kind: str) -> None:
    assert seen[kind]["before"]["upper"][2] == ["10.9.0.1", "fd00:9::1"]
    assert seen[kind]["small"][seen["card"]][0] == SMALL
    assert seen[kind]["after"] == seen[kind]["before"], seen[kind]["said"]


@pytest.mark.parametrize("kind", ["vlan", "macvlan", "bridge"])  # a bond keeps its own MTU
def test_the_kernel_had_made_it_small(seen: dict[str, Any], kind: str) -> None:
    mtu_bytes, _, addresses = seen[kind]["small"]["upper"]
    assert (mtu_bytes, addresses) == (SMALL, ["10.9.0.1"])
