# SPDX-License-Identifier: Apache-2.0
"""What a recommended setting means on an interface: which values are set, or why none can be.

What a driver takes, and what else than rx-usecs delays with it, is in the table of drivers. The
absolute timer of e1000 and e1000e, the delay of the 2005 study, is a parameter of the module: it
counts 1.024 µs, and needs the throttle off and a packet timer that is longer than the gap between
packets.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from coalescope_host.drivers import DRIVERS, Driver, driver_named
from coalescope_host.plan.factors import log_name
from coalescope_host.plan.registry import SETTINGS, U32
from coalescope_models.vocabulary.following import DELAYS, TICK_US, delay_us

from coalescope.errors import CoalescopeError, did_you_mean
from coalescope.experiments.choice import NO_SETTINGS
from coalescope.experiments.records import Factors, FactorValue

_INTERFACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,14}\Z")
_DRIVER = re.compile(r"[a-z0-9][a-z0-9_-]{0,30}\Z")
_KERNEL = re.compile(r"[0-9]+\.[0-9]+[A-Za-z0-9.+~_-]{0,58}\Z")

_PACKET_TIMER = 1200  # ticks, of the 2005 study: longer than any gap between packets
_LONGEST_TICKS = 65_535
_SLOWEST_HZ, _FASTEST_HZ = 100, 100_000  # of InterruptThrottleRate; 0 is off, 1, 3 and 4 are modes
_TIMER_DRIVERS = frozenset({"e1000", "e1000e"})
_ROUNDED = 0.1  # another delay than was measured is no rounding any more

_FRAMES_FACTOR = "factor.rx_frames"
_PROFILE_FACTOR = log_name("dim_profile_rx")
_PROFILE = next(setting.rule for setting in SETTINGS if setting.name == "dim_profile_rx")
_BESIDE_DELAYS = {"delay_control", _FRAMES_FACTOR, _PROFILE_FACTOR, "factor.adaptive_rx"}
_SET_HERE = frozenset({"mtu_bytes", *DELAYS, *_BESIDE_DELAYS})
# beside these, inputs of models that nobody sets
_NOT_SET = NO_SETTINGS | {"packet_fill", "packets_per_interrupt"}
_ON = frozenset({"1", "on", "true", "yes"})
_OFF = frozenset({"0", "off", "false", "no"})
_OFFLOAD = log_name("offload.")
_OPTIONS = {"coalescing": "-C", "rings": "-G", "channels": "-L", "pause": "-A"}
# the settings of a host that ethtool sets, by what an experiment calls them
_BY_ETHTOOL = {
    log_name(s.name): f"{_OPTIONS[s.group]} {{}} {s.word}" for s in SETTINGS if s.group in _OPTIONS
}
_LEVEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9,_.-]{0,200}\Z")


@dataclass
class Target:
    """What is to be set on an interface.

    Attributes:
        interface: its name.
        driver: what is known of its driver; None: nothing.
        mtu: bytes; None: as it is.
        adaptive: whether adaptive-rx is to be on; None: as it is, or there is none.
        coalescing: ethtool's word → value, to be set in one request after adaptive-rx.
        profile: of DIM, as rx-profile takes it, to be set before adaptive-rx is on; None: as it is.
        module: parameters of the driver's module, instead of coalescing.
        refused: why nothing of it may be set, with the nearest values that can be.
        notes: what to know first.

    """

    interface: str
    driver: Driver | None = None
    mtu: int | None = None
    adaptive: bool | None = None
    coalescing: dict[str, int] = field(default_factory=dict)
    profile: str | None = None
    module: str | None = None
    refused: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def sets_anything(self) -> bool:
        """Whether there is something to set."""
        return bool(self.coalescing or self.module or self.mtu or self.adaptive is not None)

    def steps(self) -> list[str]:
        """The commands that set it, in the only order that every driver understands.

        The MTU first: a driver may start anew with it. Then adaptive-rx alone: mlx5_core and
        bnxt_en ignore whatever else is in the request that switches it off.
        """
        found = []
        if self.mtu is not None:
            found.append(f"ip link set dev {self.interface} mtu {self.mtu}")
        if self.profile is not None:
            found.append(f"ethtool -C {self.interface} rx-profile {self.profile}")
        if self.adaptive is not None:
            switch = "on" if self.adaptive else "off"
            found.append(f"ethtool -C {self.interface} adaptive-rx {switch}")
        if self.coalescing:
            words = " ".join(f"{word} {value}" for word, value in self.coalescing.items())
            found.append(f"ethtool -C {self.interface} {words}")
        return found

    def why_commands(self) -> str | None:
        """Why a program that sets all coalescing at once cannot bring it about; None if it can."""
        if self.profile is not None:
            return "has no rx-profile"
        if self.coalescing and self.driver and self.driver.value("adaptive_alone", False):
            return (
                "sets all coalescing in one request, and this driver ignores the rest of a request "
                "that switches adaptive-rx off"
            )
        return None


def check_target(interface: str, driver: str | None, kernel: str | None = None) -> None:
    """Errors: 422 for what cannot be the name of an interface or driver, or a kernel's version."""
    if not _INTERFACE.match(interface):
        raise _wrong("interface", interface, "Give it as `ip link` shows it, such as eth0.")
    if driver is not None and not _DRIVER.match(driver):
        raise _wrong("driver", driver, "Give it as `ethtool -i` shows it, such as e1000e.")
    if kernel is not None and not _KERNEL.match(kernel):
        raise _wrong("kernel", kernel, "Give it as `uname -r` shows it, such as 6.12.0.")


def target_for(
    setting: Factors, interface: str, driver: str | None = None, kernel: str | None = None
) -> Target:
    """What a setting of factors means on an interface.

    Without a driver, values are set as most drivers take them. Errors: 422 as `check_target`.
    """
    check_target(interface, driver, kernel)
    found = Target(interface, driver_named(driver, kernel))
    _say_what_is_known(found, driver)
    _coalesce(found, setting, driver)
    mtu = _number(setting.get("mtu_bytes"))
    if mtu is not None:
        found.mtu = round(mtu)
        if mtu > 1500:
            found.notes.append(
                f"Every host and switch on this network must take an MTU of {found.mtu}; check "
                f"with `ping -M do -s {found.mtu - 28}`."
            )
    for name, level in setting.items():
        counted = name != _FRAMES_FACTOR or "rx-frames" in found.coalescing
        if name not in _NOT_SET and not (name in _SET_HERE and counted):
            found.notes.append(_by_hand(name, level, interface))
    return found


def _by_hand(name: str, level: FactorValue, interface: str) -> str:
    """What is to be done beside the block, which can neither read it back nor put it back."""
    known = _BY_ETHTOOL.get(name)
    if name.startswith(_OFFLOAD):
        known = f"-K {{}} {name.removeprefix(_OFFLOAD).replace('_', '-')}"
    if known is None or not _LEVEL.match(str(level)):
        return f"{name} {level} is yours to set: no command is known."
    return (
        f"Set {name}, too, which is not in the block: `ethtool {known.format(interface)} {level}`."
    )


def _say_what_is_known(found: Target, driver: str | None) -> None:
    if found.driver is None:
        found.notes.append(
            "What sets the delay depends on the driver; this is what most take. Name the driver, "
            "as `ethtool -i` shows it."
            if driver is None
            else f"What {driver} takes is not known here; this is what most drivers take. "
            f"{'' if driver in DRIVERS else did_you_mean(driver, DRIVERS)}".rstrip()
        )
    elif (condition := found.driver.value("condition")) is not None:
        found.notes.append(f"{found.driver.name}, Linux {found.driver.release}: {condition}.")


def _coalesce(found: Target, setting: Factors, driver: str | None) -> None:
    control = setting.get("delay_control")
    ticks, rate_hz = _number(setting.get("delay_ticks")), _number(setting.get("moderation_rate_hz"))
    asked_us = delay_us(setting)
    adaptive = str(setting.get("factor.adaptive_rx")).lower()
    if control == "adaptive" or adaptive in _ON:
        _adapt(found, driver)
        _profile(found, setting.get(_PROFILE_FACTOR))
        return
    is_timer = control == "rx-abs-int-delay" or (control is None and ticks is not None)
    if asked_us is not None and driver in _TIMER_DRIVERS and (is_timer or driver == "e1000"):
        if control == "interrupt-throttle":
            _throttle(found, 1e6 / asked_us if asked_us else 0.0)
        else:
            _timer(found, round(asked_us / TICK_US if ticks is None else ticks))
        return
    if rate_hz is not None and asked_us is None:
        if driver == "e1000":
            _throttle(found, rate_hz)
            return
        asked_us = 1e6 / rate_hz if rate_hz else 0.0
    if asked_us is not None:
        _delay(found, asked_us, _number(setting.get(_FRAMES_FACTOR)))
    elif adaptive in _OFF and (found.driver is None or found.driver.supports("adaptive-rx")):
        found.adaptive = False


def _delay(found: Target, delay_us: float, frames: float | None) -> None:
    driver = found.driver
    if driver is None:
        found.coalescing["rx-usecs"] = round(delay_us)
        found.adaptive = False
        found.notes.append(
            "An interrupt may come earlier, after so many packets as rx-frames says."
        )
    else:
        usecs = _usecs(found, driver, delay_us)
        if usecs is None:
            return
        found.coalescing["rx-usecs"] = usecs
        if driver.supports("adaptive-rx"):
            found.adaptive = False
        found.coalescing |= driver.value("with", {})
        if driver.value("meaning") == "interval":
            found.notes.append(
                f"With {driver.name}, rx-usecs is the shortest interval between interrupts, not a "
                "timer that starts with a packet."
            )
    _frames(found, None if frames is None else round(frames))
    found.notes.append(
        f"Some devices pin or round the delay all the same: `coalescope-host calibrate` measures "
        f"what {found.interface} really does."
    )


def _usecs(found: Target, driver: Driver, delay_us: float) -> int | None:
    """The value of rx-usecs; None where there is none that is as good as the delay."""
    asked = round(delay_us / driver.unit_us)
    if asked > U32:
        found.refused.append(f"{delay_us:g} µs cannot be set: ethtool counts to {U32}.")
        return None
    nearest = driver.nearest(asked)
    usecs = min(nearest, key=lambda value: abs(value - asked), default=None)
    if driver.unit_us != 1:
        found.notes.append(f"rx-usecs of {driver.name} counts {driver.unit_us * 1000:g} ns.")
    reason = driver.refuses(asked)
    if reason is None:
        return asked
    if usecs is not None and abs(usecs - asked) <= _ROUNDED * asked:
        found.notes.append(f"{usecs} in place of {asked}: {reason}.")
        if driver.longest is None or asked <= driver.longest:
            return usecs
    listed = " or ".join(f"{value * driver.unit_us:g} µs" for value in nearest)
    found.refused.append(
        f"{delay_us:g} µs cannot be set: {reason}."
        + (f" The nearest that it takes: {listed}." if listed else "")
    )
    return None


def _frames(found: Target, asked: int | None) -> None:
    """Set rx-frames, too, where it ends a delay as well."""
    driver = found.driver
    if driver is None:
        if asked is not None:
            found.coalescing["rx-frames"] = asked
        return
    if not driver.supports("rx-frames"):
        if asked is not None:
            found.refused.append(f"{driver.name} counts no packets: rx-frames cannot be set.")
        return
    frames = driver.value("frames_for_delay") if asked is None else asked
    most = driver.value("frames_counted", driver.value("frames_most"))
    if frames is None:
        found.notes.append(
            f"{driver.name} counts packets, too: an interrupt comes after rx-frames packets at the "
            "latest. Which number leaves it to the time is not known; it stays as it is."
        )
    elif most is not None and frames > most:
        found.refused.append(
            f"rx-frames {frames} cannot be set: {driver.name} counts to {most}. The nearest that "
            f"it takes: {most}."
        )
    else:
        found.coalescing["rx-frames"] = frames
        if asked is None:
            found.notes.append(
                f"{driver.name} counts packets, too: with rx-frames {frames}, the time decides."
                if frames in (0, driver.value("frames_most"))
                else f"{driver.name} counts packets, too: an interrupt comes after rx-frames "
                f"{frames} at the latest, the most that it takes."
            )


def _adapt(found: Target, driver: str | None) -> None:
    known = found.driver
    if driver == "e1000":
        _set_module(found, "InterruptThrottleRate=3")
        return
    modes: Mapping[str, str] = {} if known is None else known.value("usecs_modes", {})
    dynamic = [int(value) for value, mode in modes.items() if mode.startswith("dynamic")]
    if known is not None and dynamic:
        found.coalescing["rx-usecs"] = max(dynamic)
        found.notes.append(
            f"rx-usecs {max(dynamic)} is the adaptive mode of {known.name}, not a delay."
        )
    elif known is None or known.supports("adaptive-rx"):
        found.adaptive = True
    else:
        found.refused.append(f"{known.name} has no adaptive moderation that could be set.")


def _profile(found: Target, level: FactorValue | None) -> None:
    """Which delays adaptive moderation steps through, where the setting says it."""
    if level is None or found.adaptive is None:
        return
    if not _PROFILE.allows(level):
        found.refused.append(f"{str(level)[:80]} is no profile: it is {_PROFILE.description}.")
        return
    found.profile = str(level)
    found.notes.append(
        "rx-profile needs Linux 6.11, a driver that has it, and an ethtool that knows it; the "
        "block refuses, and changes nothing, where it cannot be read."
    )


def _timer(found: Target, ticks: int) -> None:
    if ticks > _LONGEST_TICKS:
        found.refused.append(
            f"{ticks} ticks cannot be set: the timer counts to {_LONGEST_TICKS}. The nearest that "
            f"it takes: {_LONGEST_TICKS}."
        )
        return
    packet = _PACKET_TIMER if ticks else 0
    _set_module(found, f"RxAbsIntDelay={ticks} RxIntDelay={packet} InterruptThrottleRate=0")
    found.notes.append(
        f"RxAbsIntDelay {ticks} is {ticks * TICK_US:.4g} µs from the first packet. RxIntDelay "
        "must be longer than the gap between packets, and the throttle off, or it has no effect."
    )


def _throttle(found: Target, rate_hz: float) -> None:
    rate = round(rate_hz)
    if rate and not _SLOWEST_HZ <= rate <= _FASTEST_HZ:
        near = _SLOWEST_HZ if rate < _SLOWEST_HZ else _FASTEST_HZ
        found.refused.append(
            f"{rate} interrupts per second cannot be set: InterruptThrottleRate takes 0, or "
            f"{_SLOWEST_HZ} to {_FASTEST_HZ}. The nearest that it takes: {near}."
        )
        return
    _set_module(found, f"InterruptThrottleRate={rate}")


def _set_module(found: Target, options: str) -> None:
    assert found.driver is not None
    found.module = options
    found.notes.append(
        f"{found.driver.name} is loaded anew: all its interfaces lose their link and their "
        "settings for some seconds. Do this at the console, not through one of them. It does not "
        "show its parameters: they cannot be read back."
    )
    found.notes.append(
        "A single value is for the driver's first interface; for more, give one for each, with "
        "commas."
    )


def _number(level: FactorValue | None) -> float | None:
    return None if level is None or isinstance(level, str) else float(level)


def _wrong(name: str, value: str, advice: str) -> CoalescopeError:
    return CoalescopeError(
        f"wrong_{name}", f"{value[:40]!r} cannot be the name of an interface or driver."
        if name != "kernel" else f"{value[:40]!r} cannot be the version of a kernel.",
        where={"field": name}, advice=advice,
    )  # fmt: skip
