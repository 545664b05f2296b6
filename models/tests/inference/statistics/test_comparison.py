# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest
from coalescope_models.inference.statistics import compare, from_moments, summarise
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests


def sample(mean, sd, n, seed):
    return np.random.default_rng(seed).normal(mean, sd, n)


def test_one_cell_against_welch_on_logarithms_by_hand():
    a, b = summarise([10.0, 11.0, 12.0]), summarise([14.0, 15.0, 13.0, 16.0])
    cell = compare({"x": a}, {"x": b}).cells["x"]
    va, vb = (a.sd / a.mean) ** 2 / 3, (b.sd / b.mean) ** 2 / 4
    freedom = (va + vb) ** 2 / (va**2 / 2 + vb**2 / 3)
    half = stats.t.ppf(0.975, freedom) * math.sqrt(va + vb)
    assert cell.ratio == pytest.approx(14.5 / 11)
    assert cell.ci95 == pytest.approx(
        (14.5 / 11 * math.exp(-half), 14.5 / 11 * math.exp(half)), rel=1e-10
    )
    assert cell.simultaneous_ci95 == cell.ci95
    assert cell.p_value == pytest.approx(
        2 * stats.t.sf(math.log(14.5 / 11) / math.sqrt(va + vb), freedom), rel=1e-9
    )


def test_p_values_are_holms():
    a = {k: summarise(sample(100, 2, 5, k)) for k in range(8)}
    b = {k: summarise(sample(100 + k, 2, 5, 50 + k)) for k in range(8)}
    alone = [compare({k: a[k]}, {k: b[k]}).cells[k].p_value for k in a]
    together = compare(a, b).cells
    expected = multipletests(alone, method="holm")[1]
    np.testing.assert_allclose([together[k].p_value for k in a], expected, rtol=1e-9)
    assert [together[k].resolved for k in a] == list(expected < 0.05)


def test_simultaneous_intervals_cover_all_cells_together():
    misses = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        a = {k: summarise(rng.normal(100, 1, 5)) for k in range(9)}
        b = {k: summarise(rng.normal(100, 1, 5)) for k in range(9)}
        cells = compare(a, b).cells.values()
        misses += any(not (c.simultaneous_ci95[0] <= 1 <= c.simultaneous_ci95[1]) for c in cells)
    assert misses / 300 < 0.09


def test_the_overall_ratio_is_the_geometric_mean():
    a = {k: summarise(sample(100, 1, 5, k)) for k in "abc" for k in [ord(k)]}
    b = {k: summarise(sample(110, 1, 5, k + 9)) for k in a}
    found = compare(a, b)
    ratios = [c.ratio for c in found.cells.values()]
    assert found.overall_ratio == pytest.approx(stats.gmean(ratios))
    assert found.overall_ci95[0] < 1.1 < found.overall_ci95[1]
    assert found.overall_ci95[1] - found.overall_ci95[0] < min(
        c.ci95[1] - c.ci95[0] for c in found.cells.values()
    )


def test_cells_without_replicates_have_a_ratio_and_no_interval():
    a = {"x": summarise([10.0]), "y": summarise([10.0, 11.0])}
    b = {"x": summarise([12.0, 12.5]), "y": summarise([10.0, 11.0]), "z": summarise([1.0])}
    found = compare(a, b)
    assert found.cells["x"].ci95 is None
    assert found.cells["x"].p_value is None
    assert not found.cells["x"].resolved
    assert found.cells["y"].ratio == 1.0
    assert found.overall_ci95 is None
    assert found.unmatched == ("z",)


def test_replicates_without_spread_are_exact():
    same, other = from_moments(5, 10.0, 0.0), from_moments(5, 12.0, 0.0)
    assert compare({1: same}, {1: same}).cells[1].p_value == 1.0
    assert compare({1: same}, {1: other}).cells[1].resolved


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        ({1: summarise([1.0])}, {2: summarise([1.0])}, "no cell in common"),
        ({1: summarise([0.0])}, {1: summarise([1.0])}, "positive means, not 0"),
    ],
)
def test_what_cannot_be_compared(a, b, words):
    with pytest.raises(ValueError, match=words):
        compare(a, b)


@given(seed=st.integers(0, 500), scale=st.floats(1e-3, 1e3))
def test_exchange_inverts_and_units_cancel(seed, scale):
    first, second = sample(100, 3, 4, seed), sample(103, 5, 6, seed + 1)
    forth = compare({1: summarise(first)}, {1: summarise(second)}).cells[1]
    back = compare({1: summarise(second * scale)}, {1: summarise(first * scale)}).cells[1]
    assert forth.ratio * back.ratio == pytest.approx(1.0)
    assert forth.ci95[0] * back.ci95[1] == pytest.approx(1.0)
    assert forth.p_value == pytest.approx(back.p_value)


def test_an_interval_over_many_cells_stays_a_number():
    wide = {cell: from_moments(2, 1.0, 0.6) for cell in range(2000)}
    for difference in compare(wide, {c: from_moments(50, 1.0, 1e-9) for c in wide}).cells.values():
        assert math.isfinite(difference.simultaneous_ci95[1])
