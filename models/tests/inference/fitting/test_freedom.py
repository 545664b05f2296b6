# SPDX-License-Identifier: Apache-2.0
"""How well the spread behind an interval is known."""

from functools import partial

import numpy as np
import pytest
from coalescope_models.inference.fitting import bootstrap, fit_linear
from coalescope_models.inference.fitting.estimators import ESTIMATORS, whitened_total_least_squares
from coalescope_models.inference.fitting.freedom import satterthwaite, variance_by_cell
from coalescope_models.inference.fitting.points import Groups, pooled_noise
from scipy import stats

TRUTH = np.array([0.813, 0.266, 1.11])


def groups(sizes):
    return Groups.by_label(np.repeat(np.arange(len(sizes)), sizes))


def noisy(nfs_table, sizes, noise=0.01, seed=0):
    """Replicates of the 27 settings, with noise in the CPU time and a little in the counts."""
    rng = np.random.default_rng(seed)
    counts = np.column_stack(list(nfs_table.values())[:3])
    rows = np.column_stack([counts, counts @ TRUTH])[np.repeat(np.arange(27), sizes)]
    rows *= 1 + noise * rng.normal(size=rows.shape) * [0.0, 0.3, 0.3, 1.0]
    return rows, groups(sizes)


def test_one_cell_alone_keeps_its_own_freedom_and_all_cells_have_no_more_than_theirs():
    cells = groups([5, 5, 5, 5])
    one = np.array([[3.0], [0.0], [0.0], [0.0]])
    assert satterthwaite(one, cells) == pytest.approx([4.0])
    assert satterthwaite(np.ones((4, 1)), cells) == pytest.approx([16.0])
    assert satterthwaite(np.array([[0.0], [1.0]]), groups([1, 2])) == pytest.approx([1.0])


@pytest.mark.parametrize("replicates", [2, 3, 5])
@pytest.mark.parametrize("count", [10, 20, 40])
def test_an_interval_of_many_cells_is_not_too_long_either(count, replicates):
    """Chance in the variances alone takes two thirds of the freedom of pairs."""
    rng, freedom, simulations = np.random.default_rng(3), replicates - 1, 8000
    cells = groups([replicates] * count)
    variances = rng.chisquare(freedom, size=(count, simulations)) / freedom
    off = np.abs(rng.normal(size=simulations)) * np.sqrt(count / variances.sum(axis=0))

    def covered(freedoms):
        return np.mean(off <= stats.t.ppf(0.975, freedoms))

    assert 0.94 < covered(satterthwaite(variances, cells)) < 0.97
    plain = variances.sum(axis=0) ** 2 / np.sum(variances**2 / freedom, axis=0)
    if replicates == 2 and count < 40:
        assert covered(plain) > 0.97, "control"


def test_without_any_spread_it_is_that_of_all_replicates():
    assert satterthwaite(np.zeros((3, 2)), groups([2, 3, 4])).tolist() == [6.0, 6.0]


@pytest.mark.parametrize("replicates", [3, 5, 10])
def test_an_interval_covers_where_few_cells_decide(replicates):
    """Known exactly but for the variances: the freedom of all replicates makes it too short."""
    rng = np.random.default_rng(1)
    spread = np.array([10.0] + [0.1] * 26)
    cells, simulations = groups([replicates] * 27), 4000
    freedom = replicates - 1
    variances = spread[:, None] * rng.chisquare(freedom, size=(27, simulations)) / freedom
    off = np.abs(rng.normal(size=simulations)) * np.sqrt(spread.sum() / variances.sum(axis=0))

    def covered(freedoms):
        return np.mean(off <= stats.t.ppf(0.975, freedoms))

    assert covered(satterthwaite(variances, cells)) > {3: 0.915, 5: 0.935, 10: 0.94}[replicates]
    assert covered(27.0 * freedom) < 0.935


@pytest.mark.parametrize("method", [*ESTIMATORS, "whitened"])
@pytest.mark.parametrize("sizes", [[4] * 27, [2, 3, 9] * 9])
def test_the_cells_shares_add_up_to_the_variance_of_the_bootstrap(nfs_table, method, sizes):
    rows, cells = noisy(nfs_table, sizes)
    estimate, weights = ESTIMATORS.get(method), None
    if estimate is None:
        estimate = partial(whitened_total_least_squares, noise=pooled_noise(rows, cells)[0])
        weights = cells.sizes.astype(float)
    variances = variance_by_cell(rows, cells, estimate, weights)
    draws = bootstrap.resample_replicates(
        rows, cells, estimate, 20_000, np.random.default_rng(2), weights=weights
    )
    assert variances.shape == (27, 3)
    np.testing.assert_allclose(variances.sum(axis=0), draws.var(axis=0), rtol=0.05)


def test_a_single_run_adds_nothing(nfs_table):
    rows, cells = noisy(nfs_table, [1] + [3] * 26)
    variances = variance_by_cell(rows, cells, ESTIMATORS["ols"])
    assert np.all(variances[0] == 0.0)
    assert np.all(variances[1:].sum(axis=0) > 0.0)


def test_few_cells_decide_over_the_cost_of_an_interrupt(nfs_table):
    """So its interval is longer, by Student's t, than the freedom of all replicates would say."""
    rows, cells = noisy(nfs_table, [3] * 27)
    freedom = satterthwaite(variance_by_cell(rows, cells, ESTIMATORS["ols"]), cells)
    assert 8 < freedom[2] < 0.75 * (81 - 27)
    table = dict(zip(nfs_table, rows.T, strict=True))
    labels = np.repeat(np.arange(27), 3)
    gamma = fit_linear("cpu-overhead", table, "ols", cells=labels, resamples=4000, rng=1)
    lo, hi = gamma.estimates["gamma"].ci95
    assert (hi - lo) / gamma.estimates["gamma"].standard_error > 2 * 2.01
