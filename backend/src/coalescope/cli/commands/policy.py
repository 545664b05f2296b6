# SPDX-License-Identifier: Apache-2.0
"""coalescope policy [NAME] --phase … | --clients N | EXPERIMENT."""

from argparse import Namespace

from coalescope_models.phenomena.policies import INTERVALS_US, ClosedLoop, Costs, Phase

from coalescope.cli.local_store import local_store
from coalescope.cli.output import (
    chosen_levels,
    print_heading,
    print_json,
    print_table,
    printable,
    shown,
)
from coalescope.errors import CoalescopeError
from coalescope.experiments.service import get_experiment
from coalescope.policies.recorded import Recorded, read_traffic
from coalescope.policies.schemas import (
    FixedIntervalOut,
    PlayedOut,
    ProposalOut,
    RecordedOut,
    TrialOut,
    policy_out,
    trial_out,
)
from coalescope.policies.service import (
    Clients,
    OpenLoop,
    Simulation,
    get_policy,
    list_policies,
    simulate_policy,
)


def run(arguments: Namespace) -> int:
    """List the policies, or try one."""
    if arguments.policy is None:
        _list(arguments)
        return 0
    get_policy(arguments.policy)  # first: whoever mistyped it is not asked for traffic
    recorded = None if arguments.experiment is None else _recorded(arguments)
    found = trial_out(simulate_policy(_simulation(arguments, recorded)), recorded)
    if arguments.json:
        print_json(found)
    else:
        _print(found, arguments.wait_weight)
    return 0


def _list(arguments: Namespace) -> None:
    if arguments.phases or arguments.clients is not None:
        raise CoalescopeError(
            "no_policy",
            "No policy is named.",
            advice=f"Name one of {', '.join(policy.name for policy in list_policies())}.",
        )
    if arguments.json:
        print_json([policy_out(policy) for policy in list_policies()])
        return
    for number, policy in enumerate(list_policies()):
        if number:
            print()
        print(f"{policy.name}: {policy.title}\n  {policy.summary}\n  {policy.source}")


def _recorded(arguments: Namespace) -> Recorded:
    if arguments.phases:
        raise CoalescopeError(
            "two_kinds_of_traffic",
            "--phase and an experiment are two kinds of traffic.",
            advice="Give one of them.",
        )
    with local_store(arguments) as store, store.database.read() as connection:
        experiment = get_experiment(connection, arguments.experiment)
        return read_traffic(
            connection, experiment, arguments.where, arguments.clients, _costs(arguments)
        )


def _costs(arguments: Namespace) -> Costs:
    return Costs(arguments.interrupt_cost, arguments.packet_cost)


def _simulation(arguments: Namespace, recorded: Recorded | None) -> Simulation:
    measured = recorded.intervals_us if recorded else ()
    return Simulation(
        policy=arguments.policy,
        traffic=_traffic(arguments)
        if recorded is None
        else recorded.traffic(1e3 * arguments.duration, at_random=arguments.random),
        costs=_costs(arguments),
        wait_weight=arguments.wait_weight,
        intervals_us=tuple(dict.fromkeys(arguments.intervals or measured or INTERVALS_US)),
        seed=arguments.seed,
        propose=arguments.propose,
    )


def _traffic(arguments: Namespace) -> OpenLoop | Clients:
    if arguments.where:
        raise CoalescopeError(
            "no_experiment",
            "--where chooses runs of an experiment, and none is named.",
            advice="Name one after the policy.",
        )
    if arguments.clients is None and not arguments.phases:
        raise CoalescopeError(
            "no_traffic",
            "No traffic is given.",
            advice="Give --phase RATE:BYTES:MS for packets that come whatever the receiver does, "
            "such as --phase 80000:1518:200, or --clients N with --round-trip US for clients that "
            "wait for their reply; or name an experiment, whose traffic is played.",
        )
    if arguments.clients is None:
        return OpenLoop(
            [
                Phase(1e3 * phase.milliseconds, phase.rate_hz, phase.size_bytes, arguments.random)
                for phase in arguments.phases
            ]
        )
    if arguments.phases:
        raise CoalescopeError(
            "two_kinds_of_traffic",
            "--phase and --clients are two kinds of traffic.",
            advice="Give one of them.",
        )
    loop = ClosedLoop(arguments.clients, arguments.frame_bytes, arguments.round_trip)
    return Clients(loop, 1e3 * arguments.duration)


def _print(found: TrialOut, wait_weight: float) -> None:
    print(f"{found.policy.title} ({found.policy.name}), simulated")
    if found.recorded is not None:
        print(_traffic_of(found.recorded))
        _print_uncounted(found.recorded)
    best = found.fixed[found.best]
    chosen = ", ".join(
        f"{shown(part.interval_us, 4)} µs for {100 * part.share:.0f} % of the time"
        for part in found.shares[:4]
    )
    more = len(found.shares) - 4
    print(f"It sets {chosen}{f', and {more} others' if more > 0 else ''}")
    changes = len(found.choices) + found.choices_left_out - 1
    print(f"and changes its mind {changes} {'time' if changes == 1 else 'times'}.")
    dearer = "dearer" if found.cost_percent >= 0 else "cheaper"
    print(
        f"That is {abs(found.cost_percent):.3g} % {dearer} than the best fixed interval, "
        f"{shown(best.interval_us, 4)} µs."
    )
    print()
    header = ("interval [µs]", "packets/s", "interrupts/s", "packets per interrupt")
    counted = any(each.measured for each in found.fixed)
    rows = [
        ("adaptive", *_numbers(found.adaptive), *[""] * counted, ""),
        *(
            (
                shown(each.interval_us, 4),
                *_numbers(each),
                *[_counted(each)] * counted,
                "best" if k == found.best else "",
            )
            for k, each in enumerate(found.fixed)
        ),
    ]
    prices = ("CPU [µs/packet]", "wait [µs]", "price [µs/packet]")
    print_table((*header, *prices, *["measured packets per interrupt"] * counted, ""), rows)
    print_heading(f"price = CPU + {shown(wait_weight, 4)} × wait, of a packet")
    if found.proposal is not None:
        _print_proposal(found.proposal)


def _print_proposal(found: ProposalOut) -> None:
    """Print a profile for the traffic, or why there is none."""
    shipped = ", ".join(f"{each.policy} {_dearer(each.cost_percent)}" for each in found.shipped)
    print_heading(f"Shipped profiles, against the best fixed interval: {shipped}.")
    if found.profile_us is None or found.cost_percent is None:
        print("No other profile is proposed: one of these fits, or none that was tried is cheaper.")
        return
    levels = ", ".join(map(str, found.profile_us))
    print(f"Proposed: {levels} µs, {_dearer(found.cost_percent)}.")
    for wrong in found.wrong:
        print(
            f"With {shown(wrong.load, 2)} times the load: {_dearer(wrong.cost_percent)}, the best "
            f"shipped profile {_dearer(wrong.shipped_cost_percent)}."
        )
    print(f"ethtool -C INTERFACE rx-profile {found.rx_profile}")


def _dearer(percent: float) -> str:
    return f"{abs(percent):.3g} % {'dearer' if percent >= 0 else 'cheaper'}"


def _traffic_of(found: RecordedOut) -> str:
    chosen = ", ".join(chosen_levels(found.where))
    rate = f"{found.packet_rate_hz:.0f} packets/s of {found.frame_bytes} bytes"
    waiting = (
        ""
        if found.rtt_min_us is None
        else f", as replies of one packet to {found.clients} waiting clients with a round trip of "
        f"{found.rtt_min_us:.0f} µs"
    )
    return (
        f"Traffic of {printable(found.experiment)}{f' ({printable(chosen)})' if chosen else ''}: "
        f"{rate}{waiting}"
    )


def _print_uncounted(found: RecordedOut) -> None:
    if found.uncounted_us:
        delays = ", ".join(shown(delay_us, 4) for delay_us in found.uncounted_us)
        print(
            f"Left out: delays of {delays} µs, as some of their runs do not say how many "
            "interrupts there were. Record rx_interrupts, or name them with --intervals."
        )


def _counted(run: FixedIntervalOut) -> str:
    return "" if run.measured is None else shown(run.measured.packets_per_interrupt, 4)


def _numbers(run: PlayedOut) -> tuple[str, ...]:
    values = (
        run.packet_rate_hz,
        run.rx_interrupt_rate_hz,
        run.packets_per_interrupt,
        run.cpu_us_per_packet,
        run.mean_wait_us,
        run.price_us,
    )
    return tuple(f"{value:.0f}" if value >= 1000.0 else shown(value, 4) for value in values)
