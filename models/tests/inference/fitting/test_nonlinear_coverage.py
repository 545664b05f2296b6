# SPDX-License-Identifier: Apache-2.0
"""How often the 95 % intervals of nonlinear fits cover the truth, by simulation.

`pytest -m soak --log-cli-level=INFO models/tests/inference/fitting/test_nonlinear_coverage.py`
prints every share. Each simulated measurement is fitted by `fit_nonlinear`, as a user's is.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pytest
from coalescope_models.catalogue import MODELS, Model, evaluate
from coalescope_models.expr import trace
from coalescope_models.inference.fitting import fit_nonlinear
from coalescope_models.user_models.model import Constant, user_model
from scipy.stats import binom

#: With ten replicates; the simulation's own error is 0.6 % then.
SIMULATIONS = 1_500
#: With fewer replicates, where coverage is told and not promised; 1.1 %.
SIMULATIONS_OF_FEW = 400
RESAMPLES = 200
#: Share of measurements without outliers that get no interval at most, as a run is named as one:
#: 1.7 % of 1500 with ten replicates in seven cells.
REFUSED = 0.02


def rising(delay_us, floor, reach, scale_us, xp):
    return {"packets_per_interrupt": floor - reach * xp.expm1(-delay_us / scale_us)}


def plane(delays, mtus):
    delay, mtu = np.meshgrid(np.array(delays, float), np.array(mtus, float))
    return {"delay_us": delay.ravel(), "mtu_bytes": mtu.ravel()}


@dataclass(frozen=True)
class Design:
    """What is measured, and what is not known of it.

    Attributes:
        model: that is true, and fitted.
        inputs: of each setting.
        output: that is measured.
        free: truth of the parameters to fit.
        held: of parameters that are known.
        deviations: of a run, by kind: a share of its mean, or in the measure's unit.
        at_bound: free parameters whose truth is the end of their slider.
    """

    model: Model
    inputs: Mapping[str, np.ndarray]
    output: str
    free: Mapping[str, float]
    held: Mapping[str, float]
    deviations: Mapping[str, float]
    at_bound: tuple[str, ...] = ()

    @property
    def exact(self):
        """What there would be to measure without noise, [settings]."""
        truth = {name: np.array(value) for name, value in {**self.free, **self.held}.items()}
        return evaluate(self.model, {**self.inputs, **truth})[self.output]

    def runs(self, noise, replicates, rng):
        """Simulate a measurement, [settings, replicates]."""
        exact = self.exact[:, None]
        scale = exact if noise == "proportional" else 1.0
        shape = (len(exact), replicates)
        return exact + self.deviations[noise] * scale * rng.normal(size=shape)


#: Weighting that suits the noise; it does not have to.
WEIGHTING = {"proportional": "relative", "constant": "absolute"}
UDP = plane([10, 40, 160, 640], [1500, 6000])
DESIGNS = {
    "clients that wait": Design(
        MODELS["request-response"],
        plane([10, 40, 160, 640], [1500, 4500]),
        "throughput_mbps",
        {"idle_us": 220.0, "delay_waits": 2.15},
        {},
        {"proportional": 0.05, "constant": 5.0},
    ),
    "windows and interfaces": Design(
        MODELS["tcp-coalescing-throughput"],
        plane([10, 160, 640, 2400], [1500, 6000]),
        "throughput_mbps",
        {"rtt_min_us": 900.0, "coalescing_nics": 1.7},
        {"link_rate_mbps": 1000.0},
        {"proportional": 0.05, "constant": 4.0},
    ),
    "a stream's costs": Design(
        MODELS["receive-open-loop"],
        UDP,
        "system_cpu_percent",
        {"packet_cost_us": 2.0, "interrupt_cost_us": 6.0},
        {"byte_cost_ns": 1.3},
        {"proportional": 0.05, "constant": 2.0},
    ),
    "a stream's costs, one of them none": Design(
        MODELS["receive-open-loop"],
        UDP,
        "system_cpu_percent",
        {"packet_cost_us": 2.0, "interrupt_cost_us": 6.0, "byte_cost_ns": 0.0},
        {},
        {"proportional": 0.05, "constant": 2.0},
        at_bound=("byte_cost_ns",),
    ),
    "a law of one's own": Design(
        user_model(
            "Rising",
            trace(rising, ["delay_us", "floor", "reach", "scale_us"]),
            ["delay_us"],
            [
                Constant("floor", 1.0, 0.0, 10.0),
                Constant("reach", 10.0, 0.0, 200.0),
                Constant("scale_us", 100.0, 1.0, 5000.0),
            ],
        ),
        {"delay_us": np.array([10.0, 40.0, 80.0, 160.0, 320.0, 640.0, 1280.0])},
        "packets_per_interrupt",
        {"floor": 1.5, "reach": 20.0, "scale_us": 300.0},
        {},
        {"proportional": 0.1, "constant": 0.5},
    ),
}


def table(design, runs):
    """Runs [settings, replicates] as a table, and the label of each row's setting."""
    replicates = runs.shape[1]
    columns = {name: column.repeat(replicates) for name, column in design.inputs.items()}
    return {**columns, design.output: runs.ravel()}, np.arange(len(runs)).repeat(replicates)


def _given(estimate):
    return estimate.ci95


def fits(name, noise, replicates, simulations, resamples):
    """Fits of simulated measurements, as a user gets them; the simulation's number is the seed."""
    design, rng = DESIGNS[name], np.random.default_rng(13)
    for seed in range(simulations):
        rows, cells = table(design, design.runs(noise, replicates, rng))
        yield fit_nonlinear(
            design.model, rows, design.output, list(design.free), held=design.held, cells=cells,
            weighting=WEIGHTING[noise], resamples=resamples, rng=seed,
        )  # fmt: skip


def coverage(name, noise, replicates, simulations, resamples=RESAMPLES, ends_of=_given):
    """Shares of the intervals given that cover the truth, and the simulation's error.

    `ends_of` makes other intervals of an estimate, for controls.
    """
    truth = DESIGNS[name].free
    hits = dict.fromkeys(truth, 0)
    given = 0
    for fit in fits(name, noise, replicates, simulations, resamples):
        if any(own.ci95 is None for own in fit.estimates.values()):
            continue
        given += 1
        for own, value in truth.items():
            low, high = ends_of(fit.estimates[own])
            hits[own] += low <= value <= high
    shares = {own: count / given for own, count in hits.items()}
    error = float(np.sqrt(0.95 * 0.05 / given))
    shown = ", ".join(f"{own} {100 * share:.1f} %" for own, share in shares.items())
    logging.getLogger(__name__).info(
        "nominal 95 %%, %s, %s noise, %d settings of %d: %s (error of the simulation %.1f %%), "
        "intervals of %d of %d",
        name, noise, len(DESIGNS[name].exact), replicates, shown, 100 * error, given, simulations,
    )  # fmt: skip
    refused = simulations - given
    assert binom.sf(refused - 1, simulations, REFUSED) > 1e-4, f"{refused} have no interval"
    return shares, error


def test_intervals_of_ten_replicates_cover_the_truth():
    """The most curved model with the most noise, simulated a little: fails what surely does not."""
    shares, error = coverage("a law of one's own", "proportional", 10, 300, resamples=100)
    for name, share in shares.items():
        assert 0.93 - 3 * error <= share <= 0.97 + 3 * error, name


def test_intervals_that_ignore_how_few_replicates_there_are_do_not():
    """The control: normal quantiles, and the spread of the plain bootstrap."""

    def short(estimate):
        half = 1.96 * np.sqrt(2 / 3) * estimate.standard_error
        return estimate.value - half, estimate.value + half

    shares, error = coverage("a law of one's own", "constant", 3, 300, 50, short)
    assert max(shares.values()) < 0.93 - 3 * error


@pytest.mark.soak
@pytest.mark.parametrize("noise", WEIGHTING)
@pytest.mark.parametrize("name", DESIGNS)
def test_intervals_from_ten_replicates(name, noise):
    """A cost that is none lies at the end of its slider, which its interval cannot cross: what
    would miss the truth from there covers it, so of 95 % that are meant up to 97.5 % are."""
    shares, error = coverage(name, noise, 10, SIMULATIONS)
    for own, share in shares.items():
        most = 0.975 + 3 * error if own in DESIGNS[name].at_bound else 0.97
        assert 0.93 <= share <= most, own


@pytest.mark.soak
@pytest.mark.parametrize("noise", WEIGHTING)
@pytest.mark.parametrize("replicates", [3, 5])
@pytest.mark.parametrize("name", DESIGNS)
def test_intervals_from_few_replicates(name, replicates, noise):
    shares, error = coverage(name, noise, replicates, SIMULATIONS_OF_FEW)
    for own, share in shares.items():
        most = 0.975 + 3 * error if own in DESIGNS[name].at_bound else 0.98
        assert 0.92 <= share <= most, own
