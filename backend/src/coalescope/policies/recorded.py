# SPDX-License-Identifier: Apache-2.0
"""The traffic that an experiment recorded, to play policies over."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from coalescope_models.phenomena.policies import ClosedLoop, Costs, Phase
from coalescope_models.vocabulary.following import delay_us
from sqlalchemy.engine import Connection

from coalescope.errors import CoalescopeError
from coalescope.experiments.records import Choice, ExperimentRecord
from coalescope.policies.service import Clients, OpenLoop
from coalescope.runs.records import RunValues
from coalescope.runs.selection import refuse_mixed, select_runs

_MEASURES = (
    "elapsed_s",
    "rx_packets",
    "rx_bytes",
    "rx_interrupt_rate_hz",
    "packets_per_interrupt",
    "mean_packet_bytes",
    "throughput_mbps",
)
# what the traffic is: it is recorded, and not tried
_TRAFFIC = ("workload", "mtu_bytes", "frame_bytes", "streams", "packet_rate_hz")
# rates that differ by more follow the delay: somebody waits for replies, or for acknowledgements
_MOST_SPREAD = 1.1


@dataclass(frozen=True)
class Measured:
    """What runs with one delay counted, on average.

    Attributes:
        delay_us: that was set.
        n: runs.
        packet_rate_hz: received packets per second.
        interrupt_rate_hz: receive interrupts per second.

    """

    delay_us: float
    n: int
    packet_rate_hz: float
    interrupt_rate_hz: float


@dataclass(frozen=True)
class Recorded:
    """Traffic of an experiment.

    Attributes:
        experiment: whose it is.
        where: levels that its runs were chosen by.
        packet_rate_hz: received packets per second; of the shortest delay under waiting clients.
        frame_bytes: mean packet.
        clients: that wait for their replies; None for packets that come whatever happens.
        round_trip_us: from a processed reply to a client's next one; None likewise.
        measured: what was counted at each delay, by rising delay; empty where no delay is a factor.
        uncounted_us: delays that are not among them, as some of their runs do not say how many
            interrupts there were.

    """

    experiment: ExperimentRecord
    where: Choice
    packet_rate_hz: float
    frame_bytes: int
    clients: int | None
    round_trip_us: float | None
    measured: Sequence[Measured]
    uncounted_us: Sequence[float]

    @property
    def intervals_us(self) -> tuple[float, ...]:
        """The delays that were measured."""
        return tuple(dict.fromkeys(each.delay_us for each in self.measured))

    def traffic(self, duration_us: float, *, at_random: bool) -> OpenLoop | Clients:
        """Return it as the service plays it."""
        if self.clients is None or self.round_trip_us is None:
            return OpenLoop([Phase(duration_us, self.packet_rate_hz, self.frame_bytes, at_random)])
        return Clients(ClosedLoop(self.clients, self.frame_bytes, self.round_trip_us), duration_us)


def read_traffic(
    connection: Connection,
    experiment: ExperimentRecord,
    where: Sequence[tuple[str, str]],
    clients: int | None,
    costs: Costs,
) -> Recorded:
    """Read what an experiment received, as one stream or as so many waiting clients.

    A stream has the mean packet rate of all runs. Waiting clients have the round trip that gives
    the rate at the shortest delay, after the CPU time of its packets and interrupts.

    Errors: 422 as `select_runs`; runs of different traffic; none with a packet rate; a rate that
    follows the delay without `clients`; clients that leave no time for a round trip.
    """
    chosen = select_runs(connection, experiment, _MEASURES, where)
    refuse_mixed(chosen.runs, _TRAFFIC, ": that is not one traffic")
    rated = [run for run in chosen.runs if _rate(run) and _size(run)]
    if not rated:
        raise CoalescopeError(
            "not_available",
            "No run says how many packets came in a second, and how long they were.",
            where={"measure": "rx_packets"},
            advice="Record rx_packets, rx_bytes and elapsed_s, or type the traffic in.",
        )
    size = round(fmean(_size(run) for run in rated))
    measured, uncounted_us = _by_delay(rated)
    rate = fmean(_rate(run) for run in rated)
    round_trip_us = None
    if clients is None:
        _refuse_rate_that_follows(measured)
    else:
        shortest = measured[0] if measured else None
        rate = shortest.packet_rate_hz if shortest else rate
        round_trip_us = _round_trip_us(clients, rate, shortest, costs)
    return Recorded(
        experiment, chosen.where, rate, size, clients, round_trip_us, measured, uncounted_us
    )


def _refuse_rate_that_follows(measured: Sequence[Measured]) -> None:
    rates = [each.packet_rate_hz for each in measured]
    if rates and max(rates) > _MOST_SPREAD * min(rates):
        raise CoalescopeError(
            "rate_follows_delay",
            f"The packet rate goes from {min(rates):.0f} to {max(rates):.0f}/s with the delay: "
            "the senders wait for the receiver.",
            where={"field": "clients"},
            advice="Say how many clients wait for their reply, or choose one delay, whose stream "
            "is then played as it came.",
        )


def _round_trip_us(clients: int, rate: float, shortest: Measured | None, costs: Costs) -> float:
    interrupts = shortest.interrupt_rate_hz / rate if shortest else 1.0
    round_trip_us = 1e6 * clients / rate - costs.packet_us - costs.interrupt_us * interrupts
    if round_trip_us < 1.0:
        raise CoalescopeError(
            "no_round_trip",
            f"{clients} waiting clients that get {rate:.0f} packets a second leave no time for a "
            "round trip.",
            where={"field": "clients"},
            advice="Give more clients, or lower costs.",
        )
    return round_trip_us


def _by_delay(runs: Sequence[RunValues]) -> tuple[list[Measured], list[float]]:
    """Return what each delay counted, and the delays with runs that do not say."""
    groups: dict[float, list[RunValues]] = {}
    for run in runs:
        delay = delay_us(run.factors)
        if delay is not None:
            groups.setdefault(delay, []).append(run)
    counted = {
        delay: group
        for delay, group in sorted(groups.items())
        if all(_interrupt_rate(run) for run in group)
    }
    measured = [
        Measured(
            delay,
            len(group),
            fmean(_rate(run) for run in group),
            fmean(_interrupt_rate(run) for run in group),
        )
        for delay, group in counted.items()
    ]
    return measured, sorted(groups.keys() - counted.keys())


def _rate(run: RunValues) -> float:
    """Received packets per second; 0 where the run does not say."""
    found = run.values
    if "rx_packets" in found and found.get("elapsed_s"):
        return found["rx_packets"] / found["elapsed_s"]
    if "rx_interrupt_rate_hz" in found and "packets_per_interrupt" in found:
        return found["rx_interrupt_rate_hz"] * found["packets_per_interrupt"]
    if "throughput_mbps" in found and found.get("mean_packet_bytes"):
        return 1e6 * found["throughput_mbps"] / (8.0 * found["mean_packet_bytes"])
    return 0.0


def _size(run: RunValues) -> float:
    """Bytes of a packet; 0 where the run does not say."""
    found: Mapping[str, float] = run.values
    if "mean_packet_bytes" in found:
        return found["mean_packet_bytes"]
    if "rx_bytes" in found and found.get("rx_packets"):
        return found["rx_bytes"] / found["rx_packets"]
    return 0.0


def _interrupt_rate(run: RunValues) -> float:
    """Receive interrupts per second; 0 where the run does not say."""
    found = run.values
    if "rx_interrupt_rate_hz" in found:
        return found["rx_interrupt_rate_hz"]
    if found.get("packets_per_interrupt"):
        return _rate(run) / found["packets_per_interrupt"]
    return 0.0
