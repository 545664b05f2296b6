# SPDX-License-Identifier: Apache-2.0
"""Settings of real drivers, and a driver loaded anew, in a virtual machine."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from coalescope_host.remote.bundle import bundle

pytestmark = [pytest.mark.guest, pytest.mark.slow]

PROGRAM = Path(__file__).with_name("in_guest.py")


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `in_guest.py` saw in its guest."""
    from guest.machine import Guest
    from testbed.block import unzipped

    guest = Guest(
        nics=("e1000e", "igb"),
        modules=("e1000e", "igb"),
        files={**unzipped(io.BytesIO(bundle()), "/opt/host"), "/opt/in_guest.py": PROGRAM},
    )
    script = """
    ip netns add under
    PYTHONPATH=/opt/host python3 /opt/in_guest.py >/out/said 2>&1
    """
    output = tmp_path_factory.mktemp("guest")
    result = guest.run(script, output, timeout_s=900)
    return dict(json.loads(result.text("seen.json")))


def test_coalescing_is_set_read_back_and_restored(seen: dict[str, Any]) -> None:
    assert seen["coalescing"]["read_back"] == {"delay_us": 100}
    assert seen["coalescing"]["restored"]


def test_a_delay_that_the_driver_does_not_know_is_refused(seen: dict[str, Any]) -> None:
    assert "delay_us = 7 refused: the driver refuses this value" in seen["coalescing"]["refused"]


def test_rings_are_rounded_by_the_driver_and_that_is_told(seen: dict[str, Any]) -> None:
    assert seen["rings"]["read_back"] == {"ring_rx": 504}
    assert "ring_rx = 501 was asked for, the device took 504" in seen["rings"]["remarks"][0]
    assert "the device allows at most 4096" in seen["rings"]["problems"][0]


def test_pause_frames_without_negotiation(seen: dict[str, Any]) -> None:
    assert seen["pause"]["changes"] == [f"ethtool -A {seen['igb']} rx off autoneg off"]
    assert seen["pause"]["read_back"] == {"pause_rx": False}


def test_a_driver_is_loaded_anew_and_its_interface_comes_back(seen: dict[str, Any]) -> None:
    reload = seen["reload"]
    assert reload["read_back"] == {"mtu_bytes": 3000, "delay_ticks": 10}
    assert any("Receive Absolute Interrupt Delay set to 125" in line for line in reload["kernel"])
    assert reload["surroundings_after"] == reload["surroundings_before"]
    assert reload["second_apply_commands"] == []


def test_from_another_namespace_too(seen: dict[str, Any]) -> None:
    assert seen["namespace"]["after"] == seen["namespace"]["before"]


def test_parameters_that_the_driver_does_not_take(seen: dict[str, Any]) -> None:
    assert "unknown parameter" in seen["unknown"]
    assert "Nonsense" in seen["unknown"]
    assert "Invalid Receive Absolute Interrupt Delay value specified (999999)" in seen["invalid"]


def test_a_driver_is_loaded_anew_only_if_there_is_something_to_put_back(
    seen: dict[str, Any],
) -> None:
    assert any("Network Driver" in line for line in seen["restored_after_refusal"])
    assert seen["restored_again"] == []


def test_the_driver_is_restored_after_the_sweep_was_killed(seen: dict[str, Any]) -> None:
    assert seen["killed"]["surroundings"] == seen["reload"]["surroundings_original"]
    assert any("set to 125" in line for line in seen["killed"]["first_load"])
    assert not any("set to 125" in line for line in seen["killed"]["last_load"])
    assert seen["killed"]["files"] == []
