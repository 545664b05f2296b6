# SPDX-License-Identifier: Apache-2.0
"""A device that takes what its driver's sources refuse; values that do not delay as they say."""

import zipfile
from io import BytesIO

import pytest
from coalescope_host.remote.bundle import bundle
from coalescope_host.settings.known_driver import differences, rejected


@pytest.mark.parametrize(
    ("driver", "asked", "took", "said"),
    [
        ("igb", 120, 120, None),
        ("igb", 9000, 9000, "cannot delay longer than 8191"),
        ("igb", 3, 3, "its mode “dynamic conservative”, no delay"),
        ("ixgbe", 1311, 1311, "refuses rx-usecs above 1022"),  # a driver from elsewhere takes it
        ("ixgbe", 41, 41, "delays by 40 where rx-usecs is 41"),
        ("r8169", 41, 45, "delays by 45 where rx-usecs is 41"),
        ("ena", 100, 90, "say that ena makes 100 of it"),
        ("ena", 100, 100, None),
        ("dummy", 100, 7, None),
    ],
)
def test_the_device_is_compared_with_its_sources(
    driver: str, asked: int, took: int, said: str | None
) -> None:
    facts = {"driver": driver, "kernel_version": "6.12.1"}
    found = list(differences(facts, {"delay_us": asked}, {"delay_us": took}))
    assert len(found) == (said is not None)
    assert all(str(said) in line for line in found)


def test_a_delay_that_cannot_be_read_is_compared_with_nothing() -> None:
    facts = {"driver": "igb", "kernel_version": "6.12.1"}
    assert not list(differences(facts, {"delay_us": 9000}, {"delay_us": None}))
    assert not list(differences(facts, {"mtu_bytes": 9000}, {"mtu_bytes": 9000}))


@pytest.mark.parametrize(
    ("driver", "asked", "said"),
    [
        ("igb", 120, None),
        ("igb", 9000, None),  # it is taken, and does not last
        ("igb", 3, None),  # a mode
        ("igb", 7, "igb takes 10 to 10000"),
        ("igb", 10001, "igb takes 10 to 10000"),
        ("ixgbe", 1311, "1022"),
        ("dummy", 100000, None),
    ],
)
@pytest.mark.parametrize("version", ["6.12.1", "5.9.1"])
def test_what_the_kernels_own_driver_refuses_is_known_before(
    driver: str, asked: int, said: str | None, version: str
) -> None:
    """Of a driver from elsewhere, which has a version of its own, nothing is."""
    facts = {"driver": driver, "kernel_version": "6.12.1", "driver_version": version}
    found = rejected(facts, asked)
    if said is None or version != "6.12.1":
        assert found is None
    else:
        assert found is not None
        assert said in found


def test_of_a_kernel_older_than_the_sources_nothing_is_known_before() -> None:
    facts = {"driver": "igb", "kernel_version": "5.10.1", "driver_version": "5.10.1"}
    assert rejected(facts, 7) is None


def test_a_peer_gets_the_table() -> None:
    assert "coalescope_host/drivers/drivers.json" in zipfile.ZipFile(BytesIO(bundle())).namelist()
