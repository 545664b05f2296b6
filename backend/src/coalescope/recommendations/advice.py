# SPDX-License-Identifier: Apache-2.0
"""Which setting to choose: the answer to a question."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from coalescope_models.catalogue import Model
from coalescope_models.inference.recommendation import Constraint, Recommendation

from coalescope.experiments.records import Choice, ExperimentRecord, Factors
from coalescope.recommendations.commands import Commands
from coalescope.recommendations.effects import Effect, Interval
from coalescope.recommendations.equals import Equal
from coalescope.recommendations.guards import Limited

#: What an answer is compared with: what is set now, or of the settings the nearest to it; the
#: default that the data's source names, or the driver's; else the setting in which packets wait
#: least and the MTU is least.
Basis = Literal["now", "default", "driver's default", "least"]


@dataclass(frozen=True)
class Advice:
    """The answer.

    Attributes:
        found: settings, best first; their cells are keys of `settings`.
        settings: levels of each.
        enough: the shortest delay among the settings that are good enough.
        commands: for the answer; None without an interface, or an answer.
        guards: bounds that were kept without being asked for.
        reference: what an answer is compared with; None where there is nothing to compare.
        reference_means: there, of what was asked about.
        basis: why with this one.
        compared: that what is set now was not measured, and what stands for it; None where it was.
        ci95: by measure that was asked about, of each setting's mean.
        effects: the answer against it.
        equals: settings as good as the answer, and better in what was not asked about.
        ask: limits on a wait to choose from, where a cost is all that is known: without one
            there is no answer.
        cautions: what the data set's source warns of, and what would be guarded if every setting
            had it.
        means_of: how many runs each value is the mean of, at least, where a setting has one value
            that is a mean; None elsewhere.
        left_out: runs without a measure that was asked about.
        without: runs that were left out as asked.
        where: levels that the runs were chosen by.
        experiment: whose runs; None for a model.
        model: whose predictions; None for an experiment.

    """

    found: Recommendation
    settings: Mapping[Hashable, Factors]
    enough: Hashable | None
    commands: Commands | None
    guards: Sequence[Constraint] = ()
    reference: Hashable | None = None
    reference_means: Mapping[str, float] = field(default_factory=dict)
    basis: Basis = "least"
    compared: str | None = None
    ci95: Mapping[str, Mapping[Hashable, Interval]] = field(default_factory=dict)
    effects: Sequence[Effect] = ()
    equals: Sequence[Equal] = ()
    ask: Sequence[Limited] = ()
    cautions: Sequence[str] = ()
    means_of: int | None = None
    left_out: int = 0
    without: Sequence[str] = ()
    where: Choice = field(default_factory=dict)
    experiment: ExperimentRecord | None = None
    model: Model | None = None
