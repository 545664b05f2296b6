# SPDX-License-Identifier: Apache-2.0
"""coalescope policy [NAME] --phase … | --clients N | EXPERIMENT."""

from argparse import Namespace
from contextlib import AbstractContextManager
from typing import Any

from coalescope.cli.output import (
    chosen_levels,
    print_heading,
    print_json,
    print_table,
    printable,
    shown,
)
from coalescope.cli.places import Computing, analysing, computing
from coalescope.client.source import Document, Source
from coalescope.errors import CoalescopeError
from coalescope.policies.schemas import (
    FixedIntervalOut,
    PlayedOut,
    PolicyOut,
    ProposalOut,
    RecordedOut,
    TrialOut,
)
from coalescope.policies.service import get_policy, list_policies
from coalescope.runs.selection import levels_by_factor

_LONGEST_MS = 1e6  # as the API


def run(arguments: Namespace) -> int:
    """List the policies, or try one."""
    if arguments.policy is None:
        _list(arguments)
        return 0
    get_policy(arguments.policy)  # first: whoever mistyped it is not asked for traffic
    question = _question(arguments)
    with _place(arguments) as source:
        found = TrialOut.model_validate(source.policy_trial(question))
    if arguments.json:
        print_json(found)
    else:
        _print(found, arguments.wait_weight)
    return 0


def _place(arguments: Namespace) -> AbstractContextManager[Computing | Source]:
    return computing(arguments) if arguments.experiment is None else analysing(arguments)


def _list(arguments: Namespace) -> None:
    if arguments.phases or arguments.clients is not None:
        raise CoalescopeError(
            "no_policy",
            "No policy is named.",
            advice=f"Name one of {', '.join(policy.name for policy in list_policies())}.",
        )
    with computing(arguments) as source:
        found = [PolicyOut.model_validate(policy) for policy in source.policies()]
    if arguments.json:
        print_json(found)
        return
    for number, policy in enumerate(found):
        if number:
            print()
        print(f"{policy.name}: {policy.title}\n  {policy.summary}\n  {policy.source}")


def _question(arguments: Namespace) -> dict[str, Any]:
    """What is asked, as the API takes it."""
    asked = {
        "policy": arguments.policy,
        "traffic": _traffic(arguments) if arguments.experiment is None else _recorded(arguments),
        "interrupt_cost_us": arguments.interrupt_cost,
        "packet_cost_us": arguments.packet_cost,
        "wait_weight": arguments.wait_weight,
        "seed": arguments.seed,
        "propose": arguments.propose,
    }
    if arguments.intervals:
        asked["intervals_us"] = list(arguments.intervals)
    return asked


def _recorded(arguments: Namespace) -> Document:
    if arguments.phases:
        raise CoalescopeError(
            "two_kinds_of_traffic",
            "--phase and an experiment are two kinds of traffic.",
            advice="Give one of them.",
        )
    return {
        "kind": "recorded",
        "experiment": arguments.experiment,
        "where": levels_by_factor(arguments.where),
        "clients": arguments.clients,
        "spacing": _spacing(arguments),
        "duration_us": _microseconds(arguments.duration),
    }


def _traffic(arguments: Namespace) -> Document:
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
        phases = [
            {
                "duration_us": _microseconds(phase.milliseconds),
                "packet_rate_hz": phase.rate_hz,
                "frame_bytes": phase.size_bytes,
            }
            for phase in arguments.phases
        ]
        return {"kind": "open-loop", "phases": phases, "spacing": _spacing(arguments)}
    if arguments.phases:
        raise CoalescopeError(
            "two_kinds_of_traffic",
            "--phase and --clients are two kinds of traffic.",
            advice="Give one of them.",
        )
    return {
        "kind": "closed-loop",
        "clients": arguments.clients,
        "rtt_min_us": arguments.round_trip,
        "frame_bytes": arguments.frame_bytes,
        "duration_us": _microseconds(arguments.duration),
    }


def _microseconds(milliseconds: float) -> float:
    """Errors: CoalescopeError for longer than the API takes."""
    if milliseconds > _LONGEST_MS:
        raise CoalescopeError(
            "wrong_range",
            f"{milliseconds:g} ms is too long to be played.",
            advice=f"Give a shorter time, of {_LONGEST_MS:.0f} ms at most.",
        )
    return 1e3 * milliseconds


def _spacing(arguments: Namespace) -> str:
    return "random" if arguments.random else "even"


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
