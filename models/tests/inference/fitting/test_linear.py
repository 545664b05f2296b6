# SPDX-License-Identifier: Apache-2.0
"""The linear fits against the paper and against independent solvers."""

import json
from dataclasses import asdict

import numpy as np
import odrpack
import pytest
import statsmodels.api as sm
from coalescope_models.catalogue import MODELS, UnknownModelError
from coalescope_models.inference.fitting import METHODS, FitInputError, fit_linear
from coalescope_models.inference.fitting.estimators import ESTIMATORS, Moments
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize
from statsmodels.stats.outliers_influence import variance_inflation_factor

COLUMNS = ("rx_megabytes", "rx_kilopackets", "rx_kilointerrupts")
PARAMETERS = ("alpha", "beta", "gamma")


def values(result):
    return np.array([result.estimates[name].value for name in PARAMETERS])


def points(table):
    return np.column_stack([table[name] for name in COLUMNS])


def fit(table, method="paper-tls", **more):
    return fit_linear("cpu-overhead", table, method, **{"resamples": 0, **more})


# What the paper prints, and what its recipe gives on all digits of its table


def test_total_least_squares_as_the_paper_describes_it(nfs_table):
    result = fit(nfs_table)
    assert np.round(values(result), 2).tolist() == [0.81, 0.27, 1.11]
    assert np.round(values(result), 6).tolist() == [0.812997, 0.266365, 1.109872]
    assert round(result.diagnostics.max_abs_deviation_percent, 3) == 1.861
    assert result.n == 27
    assert result.diagnostics.degrees_of_freedom == 24
    assert result.identifiable
    assert result.message is None


@pytest.mark.parametrize(
    ("units", "costs"),
    [
        ((1e3, 1.0, 1.0), [0.81222, 0.26675, 1.11331]),  # kB
        ((1e-3, 1.0, 1.0), [0.81451, 0.26560, 1.10313]),  # GB
        ((1.0, 1.0, 1e3), [0.81403, 0.26664, 1.10299]),  # interrupts, not thousands of them
    ],
)
def test_total_least_squares_depends_on_units_and_least_squares_do_not(nfs_table, units, costs):
    rows = points(nfs_table) * np.array(units)
    found = {
        method: ESTIMATORS[method](Moments.of_sets(rows[None]))[0] * units
        for method in ("paper-tls", "ols")
    }
    assert np.round(found["paper-tls"], 5).tolist() == costs
    assert found["ols"] == pytest.approx(values(fit(nfs_table, "ols")), rel=1e-9)


def test_every_model_entry_of_table_2(nfs, nfs_table):
    predicted = np.array([residual.predicted for residual in fit(nfs_table).residuals])
    assert np.max(np.abs(predicted - nfs["model_jiffies"])) < 1.2
    assert round(float(np.max(np.abs(predicted - 10_000))), 1) == 186.1


def test_ordinary_least_squares_of_the_normalised_rows(nfs_table):
    result = fit(nfs_table, "ols")
    assert np.round(values(result), 6).tolist() == [0.813531, 0.266921, 1.104689]


def test_the_catalogue_starts_from_the_papers_fit(nfs_table):
    defaults = MODELS["cpu-overhead"].defaults
    assert [defaults[name] for name in PARAMETERS] == np.round(values(fit(nfs_table)), 6).tolist()


def test_residuals_are_the_papers_deviations(nfs_table):
    for residual in fit(nfs_table).residuals:
        assert residual.observed == 10_000.0
        expected = 100 * (residual.predicted - residual.observed) / residual.observed
        assert residual.deviation_percent == pytest.approx(expected, rel=1e-12)


# Independent solvers


def test_total_least_squares_against_the_recipe_in_plain_numpy(nfs_table):
    """Step by step as in section 4, with the general eigensolver."""
    x = points(nfs_table)
    c = x.mean(axis=0)
    scatter = sum(np.outer(v, v) for v in x - c)
    eigenvalues, vectors = np.linalg.eig(scatter)
    e = vectors[:, np.argmin(eigenvalues)]
    np.testing.assert_allclose(values(fit(nfs_table)), 10_000 / (e @ c) * e, rtol=1e-11)


@pytest.mark.parametrize(
    "units", [(1.0, 1.0, 1.0), (1e-3, 1.0, 1.0), (1.0, 1.0, 1e3), (1e3, 1.0, 1.0)]
)
def test_total_least_squares_against_odrpack(nfs_table, units):
    """The plane as z = a + b x + c y, with equal errors in all three, whatever their units."""
    rows = points(nfs_table) * np.array(units)
    x, y, z = rows.T / 10_000.0
    result = odrpack.odr_fit(
        lambda x, b: b[0] + b[1] * x[0] + b[2] * x[1],
        np.vstack([x, y]),
        z,
        np.linalg.lstsq(np.column_stack([np.ones_like(x), x, y]), z)[0],
        jac_beta=lambda x, b: np.vstack([np.ones_like(x[0]), x]),
        jac_x=lambda x, b: np.repeat(b[1:, None], x.shape[1], axis=1),
        sstol=1e-15,
        partol=1e-15,
        maxit=1000,
    )
    a, b, c = result.beta
    found = ESTIMATORS["paper-tls"](Moments.of_sets(rows[None]))[0]
    np.testing.assert_allclose(found, [-b / a, -c / a, 1 / a], rtol=1e-8)


def test_total_least_squares_against_minimising_distances(nfs_table):
    x = points(nfs_table)

    def distances(b):
        return (x @ b - 10_000.0) / np.linalg.norm(b)

    found = optimize.least_squares(distances, [1.0, 1.0, 1.0], xtol=1e-15, ftol=1e-15, gtol=1e-15)
    np.testing.assert_allclose(values(fit(nfs_table)), found.x, rtol=1e-6)


def test_ordinary_least_squares_and_diagnostics_against_statsmodels(nfs_table):
    x = points(nfs_table)
    reference = sm.OLS(np.full(27, 10_000.0), x).fit()
    result = fit(nfs_table, "ols")
    np.testing.assert_allclose(values(result), reference.params, rtol=1e-11)
    spread = np.sqrt(reference.scale) / 100  # percent of K
    assert result.diagnostics.residual_sd_percent == pytest.approx(spread, rel=1e-11)
    for index, name in enumerate(PARAMETERS):
        expected = variance_inflation_factor(x, index, standardize=False)
        got = result.diagnostics.variance_inflation[name]
        assert got == pytest.approx(expected, rel=1e-10)


def test_condition_number_is_that_of_columns_of_unit_length(nfs_table):
    x = points(nfs_table)
    expected = np.linalg.cond(x / np.linalg.norm(x, axis=0))
    assert fit(nfs_table).diagnostics.condition_number == pytest.approx(expected, rel=1e-12)
    assert round(expected, 1) == 6.6


# What must not matter


@pytest.mark.parametrize("method", ESTIMATORS)
def test_rows_may_be_raw_or_normalised_and_in_any_order(nfs, nfs_table, method):
    """N_MB is 5,010 before the paper normalises: T = 10000 · 5010/N_MB."""
    scale = 5010.0 / nfs["normalised_megabytes"]
    raw = {name: column * scale for name, column in nfs_table.items()}
    assert round(raw["system_cpu_jiffies"][0]) == 7807
    assert round(raw["system_cpu_jiffies"][-1]) == 4928
    expected = values(fit(nfs_table, method))
    np.testing.assert_allclose(values(fit(raw, method)), expected, rtol=1e-11)
    shuffled = np.random.default_rng(1).permutation(27)
    mixed = {name: column[shuffled] for name, column in raw.items()}
    np.testing.assert_allclose(values(fit(mixed, method)), expected, rtol=1e-11)


@pytest.mark.parametrize("method", ESTIMATORS)
def test_the_unit_of_the_response_only_scales(nfs_table, method):
    seconds = {name: nfs_table[name] for name in COLUMNS}
    seconds["system_cpu_s"] = nfs_table["system_cpu_jiffies"] / 100
    result = fit(seconds, method)
    assert result.response == "system_cpu_s"
    assert result.response_unit == "s"
    units = [result.estimates[name].unit for name in PARAMETERS]
    assert units == ["s/MB", "s/kpacket", "s/kinterrupt"]
    np.testing.assert_allclose(values(result), values(fit(nfs_table, method)) / 100, rtol=1e-11)


_costs = st.floats(0.05, 5.0)


@given(
    truth=st.tuples(_costs, _costs, _costs),
    mtus=st.lists(st.sampled_from([1500, 3000, 4500, 6000, 9000]), min_size=2, unique=True),
    seed=st.integers(0, 2**32 - 1),
)
@pytest.mark.parametrize("method", ESTIMATORS)
def test_exact_data_give_the_parameters_back(method, truth, mtus, seed):
    rng = np.random.default_rng(seed)
    mtu = np.repeat(mtus, 6)
    ppi = np.tile([1.5, 2.0, 4.0, 8.0, 16.0, 30.0], len(mtus))
    megabytes = rng.uniform(500, 6000, len(mtu))
    packets = 1000 * megabytes / mtu
    table = {
        "rx_megabytes": megabytes,
        "rx_kilopackets": packets,
        "rx_kilointerrupts": packets / ppi,
    }
    table["system_cpu_jiffies"] = points(table) @ truth
    result = fit(table, method)
    assert result.identifiable, result.message
    np.testing.assert_allclose(values(result), truth, rtol=1e-7)
    assert result.diagnostics.max_abs_deviation_percent < 1e-7


# The bootstrap of the 27 rows


def test_intervals_of_the_paper_fit(nfs, nfs_table):
    """Against intervals computed before: percentile, strata by MTU. Ours are longer by √(9/8), for
    the rows of a stratum, and by Student's t of 24 over the normal quantile: 1.117."""
    published = {
        "paper-tls": [(0.8039, 0.8229), (0.2448, 0.2863), (1.0628, 1.1536)],
        "ols": [(0.8042, 0.8241), (0.2449, 0.2874), (1.0581, 1.1473)],
    }
    for method, intervals in published.items():
        result = fit(nfs_table, method, strata=nfs["mtu_bytes"], resamples=10_000, rng=1)
        for name, (lo, hi) in zip(PARAMETERS, intervals, strict=True):
            got = result.estimates[name].ci95
            assert (got[1] - got[0]) / (hi - lo) == pytest.approx(1.117, abs=0.045)
            assert got[0] < result.estimates[name].value < got[1]
            assert sum(got) / 2 == pytest.approx((lo + hi) / 2, abs=0.1 * (hi - lo))


def test_the_same_seed_gives_the_same_result(nfs, nfs_table):
    def once(rng):
        return fit(nfs_table, strata=nfs["mtu_bytes"], resamples=500, rng=rng)

    first = once(7)
    assert first == once(7)
    assert first.bootstrap.seed == 7
    assert first.estimates != once(8).estimates
    handed_in = once(np.random.default_rng(7))
    assert handed_in.estimates == first.estimates
    assert handed_in.bootstrap.seed is None


def test_how_the_intervals_were_made_is_told(nfs, nfs_table):
    told = fit(nfs_table, strata=nfs["mtu_bytes"], resamples=100, rng=3).bootstrap
    assert asdict(told) == {
        "unit": "rows",
        "resamples": 100,
        "seed": 3,
        "strata": 3,
        "degenerate": 0,
    }


@pytest.mark.parametrize("method", ESTIMATORS)
def test_the_result_is_plain_json(nfs, nfs_table, method):
    one_mtu = {name: column[:9] for name, column in nfs_table.items()}
    for table, strata in ((nfs_table, nfs["mtu_bytes"]), (one_mtu, None)):
        result = fit(table, method, strata=strata, resamples=50, rng=1)
        data = json.loads(json.dumps(asdict(result), allow_nan=False))
        assert list(data) == [
            *("model", "method", "response", "response_unit", "n", "estimates", "covariance"),
            *("diagnostics", "residuals", "identifiable", "message", "bootstrap", "independence"),
        ]
        assert set(data["estimates"]["alpha"]) == {
            *("value", "unit", "ci95", "standard_error"),
            *("ci95_if_model_holds", "ci95_if_independent"),
        }


def test_covariance_belongs_to_the_standard_errors(nfs, nfs_table):
    result = fit(nfs_table, strata=nfs["mtu_bytes"], resamples=2000, rng=1)
    errors = [result.estimates[name].standard_error for name in PARAMETERS]
    np.testing.assert_allclose(np.sqrt(np.diag(result.covariance)), errors, rtol=1e-12)


# Wrong arguments


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("method", {"method": "lasso"}),
        ("rng", {"resamples": 10}),
        ("resamples", {"resamples": -1}),
        ("strata", {"strata": [1, 2]}),
        ("strata", {"strata": [1] * 27, "cells": [1] * 27}),
        ("cells", {"cells": [1]}),
        ("throughput_mbps", {"response": "throughput_mbps"}),
    ],
)
def test_wrong_arguments_are_named(nfs_table, name, change):
    method = change.pop("method", "ols")
    with pytest.raises(FitInputError) as error:
        fit(nfs_table, method, **change)
    assert error.value.name == name


def test_a_table_must_have_its_columns(nfs_table):
    with pytest.raises(FitInputError, match="no column rx_kilopackets"):
        fit({name: c for name, c in nfs_table.items() if name != "rx_kilopackets"})
    with pytest.raises(FitInputError, match="one response of traffic_cpu_jiffies, system_"):
        fit({name: nfs_table[name] for name in COLUMNS})
    with pytest.raises(FitInputError, match="not as long"):
        fit({**nfs_table, "rx_kilopackets": nfs_table["rx_kilopackets"][:-1]})
    with pytest.raises(FitInputError, match="link-bound has no linear fit"):
        fit_linear("link-bound", nfs_table)
    with pytest.raises(UnknownModelError):
        fit_linear("nfs", nfs_table)


@pytest.mark.fault("I10")
@pytest.mark.parametrize("method", METHODS)
def test_no_cost_is_negative_and_a_bound_that_holds_is_said(method):
    """A response that falls with packets: an unbounded fit gives them a cost of less than 0."""
    rng = np.random.default_rng(8)
    kilopackets = np.tile([333.0, 833.0, 1667.0, 3333.0], 3)
    kilointerrupts = np.repeat([10.0, 100.0, 1000.0], 4)
    exact = 4000.0 - 0.05 * kilopackets + 1.1 * kilointerrupts
    cells = np.repeat(np.arange(12), 4)
    table = {
        "rx_megabytes": np.full(48, 5000.0),
        "rx_kilopackets": kilopackets[cells],
        "rx_kilointerrupts": kilointerrupts[cells],
        "system_cpu_jiffies": exact[cells] * (1 + 0.01 * rng.normal(size=48)),
    }
    result = fit_linear("cpu-overhead", table, method, cells=cells, resamples=200, rng=1)
    assert result.identifiable
    assert result.estimates["beta"].value == 0.0
    assert "negative beta" in result.message
    for own in result.estimates.values():
        assert own.value >= 0.0
        low, high = own.ci95_if_independent  # that beta is not negative, the replicates reject
        assert 0.0 <= low <= own.value <= high
    assert np.array(result.covariance).shape == (3, 3)
