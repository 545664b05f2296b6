# SPDX-License-Identifier: Apache-2.0
"""Which settings a bound surely excludes, by their own runs."""

import numpy as np
import pytest
from coalescope_models.inference.recommendation import Constraint
from coalescope_models.inference.recommendation.contenders import contenders
from coalescope_models.inference.recommendation.scatter import scatter_of

#: The last is 10 % slower, the one before it 1.5 %.
SPEEDS = np.array([*[1000.0] * 14, 985.0, 900.0])
BOUNDS = [
    (Constraint("speed", "within", 1.0, "more"), SPEEDS),
    (Constraint("speed", "within current", 1.0, "more"), SPEEDS),
    (Constraint("speed", "at least", 990.0), SPEEDS),
    (Constraint("speed", "at most", 1 / 990.0), 1.0 / SPEEDS),
    (Constraint("speed", "within", 1.0, "less"), 1.0 / SPEEDS),
    (Constraint("speed", "within current", 1.0, "less"), 1.0 / SPEEDS),
]


def left(constraint: Constraint, values: np.ndarray, seed: int = 1, n: int = 5) -> np.ndarray:
    """Which settings are contenders, by runs with a noise of 1 %."""
    rng = np.random.default_rng(seed)
    logs = np.repeat(np.log(values), n) + 0.01 * rng.normal(size=n * len(values))
    rows = list(np.arange(len(logs)).reshape(-1, n))
    means = np.array([[logs[r].mean()] for r in rows])
    scatter = scatter_of(logs[:, None], rows, means, np.ones(len(rows), dtype=bool))
    assert scatter is not None
    return contenders(scatter, means, ["speed"], [constraint], 0, np.ones(len(rows), dtype=bool))


@pytest.mark.parametrize(("constraint", "values"), BOUNDS)
def test_what_is_far_beyond_a_bound_is_left_out(constraint: Constraint, values: np.ndarray) -> None:
    assert left(constraint, values).tolist() == [True] * 15 + [False]


@pytest.mark.parametrize(("constraint", "values"), BOUNDS)
def test_what_keeps_a_bound_is_hardly_ever_left_out(
    constraint: Constraint, values: np.ndarray
) -> None:
    """Of any setting, one in a thousand times."""
    out = sum(not left(constraint, values, seed)[:14].all() for seed in range(200))
    assert out <= 2


def test_a_dozen_are_needed_to_tell_of_each_other() -> None:
    few = np.array([*[1000.0] * 8, *[900.0] * 8])
    assert left(Constraint("speed", "at least", 990.0), few).all()


def test_without_a_bound_all_are_contenders() -> None:
    many = np.array([1000.0, *[1.0] * 15])
    assert left(Constraint("speed", "at most", 1e6), many).all()
