# SPDX-License-Identifier: Apache-2.0
"""The commands that set a machine as recommended, and the way back. Pure: nothing is run.

Drivers differ in what sets a receive delay. `ethtool -C … rx-usecs` is a delay with most; with
e1000e, igb and igc it is the interval of the interrupt throttle, of which 1, 3 and 4 are modes;
e1000 refuses it. The absolute timer of e1000 and e1000e, the delay of the 2005 study, is a
parameter of the module, counts 1.024 µs, and needs the throttle off and a packet timer that is
longer than the gap between packets.
"""

import re
from dataclasses import dataclass, field

from coalescope_models.phenomena.interrupts import TICK_US

from coalescope.errors import CoalescopeError
from coalescope.experiments.records import Factors, FactorValue

_INTERFACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,14}\Z")
_DRIVER = re.compile(r"[a-z0-9][a-z0-9_-]{0,30}\Z")

_PACKET_TIMER = 1200  # ticks, of the 2005 study: longer than any gap between packets
_LONGEST_TICKS = 65_535
_TIMER_DRIVERS = frozenset({"e1000", "e1000e"})
_THROTTLE_DRIVERS = frozenset({"e1000e", "igb", "igc"})
_ADAPTIVE_DRIVERS = frozenset({"i40e", "ice", "mlx5_core"})
_USECS_DRIVERS = frozenset({"ixgbe", "virtio_net", *_THROTTLE_DRIVERS, *_ADAPTIVE_DRIVERS})
_SHORTEST_THROTTLE_US = 10
_LONGEST_THROTTLE_US = 10_000
_THROTTLE_OFF, _THROTTLE_SLOWEST_HZ, _THROTTLE_FASTEST_HZ = 0, 100, 100_000

_SET_HERE = frozenset(
    {"mtu_bytes", "delay_us", "delay_ticks", "moderation_rate_hz", "delay_control"}
)
# says what the traffic is, or what it ran on: nothing to set
_NOT_SET = frozenset(
    {
        "workload", "frame_bytes", "streams", "packet_rate_hz", "driver_version", "kernel_version",
        "packet_fill", "packets_per_interrupt",
    }
)  # fmt: skip


@dataclass
class Commands:
    """Shell commands in the order in which they are to be given, as root.

    Attributes:
        before: remember what is set now.
        apply: set it as recommended.
        keep: so that it stays after a restart.
        back: the way back, in the same shell.
        notes: what to know first.

    """

    before: list[str] = field(default_factory=list)
    apply: list[str] = field(default_factory=list)
    keep: list[str] = field(default_factory=list)
    back: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def check_target(interface: str, driver: str | None) -> None:
    """Errors: 422 for what cannot be the name of an interface or driver."""
    if not _INTERFACE.match(interface):
        raise _wrong("interface", interface, "Give it as `ip link` shows it, such as eth0.")
    if driver is not None and not _DRIVER.match(driver):
        raise _wrong("driver", driver, "Give it as `ethtool -i` shows it, such as e1000e.")


def commands_for(setting: Factors, interface: str, driver: str | None = None) -> Commands:
    """The commands for a setting of factors.

    Without a driver, delays are set as most drivers take them. Errors: 422 for names that cannot be
    those of an interface or driver.
    """
    check_target(interface, driver)
    found = Commands()
    _delay(found, setting, interface, driver)
    mtu = _number(setting.get("mtu_bytes"))
    if mtu is not None:  # last, also on the way back: a module that is loaded anew forgets it
        _mtu(found, interface, round(mtu))
    for name in setting:
        if name not in _SET_HERE | _NOT_SET:
            found.notes.append(f"{name} {setting[name]} is yours to set: no command is known.")
    return found


def _mtu(found: Commands, interface: str, mtu: int) -> None:
    found.before.append(f"old_mtu=$(cat /sys/class/net/{interface}/mtu)")
    found.apply.append(f"ip link set dev {interface} mtu {mtu}")
    found.back.append(f'ip link set dev {interface} mtu "$old_mtu"')
    if mtu > 1500:
        found.notes.append(
            f"Every host and switch on this network must take an MTU of {mtu}; check with "
            f"`ping -M do -s {mtu - 28}`."
        )


def _delay(found: Commands, setting: Factors, interface: str, driver: str | None) -> None:
    control = setting.get("delay_control")
    ticks, rate_hz = _number(setting.get("delay_ticks")), _number(setting.get("moderation_rate_hz"))
    delay_us = _number(setting.get("delay_us"))
    if delay_us is None and ticks is not None:
        delay_us = ticks * TICK_US
    if control == "adaptive":
        _adaptive(found, interface, driver)
        return
    is_timer = control == "rx-abs-int-delay" or (control is None and ticks is not None)
    if delay_us is not None and driver in _TIMER_DRIVERS and (is_timer or driver == "e1000"):
        own = round(delay_us / TICK_US) if ticks is None else round(ticks)
        if control == "interrupt-throttle":
            _module_throttle(found, driver, 1e6 / delay_us if delay_us else 0.0)
        else:
            _module_timer(found, driver, own)
        return
    if rate_hz is not None and delay_us is None:
        if driver == "e1000":
            _module_throttle(found, driver, rate_hz)
            return
        delay_us = 1e6 / rate_hz if rate_hz else 0.0
    if delay_us is not None:
        _rx_usecs(found, interface, driver, delay_us)


def _rx_usecs(found: Commands, interface: str, driver: str | None, delay_us: float) -> None:
    usecs = round(delay_us)
    if driver in _THROTTLE_DRIVERS:
        usecs = _legal_throttle(found, driver, usecs)
    elif driver not in _USECS_DRIVERS:
        found.notes.append(
            "What sets the delay depends on the driver; this is what most take. Name the driver, "
            "as `ethtool -i` shows it."
            if driver is None
            else f"How {driver} takes a delay is not known here; this is what most drivers take."
        )
    if driver == "virtio_net":
        found.notes.append("The virtual machine's host must offer the coalescing of notifications.")
    found.notes.append(
        "Drivers round the delay, and some devices pin it: read it back with "
        f"`ethtool -c {interface}`."
    )
    switch = driver in _ADAPTIVE_DRIVERS
    if switch:
        found.before.append(
            f"old_adaptive=$(ethtool -c {interface} | awk '/^Adaptive RX:/ {{ print $3 }}')"
        )
    found.before.append(
        f"old_rx_usecs=$(ethtool -c {interface} | awk '/^rx-usecs:/ {{ print $2 }}')"
    )
    off = "adaptive-rx off " if switch else ""
    found.apply.append(f"ethtool -C {interface} {off}rx-usecs {usecs}")
    found.back.append(f'ethtool -C {interface} rx-usecs "$old_rx_usecs"')
    if switch:
        found.back.append(f'ethtool -C {interface} adaptive-rx "$old_adaptive"')


def _legal_throttle(found: Commands, driver: str | None, usecs: int) -> int:
    found.notes.append(
        f"With {driver}, rx-usecs is the shortest interval between interrupts, not a timer that "
        "starts with a packet."
    )
    if usecs == 0 or _SHORTEST_THROTTLE_US <= usecs <= _LONGEST_THROTTLE_US:
        return usecs
    legal = min(max(usecs, _SHORTEST_THROTTLE_US), _LONGEST_THROTTLE_US)
    found.notes.append(
        f"{usecs} µs is no interval that {driver} takes (1, 3 and 4 are modes): {legal} µs instead."
    )
    return legal


def _adaptive(found: Commands, interface: str, driver: str | None) -> None:
    if driver == "e1000":
        _module(found, driver, "InterruptThrottleRate=3")
        return
    if driver in _THROTTLE_DRIVERS:
        _rx_mode(found, interface)
        return
    found.before.append(
        f"old_adaptive=$(ethtool -c {interface} | awk '/^Adaptive RX:/ {{ print $3 }}')"
    )
    found.apply.append(f"ethtool -C {interface} adaptive-rx on")
    found.back.append(f'ethtool -C {interface} adaptive-rx "$old_adaptive"')


def _rx_mode(found: Commands, interface: str) -> None:
    found.before.append(
        f"old_rx_usecs=$(ethtool -c {interface} | awk '/^rx-usecs:/ {{ print $2 }}')"
    )
    found.apply.append(f"ethtool -C {interface} rx-usecs 3")
    found.back.append(f'ethtool -C {interface} rx-usecs "$old_rx_usecs"')
    found.notes.append("rx-usecs 3 is the driver's adaptive mode, not a delay.")


def _module_timer(found: Commands, driver: str, ticks: int) -> None:
    if ticks > _LONGEST_TICKS:
        found.notes.append(f"The timer counts to {_LONGEST_TICKS}: {ticks} is cut to that.")
    ticks = min(ticks, _LONGEST_TICKS)
    _module(
        found,
        driver,
        f"RxAbsIntDelay={ticks} RxIntDelay={_PACKET_TIMER if ticks else 0} InterruptThrottleRate=0",
    )
    found.notes.append(
        f"RxAbsIntDelay {ticks} is {ticks * TICK_US:.4g} µs from the first packet. RxIntDelay "
        "must be longer than the gap between packets, and the throttle off, or it has no effect."
    )


def _module_throttle(found: Commands, driver: str, rate_hz: float) -> None:
    rate = round(rate_hz)
    if rate != _THROTTLE_OFF:
        rate = min(max(rate, _THROTTLE_SLOWEST_HZ), _THROTTLE_FASTEST_HZ)
    _module(found, driver, f"InterruptThrottleRate={rate}")


def _module(found: Commands, driver: str, options: str) -> None:
    file = f"/etc/modprobe.d/coalescope-{driver}.conf"
    found.apply.append(f"modprobe -r {driver} && modprobe {driver} {options}")
    found.keep.append(f"echo 'options {driver} {options}' > {file}")
    found.back.append(f"rm -f {file}; modprobe -r {driver} && modprobe {driver}")
    found.notes.append(
        f"{driver} is loaded anew: all its interfaces lose their link and their settings for some "
        "seconds. Do this at the console, not through one of them."
    )
    found.notes.append(
        "A single value is for the driver's first interface; for more, give one for each, with "
        "commas."
    )


def _number(level: FactorValue | None) -> float | None:
    return None if level is None or isinstance(level, str) else float(level)


def _wrong(name: str, value: str, advice: str) -> CoalescopeError:
    return CoalescopeError(
        f"wrong_{name}", f"{value[:40]!r} cannot be the name of an interface or driver.",
        where={"field": name}, advice=advice,
    )  # fmt: skip
