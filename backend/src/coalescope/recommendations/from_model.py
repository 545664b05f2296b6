# SPDX-License-Identifier: Apache-2.0
"""The setting to choose in a model's grid."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod

import numpy as np
from coalescope_models.catalogue import Model
from coalescope_models.inference.recommendation import Recommendation

from coalescope.errors import CoalescopeError, did_you_mean
from coalescope.experiments.records import Factors
from coalescope.predictions.service import check_axes, evaluate_points
from coalescope.recommendations.advice import Advice
from coalescope.recommendations.choosing import (
    choose,
    commands_to_set,
    compared_with,
    has_logarithms,
    shortest_good_enough,
    within_limits,
)
from coalescope.recommendations.question import Question
from coalescope.recommendations.target import check_target
from coalescope.user_models.confinement import Run, here

MOST_SETTINGS = 2_000
_CPU_PER_GB = "system_cpu_s_per_gb"
_NO_CHANCE = (
    "These are a model's predictions, without probabilities: measure the best settings before you "
    "rely on them."
)


def advise_from_model(
    model: Model,
    values: Mapping[str, float],
    over: Mapping[str, Sequence[float]],
    q: Question,
    run: Run = here,
) -> Advice:
    """Choose among a model's predictions over a grid, without probabilities.

    `system_cpu_s_per_gb` follows where the model predicts throughput and CPU in percent.

    Errors: 422 as `predict`; no grid, or too large a one; a measure that it does not predict.
    """
    if q.interface is not None:
        check_target(q.interface, q.driver, q.kernel)
    twice = [name for name in over if name in values]
    if twice:
        raise CoalescopeError(
            "wrong_range",
            f"{twice[0]} is given both a value and levels.",
            where={"field": twice[0]},
            advice="Give one.",
        )
    check_axes(over)
    points = prod(len(levels) for levels in over.values()) if over else 0
    if not 2 <= points <= MOST_SETTINGS:
        raise CoalescopeError(
            "wrong_range",
            f"There are {points} settings to choose from; 2 to {MOST_SETTINGS} are needed.",
            where={"field": "over"},
            advice="Give levels of the inputs that can be chosen, such as delay_us and mtu_bytes.",
        )
    named = {name: level for name, level in q.current.items() if name in over}
    q = replace(q, current=named).at_levels({name: list(own) for name, own in over.items()})
    kept, guards = q.with_guards([output.name for output in model.outputs])
    predicted = _predicted(model, values, over, kept, run)
    grid: dict[Hashable, Factors] = {
        index: dict(zip(over, levels, strict=True))
        for index, levels in enumerate(product(*over.values()))
    }
    among = within_limits(grid, q)
    if not among:
        raise CoalescopeError(
            "wrong_range",
            "No setting keeps the limits.",
            where={"field": "constraints"},
            advice="Loosen one, or give other levels: a limit is on an input that can be chosen.",
        )
    rows = enumerate(zip(*predicted.values(), strict=True))
    told = [index for index, values in rows if index in among or has_logarithms(values)]
    settings: dict[Hashable, Factors] = {index: grid[index] for index in told}
    table = {name: [column[index] for index in told] for name, column in predicted.items()}
    found = choose(table, told, settings, kept, exact=True)
    if kept.asks_for_limit(among.values()):
        found = replace(found, answer=None, choices=())
    reference = compared_with(settings, q)
    return Advice(
        found=_without_chance(found),
        settings=settings,
        enough=shortest_good_enough(found, settings),
        commands=None if found.answer is None else commands_to_set(found.answer, settings, q),
        guards=guards,
        reference=None if found.answer is None else reference,
        reference_means={name: own[[*settings].index(reference)] for name, own in table.items()},
        basis="now" if q.current else "least",
        model=model,
    )


def _predicted(
    model: Model,
    values: Mapping[str, float],
    over: Mapping[str, Sequence[float]],
    q: Question,
    run: Run,
) -> dict[str, list[float]]:
    grid = np.meshgrid(*over.values(), indexing="ij")
    at = {name: axis.ravel() for name, axis in zip(over, grid, strict=True)}
    known = evaluate_points(model, {**values, **at}, run)
    if "throughput_mbps" in known and "system_cpu_percent" in known:
        # percent of a second over 10⁶ bits per second, for 8 × 10⁹ bits
        with np.errstate(all="ignore"):
            cost = 80.0 * known["system_cpu_percent"] / known["throughput_mbps"]
        known.setdefault(_CPU_PER_GB, cost)
    for name in q.measures:
        if name not in known:
            raise CoalescopeError(
                "not_available",
                f"{model.id} does not predict {name[:80]}.",
                where={"measure": name},
                advice=f"{did_you_mean(name, known)}It predicts {', '.join(known)}.",
            )
    return {name: known[name].tolist() for name in q.measures}


def _without_chance(found: Recommendation) -> Recommendation:
    message = _NO_CHANCE if found.best is not None else found.message
    return replace(found, indistinguishable=(), message=message)
