# SPDX-License-Identifier: Apache-2.0
"""Play an adaptive policy and every fixed interval over the same traffic."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

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
    Profile,
    Run,
    Verdict,
    arrivals,
    beside_best_fixed,
    cheapest_profile,
    replay,
    simulate,
)

from coalescope.errors import CoalescopeError, did_you_mean, not_found

# of all runs together, each packet in Python: some seconds on one core
_MOST_PACKETS = 2_000_000
# a shipped profile fits if it costs no more than this above the best fixed interval
_FITS_PERCENT = 5.0
# intervals that profiles may end at: the cheapest that were tried
_MOST_ENDS = 3
# loads at which a profile that was made for one is wrong, as multiples of it
_WRONG_LOADS = (0.5, 2.0)
# runs of a proposal, each as long as the simulation's own: profiles, shipped ones, wrong loads
_RUNS_OF_A_PROPOSAL = 2 * _MOST_ENDS + 2 + 5 * round(sum(_WRONG_LOADS))


@dataclass(frozen=True)
class PolicyInfo:
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

POLICIES: Mapping[str, PolicyInfo] = {
    policy.name: policy
    for policy in (
        PolicyInfo(
            "dynamic-throttle",
            "Dynamic conservative throttle",
            "e1000's default, InterruptThrottleRate=3: 20,000 interrupts a second for traffic that "
            "wants low latency, 4,000 for bulk, by what each interrupt brought.",
            _E1000,
            lambda: DynamicThrottle(3),
        ),
        PolicyInfo(
            "dynamic-throttle-low-latency",
            "Dynamic throttle",
            "InterruptThrottleRate=1: as the conservative one, with 70,000 interrupts a second for "
            "small packets that come alone.",
            _E1000,
            lambda: DynamicThrottle(1),
        ),
        PolicyInfo(
            "dim",
            "Linux DIM, from events",
            "Every 64 interrupts it compares rates and climbs through intervals of "
            f"{', '.join(f'{us:g}' for us in DIM_RX_EVENTS)} µs, as `adaptive-rx on` does with "
            "most drivers that have it.",
            _DIM,
            lambda: Dim(DIM_RX_EVENTS),
        ),
        PolicyInfo(
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


# those that `adaptive-rx on` steps through unless rx-profile says otherwise
_SHIPPED_PROFILES = ("dim", "dim-completions")


@dataclass(frozen=True)
class OpenLoop:
    """Packets that come whatever the receiver does: one phase after the other."""

    phases: Sequence[Phase]

    def times(self, load: float) -> "OpenLoop":
        """Return it with as many times the packets."""
        return OpenLoop(
            [replace(phase, packet_rate_hz=load * phase.packet_rate_hz) for phase in self.phases]
        )


@dataclass(frozen=True)
class Clients:
    """Clients that each wait for their reply, and how long they are watched."""

    loop: ClosedLoop
    duration_us: float

    def times(self, load: float) -> "Clients":
        """Return it with as many times the clients, one at least."""
        clients = max(1, round(load * self.loop.clients))
        return replace(self, loop=replace(self.loop, clients=clients))


@dataclass(frozen=True)
class Simulation:
    """What to try.

    Attributes:
        policy: name of it.
        traffic: open or closed loop.
        costs: CPU time of the receiver.
        wait_weight: CPU time that is worth as much as the same time of a packet's waiting.
        intervals_us: fixed intervals to try beside it.
        seed: of packets that come at random.
        propose: whether a profile is proposed where no shipped one fits.

    """

    policy: str
    traffic: OpenLoop | Clients
    costs: Costs
    wait_weight: float = 0.1
    intervals_us: Sequence[float] = INTERVALS_US
    seed: int = 1
    propose: bool = False

    def price(self, run: Run) -> float:
        """What a packet costs [µs]: CPU time, and waiting as far as it counts."""
        return run.cpu_us_per_packet + self.wait_weight * run.mean_wait_us


@dataclass(frozen=True)
class WrongLoad:
    """What a proposed profile costs under another load than it was made for.

    Attributes:
        load: as a multiple of the simulation's.
        profile_percent: how much dearer the profile is than the best fixed interval there.
        shipped_percent: the same of the best shipped profile.

    """

    load: float
    profile_percent: float
    shipped_percent: float


@dataclass(frozen=True)
class Proposal:
    """A profile for this traffic, where no shipped one fits.

    Attributes:
        shipped_percent: by the name of a shipped profile, how much dearer it is than the best fixed
            interval; negative where it saves.
        profile: five intervals [µs]; None where a shipped one fits, or none is cheaper than those.
        profile_percent: how much dearer it is than the best fixed interval; None likewise.
        wrong: what it costs under other loads.

    """

    shipped_percent: Mapping[str, float]
    profile: Profile | None = None
    profile_percent: float | None = None
    wrong: Sequence[WrongLoad] = ()


@dataclass(frozen=True)
class Outcome:
    """What came of it; a proposal where one was asked for."""

    simulation: Simulation
    policy: PolicyInfo
    verdict: Verdict
    proposal: Proposal | None = None


def list_policies() -> list[PolicyInfo]:
    """All that can be tried."""
    return list(POLICIES.values())


def get_policy(name: str) -> PolicyInfo:
    """The policy of that name. Errors: 404 naming all."""
    policy = POLICIES.get(name)
    if policy is None:
        meant = did_you_mean(name, POLICIES)
        raise not_found("policy", name, f"{meant}Policies are {', '.join(POLICIES)}.")
    return policy


def simulate_policy(simulation: Simulation) -> Outcome:
    """Play it. Errors: 404 for the policy; 422 for too many packets, or none, or no price."""
    policy = get_policy(simulation.policy)
    if not simulation.costs.interrupt_us + simulation.costs.packet_us > 0.0:
        raise CoalescopeError(
            "no_price",
            "Nothing costs anything, so nothing can be cheaper.",
            where={"field": "interrupt_cost_us"},
            advice="Give what an interrupt and a packet cost.",
        )
    _refuse_too_many(simulation)
    verdict = beside_best_fixed(
        _player(simulation), policy.make(), simulation.price, simulation.intervals_us
    )
    if not verdict.adaptive.packets:
        raise CoalescopeError(
            "no_packets",
            "No packet comes in that time.",
            where={"field": "duration_us"},
            advice="Play a longer time, or a higher rate.",
        )
    return Outcome(
        simulation, policy, verdict, _proposal(simulation, verdict) if simulation.propose else None
    )


def _proposal(simulation: Simulation, verdict: Verdict) -> Proposal:
    shipped = {name: policy.make for name, policy in POLICIES.items() if name in _SHIPPED_PROFILES}
    play = _player(simulation)

    def percent(policy: Policy) -> float:
        return _percent_above(simulation.price(play(policy)), verdict.best_price)

    shipped_percent = {name: percent(make()) for name, make in shipped.items()}
    if min(shipped_percent.values()) <= _FITS_PERCENT:
        return Proposal(shipped_percent)
    by_price = sorted(verdict.fixed, key=lambda interval: simulation.price(verdict.fixed[interval]))
    profile = cheapest_profile(play, simulation.price, by_price[:_MOST_ENDS])
    profile_percent = percent(Dim(profile))
    if profile_percent >= min(shipped_percent.values()):
        return Proposal(shipped_percent)
    return Proposal(
        shipped_percent,
        profile,
        profile_percent,
        [_under(simulation, profile, load, by_price[:_MOST_ENDS]) for load in _WRONG_LOADS],
    )


def _under(
    simulation: Simulation, profile: Profile, load: float, intervals_us: Sequence[float]
) -> WrongLoad:
    there = replace(simulation, traffic=simulation.traffic.times(load))
    found = beside_best_fixed(_player(there), Dim(profile), there.price, intervals_us)
    shipped = [there.price(_player(there)(POLICIES[name].make())) for name in _SHIPPED_PROFILES]
    return WrongLoad(load, found.cost_percent, _percent_above(min(shipped), found.best_price))


def _percent_above(price: float, best: float) -> float:
    return 100.0 * (price / best - 1.0)


def _player(simulation: Simulation) -> Callable[[Policy], Run]:
    """What plays a policy over the traffic, which is the same each time."""
    if isinstance(simulation.traffic, Clients):
        clients = simulation.traffic
        return lambda policy: simulate(policy, clients.loop, simulation.costs, clients.duration_us)
    rng = random.Random(simulation.seed)  # noqa: S311  packets, not secrets
    packets = list(arrivals(simulation.traffic.phases, rng))
    return lambda policy: replay(policy, packets, simulation.costs)


def _refuse_too_many(simulation: Simulation) -> None:
    if isinstance(simulation.traffic, Clients):
        loop = simulation.traffic.loop
        cycle_us = max(loop.round_trip_us, loop.clients * simulation.costs.packet_us)
        expected = loop.clients * (1.0 + simulation.traffic.duration_us / cycle_us)
    else:
        expected = sum(phase.packets for phase in simulation.traffic.phases)
    runs = 1 + len(simulation.intervals_us) + (_RUNS_OF_A_PROPOSAL if simulation.propose else 0)
    most = _MOST_PACKETS // runs
    if expected > most:
        raise CoalescopeError(
            "too_many_packets",
            f"About {expected:.3g} packets with {len(simulation.intervals_us)} fixed intervals "
            "take too long.",
            where={"field": "duration_us"},
            advice=f"Play at most {most} packets: a shorter time, or fewer fixed intervals.",
        )
