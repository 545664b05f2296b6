# SPDX-License-Identifier: Apache-2.0
"""The methods of linear fits: what each promises, and that they say where they disagree."""

import numpy as np
import pytest
import statsmodels.api as sm
from coalescope_models.inference.fitting import DEFAULT_METHOD, METHODS, FitInputError, fit_linear
from coalescope_models.inference.fitting.points import Groups
from coalescope_models.inference.fitting.spread import power_of_spread
from scipy import optimize

from .test_lack_of_fit import TRUTH, settings, simulated, table_of

COSTS = np.array(list(TRUTH.values()))


def values(result):
    return np.array([own.value for own in result.estimates.values()])


def fit(table, cells, method=DEFAULT_METHOD, **more):
    more = {"resamples": 0, **more}
    return fit_linear("cpu-overhead", table, method, cells=cells, **more)


def unequal(rng, noise=0.02, power=0.0, sizes=(2, 3, 5, 9)):
    """Replicates of 40 settings, of unequal number, whose relative spread is a power of T."""
    counts = settings() * np.resize([0.1, 1.0, 10.0], (40, 1))
    exact = counts @ COSTS
    cells = np.repeat(np.arange(40), np.resize(sizes, 40))
    spread = noise * (exact / np.exp(np.log(exact).mean())) ** power
    response = exact[cells] * (1 + spread[cells] * rng.normal(size=len(cells)))
    return table_of(counts[cells], response), cells


def test_the_default_is_least_squares_of_all_runs():
    """Each cell's mean counts as often as it was measured: statsmodels on one row for each run."""
    table, cells = unequal(np.random.default_rng(1))
    rows = np.column_stack(list(table.values()))
    groups = Groups.by_label(cells)
    scaled = rows / groups.means(rows)[cells, 3:]
    # counts are alike within a cell
    expected = sm.OLS(scaled[:, 3], scaled[:, :3]).fit().params
    np.testing.assert_allclose(values(fit(table, cells)), expected, rtol=1e-10)
    means = groups.means(rows)
    once = sm.OLS(np.ones(40), means[:, :3] / means[:, 3:]).fit().params
    assert np.max(np.abs(once / expected - 1)) > 1e-4  # the control: each cell once


@pytest.mark.parametrize("column", range(3))
def test_units_leave_the_default_alone(column):
    table, cells = unequal(np.random.default_rng(2))
    units = np.where(np.arange(3) == column, 1000.0, 1.0)
    other = {
        name: own * unit for (name, own), unit in zip(table.items(), [*units, 1.0], strict=True)
    }
    one, two = (fit(t, cells, resamples=200, rng=1) for t in (table, other))
    np.testing.assert_allclose(values(two) * units, values(one), rtol=1e-12)
    for unit, a, b in zip(units, one.estimates.values(), two.estimates.values(), strict=True):
        np.testing.assert_allclose(np.array(b.ci95) * unit, a.ci95, rtol=1e-12)
    plane, other_plane = (fit(t, cells, "paper-tls") for t in (table, other))
    assert np.max(np.abs(values(other_plane) * units / values(plane) - 1)) > 1e-5  # the control


def runs_over_cell_means(table, cells):
    rows = np.column_stack(list(table.values()))
    scaled = rows / Groups.by_label(cells).means(rows)[cells, 3:]
    return scaled[:, 3], scaled[:, :3]


def test_hc3_is_that_of_statsmodels():
    table, cells = unequal(np.random.default_rng(8), power=0.7)
    found = fit(table, cells, "ols-hc3", resamples=100, rng=1)
    expected = sm.OLS(*runs_over_cell_means(table, cells)).fit(cov_type="HC3", use_t=True)
    own = found.estimates.values()
    np.testing.assert_allclose(values(found), expected.params, rtol=1e-9)
    np.testing.assert_allclose([e.standard_error for e in own], expected.bse, rtol=1e-8)
    np.testing.assert_allclose([e.ci95 for e in own], expected.conf_int(), rtol=1e-8)
    assert found.bootstrap.resamples == 0


def test_hc3_covers_the_truth_where_plain_least_squares_do_not():
    rng, sets = np.random.default_rng(9), 200
    hits = {"hc3": np.zeros(3), "plain": np.zeros(3)}
    answered = 0
    for _ in range(sets):
        table, cells = unequal(rng, noise=0.0)
        own, _ = np.linalg.qr(runs_over_cell_means(table, cells)[1])
        leverage = np.sum(own**2, axis=1)
        spread = 0.02 * leverage / leverage.mean()
        table["system_cpu_jiffies"] *= 1 + spread * rng.normal(size=len(cells))
        own = fit(table, cells, "ols-hc3").estimates
        if any(e.ci95 is None for e in own.values()):
            continue  # a run is taken for an outlier
        answered += 1
        # where the replicates reject the model by chance, the interval of their spread
        hc3 = [e.ci95_if_model_holds or e.ci95 for e in own.values()]
        plain = sm.OLS(*runs_over_cell_means(table, cells)).fit().conf_int()
        for name, ends in (("hc3", hc3), ("plain", plain)):
            low, high = np.transpose(ends)
            hits[name] += (low <= COSTS) & (high >= COSTS)
    assert answered >= 0.5 * sets
    error = 3 * np.sqrt(0.95 * 0.05 / answered)
    shares = {name: count / answered for name, count in hits.items()}
    assert np.all(shares["hc3"] >= 0.93 - error), shares
    assert np.all(shares["hc3"] <= 0.97 + error), shares
    assert np.min(shares["plain"]) < 0.93 - error, shares  # the control


def test_hc3_of_a_run_that_determines_a_cost_alone_is_not_known():
    table, cells = unequal(np.random.default_rng(10), sizes=(1,))
    table["rx_kilointerrupts"] = np.where(np.arange(40) == 7, 40.0, 0.0)
    found = fit(table, cells, "ols-hc3")
    assert not found.identifiable
    assert "one run alone determines a cost" in found.message


@pytest.mark.parametrize("power", [-1.0, 0.0, 0.7])
def test_the_power_of_the_spread_is_found(power):
    table, cells = unequal(np.random.default_rng(3), power=power, sizes=(10,))
    said = fit(table, cells, "wls").message
    assert "standard deviation that goes with the response to the power of" in said
    found = float(said.split("power of ")[1].removesuffix("."))
    assert found == pytest.approx(1 + power, abs=0.08)


def test_weights_by_variance_are_those_of_weighted_least_squares():
    table, cells = unequal(np.random.default_rng(4), power=0.7)
    rows = np.column_stack(list(table.values()))
    groups = Groups.by_label(cells)
    means = groups.means(rows)
    plain = values(fit(table, cells))
    off = (rows[:, :3] @ plain - rows[:, 3]) / means[cells, 3]
    power = power_of_spread(off, means[:, 3], groups)
    weights = groups.sizes / means[:, 3] ** (2 * power)
    expected = sm.WLS(np.ones(40), means[:, :3] / means[:, 3:], weights).fit()
    found = fit(table, cells, "wls")
    np.testing.assert_allclose(values(found), expected.params, rtol=1e-8)
    # the test of the model is made with the same weights
    own = (rows[:, :3] @ expected.params - rows[:, 3]) / means[cells, 3]
    middle = np.bincount(cells, own) / groups.sizes
    each = means[:, 3] ** (-2 * power)
    between = np.sum(groups.sizes * each * middle**2) / 37
    within = np.sum(each[cells] * (own - middle[cells]) ** 2) / (len(cells) - 40)
    assert found.diagnostics.lack_of_fit.f == pytest.approx(between / within, rel=1e-6)


def test_weights_by_variance_err_less_where_the_spread_differs():
    squares = dict.fromkeys(("ols", "wls"), 0.0)
    for seed in range(60):
        table, cells = unequal(np.random.default_rng(seed), 0.005, power=0.7, sizes=(5,))
        for method in squares:
            squares[method] += (values(fit(table, cells, method))[0] / COSTS[0] - 1) ** 2
    assert squares["wls"] < 0.3 * squares["ols"]


def test_too_few_replicates_tell_no_variance():
    table, cells = unequal(np.random.default_rng(5), sizes=(1,) * 39 + (3,))
    found = fit(table, cells, "wls")
    assert not found.identifiable
    assert "needs 10 replicates" in found.message


def with_outliers(rng, replicates=8):
    table, cells = simulated(rng, replicates, noise=0.01)
    response = table["system_cpu_jiffies"]
    response[rng.random(len(response)) < 0.03] *= 1.5
    return table, cells


def test_a_robust_fit_covers_the_truth_where_least_squares_give_no_interval():
    rng = np.random.default_rng(6)
    hits = np.zeros(3)
    for _ in range(60):
        table, cells = with_outliers(rng)
        found = fit(table, cells, "robust").estimates
        ends = {n: found[n].ci95 or found[n].ci95_if_independent for n in TRUTH}
        hits += [ends[n][0] <= t <= ends[n][1] for n, t in TRUTH.items()]
        assert not given(fit(table, cells, resamples=200, rng=rng))
    assert np.all(hits / 60 >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 60))


def given(found):
    """Intervals of any kind but of a model that holds."""
    ends = [own.ci95 or own.ci95_if_independent for own in found.estimates.values()]
    return [own for own in ends if own is not None]


def test_the_robust_fit_is_tukeys_minimum():
    table, cells = with_outliers(np.random.default_rng(7))
    rows = np.column_stack(list(table.values()))
    medians = np.array([np.median(rows[cells == c, 3]) for c in range(40)])
    scaled = rows / medians[cells, None]
    found = values(fit(table, cells, "robust"))
    own = sm.RLM(scaled[:, 3], scaled[:, :3], M=sm.robust.norms.TukeyBiweight()).fit()
    tukey = sm.robust.norms.TukeyBiweight()

    def loss(b):
        return np.sum(tukey.rho((scaled[:, 3] - scaled[:, :3] @ (b * COSTS)) / own.scale))

    best = optimize.minimize(loss, np.ones(3), method="Nelder-Mead", options={"xatol": 1e-9})
    np.testing.assert_allclose(found, best.x * COSTS, rtol=1e-5)


OTHERS = [method for method in METHODS if method != "robust"]


@pytest.mark.parametrize("method", OTHERS)
def test_where_runs_are_outliers_there_is_no_interval(method):
    """By all methods but the robust one, each of which is moved."""
    table, cells = with_outliers(np.random.default_rng(8))
    found = fit(table, cells, method, resamples=100, rng=1)
    assert "runs do not belong with the others of their cell, and without them" in found.message
    assert "no interval is given; compare the method robust" in found.message
    assert not given(found)
    assert found.covariance is None
    clean, cells = simulated(np.random.default_rng(8), 8)
    found = fit(clean, cells, method, resamples=100, rng=1)
    assert "not belong" not in (found.message or "")
    assert len(given(found)) == 3


def with_an_outlier(bad, replicates=5, misfit=0.05):
    """Settings that are off in a wave, with one run that is off by another factor."""
    rng = np.random.default_rng(8)
    counts = settings()
    cells = np.repeat(np.arange(40), replicates)
    exact = counts @ COSTS * (1 + misfit * np.sin(np.arange(40)))
    response = exact[cells] * (1 + 0.002 * rng.normal(size=len(cells)))
    response[len(cells) // 2] *= bad
    return table_of(counts[cells], response), cells


def test_outliers_spoil_the_intervals_that_they_move_alone():
    """Less than the misfit, more than the replicates' spread."""
    table, cells = with_an_outlier(1.05)
    found = fit(table, cells, resamples=2_000, rng=1)
    assert len(given(found)) == 3
    assert all(own.ci95_if_model_holds is None for own in found.estimates.values())
    assert "1 run does not belong with the others of their cell; without" in found.message
    assert "hardly differ, but those of a model that holds, which are not given" in found.message
    clean, cells = with_an_outlier(1.0)
    found = fit(clean, cells, resamples=2_000, rng=1)
    assert all(own.ci95_if_model_holds for own in found.estimates.values())


def test_an_outlier_that_hardly_moves_a_fit_leaves_its_intervals():
    """One of 6,000 runs."""
    table, cells = with_an_outlier(1.015, 150, misfit=0.0)
    found = fit(table, cells, resamples=2_000, rng=1)
    assert len(given(found)) == 3
    assert "without them the intervals hardly differ. Compare" in found.message


def test_methods_that_disagree_beyond_their_intervals_say_so():
    """Two cells of the many interrupts are half again as dear: the plane follows them further."""
    rng = np.random.default_rng(9)
    counts = settings()
    exact = counts @ COSTS
    exact[[3, 11]] *= 1.5
    cells = np.repeat(np.arange(40), 5)
    table = table_of(counts[cells], exact[cells] * (1 + 0.005 * rng.normal(size=200)))
    said = fit(table, cells, resamples=400, rng=1).message
    assert "Methods disagree, one is outside of another's interval: gamma is 1.2" in said
    assert "by ols, 1.6" in said
    assert "by paper-tls" in said
    clean, cells = simulated(np.random.default_rng(9), 10)
    assert fit(clean, cells, resamples=400, rng=1).message is None


def idle(rng, base, replicates=5, noise=0.005):
    """Settings at which the same traffic takes from 40 to 400 s, so that idle time tells."""
    counts = settings()
    elapsed = np.resize([40.0, 400.0, 120.0], 40)
    cells = np.repeat(np.arange(40), replicates)
    exact = counts @ COSTS + base * elapsed
    response = exact[cells] * (1 + noise * rng.normal(size=len(cells)))
    return {**table_of(counts[cells], response), "elapsed_s": elapsed[cells]}, cells


def test_what_passes_without_traffic_is_a_cost_of_its_own():
    table, cells = idle(np.random.default_rng(13), 5.0)
    found = fit(table, cells, base=True, resamples=400, rng=1)
    assert list(found.estimates) == ["alpha", "beta", "gamma", "base"]
    assert found.estimates["base"].unit == "jiffies/s"
    for name, truth in {**TRUTH, "base": 5.0}.items():
        own = found.estimates[name]
        assert abs(own.value - truth) < 4 * own.standard_error, name
    assert found.estimates["base"].ci95[0] > 4.5
    without = fit(table, cells, resamples=400, rng=1)
    assert without.diagnostics.lack_of_fit.rejected
    assert not found.diagnostics.lack_of_fit.rejected


def test_a_base_is_not_negative_and_needs_the_time():
    table, cells = idle(np.random.default_rng(11), -0.3)
    found = fit(table, cells, base=True, resamples=400, rng=1)
    assert found.estimates["base"].value == 0.0
    assert "negative base" in found.message
    del table["elapsed_s"]
    with pytest.raises(FitInputError, match="no column elapsed_s"):
        fit(table, cells, base=True)


def test_intervals_include_that_a_cost_at_zero_may_be_more():
    """The truth is a cost of 0: half of the fits hold it there, and the others' intervals cover."""
    rng = np.random.default_rng(12)
    counts = settings()
    truth = np.array([0.8, 0.0, 1.1])
    cells = np.repeat(np.arange(40), 4)
    covered, held, runs = np.zeros(3), 0, 100
    for _ in range(runs):
        response = (counts @ truth)[cells] * (1 + 0.01 * rng.normal(size=len(cells)))
        found = fit(table_of(counts[cells], response), cells, resamples=200, rng=rng)
        held += found.estimates["beta"].value == 0.0
        ends = np.array(given(found))
        covered += (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    assert 0.3 * runs < held < 0.7 * runs
    assert np.all(covered >= runs * (0.95 - 3 * np.sqrt(0.95 * 0.05 / runs)))
