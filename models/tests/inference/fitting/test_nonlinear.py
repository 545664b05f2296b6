# SPDX-License-Identifier: Apache-2.0
"""Nonlinear fits against certified values, an independent solver, and what they must refuse."""

import numpy as np
import pytest
from coalescope_models.catalogue import MODELS, Model, Parameter, evaluate
from coalescope_models.inference.fitting import FitInputError, fit_nonlinear
from coalescope_models.inference.fitting.least_squares import minimise
from coalescope_models.vocabulary.quantity import Quantity
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

TCP = MODELS["tcp-coalescing-throughput"]


def model_of(function, **parameters):
    """A model of x with parameters given as (default, lo, hi)."""

    def quantity(name, role):
        return Quantity(name, name, name, "", name, role=role)

    return Model(
        id="test",
        title="test",
        summary="test.",
        function=function,
        inputs=(quantity("x", "model"),),
        parameters=tuple(
            Parameter(
                quantity(name, "parameter"), default, lo, hi, (hi - lo) / 1000, searched=(lo, hi)
            )
            for name, (default, lo, hi) in parameters.items()
        ),
        outputs=(quantity("y", "model"),),
        citation="",
    )


# NIST Statistical Reference Datasets, nonlinear regression: data and certified values

MISRA1A = np.array(
    [
        *[(77.6, 10.07), (114.9, 14.73), (141.1, 17.94), (190.8, 23.93), (239.9, 29.61)],
        *[(289.0, 35.18), (332.8, 40.02), (378.4, 44.82), (434.8, 50.76), (477.3, 55.05)],
        *[(536.8, 61.01), (593.1, 66.40), (689.1, 75.47), (760.0, 81.78)],
    ]
)


def misra1a(start):
    return model_of(
        lambda x, b1, b2, xp: {"y": -b1 * xp.expm1(-b2 * x)},
        b1=(start[0], 10.0, 1000.0),
        b2=(start[1], 1e-5, 0.01),
    )


@pytest.mark.parametrize("start", [(500.0, 0.0001), (250.0, 0.0005)])
def test_misra1a_of_nist(start):
    """From both of NIST's starts to its certified values, standard deviations included."""
    x, y = MISRA1A.T
    result = fit_nonlinear(
        misra1a(start), {"x": x, "y": y}, "y", ["b1", "b2"], weighting="absolute"
    )
    assert result.estimates["b1"].value == pytest.approx(2.3894212918e2, rel=1e-8)
    assert result.estimates["b2"].value == pytest.approx(5.5015643181e-4, rel=1e-8)
    assert result.estimates["b1"].standard_error == pytest.approx(2.7070075241, rel=1e-6)
    assert result.estimates["b2"].standard_error == pytest.approx(7.2668688436e-6, rel=1e-6)
    squares = sum((r.predicted - r.observed) ** 2 for r in result.residuals)
    assert squares == pytest.approx(1.2455138894e-1, rel=1e-8)


@pytest.mark.parametrize("start", [(1.0, 5.0), (0.7, 4.0)])
def test_danwood_of_nist(start):
    """A power law."""
    x = np.array([1.309, 1.471, 1.490, 1.565, 1.611, 1.680])
    y = np.array([2.138, 3.421, 3.597, 4.340, 4.882, 5.660])
    model = model_of(
        lambda x, b1, b2, xp: {"y": b1 * x**b2}, b1=(start[0], 0.01, 10.0), b2=(start[1], 0.1, 10.0)
    )
    found = fit_nonlinear(model, {"x": x, "y": y}, "y", ["b1", "b2"], weighting="absolute")
    estimates = found.estimates
    assert estimates["b1"].value == pytest.approx(7.6886226176e-1, rel=1e-8)
    assert estimates["b2"].value == pytest.approx(3.8604055871, rel=1e-8)
    assert estimates["b1"].standard_error == pytest.approx(1.8281973860e-2, rel=1e-6)
    assert estimates["b2"].standard_error == pytest.approx(5.1726610913e-2, rel=1e-6)


@pytest.mark.parametrize("start", [(1.0, 1.0), (100.0, 0.75)])
def test_boxbod_of_nist(start):
    """Of NIST's higher difficulty: from the first start many solvers run away.

    Large residuals: the sum of squares is flat to 1e-12 where the exponent is known to 3e-8.
    """
    x = np.array([1.0, 2.0, 3.0, 5.0, 7.0, 10.0])
    y = np.array([109.0, 149.0, 149.0, 191.0, 213.0, 224.0])
    model = model_of(
        lambda x, b1, b2, xp: {"y": -b1 * xp.expm1(-b2 * x)},
        b1=(start[0], 1.0, 1000.0),
        b2=(start[1], 0.01, 5.0),
    )
    found = fit_nonlinear(model, {"x": x, "y": y}, "y", ["b1", "b2"], weighting="absolute")
    estimates = found.estimates
    assert estimates["b1"].value == pytest.approx(2.1380940889e2, rel=1e-7)
    assert estimates["b2"].value == pytest.approx(5.4723748542e-1, rel=1e-7)
    assert estimates["b1"].standard_error == pytest.approx(1.2354515176e1, rel=1e-6)
    assert estimates["b2"].standard_error == pytest.approx(1.0455993237e-1, rel=1e-6)


def test_no_intercept_of_nist():
    """NoInt1, a linear set: the nonlinear solver must find it too."""
    x, y = np.arange(60.0, 71.0), np.arange(130.0, 141.0)
    model = model_of(lambda x, b, xp: {"y": b * x}, b=(1.0, 0.0, 10.0))
    result = fit_nonlinear(model, {"x": x, "y": y}, "y", ["b"], weighting="absolute")
    assert result.estimates["b"].value == pytest.approx(2.07438016528926, rel=1e-12)
    assert result.estimates["b"].standard_error == pytest.approx(0.165289256198347e-1, rel=1e-10)


# The project's own models


def tcp_table(rtt=900.0, nics=1.7, noise=0.0, replicates=1, seed=1):
    delay, mtu = (
        g.ravel() for g in np.meshgrid([0.0, 50.0, 200.0, 800.0, 2000.0], [1500.0, 3000.0, 9000.0])
    )
    delay, mtu = np.repeat(delay, replicates), np.repeat(mtu, replicates)
    values = {"delay_us": delay, "mtu_bytes": mtu, "rtt_min_us": rtt, "coalescing_nics": nics}
    values["link_rate_mbps"] = 1000.0
    exact = evaluate(TCP, values)["throughput_mbps"]
    factor = 1.0 + noise * np.random.default_rng(seed).normal(size=len(exact))
    cells = np.arange(15).repeat(replicates)
    return {"delay_us": delay, "mtu_bytes": mtu, "throughput_mbps": exact * factor}, cells


HELD = {"link_rate_mbps": 1000.0}


@given(rtt=st.floats(50.0, 4000.0), nics=st.floats(0.2, 6.0))
def test_exact_data_give_the_parameters_back(rtt, nics):
    table, _ = tcp_table(rtt, nics)
    result = fit_nonlinear(
        TCP, table, "throughput_mbps", ["rtt_min_us", "coalescing_nics"], held=HELD
    )
    assert result.estimates["rtt_min_us"].value == pytest.approx(rtt, rel=1e-6)
    assert result.estimates["coalescing_nics"].value == pytest.approx(nics, rel=1e-6)
    assert result.method == "nonlinear"
    assert result.response_unit == "Mb/s"


def test_against_scipy():
    table, _ = tcp_table(noise=0.02)

    def residuals(b):
        values = {**table, "rtt_min_us": b[0], "coalescing_nics": b[1], **HELD}
        observed = values.pop("throughput_mbps")
        return evaluate(TCP, values)["throughput_mbps"] / observed - 1.0

    expected = optimize.least_squares(residuals, [700.0, 1.0], xtol=1e-14, ftol=1e-14, gtol=1e-14)
    result = fit_nonlinear(
        TCP, table, "throughput_mbps", ["rtt_min_us", "coalescing_nics"], held=HELD
    )
    found = [estimate.value for estimate in result.estimates.values()]
    np.testing.assert_allclose(found, expected.x, rtol=1e-6)
    inverse = np.linalg.inv(expected.jac.T @ expected.jac) * 2 * expected.cost / 13
    np.testing.assert_allclose(result.covariance, inverse, rtol=1e-3)


def test_an_interval_stays_within_the_bounds_of_the_search():
    model = model_of(lambda x, a, xp: {"y": a * x}, a=(1.0, 0.5, 2.0))
    rng = np.random.default_rng(2)
    x = np.repeat(np.arange(1.0, 9.0), 4)
    for truth, cells in ((1.999, np.repeat(np.arange(8), 4)), (2.3, None)):
        y = truth * x * (1 + 0.05 * rng.normal(size=32))
        result = fit_nonlinear(model, {"x": x, "y": y}, "y", ["a"], cells=cells, rng=1)
        lo, hi = result.estimates["a"].ci95
        assert 0.5 <= lo <= result.estimates["a"].value <= hi <= 2.0


@pytest.mark.parametrize(("name", "value"), [("mtu_bytes", -1500.0), ("delay_us", -1e-9)])
def test_inputs_outside_their_domain_are_refused(name, value):
    table, _ = tcp_table()
    assert name in table
    table[name] = np.array(table[name])
    table[name][2] = value
    with pytest.raises(FitInputError, match=f"row 3 of {name} is .*must be"):
        fit_nonlinear(TCP, table, "throughput_mbps", ["rtt_min_us"], held=HELD)


def test_what_has_settled_is_not_evaluated_again():
    seen = []

    def residuals(values, which):
        seen.append(len(which))
        return values - np.array([[1.0], [1.0]])[which], np.ones((len(which), 1, 1))

    start = np.array([[1.0], [900.0]])
    found = minimise(residuals, start, np.array([-1e3]), np.array([1e3]))
    assert found.converged.all()
    np.testing.assert_allclose(found.values, 1.0)
    assert seen[0] == 2
    assert seen[-1] == 1


def test_the_same_seed_gives_the_same_result():
    table, cells = tcp_table(noise=0.02, replicates=3)
    once, again = (
        fit_nonlinear(TCP, table, "throughput_mbps", ["rtt_min_us"], held=HELD, cells=cells, rng=7)
        for _ in range(2)
    )
    assert once == again


def test_a_parameter_that_moves_in_steps_is_refused():
    """The window counts whole packets, so nothing between two counts is known."""
    table, _ = tcp_table()
    result = fit_nonlinear(TCP, table, "throughput_mbps", ["window_bytes"], held=HELD)
    assert not result.identifiable
    assert "window_bytes does not move throughput_mbps" in result.message
    assert result.estimates["window_bytes"].value is None


def test_a_kind_is_held_and_never_fitted():
    """There is nothing between an absolute timer and a packet timer."""
    model, table = MODELS["receive-open-loop"], {"delay_us": [1.0], "mtu_bytes": [1500.0]}
    with pytest.raises(FitInputError, match=r"2 packet timer, .* cannot be fitted: hold one"):
        fit_nonlinear(model, table, "throughput_mbps", ["moderation_kind"])


def test_parameters_that_do_the_same_are_refused():
    model = model_of(lambda x, a, b, xp: {"y": a * b * x}, a=(1.0, 0.1, 10.0), b=(1.0, 0.1, 10.0))
    x = np.arange(1.0, 9.0)
    result = fit_nonlinear(model, {"x": x, "y": 6.0 * x}, "y", ["a", "b"])
    assert not result.identifiable
    assert "a and b cannot be told apart" in result.message


@pytest.mark.parametrize("link_rate_mbps", [40_000.0, 400_000.0, 2_000_000.0])
def test_a_link_faster_than_any_slider_is_found(link_rate_mbps):
    """Sliders are for the eye: a fit keeps the domain of the quantity."""
    mtu = np.array([1500.0, 3000.0, 4500.0, 9000.0])
    at = {"mtu_bytes": mtu, "link_rate_mbps": link_rate_mbps}
    table = {
        "mtu_bytes": mtu,
        "throughput_mbps": evaluate(MODELS["link-bound"], at)["throughput_mbps"],
    }
    found = fit_nonlinear("link-bound", table, "throughput_mbps", ["link_rate_mbps"])
    assert found.estimates["link_rate_mbps"].value == pytest.approx(link_rate_mbps, rel=1e-9)
    assert found.message is None


def test_a_mean_counts_as_often_as_it_was_measured():
    """Least squares of all runs, against the same rows as points of their own."""
    rng = np.random.default_rng(4)
    x = np.repeat([1.0, 2.0, 5.0, 9.0], [1, 2, 7, 30])
    y = 3.0 + 0.5 * x**1.5 + rng.normal(size=len(x))
    model = model_of(
        lambda x, a, b, xp: {"y": a + b * x**1.5}, a=(1.0, -10.0, 10.0), b=(1.0, -10.0, 10.0)
    )
    fits = [
        fit_nonlinear(
            model, {"x": x, "y": y}, "y", ["a", "b"], cells=own, weighting="absolute", resamples=0
        )
        for own in (x, None)
    ]
    means, rows = ([own.value for own in found.estimates.values()] for found in fits)
    np.testing.assert_allclose(means, rows, rtol=1e-8)


def test_a_parameter_that_ends_at_its_bound_says_so():
    model = model_of(lambda x, a, xp: {"y": a * x}, a=(1.0, 0.1, 2.0))
    x = np.arange(1.0, 9.0)
    result = fit_nonlinear(model, {"x": x, "y": 6.0 * x}, "y", ["a"])
    assert result.estimates["a"].value == 2.0
    assert "a ended at a bound" in result.message


def test_as_many_settings_as_parameters_leave_nothing_to_judge_by():
    model = model_of(lambda x, a, b, xp: {"y": a + b * x}, a=(3.0, 0.1, 9.0), b=(3.0, 0.1, 9.0))
    for count, said in ((2, True), (3, False)):
        x = np.arange(1.0, count + 1.0)
        found = fit_nonlinear(model, {"x": x, "y": 1.0 + 2.0 * x}, "y", ["a", "b"])
        assert found.identifiable
        assert ("nothing is left to judge it by" in (found.message or "")) == said


def test_too_few_settings_are_refused():
    table = {"delay_us": [10.0], "mtu_bytes": [1500.0], "throughput_mbps": [90.0]}
    result = fit_nonlinear(TCP, table, "throughput_mbps", ["rtt_min_us", "coalescing_nics"])
    assert not result.identifiable
    assert "measure at least 2" in result.message


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"output": "speed"}, "has no output 'speed'"),
        ({"free": []}, "at least one parameter"),
        ({"free": ["rtt_min_us", "rtt_min_us"]}, "each once"),
        ({"free": ["rtt"]}, "has no parameter 'rtt'; it has window_bytes"),
        ({"held": {"rtt_min_us": 5.0}}, "both held and free"),
        ({"held": {"coalescing_nics": -1.0}}, "coalescing_nics must be at least 0, not -1"),
        ({"weighting": "robust"}, '"relative" or "absolute"'),
        ({"table": {"delay_us": [1.0], "mtu_bytes": [1500.0]}}, "no column throughput_mbps"),
        (
            {"table": {"delay_us": [1.0], "mtu_bytes": [1500.0], "throughput_mbps": [np.inf]}},
            "row 1 of throughput_mbps is not a finite number",
        ),
        ({"cells": [1, 2]}, "one label for each row"),
        ({"resamples": -1}, "must not be negative"),
    ],
)
def test_wrong_arguments_are_named(change, words):
    table, _ = tcp_table()
    arguments = {"table": table, "output": "throughput_mbps", "free": ["rtt_min_us"], **change}
    with pytest.raises(FitInputError, match=words):
        fit_nonlinear(TCP, rng=1, **arguments)


# The solver itself


@given(
    start=st.tuples(st.floats(-2.0, 2.0), st.floats(-1.0, 3.0)),
    bound=st.floats(-0.5, 2.0),
)
def test_rosenbrock_within_bounds(start, bound):
    """A curved valley, and a bound that may cut the minimum at (1, 1) off."""

    def residuals(p, _which):
        x, y = p[:, 0], p[:, 1]
        found = np.stack([10.0 * (y - x * x), 1.0 - x], axis=1)
        slopes = np.stack(
            [np.stack([-20.0 * x, 10.0 + 0 * x], axis=1), np.stack([-1.0 + 0 * x, 0 * x], axis=1)],
            axis=1,
        )
        return found, slopes

    lo, hi = np.array([-3.0, -2.0]), np.array([bound, 4.0])
    minimum = minimise(residuals, np.array([start]), lo, hi)
    assert minimum.converged.all()
    x = min(bound, 1.0)
    np.testing.assert_allclose(minimum.values[0], [x, x * x], rtol=1e-5, atol=1e-6)


def test_a_problem_that_has_no_finite_value_does_not_spoil_the_others():
    def residuals(p, _which):
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.log(p) - 1.0, (1.0 / p)[:, :, None]

    minimum = minimise(residuals, np.array([[-1.0], [2.0]]), np.array([-2.0]), np.array([9.0]))
    assert minimum.converged.tolist() == [False, True]
    assert minimum.values[1, 0] == pytest.approx(np.e)


RAT43 = np.array(
    [
        *[16.08, 33.83, 65.80, 97.20, 191.55, 326.20, 386.87, 520.53],
        *[590.03, 651.92, 724.93, 699.56, 689.96, 637.56, 717.41],
    ]
)


@pytest.mark.parametrize("b4", [(1.0, -3.0, 6.0), (1.0, 0.1, 6.0)])
def test_rat43_of_nist_ends_in_an_answer_whatever_the_bounds(b4):
    """Bounds of b4 that include 0, where the model is not finite, ended in a traceback."""
    model = model_of(
        lambda x, b1, b2, b3, b4, xp: {"y": b1 / (1 + xp.exp(b2 - b3 * x)) ** (1 / b4)},
        b1=(100.0, -2000.0, 3000.0),
        b2=(10.0, -11.0, 26.0),
        b3=(1.0, -1.5, 3.0),
        b4=b4,
    )
    table = {"x": np.arange(1.0, 16.0), "y": RAT43}
    result = fit_nonlinear(model, table, "y", ("b1", "b2", "b3", "b4"), weighting="absolute")
    assert result.identifiable or result.message
    if result.identifiable:
        certified = [699.6415127, 5.277125379, 0.7596294144, 1.279248365]
        found = [own.value for own in result.estimates.values()]
        assert found == pytest.approx(certified, rel=1e-5)


MGH10 = np.array(
    [
        *[34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744, 8261, 7030, 6005, 5147, 4427],
        *[3820, 3307, 2872],
    ]
)


def test_mgh10_of_nist_is_told_though_its_parameters_rise_and_fall_together():
    """Condition number 4,763, but certified standard errors of 2.8 % at most: it was refused."""
    model = model_of(
        lambda x, b1, b2, b3, xp: {"y": b1 * xp.exp(b2 / (x + b3))},
        b1=(0.02, 0.0001, 1.0),
        b2=(4000.0, 1000.0, 10000.0),
        b3=(250.0, 100.0, 1000.0),
    )
    table = {"x": np.arange(50.0, 130.0, 5.0), "y": MGH10.astype(float)}
    result = fit_nonlinear(model, table, "y", ("b1", "b2", "b3"), weighting="absolute")
    assert result.identifiable, result.message
    assert result.diagnostics.condition_number > 1000
    certified = {"b1": 5.6096364710e-03, "b2": 6.1813463463e03, "b3": 3.4522363462e02}
    errors = {"b1": 1.5687892471e-04, "b2": 2.3309021107e01, "b3": 7.8486103508e-01}
    for name, own in result.estimates.items():
        assert own.value == pytest.approx(certified[name], rel=1e-6)
        assert own.standard_error == pytest.approx(errors[name], rel=1e-5)


@pytest.mark.parametrize("off", [0.0, 20.0])
@pytest.mark.parametrize("weighting", ["absolute", "relative"])
def test_outlying_runs_are_looked_for_in_deviations_as_they_are_weighed(weighting, off):
    """Runs of all cells scatter alike in what the weighting says; only one far off is told of."""
    model = model_of(lambda x, a, b, xp: {"y": a + b * x}, a=(1.0, 0.0, 10.0), b=(1.0, 0.0, 10.0))
    x = np.array([0.0, 20.0, 40.0, 60.0, 80.0, 100.0]).repeat(3)
    mean = 2.0 + x
    unit = np.full(len(x), 0.5) if weighting == "absolute" else 0.02 * mean
    y = mean + unit * np.tile([-1.0, 0.2, 0.8], 6)
    y[-1] += off * unit[-1]
    fit = fit_nonlinear(
        model, {"x": x, "y": y}, "y", ["a", "b"], cells=x, weighting=weighting,
        resamples=50, rng=1,
    )  # fmt: skip
    refused = "not belong with the others" in (fit.message or "")
    assert refused == (off > 0.0)
    assert all((own.ci95 is None) == refused for own in fit.estimates.values())


WAITS = {"idle_us": 220.0, "delay_waits": 2.15}


def waiting(bad, replicates, wave=0.0, resamples=400):
    """Six delays, one run off by the factor `bad`, cells off the model by up to `wave`."""
    delay = np.tile([10.0, 40.0, 80.0, 160.0, 320.0, 640.0], replicates)
    levels = {"delay_us": delay, "mtu_bytes": np.full(len(delay), 1500.0)}
    truth = {name: np.array(value) for name, value in WAITS.items()}
    exact = evaluate(MODELS["request-response"], {**levels, **truth})["throughput_mbps"]
    noise = 0.002 * np.random.default_rng(3).normal(size=len(delay))
    rate = exact * (1.0 + noise) * (1.0 + wave * np.sin(delay))
    rate[len(rate) // 2] *= bad
    question = ("request-response", {**levels, "throughput_mbps": rate}, "throughput_mbps")
    return fit_nonlinear(*question, list(WAITS), cells=delay, resamples=resamples, rng=1)


def intervals(result):
    """Of any kind but of a model that holds."""
    ends = [own.ci95 or own.ci95_if_independent for own in result.estimates.values()]
    return [own for own in ends if own is not None]


@pytest.mark.parametrize("resamples", [0, 400])
def test_an_outlier_that_hardly_moves_a_fit_leaves_its_intervals(resamples):
    """One of 1,200 runs; one that moves it leaves none."""
    found = waiting(1.01, 200, resamples=resamples)
    assert "1 run does not belong with the others of their cell; without" in found.message
    assert "the intervals hardly differ. Compare the method robust." in found.message
    assert len(intervals(found)) == 2
    moved = waiting(1.2, 200, resamples=resamples)
    assert "and without them the fit is another: no interval is given" in moved.message
    assert not intervals(moved)


def test_an_outlier_beside_a_misfit_leaves_the_intervals_that_include_it():
    """Not those of a model that holds, which it spoils."""
    found = waiting(1.03, 10, wave=0.02)
    assert found.diagnostics.lack_of_fit.rejected
    assert len(intervals(found)) == 2
    assert "hardly differ, but those of a model that holds, which are not given" in found.message
    assert all(own.ci95_if_model_holds is None for own in found.estimates.values())
    clean = waiting(1.0, 10, wave=0.02)
    assert all(own.ci95_if_model_holds for own in clean.estimates.values())
