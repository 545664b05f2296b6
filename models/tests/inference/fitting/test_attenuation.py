# SPDX-License-Identifier: Apache-2.0
"""Counts that err pull a fit of single runs off the truth: its intervals allow for that."""

import numpy as np
import pytest
from coalescope_models.inference.fitting import fit_linear
from coalescope_models.inference.fitting.attenuation import allowing_for_counts
from coalescope_models.inference.fitting.hc3 import hc3_fit
from coalescope_models.inference.fitting.linear import scores
from coalescope_models.inference.fitting.points import Groups
from coalescope_models.inference.fitting.robust import robust_fit

from .test_coverage import NOISE, TRUTH, coverage, of_replicates, settings
from .test_methods import COSTS, unequal

OF_RUNS = {"ols-hc3": hc3_fit, "robust": robust_fit}
BY_RUNS = pytest.mark.parametrize("method", OF_RUNS)
NOISY = NOISE["very noisy counts"]


def simulated(nfs_table, rng, replicates, times=1.0):
    counts, response = settings(nfs_table)
    cells = np.repeat(np.arange(27), replicates)
    exact = np.column_stack([counts, response])[cells]
    spread = times * np.sqrt(replicates) * np.array(NOISY)
    return exact * (1 + spread * rng.normal(size=exact.shape)), cells


def fit_of(nfs_table, rows, cells, method):
    table = dict(zip(nfs_table, rows.T, strict=True))
    return fit_linear("cpu-overhead", table, method, cells=cells, resamples=0)


@BY_RUNS
@pytest.mark.parametrize("replicates", [2, 10])
def test_without_the_errors_share_the_estimates_have_no_bias(nfs_table, method, replicates):
    rng = np.random.default_rng(3)
    plain, clean = [], []
    for _ in range(100):
        rows, cells = simulated(nfs_table, rng, replicates)
        groups = Groups.by_label(cells)
        found = OF_RUNS[method](rows, groups)
        plain.append(found.values)
        clean.append(allowing_for_counts(rows, groups, found).values)
    truth = list(TRUTH.values())
    for values, biased in ((plain, True), (clean, False)):
        off = np.mean(values, axis=0) - truth
        error = np.std(values, axis=0) / np.sqrt(len(values))
        assert (abs(off[2]) > 3.5 * error[2]) == biased, off / error


@BY_RUNS
def test_alike_counts_change_nothing(method):
    table, cells = unequal(np.random.default_rng(8))
    rows, groups = np.column_stack(list(table.values())), Groups.by_label(cells)
    found = OF_RUNS[method](rows, groups)
    clean = allowing_for_counts(rows, groups, found)
    np.testing.assert_allclose(clean.values, found.values, rtol=1e-9)
    np.testing.assert_allclose(clean.by_runs, found.by_runs, rtol=1e-7, atol=0)
    np.testing.assert_allclose(clean.by_cells, found.by_cells, rtol=1e-7, atol=0)
    assert allowing_for_counts(rows, Groups.by_label(np.arange(len(rows))), found) is found


@BY_RUNS
def test_estimates_that_counts_displace_are_named(nfs_table, method):
    rows, cells = simulated(nfs_table, np.random.default_rng(4), 10)
    found = fit_of(nfs_table, rows, cells, method)
    assert "seem to err, which biases" in found.message
    assert "gamma" in found.message
    gamma = found.estimates["gamma"]
    low, high = gamma.ci95
    assert 0.5 * (low + high) > gamma.value + gamma.standard_error
    good, cells = simulated(nfs_table, np.random.default_rng(4), 10, times=0.1)
    assert "err" not in (fit_of(nfs_table, good, cells, method).message or "")


@BY_RUNS
def test_counts_that_differ_within_cells_as_between_them_leave_no_interval(nfs_table, method):
    """Runs that are sorted into cells by lot."""
    rng = np.random.default_rng(4)
    rows, cells = simulated(nfs_table, rng, 10, times=0.1)
    found = fit_of(nfs_table, rows, rng.permutation(cells), method)
    assert found.message.startswith("No intervals: within cells the counts differ")
    assert all(own.ci95 is None and own.value for own in found.estimates.values())
    assert found.covariance is None
    good = fit_of(nfs_table, rows, cells, method)
    assert all(own.ci95 for own in good.estimates.values())


@BY_RUNS
def test_counts_that_differ_because_runs_do_are_covered_too(method):
    """The good twin: counts scatter, and CPU times follow them."""
    rng, sets, hits, named = np.random.default_rng(5), 80, np.zeros(3), 0
    for _ in range(sets):
        table, cells = unequal(rng, noise=0.0, sizes=(5,))
        for name in list(table)[:3]:
            table[name] = table[name] * (1 + 0.05 * rng.normal(size=len(cells)))
        exact = np.column_stack(list(table.values())[:3]) @ COSTS
        table["system_cpu_jiffies"] = exact * (1 + 0.02 * rng.normal(size=len(cells)))
        found = fit_linear("cpu-overhead", table, method, cells=cells, resamples=0)
        ends = [own.ci95_if_model_holds or own.ci95 for own in found.estimates.values()]
        low, high = np.transpose(ends)
        hits += (low <= COSTS) & (high >= COSTS)
        named += "seem to err" in (found.message or "")
    error = np.sqrt(0.95 * 0.05 / sets)
    assert np.all(hits / sets >= 0.93 - 3 * error), hits / sets
    assert named <= 0.05 * sets


@BY_RUNS
@pytest.mark.parametrize("replicates", [5, 10])
def test_intervals_that_do_not_allow_for_it_miss_the_truth(
    nfs_table, monkeypatch, method, replicates
):
    """The control."""
    simulate = of_replicates(nfs_table, method, replicates, NOISY)
    shares, error = coverage("allowing for errors of the counts", simulate, 100)
    assert all(0.93 - 3 * error <= share for share in shares.values()), shares
    monkeypatch.setattr(scores, "allowing_for_counts", lambda _rows, _cells, found: found)
    simulate = of_replicates(nfs_table, method, replicates, NOISY)
    shares, error = coverage("as they were", simulate, 100)
    assert min(shares.values()) < 0.93 - 2.5 * error, shares


@pytest.mark.filterwarnings("error")
def test_what_one_cell_alone_tells_is_refused_without_a_warning_of_numpys():
    """One cell alone interrupts: by cells the deviation from the model is not known."""
    rng = np.random.default_rng(0)
    megabytes = np.array([100.0, 200.0, 300.0, 400.0, 500.0])
    kilopackets = np.array([80.0, 120.0, 260.0, 210.0, 400.0])
    kilointerrupts = np.array([0.0, 0.0, 0.0, 0.0, 300.0])
    counts = np.column_stack([megabytes, kilopackets, kilointerrupts])
    response = counts @ [0.8, 0.3, 1.1] * (1 + 0.3 * np.array([1, -1, 1, -1, 0]))
    rows = np.column_stack([counts, response]).repeat(3, axis=0)
    rows *= 1 + 0.001 * rng.normal(size=rows.shape)
    names = ["rx_megabytes", "rx_kilopackets", "rx_kilointerrupts", "system_cpu_jiffies"]
    table = dict(zip(names, rows.T, strict=True))
    cells = np.repeat(np.arange(5), 3)
    found = fit_linear("cpu-overhead", table, "ols-hc3", cells=cells, resamples=0)
    assert "one cell alone determines a cost" in found.message
    assert all(own.value is None or own.ci95 is None for own in found.estimates.values())
