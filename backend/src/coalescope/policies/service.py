# SPDX-License-Identifier: Apache-2.0
"""Play an adaptive policy and every fixed interval over the same traffic."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from coalescope_models.phenomena.policies import (
    DIM_RX_COMPLETIONS,
    DIM_RX_EVENTS,
    INTERVALS_US,
    ClosedLoop,
    Costs,
    Dim,
    DynamicThrottle,
    Phase,
    Policy,
    Run,
    Verdict,
    arrivals,
    beside_best_fixed,
    replay,
    simulate,
)

from coalescope.errors import CoalescopeError, did_you_mean, not_found

# of all runs together, each packet in Python: some seconds on one core
_MOST_PACKETS = 2_000_000


@dataclass(frozen=True)
class Known:
    """A policy that can be tried.

    Attributes:
        name: of it in addresses and on the command line.
        title: what a page calls it.
        summary: what it does.
        source: where it is documented.
        make: a new one.

    """

    name: str
    title: str
    summary: str
    source: str
    make: Callable[[], Policy]


_E1000 = "Linux kernel documentation, Intel e1000 and e1000e: InterruptThrottleRate"
_DIM = "Linux kernel documentation, Net DIM; lib/dim"

POLICIES: Mapping[str, Known] = {
    known.name: known
    for known in (
        Known(
            "dynamic-throttle",
            "Dynamic conservative throttle",
            "e1000's default, InterruptThrottleRate=3: 20,000 interrupts a second for traffic that "
            "wants low latency, 4,000 for bulk, by what each interrupt brought.",
            _E1000,
            lambda: DynamicThrottle(3),
        ),
        Known(
            "dynamic-throttle-low-latency",
            "Dynamic throttle",
            "InterruptThrottleRate=1: as the conservative one, with 70,000 interrupts a second for "
            "small packets that come alone.",
            _E1000,
            lambda: DynamicThrottle(1),
        ),
        Known(
            "dim",
            "Linux DIM, from events",
            "Every 64 interrupts it compares rates and climbs through intervals of "
            f"{', '.join(f'{us:g}' for us in DIM_RX_EVENTS)} µs, as `adaptive-rx on` does with "
            "most drivers that have it.",
            _DIM,
            lambda: Dim(DIM_RX_EVENTS),
        ),
        Known(
            "dim-completions",
            "Linux DIM, from completions",
            "The same over "
            f"{', '.join(f'{us:g}' for us in DIM_RX_COMPLETIONS)} µs, where the timer starts with "
            "a packet.",
            _DIM,
            lambda: Dim(DIM_RX_COMPLETIONS),
        ),
    )
}


@dataclass(frozen=True)
class OpenLoop:
    """Packets that come whatever the receiver does: one phase after the other."""

    phases: Sequence[Phase]


@dataclass(frozen=True)
class Clients:
    """Clients that each wait for their reply, and how long they are watched."""

    loop: ClosedLoop
    duration_us: float


@dataclass(frozen=True)
class Trial:
    """What to try.

    Attributes:
        policy: name of it.
        traffic: open or closed loop.
        costs: CPU time of the receiver.
        wait_weight: CPU time that is worth as much as the same time of a packet's waiting.
        intervals_us: fixed intervals to try beside it.
        seed: of packets that come at random.

    """

    policy: str
    traffic: OpenLoop | Clients
    costs: Costs
    wait_weight: float = 0.1
    intervals_us: Sequence[float] = INTERVALS_US
    seed: int = 1

    def price(self, run: Run) -> float:
        """What a packet costs [µs]: CPU time, and waiting as far as it counts."""
        return run.cpu_us_per_packet + self.wait_weight * run.mean_wait_us


@dataclass(frozen=True)
class Outcome:
    """What came of it."""

    trial: Trial
    policy: Known
    verdict: Verdict


def list_policies() -> list[Known]:
    """All that can be tried."""
    return list(POLICIES.values())


def try_policy(trial: Trial) -> Outcome:
    """Play it. Errors: 404 for the policy; 422 for too many packets, or none, or no price."""
    known = POLICIES.get(trial.policy)
    if known is None:
        meant = did_you_mean(trial.policy, POLICIES)
        raise not_found("policy", trial.policy, f"{meant}Policies are {', '.join(POLICIES)}.")
    if not trial.costs.interrupt_us + trial.costs.packet_us > 0.0:
        raise CoalescopeError(
            "no_price",
            "Nothing costs anything, so nothing can be cheaper.",
            where={"field": "interrupt_cost_us"},
            advice="Give what an interrupt and a packet cost.",
        )
    _refuse_too_many(trial)
    verdict = beside_best_fixed(_player(trial), known.make(), trial.price, trial.intervals_us)
    if not verdict.adaptive.packets:
        raise CoalescopeError(
            "no_packets",
            "No packet comes in that time.",
            where={"field": "duration_us"},
            advice="Play a longer time, or a higher rate.",
        )

    return Outcome(trial, known, verdict)


def _player(trial: Trial) -> Callable[[Policy], Run]:
    """What plays a policy over the traffic, which is the same each time."""
    if isinstance(trial.traffic, Clients):
        clients = trial.traffic
        return lambda policy: simulate(policy, clients.loop, trial.costs, clients.duration_us)
    rng = random.Random(trial.seed)  # noqa: S311  packets, not secrets
    packets = list(arrivals(trial.traffic.phases, rng))
    return lambda policy: replay(policy, packets, trial.costs)


def _refuse_too_many(trial: Trial) -> None:
    if isinstance(trial.traffic, Clients):
        loop = trial.traffic.loop
        cycle_us = max(loop.round_trip_us, loop.clients * trial.costs.packet_us)
        expected = loop.clients * (1.0 + trial.traffic.duration_us / cycle_us)
    else:
        expected = sum(phase.packets for phase in trial.traffic.phases)
    most = _MOST_PACKETS // (1 + len(trial.intervals_us))
    if expected > most:
        raise CoalescopeError(
            "too_many_packets",
            f"About {expected:.3g} packets with {len(trial.intervals_us)} fixed intervals take too "
            "long.",
            where={"field": "duration_us"},
            advice=f"Play at most {most} packets: a shorter time, or fewer fixed intervals.",
        )
