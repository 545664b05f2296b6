# SPDX-License-Identifier: Apache-2.0
"""The dynamic InterruptThrottleRate of Intel's e1000 family, as its documentation describes it.

What the last interrupt brought puts the traffic into a class, and each class has a rate: 70,000
interrupts a second for the lowest latency, 20,000 for low latency, 4,000 for bulk. Mode 3
(conservative, the default) leaves the first out. Rates fall at once and rise by a quarter of the
wanted rate at each interrupt.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .events import Interrupt

TrafficClass = Literal["lowest latency", "low latency", "bulk"]

RATES_HZ: dict[TrafficClass, float] = {
    "lowest latency": 70_000.0,
    "low latency": 20_000.0,
    "bulk": 4_000.0,
}
#: What the throttle register counts in.
REGISTER_US = 0.256
_MERGED_BYTES = 8_000  # a mean packet above it was merged, as only streams are
_FULL_BYTES = 1_200
_JUMBO_BYTES = 2_000
_MANY_PACKETS = 35


@dataclass
class DynamicThrottle:
    """Modes 1 (dynamic) and 3 (dynamic conservative).

    Source:
        Linux, e1000_main.c, “e1000_set_itr” [linux_e1000].

    Attributes:
        mode: 1 or 3.
    """

    mode: Literal[1, 3] = 3
    _class: TrafficClass = field(default="low latency", init=False)
    _rate_hz: float = field(default=RATES_HZ["low latency"], init=False)

    def start_us(self) -> float:
        """Return the interval of the low latency class."""
        return 1e6 / self._rate_hz

    def after(self, interrupt: Interrupt) -> float:
        """Return the interval after an interrupt; one without packets changes nothing."""
        if interrupt.packets:
            self._class = next_class(self._class, interrupt.packets, interrupt.size_bytes)
            wanted = self._class
            if self.mode == 3 and wanted == "lowest latency":
                wanted = "low latency"
            rate = RATES_HZ[wanted]
            rising = rate > self._rate_hz
            self._rate_hz = min(self._rate_hz + rate / 4.0, rate) if rising else rate
        return 1e6 / self._rate_hz


def throttle_register(rate_hz: float) -> int:
    """Return what the driver writes for a rate: whole units of 256 ns, rounded down.

    Interrupts then come at 10⁶/(0.256 · register) a second, a little more than were asked for; the
    policy above takes the rate itself.

    Source:
        Linux, e1000_main.c, “e1000_set_itr” [linux_e1000].

    Args:
        rate_hz: interrupts per second, at most.
    """
    return int(1e6 / REGISTER_US // rate_hz)


def next_class(now: TrafficClass, packets: int, size_bytes: int) -> TrafficClass:
    """Return the class after an interrupt that brought packets, at least one.

    Source:
        Linux, e1000_main.c, “e1000_update_itr” [linux_e1000].
    """
    mean = size_bytes / packets
    found = now
    if now == "lowest latency":
        if mean > _MERGED_BYTES:
            found = "bulk"
        elif packets < 5 and size_bytes > 512:
            found = "low latency"
    elif now == "bulk":
        if packets > _MANY_PACKETS if size_bytes > 25_000 else size_bytes < 6_000:
            found = "low latency"
    elif size_bytes > 10_000:
        if mean > _FULL_BYTES or packets < 10:
            found = "bulk"
        elif packets > _MANY_PACKETS:
            found = "lowest latency"
    elif mean > _JUMBO_BYTES:
        found = "bulk"
    elif packets <= 2 and size_bytes < 512:
        found = "lowest latency"
    return found
