# SPDX-License-Identifier: Apache-2.0
"""What happens, what a policy is, and what a run of one comes to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol


class Arrival(NamedTuple):
    """A packet: when it is in memory [µs], and its bytes."""

    t_us: float
    size_bytes: int


class Interrupt(NamedTuple):
    """One interrupt: when [µs], and the packets and bytes that it brought."""

    t_us: float
    packets: int
    size_bytes: int


class Choice(NamedTuple):
    """From when on [µs] which interval [µs] between interrupts was set."""

    t_us: float
    interval_us: float


class Policy(Protocol):
    """Chooses the shortest interval between interrupts; a new object for each run."""

    def start_us(self) -> float:
        """Return the interval before anything is known."""

    def after(self, interrupt: Interrupt) -> float:
        """Return the interval from this interrupt on."""


@dataclass(frozen=True)
class Fixed:
    """The same interval always.

    Attributes:
        interval_us: between interrupts.
    """

    interval_us: float

    def start_us(self) -> float:
        """Return the interval."""
        return self.interval_us

    def after(self, interrupt: Interrupt) -> float:
        """Return the interval."""
        return self.interval_us


@dataclass(frozen=True)
class Costs:
    """CPU time of the receiver.

    Attributes:
        interrupt_us: of each interrupt.
        packet_us: of each packet.
    """

    interrupt_us: float
    packet_us: float

    def of(self, interrupts: int, packets: int) -> float:
        """CPU time [µs]."""
        return interrupts * self.interrupt_us + packets * self.packet_us


@dataclass(frozen=True)
class Run:
    """What a policy did.

    Attributes:
        choices: each change of the interval.
        elapsed_us: from the start to the last interrupt.
        interrupts: how many.
        packets: how many they brought.
        cpu_us: CPU time that receiving took.
        mean_wait_us: from a packet's arrival to its interrupt.
    """

    choices: tuple[Choice, ...]
    elapsed_us: float
    interrupts: int
    packets: int
    cpu_us: float
    mean_wait_us: float

    def shares(self) -> dict[float, float]:
        """Return the share of the time for which each interval [µs] was set, longest first."""
        ends = [*(choice.t_us for choice in self.choices[1:]), self.elapsed_us]
        spent: dict[float, float] = {}
        for choice, end_us in zip(self.choices, ends, strict=True):
            spent[choice.interval_us] = spent.get(choice.interval_us, 0.0) + end_us - choice.t_us
        whole = self.elapsed_us or 1.0
        return {i: t / whole for i, t in sorted(spent.items(), key=lambda item: -item[1])}

    @property
    def packet_rate_hz(self) -> float:
        """Packets per second."""
        return 1e6 * self.packets / self.elapsed_us if self.elapsed_us else 0.0

    @property
    def interrupt_rate_hz(self) -> float:
        """Interrupts per second."""
        return 1e6 * self.interrupts / self.elapsed_us if self.elapsed_us else 0.0

    @property
    def cpu_us_per_packet(self) -> float:
        """CPU time of a packet [µs]."""
        return self.cpu_us / self.packets if self.packets else 0.0
