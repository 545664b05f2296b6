# SPDX-License-Identifier: Apache-2.0
"""What MTU and interrupt coalescing do to a host: formulas, models and fits.

The formulas take numbers or numpy arrays::

    from coalescope_models import packet_gap_us
    packet_gap_us(1500, 1000.0)  # 12.304

A name is imported when it is first asked for: who needs one formula waits for no other, and the
page's Python has no numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .catalogue import MODELS, Model, evaluate
    from .inference.fitting import FitResult, fit_linear, fit_nonlinear
    from .inference.recommendation import recommend
    from .phenomena.bus import bus_bound
    from .phenomena.coalescing import (
        first_packet_timer_poisson,
        throttle_poisson,
        usecs_or_frames_back_to_back,
        usecs_or_frames_poisson,
        usecs_or_frames_wait_us,
    )
    from .phenomena.cpu_overhead import (
        cpu_overhead,
        cpu_overhead_open_loop,
        cpu_overhead_surface,
    )
    from .phenomena.host_costs import end_system_costs
    from .phenomena.idle_states import receive_energy, wake_up_latency
    from .phenomena.interrupt_load import coalesced_interrupt_load, interrupt_livelock
    from .phenomena.interrupts import (
        mean_rate_packets_per_interrupt,
        moderated_packets_per_interrupt,
        timer_packets_per_interrupt,
    )
    from .phenomena.link import frame_rate_hz, link_bound, packet_gap_us
    from .phenomena.merging import receive_merging
    from .phenomena.moderation import moderation_trade
    from .phenomena.napi import napi_receive
    from .phenomena.ping_pong import ping_pong_throttle
    from .phenomena.queue_imbalance import expected_busiest, queue_imbalance
    from .phenomena.receive_buffers import receive_buffers
    from .phenomena.receive_path import open_loop, windowed
    from .phenomena.request_response import request_response
    from .phenomena.software_deferral import deferred_interrupts, suspended_interrupts
    from .phenomena.tcp_throughput import (
        padhye_packet_rate_hz,
        tcp_coalescing_throughput,
        tcp_lossy_throughput,
    )
    from .vocabulary.quantity import QUANTITIES, Quantity

#: Where each name stands.
_HOMES = {
    "FitResult": "inference.fitting",
    "MODELS": "catalogue",
    "Model": "catalogue",
    "QUANTITIES": "vocabulary.quantity",
    "Quantity": "vocabulary.quantity",
    "bus_bound": "phenomena.bus",
    "coalesced_interrupt_load": "phenomena.interrupt_load",
    "cpu_overhead": "phenomena.cpu_overhead",
    "cpu_overhead_open_loop": "phenomena.cpu_overhead",
    "cpu_overhead_surface": "phenomena.cpu_overhead",
    "deferred_interrupts": "phenomena.software_deferral",
    "end_system_costs": "phenomena.host_costs",
    "evaluate": "catalogue",
    "expected_busiest": "phenomena.queue_imbalance",
    "first_packet_timer_poisson": "phenomena.coalescing",
    "fit_linear": "inference.fitting",
    "fit_nonlinear": "inference.fitting",
    "frame_rate_hz": "phenomena.link",
    "interrupt_livelock": "phenomena.interrupt_load",
    "link_bound": "phenomena.link",
    "mean_rate_packets_per_interrupt": "phenomena.interrupts",
    "moderated_packets_per_interrupt": "phenomena.interrupts",
    "moderation_trade": "phenomena.moderation",
    "napi_receive": "phenomena.napi",
    "open_loop": "phenomena.receive_path",
    "packet_gap_us": "phenomena.link",
    "padhye_packet_rate_hz": "phenomena.tcp_throughput",
    "ping_pong_throttle": "phenomena.ping_pong",
    "queue_imbalance": "phenomena.queue_imbalance",
    "receive_buffers": "phenomena.receive_buffers",
    "receive_energy": "phenomena.idle_states",
    "receive_merging": "phenomena.merging",
    "recommend": "inference.recommendation",
    "request_response": "phenomena.request_response",
    "suspended_interrupts": "phenomena.software_deferral",
    "tcp_coalescing_throughput": "phenomena.tcp_throughput",
    "tcp_lossy_throughput": "phenomena.tcp_throughput",
    "throttle_poisson": "phenomena.coalescing",
    "timer_packets_per_interrupt": "phenomena.interrupts",
    "usecs_or_frames_back_to_back": "phenomena.coalescing",
    "usecs_or_frames_poisson": "phenomena.coalescing",
    "usecs_or_frames_wait_us": "phenomena.coalescing",
    "wake_up_latency": "phenomena.idle_states",
    "windowed": "phenomena.receive_path",
}

__all__ = [
    "MODELS",
    "QUANTITIES",
    "FitResult",
    "Model",
    "Quantity",
    "bus_bound",
    "coalesced_interrupt_load",
    "cpu_overhead",
    "cpu_overhead_open_loop",
    "cpu_overhead_surface",
    "deferred_interrupts",
    "end_system_costs",
    "evaluate",
    "expected_busiest",
    "first_packet_timer_poisson",
    "fit_linear",
    "fit_nonlinear",
    "frame_rate_hz",
    "interrupt_livelock",
    "link_bound",
    "mean_rate_packets_per_interrupt",
    "moderated_packets_per_interrupt",
    "moderation_trade",
    "napi_receive",
    "open_loop",
    "packet_gap_us",
    "padhye_packet_rate_hz",
    "ping_pong_throttle",
    "queue_imbalance",
    "receive_buffers",
    "receive_energy",
    "receive_merging",
    "recommend",
    "request_response",
    "suspended_interrupts",
    "tcp_coalescing_throughput",
    "tcp_lossy_throughput",
    "throttle_poisson",
    "timer_packets_per_interrupt",
    "usecs_or_frames_back_to_back",
    "usecs_or_frames_poisson",
    "usecs_or_frames_wait_us",
    "wake_up_latency",
    "windowed",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
