# SPDX-License-Identifier: Apache-2.0
"""Total least squares whitened by the noise between replicates."""

import numpy as np
import odrpack
from coalescope_models.inference.fitting import fit_linear
from coalescope_models.inference.fitting.points import Groups, K, pooled_noise
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg, optimize

COLUMNS = ("rx_megabytes", "rx_kilopackets", "rx_kilointerrupts")
PARAMETERS = ("alpha", "beta", "gamma")
TRUTH = np.array([0.813, 0.266, 1.11])


def replicated(nfs_table, replicates=5, seed=1, noise=(0.004, 0.003, 0.01, 0.01)):
    """The 27 settings of the 2005 study, measured often, with noise in every column."""
    rng = np.random.default_rng(seed)
    counts = np.column_stack([nfs_table[name] for name in COLUMNS])
    counts = counts * (5010 / counts[:, :1])
    rows = np.column_stack([counts, counts @ TRUTH]).repeat(replicates, axis=0)
    rows = rows * (1.0 + np.array(noise) * rng.normal(size=rows.shape))
    return rows, np.arange(27).repeat(replicates)


def fit(rows, cells, method="whitened", **more):
    table = dict(zip((*COLUMNS, "system_cpu_jiffies"), rows.T, strict=True))
    return fit_linear("cpu-overhead", table, method, cells=cells, **{"resamples": 0, **more})


def values(result):
    return np.array([result.estimates[name].value for name in PARAMETERS])


def scaled_means_and_noise(rows, cells):
    groups = Groups.by_label(cells)
    means = groups.means(rows)
    return means * (K / means[:, -1:]), pooled_noise(rows, groups)[0]


def test_against_the_generalised_eigenvector(nfs_table):
    rows, cells = replicated(nfs_table)
    means, noise = scaled_means_and_noise(rows, cells)
    _, vectors = linalg.eigh(means.T @ means, noise)
    normal = vectors[:, 0]
    expected = -normal[:3] / normal[3]
    np.testing.assert_allclose(values(fit(rows, cells)), expected, rtol=1e-8)


def test_against_minimising_the_weighted_deviations(nfs_table):
    rows, cells = replicated(nfs_table, seed=2)
    means, noise = scaled_means_and_noise(rows, cells)

    def misfit(b):
        normal = np.append(b, -1.0)
        return np.sum((means @ normal) ** 2) / (normal @ noise @ normal)

    found = optimize.minimize(misfit, TRUTH, method="BFGS", options={"gtol": 1e-12})
    np.testing.assert_allclose(values(fit(rows, cells)), found.x, rtol=1e-6)


def test_each_replicate_counts_once_however_many_a_cell_has(nfs_table):
    """The noise of a mean is that of a replicate over their number."""
    rows, cells = replicated(nfs_table, 9, seed=5)
    keep = np.arange(len(rows)) % 9 < np.repeat(np.arange(27) % 9 + 1, 9)
    rows, cells = rows[keep], cells[keep]
    means, noise = scaled_means_and_noise(rows, cells)
    sizes = np.bincount(cells)

    def misfit(b):
        normal = np.append(b, -1.0)
        return np.sum(sizes * (means @ normal) ** 2) / (normal @ noise @ normal)

    found = optimize.minimize(misfit, TRUTH, method="BFGS", options={"gtol": 1e-12})
    result = fit(rows, cells, resamples=300, rng=1)
    np.testing.assert_allclose(values(result), found.x, rtol=1e-6)
    lo, hi = np.array([result.estimates[name].ci95 for name in PARAMETERS]).T
    assert np.all((lo < values(result)) & (values(result) < hi))


def test_against_odrpack_where_the_noise_is_independent(nfs_table, monkeypatch):
    """odrpack takes no correlation between columns and response, so both see the diagonal."""
    rows, cells = replicated(nfs_table, seed=3)
    means, noise = scaled_means_and_noise(rows, cells)
    diagonal = np.diag(np.diag(noise))
    monkeypatch.setattr(
        "coalescope_models.inference.fitting.task.pooled_noise", lambda *_: (diagonal, 100)
    )
    other = odrpack.odr_fit(
        lambda x, b: b @ x,
        means[:, :3].T,
        means[:, 3],
        beta0=TRUTH,
        weight_x=1.0 / np.diag(noise)[:3],
        weight_y=1.0 / noise[3, 3],
        jac_beta=lambda x, b: x,
        jac_x=lambda x, b: np.repeat(b[:, None], x.shape[1], axis=1),
        sstol=1e-15,
        partol=1e-15,
        maxit=1000,
    )
    np.testing.assert_allclose(values(fit(rows, cells)), other.beta, rtol=1e-8)


@given(
    units=st.lists(st.floats(1e-3, 1e3), min_size=4, max_size=4),
    seed=st.integers(0, 100),
)
def test_no_unit_matters(nfs_table, units, seed):
    rows, cells = replicated(nfs_table, seed=seed)
    plain = values(fit(rows, cells))
    scaled = values(fit(rows * units, cells))
    expected = plain * units[3] / np.array(units[:3])
    np.testing.assert_allclose(scaled, expected, rtol=1e-7)


def test_the_papers_fit_does_depend_on_units(nfs_table):
    rows, cells = replicated(nfs_table)
    units = np.array([1000.0, 1.0, 1.0, 1.0])
    plain, scaled = (values(fit(r, cells, "paper-tls")) for r in (rows, rows * units))
    assert abs(scaled[0] * 1000.0 / plain[0] - 1.0) > 1e-4


def test_columns_free_of_noise_leave_least_squares(nfs_table):
    """With noise in the response alone, the deviations from K are all there is."""
    rows, cells = replicated(nfs_table, noise=(0.0, 0.0, 0.0, 0.01))
    whitened, ordinary = values(fit(rows, cells)), values(fit(rows, cells, "ols"))
    np.testing.assert_allclose(whitened, ordinary, rtol=1e-7)


def test_exact_data_with_noise_elsewhere_give_the_truth(nfs_table):
    rows, cells = replicated(nfs_table, noise=(1e-9, 1e-9, 1e-9, 1e-9))
    np.testing.assert_allclose(values(fit(rows, cells)), TRUTH, rtol=1e-6)


def test_it_is_less_biased_by_noisy_counts_than_least_squares(nfs_table):
    errors = {"whitened": [], "ols": []}
    for seed in range(40):
        rows, cells = replicated(nfs_table, 3, seed, noise=(0.0, 0.0, 0.15, 0.002))
        for method, found in errors.items():
            found.append(values(fit(rows, cells, method))[2] / TRUTH[2] - 1.0)
    bias = {method: abs(np.mean(found)) for method, found in errors.items()}
    assert bias["whitened"] < 0.3 * bias["ols"]


def test_rows_that_are_no_replicates_are_refused(nfs_table):
    table = {**{name: nfs_table[name] for name in COLUMNS}, "system_cpu_jiffies": [1e4] * 27}
    result = fit_linear("cpu-overhead", table, "whitened", resamples=0)
    assert not result.identifiable
    assert "Measure each setting at least twice" in result.message


def test_single_runs_and_too_few_replicates_are_refused(nfs_table):
    rows, cells = replicated(nfs_table, 2)
    assert "there are 0" in fit(rows[::2], cells[::2]).message
    keep = np.ones(len(rows), dtype=bool)
    keep[7::2] = False  # three cells of two, and 24 of one
    result = fit(rows[keep], cells[keep])
    assert not result.identifiable
    assert "at least 4 replicates beyond the first of each cell, and there are 3" in result.message


def test_replicates_without_any_spread_are_refused(nfs_table):
    rows, cells = replicated(nfs_table, noise=(0.0, 0.0, 0.0, 0.0))
    assert "all alike" in fit(rows, cells).message


def test_intervals_come_with_it(nfs_table):
    rows, cells = replicated(nfs_table)
    result = fit(rows, cells, resamples=500, rng=1)
    for name, truth in zip(PARAMETERS, TRUTH, strict=True):
        lo, hi = result.estimates[name].ci95
        assert lo < result.estimates[name].value < hi
        assert abs(result.estimates[name].value - truth) < 4 * result.estimates[name].standard_error
    assert fit(rows, cells, resamples=500, rng=1) == result
