# SPDX-License-Identifier: Apache-2.0
"""P-values are uniform where nothing is wrong: below each level lie as many as it says.

Each has its control: where something is wrong, and where they are a fifth too small, the same rule
fails.
"""

import numpy as np
import pytest
from coalescope_models.inference.fitting import fit_linear
from coalescope_models.inference.fitting.lack_of_fit import lack_of_fit_of_means
from coalescope_models.inference.statistics import (
    Timeline,
    compare,
    independence,
    summarise,
)
from coalescope_models.inference.statistics.sequence import what_is_left
from coalescope_models.inference.statistics.variance import analyse_variance
from scipy.stats import binom

SETS = 1000
LEVELS = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9)
#: Probability that chance takes the number below one level out of its range.
CHANCE = 1e-4
SETTINGS = 30


def not_uniform(p_values):
    """Shares of p-values below each level, where they are not the level beyond chance."""
    found, levels = np.array(p_values), np.array(LEVELS)
    low, high = binom.interval(1.0 - CHANCE, len(found), levels)
    counts = np.count_nonzero(found[:, None] <= levels, axis=0)
    outside = (counts < low) | (counts > high)
    return dict(zip(levels[outside], counts[outside] / len(found), strict=True))


def drawn(p_value, sets=SETS, **wrong):
    """P-values of so many sets, each simulated from the one generator."""
    rng = np.random.default_rng(20)
    return [p_value(rng, **wrong) for _ in range(sets)]


def alike(count, rng):
    """Each run takes half of the one before it."""
    found = rng.normal(size=count)
    for k in range(1, count):
        found[k] = 0.5 * found[k - 1] + np.sqrt(0.75) * found[k]
    return found


def of_sequence(name, replicates, in_rounds):
    """P-value of one of the tests of a sequence: noise, and what is wrong with it."""

    def p_value(rng, slope=0.0, rounds=0.0, likeness=False):
        own = np.repeat(np.arange(replicates), SETTINGS)
        cells = np.concatenate([rng.permutation(SETTINGS) for _ in range(replicates)])
        if not in_rounds:
            cells = rng.permutation(cells)
        off = alike(len(cells), rng) if likeness else rng.normal(size=len(cells))
        off += slope * np.linspace(-0.5, 0.5, len(cells)) + rounds * (own % 2)
        labels = tuple(own.tolist()) if in_rounds else None
        when = Timeline(tuple(range(len(cells))), labels, "round" if in_rounds else None)
        values = (100.0 + cells) * (1.0 + 0.01 * off)
        return getattr(independence(values.tolist(), cells.tolist(), when), name)

    return p_value


def of_what_is_left(rng, likeness=False):
    off = alike(60, rng) if likeness else rng.normal(size=60)
    return what_is_left((1.0 + 0.01 * off).tolist(), range(60))[1]


def of_fit(method, replicates):
    """P-value of lack of fit, of costs fitted to 40 settings."""
    mtu, delay_us = np.meshgrid(
        [1500.0, 3000.0, 4500.0, 6000.0, 9000.0], 10.0 * 2.0 ** np.arange(8)
    )
    packets = 5e6 / mtu.ravel()
    counts = np.column_stack([np.full(40, 5000.0), packets, packets / (1 + delay_us.ravel() / 12)])
    names = ("rx_megabytes", "rx_kilopackets", "rx_kilointerrupts")
    cells = np.repeat(np.arange(40), replicates)
    table = dict(zip(names, counts[cells].T, strict=True))
    exact = counts @ [0.8, 0.25, 1.1]

    def p_value(rng, misfit=0.0):
        true = (exact * (1.0 + misfit * np.sin(np.arange(40))))[cells]
        jiffies = true * (1.0 + 0.02 * rng.normal(size=len(cells)))
        columns = {**table, "system_cpu_jiffies": jiffies}
        found = fit_linear("cpu-overhead", columns, method, cells=cells, resamples=0)
        return found.diagnostics.lack_of_fit.p_value

    return p_value


def of_comparison(sizes, spread):
    """P-value of Welch's test of two sides of one setting."""

    def p_value(rng, ratio=1.0):
        a, b = (rng.normal(100.0, sd, n) for n, sd in zip(sizes, spread, strict=True))
        found = compare({1: summarise(a.tolist())}, {1: summarise((ratio * b).tolist())})
        return found.cells[1].p_value

    return p_value


def of_variance(rng, effect=0.0):
    """P-value of the interaction, of three MTUs by four delays, two or three runs each."""
    first, second = (side.ravel() for side in np.meshgrid(np.arange(3), np.arange(4)))
    runs = np.repeat(np.arange(12), rng.permutation([2, 3] * 6))
    values = 50.0 + rng.normal(size=len(runs)) + effect * (first * second)[runs]
    found = analyse_variance(
        values.tolist(), first[runs].tolist(), second[runs].tolist(), ("mtu", "delay")
    )
    return found[2].p_value


CASES = {
    "rounds, pairs": (of_sequence("cluster_p_value", 2, True), {"rounds": 0.7}),
    "rounds, five": (of_sequence("cluster_p_value", 5, True), {"rounds": 0.5}),
    "drift, pairs": (of_sequence("drift_p_value", 2, False), {"slope": 1.5}),
    "drift in rounds": (of_sequence("drift_p_value", 4, True), {"slope": 1.5}),
    "neighbours, three": (of_sequence("autocorrelation_p_value", 3, False), {"likeness": True}),
    "neighbours, five": (of_sequence("autocorrelation_p_value", 5, False), {"likeness": True}),
    "neighbours in what is left": (of_what_is_left, {"likeness": True}),
    "lack of fit, pairs": (of_fit("ols", 2), {"misfit": 0.02}),
    "lack of fit, five": (of_fit("ols", 5), {"misfit": 0.02}),
    "lack of fit, weighted": (of_fit("wls", 5), {"misfit": 0.02}),
    "comparison, alike": (of_comparison((5, 5), (1.0, 1.0)), {"ratio": 1.01}),
    "comparison, 1 : 5": (of_comparison((10, 8), (1.0, 5.0)), {"ratio": 1.05}),
    "interaction": (of_variance, {"effect": 0.5}),
}


@pytest.mark.parametrize("case", CASES)
def test_where_nothing_is_wrong_each_level_holds(case):
    p_value, _ = CASES[case]
    found = drawn(p_value)
    assert not not_uniform(found)
    assert not_uniform(0.8 * np.array(found)), "control: a fifth too small"


@pytest.mark.parametrize("case", CASES)
def test_where_something_is_wrong_it_does_not(case):
    p_value, wrong = CASES[case]
    assert not_uniform(drawn(p_value, 200, **wrong))


def test_of_means_alone_a_right_model_is_rejected_no_more_often_than_said():
    """Each counts as the one of the fewest runs: the test says less, and never more."""
    rng = np.random.default_rng(20)
    numbers = np.array([3, 5, 10] * 8)
    p_values = []
    for _ in range(SETS):
        off = rng.normal(size=24) / np.sqrt(numbers)
        spread = np.sqrt(rng.chisquare(numbers - 1) / (numbers - 1))
        p_values.append(lack_of_fit_of_means(off, numbers, spread, 0).p_value)
    shares = not_uniform(p_values)
    assert all(share < level for level, share in shares.items())
