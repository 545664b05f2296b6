# SPDX-License-Identifier: Apache-2.0
import math
from fractions import Fraction

import numpy as np
import pytest
from coalescope_models.inference.statistics import (
    CellSummary,
    from_moments,
    interval_by_cluster,
    summarise,
    t_quantile,
)
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

_numbers = st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=12)


@pytest.mark.parametrize("df", [1, 2, 3, 4, 9, 24, 99, 100, 101, 2000, 2001, 10**5, 10**7])
@pytest.mark.parametrize("probability", [0.51, 0.6, 0.9, 0.95, 0.975, 0.995, 0.99999])
def test_t_quantiles(probability, df):
    expected = stats.t.ppf(probability, df)
    assert t_quantile(probability, df) == pytest.approx(expected, rel=2e-11)
    assert t_quantile(1 - probability, df) == pytest.approx(-expected, rel=2e-11)


def test_t_quantiles_in_closed_form():
    """One degree of freedom is Cauchy's distribution; two have a square root."""
    assert t_quantile(0.975, 1) == pytest.approx(math.tan(math.pi * 0.475), rel=1e-13)
    assert t_quantile(0.975, 2) == pytest.approx(0.95 * math.sqrt(2 / (1 - 0.95**2)), rel=1e-13)
    assert t_quantile(0.5, 7) == 0.0


def test_t_quantiles_of_printed_tables():
    assert [round(t_quantile(0.975, df), 3) for df in (1, 2, 4, 9, 24)] == [
        *(12.706, 4.303, 2.776, 2.262, 2.064),
    ]


@given(_numbers)
def test_summaries_against_numpy_and_scipy(values):
    summary = summarise(np.array(values))
    n = len(values)
    exact_mean = sum(map(Fraction, values)) / n
    assert summary.n == n
    assert summary.mean == pytest.approx(float(exact_mean), rel=1e-15, abs=1e-300)
    exact_variance = sum((Fraction(v) - exact_mean) ** 2 for v in values) / (n - 1)
    scale = max(map(abs, values))
    assert summary.sd == pytest.approx(math.sqrt(exact_variance), rel=1e-12, abs=1e-16 * scale)
    lo, hi = summary.ci95
    half = stats.t.ppf(0.975, n - 1) * summary.sd / math.sqrt(n)
    assert hi - lo == pytest.approx(2 * half, rel=1e-9, abs=1e-14 * scale)
    assert lo <= summary.mean <= hi


@given(_numbers, st.randoms(use_true_random=False))
def test_the_order_of_replicates_does_not_matter(values, random):
    shuffled = values[:]
    random.shuffle(shuffled)
    assert summarise(shuffled) == summarise(values)


def test_large_offsets_do_not_cancel():
    """1e9 + (4, 7, 13, 16): the sum of squares has lost these digits."""
    assert summarise([1e9 + x for x in (4, 7, 13, 16)]).sd == pytest.approx(
        math.sqrt(30), rel=1e-15
    )


def test_one_replicate_has_no_spread():
    assert summarise([7.5]) == CellSummary(1, 7.5, None, None)
    assert from_moments(1, 7.5, 0.3) == CellSummary(1, 7.5, None, None)
    assert from_moments(10, 7.5, None) == CellSummary(10, 7.5, None, None)


def test_equal_replicates_have_an_interval_of_no_length():
    assert summarise([2.5] * 5) == CellSummary(5, 2.5, 0.0, (2.5, 2.5))


@given(_numbers)
def test_moments_give_what_the_replicates_give(values):
    summary = summarise(values)
    assert from_moments(summary.n, summary.mean, summary.sd) == summary


@pytest.mark.parametrize("values", [[], [math.nan, 1.0], [1.0, math.inf]])
def test_refuses_what_has_no_summary(values):
    with pytest.raises(ValueError, match="replicate"):
        summarise(values)


@pytest.mark.parametrize(
    ("n", "mean", "sd"), [(0, 1.0, 1.0), (3, math.nan, 1.0), (3, 1.0, -1.0), (3, 1.0, math.inf)]
)
def test_refuses_moments_that_cannot_be(n, mean, sd):
    with pytest.raises(ValueError, match=r"cell|mean|deviation"):
        from_moments(n, mean, sd)
    assert from_moments(3, 1.0, 1.0).ci95 is not None


@pytest.mark.parametrize(("probability", "df"), [(0.0, 3), (1.0, 3), (math.nan, 3), (0.9, 0)])
def test_refuses_quantiles_that_do_not_exist(probability, df):
    with pytest.raises(ValueError, match=r"probability|degree"):
        t_quantile(probability, df)


def test_the_deviation_survives_a_mean_that_is_no_double():
    """Between 1e16 and 1e16 + 2 there is none, so squares about the rounded mean are too large."""
    assert summarise([1e16, 1e16 + 2.0]).sd == pytest.approx(math.sqrt(2.0), rel=1e-15)


def test_one_value_in_each_cluster_is_as_independent_values_are():
    values = [9.8, 10.1, 10.4, 9.9]
    low, high = interval_by_cluster(values, "abcd")
    assert (low, high) == pytest.approx(summarise(values).ci95)


def test_values_that_share_a_cluster_count_once():
    """Two days of five runs that agree within the day know no more than two runs."""
    values = [10.0] * 5 + [11.0] * 5
    assert interval_by_cluster(values, [1] * 5 + [2] * 5) == pytest.approx(
        summarise([10.0, 11.0]).ci95
    )
    assert interval_by_cluster(values, [1] * 10) is None


def test_means_of_days_are_covered():
    rng = np.random.default_rng(5)
    hits = {"by day": 0, "as if independent": 0}
    for _ in range(400):
        days = np.repeat(np.arange(4), 3)
        values = 100.0 + 3.0 * rng.normal(size=4)[days] + rng.normal(size=12)
        for name, (low, high) in {
            "by day": interval_by_cluster(values.tolist(), days.tolist()),
            "as if independent": summarise(values).ci95,
        }.items():
            hits[name] += low <= 100.0 <= high
    assert hits["by day"] == pytest.approx(380, abs=13)
    assert hits["as if independent"] < 330
