# SPDX-License-Identifier: Apache-2.0
"""Fits on the server take distributions and quasi-random numbers from scipy."""

import re
from pathlib import Path

import numpy as np
import pytest
from coalescope_models.inference import fitting, statistics
from coalescope_models.inference.fitting import distributions
from coalescope_models.inference.fitting.nonlinear import search
from hypothesis import example, given
from hypothesis import strategies as st


@given(df=st.floats(1.0, 1e6), probability=st.floats(0.0005, 0.9995))
def test_quantiles_are_those_of_the_browser(df, probability):
    assert distributions.t_quantile(probability, df) == pytest.approx(
        statistics.t_quantile(probability, df), rel=1e-8, abs=1e-12
    )


@given(f=st.floats(0.0, 1e6), between=st.floats(1.0, 60.0), within=st.floats(1.0, 400.0))
@example(f=5e-324, between=1.0, within=2.0)
@example(f=1e308, between=60.0, within=1.0)
def test_tails_are_those_of_the_browser(f, between, within):
    assert distributions.f_tail(f, between, within) == pytest.approx(
        statistics.f_tail(f, between, within), rel=1e-8, abs=1e-14
    )


def test_fits_use_no_distribution_of_our_own():
    own = {"t_quantile", "t_two_sided", "f_tail"}
    for file in Path(fitting.__file__).parent.glob("*.py"):
        for line in re.findall(r"^from \.\.statistics.* import (.*)$", file.read_text(), re.M):
            assert own.isdisjoint(re.findall(r"\w+", line)), file.name


def van_der_corput(index, base):
    """Digits of the index in the base, mirrored at the point: Halton 1960."""
    share, sum_ = 1.0, 0.0
    while index:
        share /= base
        sum_ += share * (index % base)
        index //= base
    return sum_


def test_starts_are_points_of_haltons_sequence_by_scipy(monkeypatch):
    from scipy.stats import qmc

    made = []

    class Seen(qmc.Halton):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            made.append(args)

    monkeypatch.setattr(qmc, "Halton", Seen)
    points = search.evenly_spread(24, 12)
    assert made == [(12,)]
    primes = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
    wanted = [[van_der_corput(i, base) for base in primes] for i in range(1, 25)]
    np.testing.assert_allclose(points, wanted, rtol=1e-15)
