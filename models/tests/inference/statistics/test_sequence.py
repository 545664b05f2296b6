# SPDX-License-Identifier: Apache-2.0
"""Tests of a sequence, beside statsmodels and beside exchanges of the replicates themselves."""

import numpy as np
import pytest
from coalescope_models.inference.statistics import Timeline, sequence
from statsmodels.regression.linear_model import OLS

CELLS = 30


def rounds(replicates, seed):
    """Cells and rounds of a sweep, in its order."""
    rng = np.random.default_rng(seed)
    cells = np.concatenate([rng.permutation(CELLS) for _ in range(replicates)])
    return cells, np.repeat(np.arange(replicates), CELLS)


def noise(count, seed=1):
    return 0.01 * np.random.default_rng(seed).normal(size=count)


def test_f_between_clusters_is_that_of_statsmodels():
    cells, own = rounds(5, 7)
    y = 1.0 + noise(len(cells))
    runs = sequence.deviations(
        y.tolist(), cells.tolist(), Timeline(tuple(range(len(y))), tuple(own), None)
    )
    relative = y / np.array([y[cells == cell].mean() for cell in cells])
    by_cell = np.equal.outer(cells, np.arange(CELLS)).astype(float)
    by_round = np.equal.outer(own, np.arange(1, 5)).astype(float)
    whole = OLS(relative, np.hstack([by_cell, by_round])).fit()
    _, p_value, _ = whole.compare_f_test(OLS(relative, by_cell).fit())
    assert sequence.between_clusters(runs) == pytest.approx(p_value, rel=1e-6)


def judged_by_exchange(statistic, runs, times, rng):
    """Share of exchanges of replicates within their cells whose statistic is as large."""
    deviations = np.array([run.deviation for run in runs])
    labels = np.array([run.cell for run in runs])
    own = abs(statistic(deviations))
    members = [np.flatnonzero(labels == cell) for cell in np.unique(labels)]
    count = 0
    for _ in range(times):
        mixed = deviations.copy()
        for rows in members:
            mixed[rows] = deviations[rng.permutation(rows)]
        count += abs(statistic(mixed)) >= own
    return count / times


@pytest.mark.parametrize("seed", range(4))
def test_p_values_are_those_of_exchanging_replicates_within_cells(seed):
    rng = np.random.default_rng(seed)
    cells = rng.permutation(np.repeat(np.arange(CELLS), 3))
    y = 1.0 + noise(len(cells), seed) + 0.01 * np.linspace(-0.5, 0.5, len(cells)) * seed
    runs = sequence.deviations(
        y.tolist(), cells.tolist(), Timeline(tuple(range(len(y))), None, None)
    )
    places = np.arange(len(runs))
    share = judged_by_exchange(lambda d: float(d @ places), runs, 2000, rng)
    assert sequence.drift(runs)[1] == pytest.approx(share, abs=0.04)
    other = cells[1:] != cells[:-1]
    share = judged_by_exchange(lambda d: float(np.sum((d[1:] * d[:-1])[other])), runs, 2000, rng)
    assert sequence.autocorrelation(runs)[1] == pytest.approx(share, abs=0.04)


def test_a_drift_alone_makes_no_run_resemble_the_one_before_it():
    cells, own = rounds(4, 8)
    when = Timeline(tuple(range(len(cells))), tuple(map(int, own)), "round")
    y = 1.0 + noise(len(cells)) + 0.1 * np.linspace(-0.5, 0.5, len(cells))
    runs = sequence.deviations(y.tolist(), cells.tolist(), when)
    assert sequence.autocorrelation(runs)[1] < 1e-4
    assert sequence.autocorrelation(sequence.without_drift(runs, sequence.drift(runs)[0]))[1] > 0.05
