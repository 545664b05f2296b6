# SPDX-License-Identifier: Apache-2.0
"""Recommendations as the API shows them."""

from dataclasses import asdict
from typing import Self

from pydantic import BaseModel, Field, model_validator

from coalescope.experiments.schemas import Chosen, Level
from coalescope.recommendations.advice import Advice, Basis
from coalescope.recommendations.commands import Commands, carries_over
from coalescope.recommendations.guards import dear
from coalescope.recommendations.schemas import ConstraintIn


class CandidateOut(BaseModel):
    """What is known of one setting."""

    factors: dict[str, Level]
    n: int = Field(description="Runs")
    means: dict[str, float] = Field(description="Of what was asked about")
    ci95: dict[str, tuple[float, float] | None] = Field(
        description="Of these means; null where replicates do not tell it"
    )
    loss_percent: float = Field(
        description="How far its score lies below the best's, in percent of it"
    )
    gain_percent: float = Field(
        description="How much of what choosing can gain it gains, from the worst to the best"
    )
    allowed: bool = Field(description="Whether its means keep the bounds")
    surely_allowed: bool | None = Field(
        description="Whether it keeps the bounds so surely that it may be set. Null where chance "
        "is not known"
    )
    resolved: bool = Field(description="Whether the data can tell it from the best")
    runs_to_resolve: int | None = Field(
        description="How many runs of it, and of the best, would tell them apart in four of five "
        "tries; null where they are told apart, and where it is more than anybody would measure"
    )


class MeasureChangeOut(BaseModel):
    """What the answer changes in a measure."""

    measure: str
    reference: float = Field(description="Mean at the setting that it is compared with")
    answer: float
    reference_ci95: tuple[float, float] | None
    answer_ci95: tuple[float, float] | None
    change: float = Field(description="Of the mean, in the measure's unit")
    change_percent: float | None = Field(description="Null where the reference is 0")
    ci95_percent: tuple[float, float] | None
    gain: bool | None = Field(
        description="Whether it is for the better; null where, of so many measures, it may be "
        "chance (Holm's correction, 5 %)"
    )
    reason: str | None = Field(
        description="Why the interval is made of blocks, sessions or rounds, or absent for how the "
        "runs were recorded, or that it is not known when they were"
    )


class EqualOut(BaseModel):
    """A setting as good as the answer, and better in what was not asked about."""

    place: int = Field(description="In `candidates`")
    effects: list[MeasureChangeOut] = Field(
        description="What is better there, by a tenth or more and not by chance, against the answer"
    )


class LimitedOut(BaseModel):
    """A limit on a wait that could be asked for."""

    factor: str
    at_most: float
    factors: dict[str, Level] | None = Field(description="What the answer would be, if any")
    effects: list[MeasureChangeOut] = Field(description="What it would change")


class FileOut(BaseModel):
    """A file to write."""

    path: str
    text: str
    executable: bool


class FormOut(BaseModel):
    """What keeps the setting after a restart, on one kind of system."""

    name: str
    title: str
    files: list[FileOut] = Field(description="To write, all of each")
    activate: list[str] = Field(description="Commands, as root, with which it holds at once")
    notes: list[str]


class CommandsOut(BaseModel):
    """What to run as root for the best setting."""

    apply: list[str] = Field(
        description="One block for a shell: it refuses, or sets everything and reads it back, or "
        "puts everything back. Empty where `refused` says why"
    )
    back: list[str] = Field(description="The way back, in any shell")
    refused: list[str] = Field(
        description="Why nothing can be set, with the nearest values that the driver takes"
    )
    forms: list[FormOut] = Field(description="To keep it after a restart")
    notes: list[str]
    carries_over: str = Field(
        description="What of the answer holds on the machine that these commands are for"
    )


class RecommendationOut(BaseModel):
    """The setting to choose; numbers are places in `candidates`."""

    answer: int | None = Field(
        description="What to set: of `choices` the one that changes least. Null where the data are "
        "not enough to choose"
    )
    choices: list[int] = Field(
        description="Settings that keep every bound with 99 %, and of which no other that keeps "
        "them is better by more than the tolerance, with 95 % for each other"
    )
    guards: list[ConstraintIn] = Field(description="Bounds that were kept without being asked for")
    reference: dict[str, Level] | None = Field(description="What the answer is compared with")
    reference_means: dict[str, float] = Field(
        description="Of what was asked about, there: bounds against what is set now refer to them"
    )
    basis: Basis = Field(description="Why it is compared with that one")
    effects: list[MeasureChangeOut] = Field(description="What the answer changes against it")
    equals: list[EqualOut] = Field(
        description="Of `choices`, those that are better than the answer in what was not asked "
        "about, such as CPU time where throughput is wanted"
    )
    ask: list[LimitedOut] = Field(
        description="Limits on the delay to choose from: where only a cost is known, there is no "
        "answer without one"
    )
    cautions: list[str] = Field(
        description="What the data's source warns of, and what would be guarded if every setting "
        "had it"
    )

    experiment: str | None
    data_version: int | None
    model: str | None = Field(
        description="Whose predictions these are; null where the answer is of the runs of each "
        "setting, with no model in it"
    )
    where: Chosen
    means_of: int | None = Field(
        description="How many runs the one value of each setting is the mean of, at least; null "
        "where settings have single runs, or several values"
    )
    costs: list[str] = Field(
        description="What is not asked about and gets twice as bad or worse: what can be a goal, "
        "or is lost"
    )
    left_out: int = Field(description="Runs without a measure that was asked about")
    without: list[str] = Field(description="Current runs that were left out as asked")
    best: int | None = Field(description="Null where no setting keeps the bounds")
    enough: int | None = Field(
        description="The shortest delay among the settings that lose no more than the tolerance"
    )
    candidates: list[CandidateOut] = Field(description="The best first; those not allowed last")
    indistinguishable: list[int]
    good_enough: list[int]
    tolerance_percent: float = Field(description="The loss that does not matter")
    frontier: list[int] = Field(
        description="Settings that no other beats in every aim, by falling first aim"
    )
    message: str | None = Field(description="What limits the answer, and what to measure")
    commands: CommandsOut | None

    @model_validator(mode="after")
    def _places_are_there(self) -> Self:
        """A server that is not ours may have others, and other means of each."""
        if len({frozenset(candidate.means) for candidate in self.candidates}) != 1:
            raise ValueError("candidates with means of different measures, or none")
        lists = (self.choices, self.indistinguishable, self.good_enough, self.frontier)
        named = [place for places in lists for place in places]
        alone = (self.answer, self.best, self.enough)
        named += [place for place in alone if place is not None]
        named += [each.place for each in self.equals]
        if not all(0 <= place < len(self.candidates) for place in named):
            raise ValueError(f"a place that is none of the {len(self.candidates)} candidates")
        return self


def recommendation_out(advice: Advice) -> RecommendationOut:
    """That recommendation as the API shows it."""
    found, experiment = advice.found, advice.experiment
    place = {candidate.cell: index for index, candidate in enumerate(found.candidates)}
    return RecommendationOut(
        answer=None if found.answer is None else place[found.answer],
        choices=[place[cell] for cell in found.choices],
        guards=[
            ConstraintIn(measure=g.measure, limit=g.limit, value=g.value) for g in advice.guards
        ],
        reference=None if advice.reference is None else dict(advice.settings[advice.reference]),
        reference_means=dict(advice.reference_means),
        basis=advice.basis,
        effects=[MeasureChangeOut(**asdict(effect)) for effect in advice.effects],
        equals=[
            EqualOut(
                place=place[each.cell],
                effects=[MeasureChangeOut(**asdict(effect)) for effect in each.effects],
            )
            for each in advice.equals
        ],
        ask=[
            LimitedOut(
                factor=each.factor,
                at_most=each.at_most,
                factors=None if each.answer is None else dict(advice.settings[each.answer]),
                effects=[MeasureChangeOut(**asdict(effect)) for effect in each.effects],
            )
            for each in advice.ask
        ],
        cautions=list(advice.cautions),
        experiment=None if experiment is None else experiment.slug,
        data_version=None if experiment is None else experiment.data_version,
        model=None if advice.model is None else advice.model.id,
        where=dict(advice.where),
        means_of=advice.means_of,
        costs=dear(advice.effects, found.candidates[0].means),
        left_out=advice.left_out,
        without=list(advice.without),
        best=None if found.best is None else place[found.best],
        enough=None if advice.enough is None else place[advice.enough],
        candidates=[
            CandidateOut(
                factors=dict(advice.settings[candidate.cell]),
                n=candidate.n,
                means=dict(candidate.means),
                ci95={name: known.get(candidate.cell) for name, known in advice.ci95.items()},
                loss_percent=candidate.loss_percent,
                gain_percent=candidate.gain_percent,
                allowed=candidate.allowed,
                surely_allowed=candidate.surely_allowed,
                resolved=candidate.resolved,
                runs_to_resolve=candidate.runs_to_resolve,
            )
            for candidate in found.candidates
        ],
        indistinguishable=[place[cell] for cell in found.indistinguishable],
        good_enough=[place[cell] for cell in found.good_enough],
        tolerance_percent=100.0 * found.tolerance,
        frontier=[place[cell] for cell in found.frontier],
        message=" ".join(filter(None, (found.note, advice.compared, found.message))) or None,
        commands=None if advice.commands is None else _commands_out(advice, advice.commands),
    )


def _commands_out(advice: Advice, commands: Commands) -> CommandsOut:
    kind = "predicted" if advice.experiment is None else advice.experiment.kind
    return CommandsOut(**asdict(commands), carries_over=carries_over(kind))
