# SPDX-License-Identifier: Apache-2.0
"""What a tuning chooses among where nobody says: what the driver takes, and what is set now."""

import pytest
from coalescope_host.drivers import DRIVERS, driver_named
from coalescope_host.tuning.candidates import left_out, usual_factors, with_start

NOW = {"delay_us": 3, "adaptive_rx": False}


@pytest.mark.parametrize("name", sorted(DRIVERS))
def test_no_driver_is_asked_for_what_it_does_not_take(name: str) -> None:
    driver = driver_named(name)
    assert driver is not None
    factors = usual_factors(driver, NOW)
    assert ("delay_us" in factors) == driver.supports("rx-usecs")
    assert ("adaptive_rx" in factors) == driver.supports("adaptive-rx")
    for delay in factors.get("delay_us", ()):
        assert isinstance(delay, int)
        assert driver.refuses(delay) is None
    if "delay_us" in factors:
        assert len(factors["delay_us"]) >= 3


def test_a_device_without_a_setting_is_not_asked_for_it() -> None:
    assert usual_factors(None, {}) == {}
    assert usual_factors(None, {"delay_us": 0})["delay_us"] == [0, 5, 10, 20, 40, 80, 160, 320]


def test_what_is_set_now_is_a_candidate() -> None:
    factors = with_start({"delay_us": [0, 50], "mtu_bytes": [9000]}, {**NOW, "mtu_bytes": 1500})
    assert factors == {"delay_us": [0, 3, 50], "mtu_bytes": [1500, 9000]}


def test_a_switch_that_was_typed_is_the_one_of_now() -> None:
    now = {"offload.gro": False}
    assert with_start({"offload.gro": ["on", "off"]}, now) == {"offload.gro": [True, False]}
    assert with_start({"offload.gro": ["on"]}, now) == {"offload.gro": [False, True]}


def test_adaptive_moderation_that_is_on_is_a_candidate_beside_fixed_delays() -> None:
    now = {"delay_us": 17, "adaptive_rx": True}
    factors = with_start({"delay_us": [0, 50]}, now)
    assert factors == {"delay_us": [0, 17, 50], "adaptive_rx": [False, True]}
    assert left_out(factors, now) == [
        {"adaptive_rx": True, "delay_us": 0},
        {"adaptive_rx": True, "delay_us": 50},
    ]


def test_nothing_is_left_out_without_adaptive_moderation() -> None:
    assert left_out({"delay_us": [0, 50], "adaptive_rx": [False]}, NOW) == []
