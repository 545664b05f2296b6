# SPDX-License-Identifier: Apache-2.0
"""Run a policy over arrivals that do not wait, or over clients that do.

The device bounds the rate: an interrupt comes with the first packet, but never sooner after the
last one than the interval that is set. It brings all that has arrived.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

from .events import Arrival, Choice, Costs, Interrupt, Policy, Run


@dataclass(frozen=True)
class ClosedLoop:
    """Clients that each have one request under way.

    Attributes:
        clients: how many.
        reply_bytes: of each reply, one packet.
        round_trip_us: from the end of its processing to the arrival of a client's next reply.
    """

    clients: int
    reply_bytes: int
    round_trip_us: float


class _Record:
    """Counts what a policy does."""

    def __init__(self, policy: Policy) -> None:
        self.interval_us = policy.start_us()
        self._policy = policy
        self._choices = [Choice(0.0, self.interval_us)]
        self._interrupts = self._packets = 0
        self._waited_us = self._last_us = 0.0

    def earliest_us(self) -> float:
        """When the device may interrupt next."""
        return self._last_us + self.interval_us if self._interrupts else 0.0

    def note(self, t_us: float, brought: list[Arrival]) -> None:
        """Count an interrupt and ask the policy."""
        self._interrupts += 1
        self._packets += len(brought)
        self._waited_us += sum(t_us - arrival.t_us for arrival in brought)
        self._last_us = t_us
        size = sum(arrival.size_bytes for arrival in brought)
        interval_us = self._policy.after(Interrupt(t_us, len(brought), size))
        if interval_us != self.interval_us:
            self.interval_us = interval_us
            self._choices.append(Choice(t_us, interval_us))

    def run(self, costs: Costs) -> Run:
        """What it came to."""
        return Run(
            choices=tuple(self._choices),
            elapsed_us=self._last_us,
            interrupts=self._interrupts,
            packets=self._packets,
            cpu_us=costs.of(self._interrupts, self._packets),
            mean_wait_us=self._waited_us / self._packets if self._packets else 0.0,
        )


def replay(policy: Policy, arrivals: Iterable[Arrival], costs: Costs) -> Run:
    """Run a policy over packets that come whatever it does.

    Args:
        policy: a new one; it is used up.
        arrivals: by rising time.
        costs: of the receiver.

    Raises:
        ValueError: a packet arrives before the one before it.
    """
    record = _Record(policy)
    waiting: list[Arrival] = []
    due_us = 0.0
    for arrival in arrivals:
        if waiting and arrival.t_us < waiting[-1].t_us:
            raise ValueError("arrivals must come by rising time")
        if waiting and arrival.t_us > due_us:
            record.note(due_us, waiting)
            waiting = []
        if not waiting:
            due_us = max(arrival.t_us, record.earliest_us())
        waiting.append(arrival)
    if waiting:
        record.note(due_us, waiting)
    return record.run(costs)


def simulate(policy: Policy, loop: ClosedLoop, costs: Costs, duration_us: float) -> Run:
    """Run a policy under clients that send their next request when their reply was processed.

    Replies that one interrupt brings are processed one after the other, and the next interrupt is
    served when they are done.

    Args:
        policy: a new one; it is used up.
        loop: the clients; they start evenly spread over a round trip.
        costs: of the receiver.
        duration_us: when it ends.
    """
    record = _Record(policy)
    spread_us = loop.round_trip_us / max(loop.clients, 1)
    arriving = [k * spread_us for k in range(loop.clients)]
    heapq.heapify(arriving)
    idle_from_us = 0.0
    while arriving:
        t_us = max(arriving[0], record.earliest_us(), idle_from_us)
        if t_us > duration_us:
            break
        brought = []
        while arriving and arriving[0] <= t_us:
            brought.append(Arrival(heapq.heappop(arriving), loop.reply_bytes))
        record.note(t_us, brought)
        idle_from_us = t_us + costs.interrupt_us
        for _ in brought:
            idle_from_us += costs.packet_us
            heapq.heappush(arriving, idle_from_us + loop.round_trip_us)
    return record.run(costs)
