# SPDX-License-Identifier: Apache-2.0
"""coalescope policy [NAME] --phase … | --clients N."""

from argparse import Namespace

from coalescope_models.policies import INTERVALS_US, ClosedLoop, Costs, Phase

from coalescope.cli.output import print_heading, print_json, print_table, shown
from coalescope.errors import CoalescopeError
from coalescope.policies.schemas import PlayedOut, TrialOut, policy_out, trial_out
from coalescope.policies.service import Clients, OpenLoop, Trial, list_policies, try_policy


def run(arguments: Namespace) -> int:
    """List the policies, or try one."""
    if arguments.policy is None:
        _list(arguments)
        return 0
    found = trial_out(try_policy(_trial(arguments)))
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
            advice=f"Name one of {', '.join(known.name for known in list_policies())}.",
        )
    if arguments.json:
        print_json([policy_out(known) for known in list_policies()])
        return
    for number, known in enumerate(list_policies()):
        if number:
            print()
        print(f"{known.name}: {known.title}\n  {known.summary}\n  {known.source}")


def _trial(arguments: Namespace) -> Trial:
    return Trial(
        policy=arguments.policy,
        traffic=_traffic(arguments),
        costs=Costs(arguments.interrupt_cost, arguments.packet_cost),
        wait_weight=arguments.wait_weight,
        intervals_us=tuple(dict.fromkeys(arguments.intervals or INTERVALS_US)),
        seed=arguments.seed,
    )


def _traffic(arguments: Namespace) -> OpenLoop | Clients:
    if arguments.clients is None and not arguments.phases:
        raise CoalescopeError(
            "no_traffic",
            "No traffic is given.",
            advice="Give --phase RATE:BYTES:MS for packets that come whatever the receiver does, "
            "such as --phase 80000:1518:200, or --clients N with --round-trip US for clients that "
            "wait for their reply.",
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
    rows = [
        ("adaptive", *_numbers(found.adaptive), ""),
        *(
            (shown(each.interval_us, 4), *_numbers(each), "best" if k == found.best else "")
            for k, each in enumerate(found.fixed)
        ),
    ]
    print_table((*header, "CPU [µs/packet]", "wait [µs]", "price [µs/packet]", ""), rows)
    print_heading(f"price = CPU + {shown(wait_weight, 4)} × wait, of a packet")


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
