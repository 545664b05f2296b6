# SPDX-License-Identifier: Apache-2.0
"""Trials of policies as the API shows them."""

from collections.abc import Sequence
from typing import Annotated, Literal, Self

from coalescope_models.phenomena.policies import INTERVALS_US, ClosedLoop, Costs, Phase, Run
from pydantic import BaseModel, ConfigDict, Field, model_validator

from coalescope.experiments.schemas import Chosen, Where
from coalescope.policies.recorded import Measured, Recorded
from coalescope.policies.service import Clients, OpenLoop, Outcome, PolicyInfo, Proposal, Simulation
from coalescope.web.whole_numbers import JSON_INTEGER

_SHOWN_CHOICES = 1_000

_Micros = Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)]
_Cost = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]
_Bytes = Annotated[int, Field(ge=1, le=65_536), JSON_INTEGER]


class PolicyOut(BaseModel):
    """A policy that can be tried."""

    name: str
    title: str
    summary: str
    source: str


class PhaseIn(BaseModel):
    """A time of one packet rate."""

    model_config = ConfigDict(extra="forbid", strict=True)

    duration_us: _Micros
    packet_rate_hz: Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)]
    frame_bytes: _Bytes = 1518


class OpenLoopIn(BaseModel):
    """Packets that come whatever the receiver does."""

    model_config = ConfigDict(extra="forbid", strict=True)

    kind: Literal["open-loop"]
    phases: Annotated[list[PhaseIn], Field(min_length=1, max_length=100)]
    spacing: Literal["even", "random"] = Field(
        default="even", description="How packets follow each other; random is Poisson"
    )

    def traffic(self) -> OpenLoop:
        """Return it as the service takes it."""
        return OpenLoop(
            [
                Phase(p.duration_us, p.packet_rate_hz, p.frame_bytes, self.spacing == "random")
                for p in self.phases
            ]
        )


class ClosedLoopIn(BaseModel):
    """Clients that each wait for a reply of one packet before they ask again."""

    model_config = ConfigDict(extra="forbid", strict=True)

    kind: Literal["closed-loop"]
    clients: Annotated[int, Field(ge=1, le=10_000), JSON_INTEGER]
    rtt_min_us: Annotated[float, Field(ge=1, le=1e9, allow_inf_nan=False)] = Field(
        description="From a processed reply to the client's next one, without moderation"
    )
    frame_bytes: _Bytes = 1518
    duration_us: _Micros

    def traffic(self) -> Clients:
        """Return it as the service takes it."""
        loop = ClosedLoop(self.clients, self.frame_bytes, self.rtt_min_us)
        return Clients(loop, self.duration_us)


class RecordedIn(BaseModel):
    """The traffic of an experiment's runs: its packet rate and its mean packet."""

    model_config = ConfigDict(extra="forbid", strict=True)

    kind: Literal["recorded"]
    experiment: Annotated[str, Field(max_length=80)]
    where: Where = Field(default_factory=dict)
    clients: Annotated[int, Field(ge=1, le=10_000), JSON_INTEGER] | None = Field(
        default=None,
        description="Clients that waited for their reply, which is played as one packet; null for "
        "packets that came whatever the receiver did",
    )
    spacing: Literal["even", "random"] = "even"
    duration_us: _Micros = 200_000


class TrialIn(BaseModel):
    """A policy, the traffic to play it over, and what counts."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "examples": [
                {
                    "policy": "dim",
                    "traffic": {
                        "kind": "open-loop",
                        "phases": [
                            {"duration_us": 100_000, "packet_rate_hz": 80_000},
                            {"duration_us": 100_000, "packet_rate_hz": 2_000, "frame_bytes": 128},
                        ],
                    },
                    "interrupt_cost_us": 3.0,
                    "packet_cost_us": 1.5,
                }
            ]
        },
    )

    policy: Annotated[str, Field(max_length=64)] = Field(
        description="Name of a policy, see GET /api/policies"
    )
    traffic: OpenLoopIn | ClosedLoopIn | RecordedIn = Field(discriminator="kind")
    interrupt_cost_us: _Cost = Field(default=3.0, description="CPU time of each interrupt")
    packet_cost_us: _Cost = Field(default=1.5, description="CPU time of each packet")
    wait_weight: Annotated[float, Field(ge=0, le=1000, allow_inf_nan=False)] = Field(
        default=0.1,
        description="What a microsecond that a packet waits for its interrupt is worth in "
        "microseconds of CPU time",
    )
    intervals_us: Annotated[
        list[Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]],
        Field(min_length=1, max_length=50),
    ] = Field(
        default=list(INTERVALS_US),
        description="Fixed intervals to try beside the policy; without them, the delays that the "
        "runs had where traffic is recorded",
    )
    seed: Annotated[int, Field(ge=0, lt=2**53), JSON_INTEGER] = Field(
        default=1, description="Of random spacing; the same seed gives the same packets"
    )

    propose: bool = Field(
        default=False,
        description="Whether to look for a profile of DIM that suits the traffic, where no shipped "
        "one fits",
    )

    @property
    def costs(self) -> Costs:
        """CPU time of the receiver."""
        return Costs(self.interrupt_cost_us, self.packet_cost_us)

    def simulation(self, recorded: Recorded | None = None) -> Simulation:
        """Return it as the service takes it, with what was read of recorded traffic."""
        intervals: Sequence[float] = self.intervals_us
        if isinstance(self.traffic, RecordedIn):
            if recorded is None:
                raise ValueError("recorded traffic must be read first")
            at_random = self.traffic.spacing == "random"
            traffic = recorded.traffic(self.traffic.duration_us, at_random=at_random)
            if "intervals_us" not in self.model_fields_set:
                intervals = recorded.intervals_us or intervals
        else:
            traffic = self.traffic.traffic()
        return Simulation(
            policy=self.policy,
            traffic=traffic,
            costs=self.costs,
            wait_weight=self.wait_weight,
            intervals_us=tuple(dict.fromkeys(intervals)),
            seed=self.seed,
            propose=self.propose,
        )


class PlayedOut(BaseModel):
    """What one setting came to."""

    packet_rate_hz: float
    rx_interrupt_rate_hz: float
    packets_per_interrupt: float
    cpu_us_per_packet: float
    mean_wait_us: float = Field(description="From a packet's arrival to its interrupt")
    price_us: float = Field(description="CPU time per packet, and waiting by its weight")


class MeasuredOut(BaseModel):
    """What an experiment's runs with such a delay counted, on average."""

    n: int = Field(description="Runs")
    packet_rate_hz: float
    rx_interrupt_rate_hz: float
    packets_per_interrupt: float


class FixedIntervalOut(PlayedOut):
    """A fixed interval."""

    interval_us: float
    measured: MeasuredOut | None = Field(
        description="What was counted at this delay; null where nothing was"
    )


class RecordedOut(BaseModel):
    """The traffic of an experiment's runs, as it was played."""

    experiment: str
    where: Chosen
    packet_rate_hz: float = Field(
        description="Mean of the runs; of those with the shortest delay under waiting clients"
    )
    frame_bytes: int = Field(description="Mean packet")
    clients: int | None
    rtt_min_us: float | None = Field(
        description="What gives so many clients that packet rate, without waiting for interrupts"
    )
    uncounted_us: list[float] = Field(
        description="Delays that are left out, as some of their runs do not say how many "
        "interrupts there were"
    )


class ShareOut(BaseModel):
    """How long an interval was set."""

    interval_us: float
    share: float = Field(description="Of the time, 0 to 1")


class ChoiceOut(BaseModel):
    """A change of the interval."""

    t_us: float
    interval_us: float


class WrongLoadOut(BaseModel):
    """What a proposed profile costs under another load than it was made for."""

    load: float = Field(description="As a multiple of the packet rate, or of the clients")
    cost_percent: float = Field(
        description="How much dearer it is than the best of the three fixed intervals that were "
        "cheapest before"
    )
    shipped_cost_percent: float = Field(description="The same of the best shipped profile")


class ShippedProfileOut(BaseModel):
    """What a profile that comes with Linux costs."""

    policy: str
    cost_percent: float = Field(description="Above the best fixed interval; negative: it saves")


class ProposalOut(BaseModel):
    """A profile for this traffic."""

    shipped: list[ShippedProfileOut]
    profile_us: list[int] | None = Field(
        description="Five intervals; null where a shipped profile costs at most 5 % more than the "
        "best fixed interval, or none that was tried is cheaper than those"
    )
    rx_profile: str | None = Field(
        description="The same as `ethtool -C` takes it; n leaves packets and completions as they "
        "are"
    )
    cost_percent: float | None = Field(description="Above the best fixed interval")
    wrong: list[WrongLoadOut] = Field(description="What it costs to be wrong about the load")


class TrialOut(BaseModel):
    """An adaptive policy beside the best fixed interval."""

    policy: PolicyOut
    recorded: RecordedOut | None = Field(description="Null where traffic was given")
    adaptive: PlayedOut
    shares: list[ShareOut] = Field(description="The intervals it chose, the one set longest first")
    choices: list[ChoiceOut] = Field(description=f"Its first changes, at most {_SHOWN_CHOICES}")
    choices_left_out: int
    fixed: list[FixedIntervalOut] = Field(description="By rising interval")
    best: int = Field(description="Place of the cheapest in `fixed`")
    cost_percent: float = Field(
        description="How much dearer adapting is than the best fixed interval; negative: it saves"
    )
    proposal: ProposalOut | None = Field(description="Null where none was asked for")

    @model_validator(mode="after")
    def _best_is_there(self) -> Self:
        """Of a server that is not ours it may be none of them."""
        if not 0 <= self.best < len(self.fixed):
            raise ValueError(f"a place that is none of the {len(self.fixed)} intervals")
        return self


def policy_out(policy: PolicyInfo) -> PolicyOut:
    """That policy as the API shows it."""
    return PolicyOut(
        name=policy.name, title=policy.title, summary=policy.summary, source=policy.source
    )


def trial_out(outcome: Outcome, recorded: Recorded | None = None) -> TrialOut:
    """That outcome as the API shows it, beside what was recorded."""
    counted = {each.delay_us: each for each in recorded.measured} if recorded else {}
    verdict, simulation = outcome.verdict, outcome.simulation
    intervals = sorted(verdict.fixed)
    choices = verdict.adaptive.choices
    return TrialOut(
        policy=policy_out(outcome.policy),
        recorded=_recorded_out(recorded) if recorded else None,
        adaptive=PlayedOut(**_played(verdict.adaptive, verdict.price)),
        shares=[
            ShareOut(interval_us=interval, share=share)
            for interval, share in verdict.adaptive.shares().items()
        ],
        choices=[
            ChoiceOut(t_us=choice.t_us, interval_us=choice.interval_us)
            for choice in choices[:_SHOWN_CHOICES]
        ],
        choices_left_out=max(0, len(choices) - _SHOWN_CHOICES),
        fixed=[
            FixedIntervalOut(
                interval_us=interval,
                measured=_measured_out(counted[interval]) if interval in counted else None,
                **_played(verdict.fixed[interval], simulation.price(verdict.fixed[interval])),
            )
            for interval in intervals
        ],
        best=intervals.index(verdict.best_interval_us),
        cost_percent=verdict.cost_percent,
        proposal=None if outcome.proposal is None else _proposal_out(outcome.proposal),
    )


def _proposal_out(found: Proposal) -> ProposalOut:
    profile = found.profile
    return ProposalOut(
        shipped=[
            ShippedProfileOut(policy=name, cost_percent=percent)
            for name, percent in found.shipped_percent.items()
        ],
        profile_us=None if profile is None else list(profile),
        rx_profile=None if profile is None else "_".join(f"{us},n,n" for us in profile),
        cost_percent=found.profile_percent,
        wrong=[
            WrongLoadOut(
                load=each.load,
                cost_percent=each.profile_percent,
                shipped_cost_percent=each.shipped_percent,
            )
            for each in found.wrong
        ],
    )


def _recorded_out(found: Recorded) -> RecordedOut:
    return RecordedOut(
        experiment=found.experiment.slug,
        where=dict(found.where),
        packet_rate_hz=found.packet_rate_hz,
        frame_bytes=found.frame_bytes,
        clients=found.clients,
        rtt_min_us=found.round_trip_us,
        uncounted_us=list(found.uncounted_us),
    )


def _measured_out(found: Measured) -> MeasuredOut:
    return MeasuredOut(
        n=found.n,
        packet_rate_hz=found.packet_rate_hz,
        rx_interrupt_rate_hz=found.interrupt_rate_hz,
        packets_per_interrupt=found.packet_rate_hz / found.interrupt_rate_hz,
    )


def _played(run: Run, price: float) -> dict[str, float]:
    return {
        "packet_rate_hz": run.packet_rate_hz,
        "rx_interrupt_rate_hz": run.interrupt_rate_hz,
        "packets_per_interrupt": run.packets / run.interrupts if run.interrupts else 0.0,
        "cpu_us_per_packet": run.cpu_us_per_packet,
        "mean_wait_us": run.mean_wait_us,
        "price_us": price,
    }
