# SPDX-License-Identifier: Apache-2.0
"""Fits on the server take distributions and quasi-random numbers from scipy."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from coalescope_models.inference import fitting, statistics
from coalescope_models.inference.fitting import distributions
from coalescope_models.inference.fitting.nonlinear import search
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import chi2


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


@pytest.mark.parametrize("df", [1, 2, 3, 9, 99, 2999])
def test_medians_of_chi_square_are_scipys(df):
    assert distributions.chi_square_median(df) == chi2.median(df)


def test_a_linear_fit_waits_for_no_import_that_takes_longer_than_it():
    script = """
import sys
import numpy as np
from coalescope_models.catalogue import MODELS
from coalescope_models.inference.fitting import fit_linear
fit = MODELS["cpu-overhead"].linear_fit
rng = np.random.default_rng(1)
cells = np.repeat(np.arange(12), 5)
table = {name: rng.uniform(1, 2, 12)[cells] for name in fit.columns}
cost = sum(table.values()) * rng.normal(1, 0.01, 60)
fit_linear("cpu-overhead", table | {"system_cpu_s": cost}, cells=cells, resamples=100, rng=1)
print({"scipy.special", "scipy.stats", "scipy.optimize"} & set(sys.modules))
"""
    command = [sys.executable, "-c", script]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    assert said.stdout == "{'scipy.special'}\n"


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
