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
# runs that a proposal takes, each as long as the trial's own: profiles, shipped ones, wrong loads
_RUNS_OF_A_PROPOSAL = 2 * _MOST_ENDS + 2 + 5 * round(sum(_WRONG_LOADS))


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
class Trial:
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
        load: as a multiple of the trial's.
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

    trial: Trial
    policy: Known
    verdict: Verdict
    proposal: Proposal | None = None


def list_policies() -> list[Known]:
    """All that can be tried."""
    return list(POLICIES.values())


def get_policy(name: str) -> Known:
    """The policy of that name. Errors: 404 naming all."""
    known = POLICIES.get(name)
    if known is None:
        meant = did_you_mean(name, POLICIES)
        raise not_found("policy", name, f"{meant}Policies are {', '.join(POLICIES)}.")
    return known


def try_policy(trial: Trial) -> Outcome:
    """Play it. Errors: 404 for the policy; 422 for too many packets, or none, or no price."""
    known = get_policy(trial.policy)
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
    return Outcome(trial, known, verdict, _proposal(trial, verdict) if trial.propose else None)


def _proposal(trial: Trial, verdict: Verdict) -> Proposal:
    shipped = {name: known.make for name, known in POLICIES.items() if name in _SHIPPED_PROFILES}
    play = _player(trial)

    def percent(policy: Policy) -> float:
        return _percent_above(trial.price(play(policy)), verdict.best_price)

    shipped_percent = {name: percent(make()) for name, make in shipped.items()}
    if min(shipped_percent.values()) <= _FITS_PERCENT:
        return Proposal(shipped_percent)
    by_price = sorted(verdict.fixed, key=lambda interval: trial.price(verdict.fixed[interval]))
    profile = cheapest_profile(play, trial.price, by_price[:_MOST_ENDS])
    profile_percent = percent(Dim(profile))
    if profile_percent >= min(shipped_percent.values()):
        return Proposal(shipped_percent)
    return Proposal(
        shipped_percent,
        profile,
        profile_percent,
        [_under(trial, profile, load, by_price[:_MOST_ENDS]) for load in _WRONG_LOADS],
    )


def _under(trial: Trial, profile: Profile, load: float, intervals_us: Sequence[float]) -> WrongLoad:
    there = replace(trial, traffic=trial.traffic.times(load))
    found = beside_best_fixed(_player(there), Dim(profile), there.price, intervals_us)
    shipped = [there.price(_player(there)(POLICIES[name].make())) for name in _SHIPPED_PROFILES]
    return WrongLoad(load, found.cost_percent, _percent_above(min(shipped), found.best_price))


def _percent_above(price: float, best: float) -> float:
    return 100.0 * (price / best - 1.0)


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
    runs = 1 + len(trial.intervals_us) + (_RUNS_OF_A_PROPOSAL if trial.propose else 0)
    most = _MOST_PACKETS // runs
    if expected > most:
        raise CoalescopeError(
            "too_many_packets",
            f"About {expected:.3g} packets with {len(trial.intervals_us)} fixed intervals take too "
            "long.",
            where={"field": "duration_us"},
            advice=f"Play at most {most} packets: a shorter time, or fewer fixed intervals.",
        )
