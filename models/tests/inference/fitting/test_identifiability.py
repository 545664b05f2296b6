# SPDX-License-Identifier: Apache-2.0
"""“Cannot be told apart” instead of a wrong number, and numbers where they can."""

import tracemalloc

import numpy as np
import pytest
from coalescope_models.inference.fitting import CONDITION_LIMIT, fit_linear
from coalescope_models.inference.fitting.diagnostics import condition_number, nearest_dependency
from coalescope_models.inference.fitting.estimators import ESTIMATORS
from coalescope_models.inference.methods import METHODS

PPI = np.array([1.5, 2.0, 4.0, 8.0, 16.0, 30.0])


def transfers(mtus, ppi=PPI, megabytes=5000.0, noise=0.005, seed=1):
    """A fixed volume at each MTU and each number of packets per interrupt."""
    rng = np.random.default_rng(seed)
    mtu, per_interrupt = (grid.ravel() for grid in np.meshgrid(mtus, ppi, indexing="ij"))
    volume = np.full(len(mtu), megabytes)
    packets = 1000 * volume / mtu * (1 + 1e-4 * rng.normal(size=len(mtu)))
    interrupts = packets / per_interrupt
    cpu = 0.8 * volume + 0.3 * packets + 1.1 * interrupts
    return {
        "rx_megabytes": volume,
        "rx_kilopackets": packets,
        "rx_kilointerrupts": interrupts,
        "system_cpu_jiffies": cpu * (1 + noise * rng.normal(size=len(mtu))),
    }


def fit(table, method="ols", **more):
    return fit_linear("cpu-overhead", table, method, resamples=100, rng=1, **more)


def assert_refused(result, *words):
    assert not result.identifiable
    assert result.residuals == []
    assert result.covariance is None
    assert result.diagnostics.max_abs_deviation_percent is None
    for estimate in result.estimates.values():
        assert (estimate.value, estimate.ci95, estimate.standard_error) == (None, None, None)
        assert estimate.unit.startswith("jiffies/")
    for word in words:
        assert word in result.message


@pytest.mark.parametrize("method", ESTIMATORS)
def test_two_mtus_and_several_delays_can_be_told_apart(method):
    """The good twin of all that follows."""
    result = fit(transfers([1500, 4500]), method)
    assert result.identifiable
    assert result.message is None
    assert result.diagnostics.condition_number < 20
    for name, truth in {"alpha": 0.8, "beta": 0.3, "gamma": 1.1}.items():
        assert result.estimates[name].value == pytest.approx(truth, rel=0.1)


@pytest.mark.parametrize("method", ESTIMATORS)
def test_one_mtu_does_not_tell_bytes_from_packets(method):
    result = fit(transfers([1500]), method)
    assert_refused(result, "alpha and beta cannot be told apart", "another MTU")
    assert "gamma" not in result.message
    assert result.diagnostics.condition_number > 1000


@pytest.mark.parametrize("method", ESTIMATORS)
def test_each_mtu_of_the_paper_alone_is_refused(nfs_table, method):
    """Least squares would name numbers for these nine rows; nothing stands behind them."""
    for start in (0, 9, 18):
        rows = {name: column[start : start + 9] for name, column in nfs_table.items()}
        assert_refused(fit(rows, method), "alpha and beta")
    two = {name: column[:18] for name, column in nfs_table.items()}
    assert fit(two, method).identifiable


@pytest.mark.parametrize("method", ESTIMATORS)
def test_one_coalescing_setting_does_not_tell_packets_from_interrupts(method):
    result = fit(transfers([1500, 3000, 4500, 9000], ppi=np.array([4.0])), method)
    assert_refused(result, "beta and gamma cannot be told apart", "another interrupt delay")
    assert "another MTU" not in result.message


@pytest.mark.parametrize("method", ESTIMATORS)
def test_one_setting_tells_nothing_apart(method):
    result = fit(transfers([1500], ppi=np.full(6, 4.0)), method)
    assert_refused(result, "cannot be told apart", "Measure also")


@pytest.mark.parametrize("method", ESTIMATORS)
def test_exactly_proportional_columns(method):
    """The packets are the megabytes: the smallest singular value is zero, or rounding."""
    table = transfers([1500, 4500])
    table["rx_kilopackets"] = table["rx_megabytes"] * 2
    assert_refused(fit(table, method), "alpha and beta")


@pytest.mark.parametrize("method", ESTIMATORS)
def test_a_combination_of_all_three(method):
    table = transfers([1500, 4500])
    table["rx_megabytes"] = table["rx_kilopackets"] + 5 * table["rx_kilointerrupts"]
    assert_refused(fit(table, method), "alpha, beta and gamma cannot be told apart")


@pytest.mark.parametrize("method", ESTIMATORS)
@pytest.mark.parametrize("column", ["rx_megabytes", "rx_kilopackets", "rx_kilointerrupts"])
def test_a_column_of_zeros(method, column):
    table = transfers([1500, 4500])
    table[column] = np.zeros(12)
    assert_refused(fit(table, method), "zero in every row")


def test_total_least_squares_refuses_a_cost_that_is_all_bytes():
    """The normal of the plane would be the axis of that column, whatever the others do."""
    table = transfers([1500, 4500])
    table["system_cpu_jiffies"] = 0.5 * table["rx_megabytes"]
    assert_refused(fit(table, "paper-tls"), "Megabytes received is the same multiple")
    assert fit(table, "ols").estimates["alpha"].value == pytest.approx(0.5)


def test_total_least_squares_refuses_a_ball_of_points():
    rng = np.random.default_rng(3)
    columns = ["rx_megabytes", "rx_kilopackets", "rx_kilointerrupts"]
    ball = {name: 5000 * (1 + 0.2 * rng.normal(size=40)) for name in columns}
    ball["system_cpu_jiffies"] = np.full(40, 10_000.0)
    assert_refused(fit(ball, "paper-tls"), "as much across their plane as within")
    assert fit(ball, "ols").identifiable


@pytest.mark.parametrize("method", ESTIMATORS)
def test_fewer_rows_than_parameters(method):
    table = {name: column[:2] for name, column in transfers([1500, 4500]).items()}
    assert_refused(fit(table, method), "2 rows cannot determine 3 parameters")


def test_fewer_cells_than_parameters_however_many_runs():
    table = transfers([1500, 4500])
    cells = np.repeat([1, 2], 6)
    assert_refused(fit(table, cells=cells), "2 rows cannot determine 3 parameters")


@pytest.mark.parametrize("method", ESTIMATORS)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("column", ["rx_megabytes", "rx_kilointerrupts", "system_cpu_jiffies"])
def test_numbers_that_are_not_finite(method, bad, column):
    table = transfers([1500, 4500])
    table[column][3] = bad
    assert_refused(fit(table, method), "Row 4 has not a finite number")


@pytest.mark.parametrize("method", ESTIMATORS)
@pytest.mark.parametrize("bad", [0.0, -5.0])
def test_responses_that_are_not_positive(method, bad):
    table = transfers([1500, 4500])
    table["system_cpu_jiffies"][:7] = bad
    assert_refused(fit(table, method), "Rows 1, 2, 3, 4, 5 and 2 more have not a positive response")


@pytest.mark.parametrize("method", ESTIMATORS)
def test_saturated_links_can_be_fitted_but_not_with_an_intercept(method):
    """Timed runs on a saturated link: wire time is fixed, so MB = C − 20 bytes · packets. Without
    an intercept that ties no columns together; with one, α and β would be lost."""
    mtu, ppi = (grid.ravel() for grid in np.meshgrid([1500, 3000, 4500, 6000], PPI))
    packets = 120 * 1e9 / (8 * (mtu + 38)) / 1000
    megabytes = packets * (mtu + 18) / 1000
    np.testing.assert_allclose(megabytes, 15_000 - 0.02 * packets, rtol=1e-12)
    interrupts = packets / ppi
    columns = np.column_stack([megabytes, packets, interrupts])
    response = columns @ [0.13, 0.37, 1.43]
    names = ("rx_megabytes", "rx_kilopackets", "rx_kilointerrupts")
    table = dict(zip(names, columns.T, strict=True))
    result = fit({**table, "system_cpu_jiffies": response}, method)
    assert result.estimates["beta"].value == pytest.approx(0.37, rel=1e-6)
    with_intercept = np.column_stack([columns, np.ones(len(mtu))]) / response[:, None]
    assert condition_number(with_intercept) > 1000 * CONDITION_LIMIT


def test_a_fixed_volume_is_its_own_intercept():
    """Its column is constant, and stands for what does not change; the paper's is one."""
    table = transfers([1500, 3000, 4500])
    assert np.ptp(table["rx_megabytes"]) == 0.0
    assert fit(table).identifiable


def test_without_the_check_numbers_would_be_named(monkeypatch):
    """Negative control: least squares itself names numbers, and they are wrong."""
    monkeypatch.setattr("coalescope_models.inference.fitting.diagnostics.CONDITION_LIMIT", 1e18)
    wrong = fit(transfers([1500], noise=0.01)).estimates["alpha"].value
    assert abs(wrong - 0.8) >= 0.8  # a negative cost would be held at 0


TRUTH = {"alpha": 0.8, "beta": 0.3, "gamma": 1.1}
NEAR = (1500, 1520)


def replicates(rng, mtus=NEAR, runs=10, noise=0.0005, miscounted=0.0):
    """So many runs of each setting, whose packets are counted wrongly by a share."""
    table = transfers(mtus, noise=0.0)
    cells = np.repeat(np.arange(len(table["rx_megabytes"])), runs)
    table = {name: column[cells] for name, column in table.items()}
    table["system_cpu_jiffies"] = table["system_cpu_jiffies"] * (
        1 + noise * rng.normal(size=len(cells))
    )
    table["rx_kilopackets"] = table["rx_kilopackets"] * (
        1 + miscounted * rng.normal(size=len(cells))
    )
    return table, cells


@pytest.mark.parametrize("method", METHODS)
def test_mtus_that_are_near_to_each_other_are_told_apart_by_exact_runs(method):
    """A condition number above the limit alone does not make estimates that are known unknown."""
    table, cells = replicates(np.random.default_rng(4))
    result = fit(table, method, cells=cells)
    assert result.diagnostics.condition_number > CONDITION_LIMIT
    for name, truth in TRUTH.items():
        own = result.estimates[name]
        assert own.standard_error < 0.5 * own.value
        assert own.value == pytest.approx(truth, abs=4 * own.standard_error)
    assert "alpha and beta are told by small differences" in result.message
    noisy, cells = replicates(np.random.default_rng(4), noise=0.02)
    assert_refused(fit(noisy, method, cells=cells), "a standard error is", "another MTU")


@pytest.mark.parametrize("method", [method for method in METHODS if method != "whitened"])
def test_counts_that_err_by_much_of_what_they_differ_tell_nothing(method):
    """Least squares alone would be sure of wrong numbers: alpha too large, beta too small."""
    table, cells = replicates(np.random.default_rng(5), noise=0.0, miscounted=0.01)
    assert_refused(fit(table, method, cells=cells), "if the counts err, that displaces one by")
    little, cells = replicates(np.random.default_rng(5), miscounted=0.003)
    assert fit(little, method, cells=cells).identifiable


def test_whitening_knows_by_how_much_the_counts_err():
    table, cells = replicates(np.random.default_rng(5), noise=0.0, miscounted=0.01)
    result = fit(table, "whitened", cells=cells)
    assert result.diagnostics.condition_number > CONDITION_LIMIT
    for name, truth in TRUTH.items():
        own = result.estimates[name]
        assert own.value == pytest.approx(truth, abs=3 * own.standard_error)


@pytest.mark.parametrize("method", METHODS)
def test_misfit_counts_as_an_error_of_what_small_differences_tell(method):
    """Runs that repeat exactly what no such costs explain do not make them known."""
    table, cells = replicates(np.random.default_rng(4))
    wave = 1 + 0.02 * np.sin(np.arange(12))
    table["system_cpu_jiffies"] = table["system_cpu_jiffies"] * wave[cells]
    assert_refused(fit(table, method, cells=cells), "a standard error is")


@pytest.mark.parametrize("method", METHODS)
def test_columns_that_are_one_are_refused_however_exact_the_runs(method):
    table, cells = replicates(np.random.default_rng(4), mtus=(1500, 4500), noise=1e-9)
    table["rx_kilopackets"] = table["rx_megabytes"] / 3
    assert_refused(fit(table, method, cells=cells), "alpha and beta")


@pytest.mark.parametrize("method", ["ols", "whitened", "paper-tls"])
@pytest.mark.parametrize("miscounted", [0.0, 0.003])
def test_intervals_of_estimates_that_small_differences_tell_cover_the_truth(method, miscounted):
    rng = np.random.default_rng(6)
    held, named = dict.fromkeys(TRUTH, 0), 0
    for _ in range(100):
        table, cells = replicates(rng, runs=5, noise=0.001, miscounted=miscounted)
        result = fit(table, method, cells=cells)
        named += result.identifiable
        for name, truth in TRUTH.items():
            low, high = result.estimates[name].ci95 or (np.inf, -np.inf)
            held[name] += low <= truth <= high
    assert named > 50
    for count in held.values():
        assert 0.95 - 3 * np.sqrt(0.0475 / named) <= count / named


def test_what_depends_on_each_other_is_found_in_memory_that_grows_with_the_rows() -> None:
    first = np.random.default_rng(1).normal(size=5_000)
    columns = np.stack([first, -first, np.ones(len(first))], axis=1)
    tracemalloc.start()
    try:
        nearest = nearest_dependency(columns / np.linalg.norm(columns, axis=0))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert np.abs(nearest) == pytest.approx([np.sqrt(0.5), np.sqrt(0.5), 0.0], abs=1e-9)
    assert most < 10 * columns.nbytes


def test_fewer_rows_than_columns_leave_a_combination_that_is_nothing() -> None:
    nearest = nearest_dependency(np.eye(2, 3))
    assert np.abs(nearest) == pytest.approx([0.0, 0.0, 1.0])
