# SPDX-License-Identifier: Apache-2.0
"""What is wanted of a setting."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from coalescope_host.tuning.losses import LOSSES
from coalescope_models.inference.recommendation import Aim, Constraint, Goal, Limit, Sense
from coalescope_models.vocabulary.quantity import QUANTITIES, Quantity

from coalescope.errors import CoalescopeError, did_you_mean
from coalescope.experiments.levels import read_level
from coalescope.experiments.records import Factors, FactorValue
from coalescope.glossary.quantities import factor as factor_of
from coalescope.glossary.quantities import is_free_factor
from coalescope.glossary.quantities import measure as measure_of
from coalescope.recommendations.guards import default_guards, is_unguarded, share_of_unknown_work

#: What can be a goal.
AIMED = tuple(n for n, q in QUANTITIES.items() if q.role == "measure" and q.aim is not None)


@dataclass(frozen=True)
class Question:
    """What is wanted.

    Attributes:
        aims: at least one.
        goal: what they are worth together.
        constraints: bounds to keep, on measures and on factors.
        guarded: whether throughput, latency and losses that were measured are guarded where the
            question says nothing.
        current: levels that are set now; what the answer is compared with.
        tolerance_percent: a loss that does not matter; None for what suits the goal.
        seed: of the draws behind probabilities.
        interface: to write commands for; None for no commands.
        driver: of the interface.
        kernel: that it runs, as `uname -r` shows it; None: the newest that drivers are known of.

    """

    aims: Sequence[Aim]
    goal: Goal = "trade"
    constraints: Sequence[Constraint] = ()
    guarded: bool = True
    current: Factors = field(default_factory=dict)
    tolerance_percent: float | None = None
    seed: int = 1
    interface: str | None = None
    driver: str | None = None
    kernel: str | None = None

    @property
    def limits(self) -> list[Constraint]:
        """Bounds on factors."""
        return [c for c in self.constraints if _is_factor(c.measure)]

    @property
    def bounds(self) -> list[Constraint]:
        """Bounds on measures, losses aside."""
        return [c for c in self._on_measures if c.measure not in LOSSES]

    @property
    def on_losses(self) -> list[Constraint]:
        """Bounds on what is lost."""
        return [c for c in self._on_measures if c.measure in LOSSES]

    @property
    def _on_measures(self) -> list[Constraint]:
        return [c for c in self.constraints if not _is_factor(c.measure)]

    def at_levels(self, levels: Mapping[str, list[FactorValue]]) -> "Question":
        """The same, with what is set now in the factors' own levels.

        Errors: 422 for an unknown factor.
        """
        current = {
            name: read_level(name, str(level), levels) for name, level in self.current.items()
        }
        return replace(self, current=current)

    def with_guards(self, measured: Sequence[str]) -> tuple["Question", Sequence[Constraint]]:
        """The same, with what is guarded where it says nothing; and these guards."""
        guards = default_guards(self.aims, self.constraints, measured) if self.guarded else []
        return replace(self, constraints=[*self.constraints, *guards]), guards

    def asks_for_limit(self, settings: Collection[Factors]) -> bool:
        """Whether a limit on a wait is to be said, as nothing else bounds a cost."""
        return self.guarded and is_unguarded(self.aims, self.constraints, settings)

    def share_of_unknown_work(self, measured: Sequence[str]) -> str | None:
        """A share of time that is aimed at, where nothing says what was done in that time."""
        if not self.guarded:
            return None
        return share_of_unknown_work(self.aims, self.constraints, measured)

    @property
    def measures(self) -> list[str]:
        """Everything that is asked about."""
        named = [*(aim.measure for aim in self.aims), *(c.measure for c in self._on_measures)]
        return list(dict.fromkeys(named))


def aim(measure: str, sense: Sense | None = None, weight: float = 1.0) -> Aim:
    """An aim; without a sense, the direction that the glossary calls better.

    Errors: 422 where neither is, or for an unknown quantity.
    """
    quantity = quantity_of(measure)
    better = None if quantity is None else sense or quantity.better
    if better is None:
        raise CoalescopeError(
            "no_better",
            f"Neither more nor less {measure[:80]} is better as such."
            if quantity
            else f"{measure[:80]!r} is not a quantity.",
            where={"measure": measure},
            advice="Say whether more or less of it is wanted."
            if quantity
            else f"{did_you_mean(measure, QUANTITIES)}The glossary lists all quantities.",
        )
    return Aim(measure, better, weight)


def constraint(measure: str, limit: Limit, value: float) -> Constraint:
    """A bound on a measure or a factor. Errors: 422 for an unknown quantity."""
    quantity = quantity_of(measure)
    if quantity is None and not is_free_factor(measure):
        raise CoalescopeError(
            "no_such_measure",
            f"{measure[:80]!r} is not a quantity.",
            where={"measure": measure},
            advice=f"{did_you_mean(measure, QUANTITIES)}The glossary lists all quantities; a "
            "factor of one's own is factor.NAME.",
        )
    better = None if quantity is None or _is_factor(measure) else quantity.better
    most = 100 if limit == "within" or better == "more" else 10_000
    if limit.startswith("within") and not (better and 0 < value < most):
        raise CoalescopeError(
            "wrong_range",
            f"{measure} {limit} {value:g} % is no bound.",
            where={"measure": measure},
            advice=f"Give 0 to {most} percent, of a measure of which more or less is better.",
        )
    return Constraint(measure, limit, value, better or "more")


def quantity_of(name: str) -> Quantity | None:
    """What a name of the vocabulary means, or of an answer's own measures; None: nothing."""
    return QUANTITIES.get(name) or measure_of(name)


def _is_factor(name: str) -> bool:
    return factor_of(name) is not None or is_free_factor(name)
