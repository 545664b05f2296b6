# SPDX-License-Identifier: Apache-2.0
"""Settings that all reach a bound are within one percent of the best, and others are not."""

import numpy as np
from coalescope_models.inference.plateau import draw

CELLS = 40
NOISE = 0.01 / np.sqrt(3.0)


def kept(truth: np.ndarray, seed: int) -> np.ndarray:
    """How often each setting lies within one percent of the best, [settings]."""
    rng = np.random.default_rng(seed)
    means = truth + NOISE * rng.normal(size=CELLS)
    variances, freedom = np.full(CELLS, NOISE**2), np.full(CELLS, 80.0)
    draws = draw(means, variances, freedom, 1000, rng)
    return (draws >= draws.max(axis=1, keepdims=True) + np.log(0.99)).mean(axis=0)


def test_three_runs_at_one_percent_of_noise_show_a_plateau() -> None:
    truth = np.where(np.arange(CELLS) % 8 < 6, 0.0, -0.3)
    found = np.array([kept(truth, seed) for seed in range(20)]) >= 0.99
    assert found[:, truth == 0.0].mean() > 0.8
    assert not found[:, truth < 0.0].any()


def test_what_lies_beyond_the_guard_is_rarely_taken_for_the_plateau() -> None:
    truth = np.where(np.arange(CELLS) % 8 < 7, 0.0, -0.015)
    found = np.array([kept(truth, seed) for seed in range(20)]) >= 0.99
    assert found[:, truth < 0.0].mean() <= 0.02
    assert found[:, truth == 0.0].mean() > 0.3, "control: they are found at all"
