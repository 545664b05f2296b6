# SPDX-License-Identifier: Apache-2.0
"""What follows from what was recorded: a delay from each way to ask for it, inputs from measures.

The page has both from the bundle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

#: One count of the interrupt delay registers of the Intel 8254x family [µs].
TICK_US: Final = 1.024

#: Scale and power of each factor that asks for a delay: the delay in µs is scale · level ** power.
DELAYS: Mapping[str, tuple[float, int]] = MappingProxyType(
    {"delay_us": (1.0, 1), "delay_ticks": (TICK_US, 1), "moderation_rate_hz": (1e6, -1)}
)


def delay_us(factors: Mapping[str, Any]) -> float | None:
    """Return the time of the timer that these levels ask for [µs]; a rate is none."""
    for name, (scale, power) in DELAYS.items():
        level = factors.get(name)
        if power == 1 and isinstance(level, int | float):
            return scale * level
    return None


def _ratio(above: float, below: float) -> float | None:
    return above / below if below else None


def _times(scale: float) -> Callable[[float], float]:
    return lambda value: scale * value


#: What a quantity follows from, and how; None where it does not.
FOLLOWING: Mapping[str, tuple[tuple[str, ...], Callable[..., float | None]]] = MappingProxyType(
    {
        "delay_us": (("delay_ticks",), _times(TICK_US)),
        "moderation_rate_hz": (("delay_us",), lambda delay: _ratio(1e6, delay)),
        "frame_bytes": (("mean_packet_bytes",), _times(1.0)),
        "rx_megabytes": (("rx_bytes",), _times(1e-6)),
        "rx_kilopackets": (("rx_packets",), _times(1e-3)),
        "rx_kilointerrupts": (("rx_interrupts",), _times(1e-3)),
        "packet_fill": (("mean_packet_bytes", "mtu_bytes"), _ratio),
    }
)
