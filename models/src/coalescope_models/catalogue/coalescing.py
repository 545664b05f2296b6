# SPDX-License-Identifier: Apache-2.0
"""Models of the rules that devices and Linux have today: throttles, timers, counts and deferral.

Their formulas are this project's own; what they cite are the rules, and theorems.
"""

from __future__ import annotations

from types import MappingProxyType

from ..phenomena.coalescing import (
    first_packet_timer_poisson,
    throttle_poisson,
    usecs_or_frames_back_to_back,
    usecs_or_frames_poisson,
)
from ..phenomena.ping_pong import ping_pong_throttle
from ..phenomena.software_deferral import deferred_interrupts, suspended_interrupts
from ..vocabulary.sources import SOURCES
from .model import Model, Plane, quantities, slider

_OWN = "Renewal theory, this project's own derivation"
_THROTTLE = f"{SOURCES['intel_i210']}, figure 7-15 (the rule)"
_USECS = f"{SOURCES['linux_ethtool']}, “time_since_first_completion” (the rule)"
_QUEUES = slider("queues", 1.0, 1.0, 64.0, 1.0)
_RATE_UP = MappingProxyType({"delay_us": "x", "packet_rate_hz": "y"})
_DELAY_BY_RATE = Plane("delay_us", "packet_rate_hz")
_TIMEOUT_BY_RATE = Plane("gro_flush_timeout_us", "packet_rate_hz")
_TIMEOUT_RIGHT = MappingProxyType({"gro_flush_timeout_us": "x", "packet_rate_hz": "y"})
_COUNTS = ("packets_per_interrupt", "rx_interrupt_rate_hz", "interrupt_gap_us")
_PERCENTILES = tuple(f"added_latency_{name}_us" for name in ("p50", "p90", "p99", "p999"))
_AT_RANDOM = (
    "Packets come at random (Poisson) at a constant rate, and are spread evenly over the queues.",
    "Handling an interrupt takes no time; the ring is never full.",
)
_BURSTS = (
    "Traffic in bursts has more packets per interrupt, and evenly spaced packets keep step with "
    "a timer: neither is in it."
)
_BUSY = (
    "While a driver polls (NAPI), its interrupt is masked: near saturation there are fewer "
    "interrupts than this says."
)

MODELS = (
    Model(
        id="throttle-poisson",
        title="A throttle, packets at random",
        summary="Interrupts, and how long packets wait for them, where interrupts are at least a "
        "delay apart and packets come at random.",
        use="To choose rx-usecs of a device that spaces interrupts (Intel's ITR): what it saves "
        "in interrupts and costs in the mean and the percentiles of latency.",
        assumptions=(
            *_AT_RANDOM,
            "The time counts from the last interrupt; once it is over, the next packet interrupts "
            "at once.",
        ),
        limits=(
            _BURSTS,
            _BUSY,
            "A device whose clock runs on holds a lone packet back, too: half a delay on average "
            "(Dillon 2004).",
            "Percentiles are 0 up to the share of packets that do not wait: a bend there.",
            "Completions of sent packets start the throttle, too, and the model has none: on a "
            "fast sender with 2 to 30 µs (data set nic-tuning-2022) packets per interrupt are "
            "39 to 70 % off, and the interrupt rate 28 to 41 %.",
        ),
        function=throttle_poisson,
        inputs=quantities("delay_us", "packet_rate_hz"),
        parameters=(_QUEUES,),
        outputs=quantities(*_COUNTS, "added_latency_us", *_PERCENTILES),
        named=("interrupt_gap_us",),
        citation=f"{_OWN}; {_THROTTLE}",
        plane=_DELAY_BY_RATE,
        axes=_RATE_UP,
    ),
    Model(
        id="first-packet-timer-poisson",
        title="A timer from the first packet, packets at random",
        summary="Interrupts, and how long packets wait for them, where the first packet starts a "
        "timer and packets come at random.",
        use="To choose rx-usecs of a device that counts from the first packet: what it saves in "
        "interrupts and costs in the mean and the percentiles of latency.",
        assumptions=(
            *_AT_RANDOM,
            "The timer starts with the first packet and is not started anew by others.",
        ),
        limits=(
            _BURSTS,
            _BUSY,
            "A frame under way when the timer ends does not belong to its interrupt here; on the "
            "82540EM of the 2005 study it does.",
            "Percentiles end at the delay: a bend there. A lone packet always waits for all of it.",
        ),
        function=first_packet_timer_poisson,
        inputs=quantities("delay_us", "packet_rate_hz"),
        parameters=(_QUEUES,),
        outputs=quantities(*_COUNTS, "added_latency_us", *_PERCENTILES),
        named=("interrupt_gap_us",),
        citation=f"{_OWN}; {_USECS}",
        plane=_DELAY_BY_RATE,
        axes=_RATE_UP,
    ),
    Model(
        id="usecs-or-frames-poisson",
        title="A timer or a count of frames, packets at random",
        summary="Interrupts and the mean wait where a timer from the first packet or a number of "
        "frames interrupts, whichever comes first, and packets come at random.",
        use="To choose rx-usecs and rx-frames together: which of them ends the wait at which "
        "packet rate.",
        assumptions=(
            *_AT_RANDOM,
            "The timer starts with the first packet; the last of N frames interrupts at once.",
        ),
        limits=(
            "Packets per interrupt are within 0.2 % of the exact sum, the mean wait within 0.6 %, "
            "and percentiles within 1 % of the delay: the Poisson distribution is approximated. "
            "usecs_or_frames_wait_us of the Python package computes percentiles exactly.",
            "Drivers differ in whether both settings count at once: calibrate before trusting it.",
            _BURSTS,
            _BUSY,
        ),
        function=usecs_or_frames_poisson,
        inputs=quantities("delay_us", "packet_rate_hz"),
        parameters=(slider("rx_frames", 64.0, 1.0, 256.0, 1.0), _QUEUES),
        outputs=quantities(*_COUNTS, "added_latency_us", *_PERCENTILES),
        named=("packets_per_interrupt",),
        citation=(
            f"{_OWN}; {_USECS}; {SOURCES['wilson_1931']}, and {SOURCES['bowling_2009']} "
            "(approximation of the Poisson distribution)"
        ),
        plane=_DELAY_BY_RATE,
        axes=_RATE_UP,
    ),
    Model(
        id="usecs-or-frames-back-to-back",
        title="A timer or a count of frames, packets back to back",
        summary="Interrupts, and how long packets wait for them, where a timer from the first "
        "packet or a number of frames interrupts, on a saturated link.",
        use="To see which of rx-usecs and rx-frames counts on a full link, and what it costs in "
        "latency.",
        assumptions=(
            "Full packets come back to back, evenly spaced, on one queue.",
            "Handling an interrupt takes no time; the ring is never full.",
            "The timer starts with the first packet; the last of N frames interrupts at once.",
        ),
        limits=(
            "It has a step wherever one more packet fits into the delay.",
            "A frame under way when the timer ends does not belong to its interrupt here; on the "
            "82540EM of the 2005 study it does (timer-packets-per-interrupt).",
            _BUSY,
        ),
        function=usecs_or_frames_back_to_back,
        inputs=quantities("delay_us", "mtu_bytes"),
        parameters=(
            slider("rx_frames", 64.0, 1.0, 256.0, 1.0),
            slider("link_rate_mbps", 100000.0, 1000.0, 800000.0, 1000.0),
        ),
        outputs=quantities(*_COUNTS, "added_latency_us", *_PERCENTILES),
        named=("packets_per_interrupt",),
        citation=f"Counting, this project's own derivation; {_USECS}",
        plane=Plane("delay_us", "mtu_bytes"),
        axes=MappingProxyType({"delay_us": "x", "mtu_bytes": "y"}),
    ),
    Model(
        id="deferred-interrupts",
        title="Interrupts that Linux defers",
        summary="Interrupts, polls and waits where a timer polls again before the interrupt is "
        "unmasked (gro_flush_timeout, napi_defer_hard_irqs).",
        use="To choose gro_flush_timeout and napi_defer_hard_irqs: from which packet rate on "
        "timers take the place of interrupts, and what packets wait.",
        assumptions=(
            *_AT_RANDOM,
            "Polls take no time and find all that has come; the device itself delays nothing.",
        ),
        limits=(
            "What a poll itself takes is left out: at high rates polls are further apart than the "
            "timer.",
            "Percentiles are 0 up to the share of packets that do not wait: a bend there.",
            _BURSTS,
        ),
        function=deferred_interrupts,
        inputs=quantities("gro_flush_timeout_us", "packet_rate_hz"),
        parameters=(slider("napi_defer_hard_irqs", 2.0, 0.0, 10.0, 1.0), _QUEUES),
        outputs=quantities(
            "rx_interrupt_rate_hz",
            "timer_poll_rate_hz",
            "packets_per_poll",
            "interrupt_share",
            "added_latency_us",
            *_PERCENTILES,
        ),
        citation=f"{_OWN}; {SOURCES['linux_napi']}, section “Software IRQ coalescing” (the rule)",
        plane=_TIMEOUT_BY_RATE,
        axes=_TIMEOUT_RIGHT,
    ),
    Model(
        id="suspended-interrupts",
        title="Interrupts that busy polls suspend",
        summary="Which of three loops hands packets up, interrupt, timer or application, where "
        "the application polls for as long as it finds packets (irq_suspend_timeout).",
        use="To see at which load preferred busy polling takes over from timers and interrupts, "
        "and what waits the timers leave.",
        assumptions=(
            "Packets come at random (Poisson) at a constant rate, and are spread evenly over the "
            "queues.",
            "Each takes the application the same time; irq_suspend_timeout is longer than the "
            "application needs for what one poll finds.",
            "Polls take no time, and the device itself delays nothing.",
        ),
        limits=(
            "The wait is what moderation adds: the queue of a busy application comes on top, and "
            "percentiles of both together are less than their sum.",
            "Percentiles are 0 up to the share of packets that do not wait: a bend there.",
            "With irq_suspend_timeout too short, timers and the application compete: not in it.",
            "From the rate on that the application cannot follow, busy polls take all: a bend. The "
            "queue grows without end there, and what moderation adds to its wait is not known.",
        ),
        function=suspended_interrupts,
        inputs=quantities("gro_flush_timeout_us", "packet_rate_hz"),
        parameters=(
            slider("napi_defer_hard_irqs", 2.0, 0.0, 10.0, 1.0),
            slider("packet_cost_us", 2.0, 0.0, 100.0, 0.01),
            _QUEUES,
        ),
        outputs=quantities(
            "rx_interrupt_rate_hz",
            "timer_poll_rate_hz",
            "interrupt_share",
            "timer_share",
            "busy_poll_share",
            "added_latency_us",
            *_PERCENTILES,
        ),
        citation=(
            f"{_OWN}; {SOURCES['linux_napi']}, sections “Software IRQ coalescing” and “IRQ "
            f"mitigation” (the rules); {SOURCES['fuhrmann_1985']} (the wait)"
        ),
        plane=_TIMEOUT_BY_RATE,
        axes=_TIMEOUT_RIGHT,
    ),
    Model(
        id="ping-pong-throttle",
        title="One request at a time beside a throttle",
        summary="The round trip of requests that each wait for the reply to the one before, where "
        "interrupts are held to a period: it takes up the period.",
        use="To see from which delay on request and response wait for the throttle, and why a "
        "ping once a second says something else.",
        assumptions=(
            "One request is under way, every round trip without moderation takes the same, and "
            "nothing else uses the interrupt.",
            "Where an interrupt tells of what was sent, too, that comes before the throttle's "
            "time is over.",
        ),
        limits=(
            "With the interrupt shared the round trip jumps from one period to two where it "
            "exceeds the period; with a clock of its own, at each multiple.",
            "A round trip that varies by more than a period is not locked: then the random "
            "moments are nearer.",
        ),
        function=ping_pong_throttle,
        inputs=quantities("delay_us"),
        parameters=(
            slider("base_latency_us", 57.0, 1.0, 1000.0, 1.0),
            slider("moderated_hosts", 2.0, 0.0, 2.0, 0.1),
        ),
        outputs=quantities(
            "latency_us",
            "shared_interrupt_latency_us",
            "ticking_latency_us",
            "unlocked_latency_us",
        ),
        citation=(
            f"Counting, this project's own derivation; {_THROTTLE}; {SOURCES['dillon_2004']} "
            "(random moments)"
        ),
        notes=(
            "At random moments it gives what moderation-trade does of Dillon's pings: 67, 90 and "
            "182 µs where 61, 78 and 176 were measured.",
        ),
    ),
)
