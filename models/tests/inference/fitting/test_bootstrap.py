# SPDX-License-Identifier: Apache-2.0
"""The resampling itself: weights, moments, and whole replicates within cells."""

import numpy as np
import pytest
from coalescope_models.inference.fitting import bootstrap, fit_linear
from coalescope_models.inference.fitting.bootstrap import (
    Replicates,
    resample_replicates,
    resample_rows,
)
from coalescope_models.inference.fitting.estimators import ESTIMATORS, Moments
from coalescope_models.inference.fitting.points import Groups, normalised

TRUTH = np.array([0.813, 0.266, 1.11])


def runs(nfs_table, sizes, noise, seed=0):
    """Replicates of the 27 settings, `sizes` of each, in mixed order."""
    rng = np.random.default_rng(seed)
    counts = np.column_stack(list(nfs_table.values())[:3])
    cells = np.repeat(np.arange(27), sizes)
    rows = counts[cells] * rng.uniform(0.99, 1.01, (len(cells), 1))
    response = rows @ TRUTH * (1 + noise * rng.normal(size=len(cells)))
    order = rng.permutation(len(cells))
    table = dict(zip(nfs_table, [*rows.T, response], strict=True))
    return {name: column[order] for name, column in table.items()}, cells[order]


def matrix(table):
    return np.column_stack(list(table.values()))


def test_groups_follow_first_appearance_and_need_no_order():
    groups = Groups.by_label(np.array(["b", "a", "b", "c", "a", "b"]))
    assert groups.count == 3
    assert groups.sizes.tolist() == [3, 2, 1]
    assert groups.order.tolist() == [0, 2, 5, 1, 4, 3]
    assert groups.first_rows.tolist() == [0, 1, 3]
    means = groups.means(np.array([[1.0], [10.0], [2.0], [7.0], [20.0], [6.0]]))
    assert means.ravel().tolist() == [3.0, 15.0, 7.0]


def draw_weights(sizes, resamples, seed=0):
    groups = Groups.by_label(np.repeat(np.arange(len(sizes)), sizes))
    rng = np.random.default_rng(seed)
    return bootstrap._weights(groups, resamples, rng)


def draw_shares(groups, resamples, rng):
    """How much of its cell's mean each replicate is, [b, n]: the means of its own indicator."""
    every = np.empty((sum(groups.sizes), sum(groups.sizes)))
    every[groups.order] = np.eye(len(every))
    return Replicates.of(every, groups).means(resamples, rng).sum(axis=1)


@pytest.mark.parametrize("sizes", [[5] * 4, [1, 2, 3, 5, 9, 17, 300]])
def test_replicates_are_drawn_one_less_than_there_are_and_each_as_often(sizes):
    groups = Groups.by_label(np.repeat(np.arange(len(sizes)), sizes))
    resamples = 4_000
    shares = draw_shares(groups, resamples, np.random.default_rng(3))
    for size, part in zip(sizes, np.split(shares, np.cumsum(sizes)[:-1], axis=1), strict=True):
        counts = part * max(size - 1, 1)
        np.testing.assert_allclose(counts, np.round(counts), atol=1e-9)
        np.testing.assert_allclose(part.sum(axis=1), 1.0, rtol=1e-12)
        # binomial: draws × 1/size expected, five standard errors
        draws = max(size - 1, 1)
        error = np.sqrt(draws / size * (1 - 1 / size) / resamples)
        assert np.all(np.abs(counts.mean(axis=0) - draws / size) <= 5 * error + 1e-12)
        spread = counts.var(axis=0, ddof=1)
        np.testing.assert_allclose(spread, draws / size * (1 - 1 / size), rtol=0.3, atol=1e-12)


def test_weights_keep_each_stratum_and_draw_one_less():
    sizes = [5, 2, 9, 1]
    weights = draw_weights(sizes, 400)
    ends = np.cumsum(sizes)
    for size, part in zip(sizes, np.split(weights, ends[:-1], axis=1), strict=True):
        np.testing.assert_allclose(part.sum(axis=1), size, rtol=1e-14)
        share = size / max(size - 1, 1)
        np.testing.assert_allclose(part / share, np.round(part / share), atol=1e-12)
    assert np.all(weights[:, -1] == 1.0)  # a stratum of one stays


@pytest.mark.parametrize("size", [2, 3, 10])
def test_the_spread_of_a_mean_is_what_theory_says(size):
    """s²/n with n − 1 in s²: the plain bootstrap gives (n − 1)/n of that."""
    values = np.random.default_rng(1).normal(size=size)
    means = draw_weights([size], 200_000) @ values / size
    expected = np.sqrt(values.var(ddof=1) / size)
    assert means.std() == pytest.approx(expected, rel=0.01)
    assert means.mean() == pytest.approx(values.mean(), abs=0.01 * expected)


@pytest.mark.parametrize("unit", ["rows", "replicates"])
def test_the_number_of_workers_changes_nothing(nfs_table, monkeypatch, unit):
    monkeypatch.setattr(bootstrap, "_CHUNK_BYTES", 8 * 54 * 28)  # a few resamples at a time
    monkeypatch.setattr(bootstrap, "_MEANS_BYTES", 8 * 27 * 4 * 28)
    rng = np.random.default_rng(3)
    table = {
        name: np.repeat(column, 2) * (1 + 0.01 * rng.normal(size=54))
        for name, column in nfs_table.items()
    }
    labels = {"cells" if unit == "replicates" else "strata": np.repeat(np.arange(27), 2)}
    alone, *others = (
        fit_linear("cpu-overhead", table, resamples=500, rng=9, workers=workers, **labels)
        for workers in (1, 2, 5)
    )
    assert all(other == alone for other in others)
    assert alone.covariance is not None


@pytest.mark.parametrize("method", ESTIMATORS)
def test_weighted_moments_equal_repeated_rows(nfs_table, method):
    points = matrix(nfs_table)[:, :3]
    counts = np.random.default_rng(2).integers(0, 4, size=(6, 27)).astype(float)
    together = ESTIMATORS[method](Moments.of_weighted(points, counts))
    for row, weights in zip(together, counts, strict=True):
        repeated = np.repeat(points, weights.astype(int), axis=0)
        alone = ESTIMATORS[method](Moments.of_sets(repeated[None]))[0]
        np.testing.assert_allclose(row, alone, rtol=1e-9)


@pytest.mark.parametrize("method", ESTIMATORS)
@pytest.mark.parametrize("sizes", [[4] * 27, [2, 3, 5] * 9])
def test_replicates_are_drawn_whole_and_within_their_cells(nfs_table, method, sizes):
    """Against a loop that weighs, averages and normalises cell by cell."""
    table, cells = runs(nfs_table, sizes, 0.02)
    rows, groups = matrix(table), Groups.by_label(cells)
    estimate = ESTIMATORS[method]
    fast = resample_replicates(rows, groups, estimate, 8, np.random.default_rng(5))
    (chunk,) = bootstrap._chunks(1000, 8, np.random.default_rng(5))
    weights = draw_shares(groups, *chunk)
    ordered, labels = rows[groups.order], cells[groups.order]
    for drawn, got in zip(weights, fast, strict=True):
        means = np.array(
            [
                np.average(ordered[labels == cell], axis=0, weights=drawn[labels == cell])
                for cell in range(27)
            ]
        )
        slow = estimate(Moments.of_sets(normalised(means)[None]))[0]
        np.testing.assert_allclose(got, slow, rtol=1e-9)


@pytest.mark.parametrize("method", ESTIMATORS)
def test_a_fit_to_replicates_is_the_fit_to_their_means(nfs_table, method):
    table, cells = runs(nfs_table, [4] * 27, 0.02)
    result = fit_linear("cpu-overhead", table, method, cells=cells, resamples=400, rng=1)
    groups = Groups.by_label(cells)
    means = dict(zip(table, groups.means(matrix(table)).T, strict=True))
    of_means = fit_linear("cpu-overhead", means, method, resamples=0)
    for name, estimate in result.estimates.items():
        assert estimate.value == of_means.estimates[name].value
        assert estimate.ci95[0] < estimate.value < estimate.ci95[1]
    assert result.n == 27
    assert result.bootstrap.unit == "replicates"
    assert result.bootstrap.strata == 27
    assert [residual.index for residual in result.residuals] == groups.first_rows.tolist()


def test_more_replicates_give_shorter_intervals(nfs_table):
    def width(replicates):
        table, cells = runs(nfs_table, [replicates] * 27, 0.02)
        result = fit_linear("cpu-overhead", table, "ols", cells=cells, resamples=1000, rng=1)
        lo, hi = result.estimates["gamma"].ci95
        return hi - lo

    assert width(3) / width(27) == pytest.approx(3.0, rel=0.35)


def test_single_replicates_have_no_interval(nfs_table):
    table, cells = runs(nfs_table, [1] * 27, 0.01)
    result = fit_linear("cpu-overhead", table, cells=cells, resamples=50, rng=1)
    assert result.identifiable
    assert result.estimates["alpha"].value is not None
    assert result.estimates["alpha"].ci95 is None
    assert result.covariance is None
    assert "each cell holds one replicate" in result.message


def test_one_resample_has_no_spread(nfs_table):
    result = fit_linear("cpu-overhead", nfs_table, "ols", resamples=1, rng=1)
    assert result.estimates["alpha"].ci95 is None
    assert "one resample has no spread" in result.message


@pytest.mark.parametrize("method", ESTIMATORS)
def test_resamples_that_determine_nothing_are_counted_and_told(nfs_table, method):
    """Three rows determine three parameters; two different ones of them do not."""
    three = {name: column[[0, 8, 26]] for name, column in nfs_table.items()}
    result = fit_linear("cpu-overhead", three, method, resamples=200, rng=1)
    assert result.identifiable
    assert result.bootstrap.degenerate == 200  # two are drawn each time
    assert result.estimates["beta"].ci95 is None
    assert "200 of 200 resamples" in result.message


@pytest.mark.parametrize("method", ESTIMATORS)
def test_no_interval_where_many_resamples_determine_nothing(nfs_table, method):
    """Of four rows three are drawn: the same one twice in five of eight resamples."""
    four = {name: column[[0, 8, 17, 26]] for name, column in nfs_table.items()}
    result = fit_linear("cpu-overhead", four, method, resamples=200, rng=1)
    assert 100 < result.bootstrap.degenerate < 150
    assert result.estimates["beta"].ci95 is None
    assert f"{result.bootstrap.degenerate} of 200 resamples" in result.message


def test_noise_that_biases_total_least_squares_is_told(nfs_table):
    many, cells = runs(
        {name: np.tile(column, 40) for name, column in nfs_table.items()}, [4] * 27, 0.0
    )
    assert len(cells) == 108
    rng = np.random.default_rng(4)
    table = {name: np.tile(column, 40) for name, column in many.items()}
    cells = np.concatenate([cells + 27 * k for k in range(40)])
    table["system_cpu_jiffies"] *= 1 + 0.05 * rng.normal(size=len(cells))
    biased = fit_linear("cpu-overhead", table, "paper-tls", cells=cells, resamples=200, rng=1)
    assert "the interval is corrected for that, the estimate is not" in biased.message
    # the estimate is several standard errors off; its interval is where least squares has its own
    squares = fit_linear("cpu-overhead", table, "ols", cells=cells, resamples=200, rng=1)
    assert squares.message is None
    gamma, other = (fitted.estimates["gamma"] for fitted in (biased, squares))
    assert gamma.value - other.value > 3 * gamma.standard_error
    assert gamma.ci95[1] < gamma.value
    for name, estimate in biased.estimates.items():
        other = squares.estimates[name]
        np.testing.assert_allclose(estimate.ci95, other.ci95, atol=1.5 * other.standard_error)
    few, cells = runs(nfs_table, [10] * 27, 0.01)
    assert fit_linear("cpu-overhead", few, cells=cells, resamples=200, rng=1).message is None


def test_rows_are_resampled_from_the_points(nfs_table):
    points = normalised(matrix(nfs_table))
    groups = Groups.by_label(np.zeros(27))
    draws = resample_rows(points, groups, ESTIMATORS["ols"], 50, np.random.default_rng(1))
    assert draws.shape == (50, 3)
    assert len(np.unique(draws[:, 0])) == 50
