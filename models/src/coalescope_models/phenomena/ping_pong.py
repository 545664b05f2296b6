# SPDX-License-Identifier: Apache-2.0
"""One request after the other beside a throttle: the round trip takes up the throttle's period."""

from __future__ import annotations

from typing import Any


def ping_pong_throttle(
    delay_us: Any, base_latency_us: Any, moderated_hosts: Any, xp: Any
) -> dict[str, Any]:
    """Return the round trip of a request that is sent when the reply to the one before is there.

    The interrupt of a reply starts both the next request and the time D in which the throttle holds
    the next interrupt back. Without moderation the reply would be there L_0 later. What comes of it
    depends on what the throttle counts from; each is an output:

    - D from the last interrupt (Intel I210 datasheet, figure 7-15), on an interrupt of its own:
      max(L_0, D), on one host or on both.
    - The same, but the interrupt also tells of what was sent, which comes soon after the request
      and so waits for D. A reply that is there by then comes with it; a later one waits anew:
      D up to L_0 = D, max(L_0, 2 D) beyond.
    - A clock that runs on its own, on one host: the next tick after the reply, D⌈L_0/D⌉.
    - The same with requests at moments that have nothing to do with it, on h hosts: half a period
      each on average, L_0 + h D/2. This is the ping of Dillon 2004.

    The formulas are this project's own.

    Source:
        This project's own derivation, of the rules of the Intel I210 datasheet, figure 7-15
        [intel_i210], and of Dillon 2004 [dillon_2004].

    Args:
        delay_us: D, the throttle's period [µs].
        base_latency_us: L_0, round trip without moderation [µs].
        moderated_hosts: h, hosts on the round trip that moderate, for the last of the four.
        xp: array namespace.

    Returns:
        latency_us; shared_interrupt_latency_us; ticking_latency_us; unlocked_latency_us [µs].
    """
    periods = xp.ceil(base_latency_us / xp.maximum(delay_us, 1e-300))
    return {
        "latency_us": xp.maximum(base_latency_us, delay_us),
        "shared_interrupt_latency_us": xp.where(
            base_latency_us <= delay_us,
            delay_us,
            xp.maximum(base_latency_us, 2.0 * delay_us),
        ),
        "ticking_latency_us": xp.where(delay_us > 0.0, delay_us * periods, base_latency_us),
        "unlocked_latency_us": base_latency_us + 0.5 * moderated_hosts * delay_us,
    }
