# SPDX-License-Identifier: Apache-2.0
"""Which factor moves a measure, and how much is chance.

Standard library only: a copy without a server works it out with this too (copies).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from coalescope_models.inference.statistics import SEQUENCE_NOT_KNOWN
from coalescope_models.inference.statistics.variance import Effect, analyse_variance
from coalescope_models.vocabulary.quantity import Quantity

from coalescope.errors import CoalescopeError, did_you_mean, sentence
from coalescope.experiments.levels import factor_levels
from coalescope.experiments.records import Choice, ExperimentRecord
from coalescope.glossary.quantities import require_measure
from coalescope.runs.chosen import RunSelection, settings_of
from coalescope.runs.records import RunValues
from coalescope.runs.sequence import sequence_of


@dataclass(frozen=True)
class Variance:
    """A two-way analysis of variance.

    Attributes:
        experiment: in the version that was analysed.
        measure: the response.
        where: levels that the runs were chosen by.
        effects: both factors, their interaction, the replicates.
        n: runs.
        left_out: runs without the measure.
        without: runs that were left out as asked.
        message: what limits it.

    """

    experiment: ExperimentRecord
    measure: Quantity
    where: Choice
    effects: Sequence[Effect]
    n: int
    left_out: int
    without: Sequence[str]
    message: str | None


def variance_among(
    experiment: ExperimentRecord, measure: str, factors: tuple[str, str], chosen: RunSelection
) -> Variance:
    """Analyse the variance of a measure of these runs over two factors.

    Errors: 422 for a measure or factor that is not there, for a further factor that varies, and
    where the runs do not carry it: a combination without a run, a factor of one level, no spread.
    """
    quantity = require_measure(measure, experiment.source)
    runs = [run for run in chosen.runs if measure in run.values]
    if not runs:
        raise CoalescopeError(
            "not_available",
            f"No run has {measure}.",
            where={"measure": measure},
            advice="See the experiment's measures.",
        )
    _check_factors(runs, factors)
    try:
        effects = analyse_variance(
            [run.values[measure] for run in runs],
            [str(run.factors[factors[0]]) for run in runs],
            [str(run.factors[factors[1]]) for run in runs],
            factors,
        )
    except ValueError as error:
        raise CoalescopeError(
            "no_variance",
            sentence(str(error)),
            where={"measure": measure, "factors": ", ".join(factors)},
            advice="Choose levels with FACTOR=VALUE, or measure what is missing.",
        ) from None
    single = effects[-1].degrees_of_freedom < 1
    known = sequence_of([run.when for run in runs]).known
    message = (
        "Each setting has one value: the interaction cannot be told from chance, and there is no "
        "test. It takes two runs or more of each setting."
        if single
        else None
        if known
        else SEQUENCE_NOT_KNOWN
    )
    return Variance(
        experiment=experiment,
        measure=quantity,
        where=chosen.where,
        effects=effects,
        n=len(runs),
        left_out=len(chosen.runs) - len(runs),
        without=chosen.without,
        message=message,
    )


def _check_factors(runs: Sequence[RunValues], factors: tuple[str, str]) -> None:
    levels = factor_levels(settings_of(runs).values())
    if factors[0] == factors[1]:
        raise _wrong_factors("Name two different factors.", factors[0], levels)
    for name in factors:
        if name not in levels:
            raise _wrong_factors(f"No run has a factor {name[:80]!r}.", name, levels)
        if any(name not in run.factors for run in runs):
            raise _wrong_factors(f"Not every run has a level of {name[:80]!r}.", name, levels)
    varying = [n for n, own in levels.items() if n not in factors and len(own) > 1]
    if varying:
        shown = "; ".join(f"{name}: {', '.join(map(str, levels[name][:12]))}" for name in varying)
        raise CoalescopeError(
            "factors_vary",
            f"Besides {factors[0]} and {factors[1]}, {', '.join(varying)} vary: their effect would "
            "count as chance.",
            where={"field": varying[0]},
            advice=f"Choose one level of each ({shown}).",
        )


def _wrong_factors(
    message: str, name: str, levels: dict[str, list[int | float | str]]
) -> Exception:
    near = "" if name in levels else did_you_mean(name, levels)
    return CoalescopeError(
        "unknown_factor",
        message,
        where={"field": name},
        advice=f"{near}The factors are {', '.join(levels) or 'none yet'}.",
    )


TWO_FACTORS = r"^\s*[^,\s][^,]*,\s*[^,\s][^,]*$"


def two_factors(text: str) -> tuple[str, str]:
    """Factors from A,B. Errors: 422 unless there are two."""
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(names):
        raise CoalescopeError(
            "two_factors",
            f"{text[:80]!r} does not name two factors.",
            where={"field": "factors"},
            advice="Give them as A,B, such as mtu_bytes,delay_us.",
        )
    return names[0], names[1]


def describe_variance(found: Variance) -> dict[str, Any]:
    """The analysis as the API shows it (VarianceOut)."""
    return {
        "experiment": found.experiment.slug,
        "data_version": found.experiment.data_version,
        "measure": found.measure.name,
        "unit": found.measure.unit,
        "where": dict(found.where),
        "n": found.n,
        "left_out": found.left_out,
        "without": list(found.without),
        "effects": [asdict(effect) for effect in found.effects],
        "message": found.message,
    }
