# SPDX-License-Identifier: Apache-2.0
import math

import pytest
from coalescope_models.inference.statistics import f_tail, t_quantile, t_two_sided
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import special, stats

FREEDOM = st.one_of(st.integers(1, 500), st.floats(1.0, 500.0))


@given(t=st.floats(-50.0, 50.0), df=FREEDOM)
@example(t=1e-8, df=1)  # of which stats.t.sf has eight digits
def test_two_sided_tails_against_scipy(t, df):
    peer = special.betaincc(0.5, 0.5 * df, t * t / (df + t * t))
    assert t_two_sided(t, df) == pytest.approx(peer, rel=1e-9, abs=1e-300)


@given(df=st.floats(1.0, 500.0), probability=st.floats(0.6, 0.9999))
def test_quantiles_at_degrees_of_freedom_that_are_not_whole(df, probability):
    assert t_quantile(probability, df) == pytest.approx(stats.t.ppf(probability, df), rel=1e-8)


@given(f=st.floats(1e-6, 1e6), between=st.integers(1, 60), within=st.integers(1, 400))
def test_f_tails_against_scipy(f, between, within):
    assert f_tail(f, between, within) == pytest.approx(
        stats.f.sf(f, between, within), rel=1e-8, abs=1e-14
    )


def test_ends():
    assert f_tail(0.0, 2, 5) == 1.0
    assert f_tail(math.inf, 2, 5) == 0.0
    assert t_two_sided(0.0, 3) == 1.0
