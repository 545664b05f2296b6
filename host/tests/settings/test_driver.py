# SPDX-License-Identifier: Apache-2.0
"""Parameters of a driver, as far as they need no module."""

from pathlib import Path

import pytest
from coalescope_host.plan.plan import DriverParameter, DriverSpec
from coalescope_host.settings.device import Device
from coalescope_host.settings.driver import Driver

SPEC = DriverSpec(
    "/lib/modules/x/e1000e.ko.xz",
    fixed={"RxIntDelay": 1200, "InterruptThrottleRate": 0},
    parameters={"delay_ticks": DriverParameter("RxAbsIntDelay", 12.5)},
    after=(("poke", "0x10"),),
)


def a_driver(spec: DriverSpec = SPEC) -> Driver:
    return Driver(spec, Device("lo"))


def test_parameters_of_a_cell() -> None:
    levels = {"delay_ticks": 10, "driver.SmartPowerDownEnable": 1, "mtu_bytes": 1500}
    assert a_driver().parameters(levels) == {
        "RxIntDelay": "1200",
        "InterruptThrottleRate": "0",
        "RxAbsIntDelay": "125",
        "SmartPowerDownEnable": "1",
    }


def test_it_is_loaded_anew_only_for_other_parameters() -> None:
    driver = a_driver()
    assert driver.needs_reload({"delay_ticks": 10}), "nobody knows what it was loaded with"
    driver.loaded = driver.parameters({"delay_ticks": 10})
    assert not driver.needs_reload({"delay_ticks": 10, "mtu_bytes": 9000})
    assert driver.needs_reload({"delay_ticks": 20})
    assert not driver.needs_reload({"mtu_bytes": 9000}), "the level is not of the driver"


def test_the_commands_are_told() -> None:
    assert a_driver().commands({"delay_ticks": 10}) == [
        "rmmod e1000e",
        "insmod /lib/modules/x/e1000e.ko.xz RxIntDelay=1200 InterruptThrottleRate=0 "
        "RxAbsIntDelay=125",
        "poke 0x10",
    ]
    named = a_driver(DriverSpec("e1000e", parameters=SPEC.parameters))
    assert named.commands({"delay_ticks": 0.4})[1] == "modprobe e1000e RxAbsIntDelay=5"


def test_what_a_module_does_not_show_is_what_it_was_loaded_with() -> None:
    driver = a_driver()
    assert driver.read_back({"delay_ticks": 10, "mtu_bytes": 1500}) == {"delay_ticks": None}
    driver.loaded = driver.parameters({"delay_ticks": 10})
    assert driver.read_back({"delay_ticks": 10}) == {"delay_ticks": 10}


@pytest.mark.skipif(Path("/proc/modules").exists(), reason="this kernel has modules")
def test_a_kernel_without_modules() -> None:
    assert a_driver().problems({"delay_ticks": 10}) == [
        "driver e1000e: this kernel has no loadable modules"
    ]
    assert a_driver().problems({"mtu_bytes": 1500}) == []
