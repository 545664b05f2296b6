# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from coalescope_models.inference.statistics.variance import analyse_variance
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.formula.api import ols

NAMES = ("mtu_bytes", "delay_us")


def runs(seed, counts=(3, 3, 3, 3, 3, 3), interaction=2.0):
    """Two MTUs and three delays, with as many runs in each cell as asked for."""
    rng = np.random.default_rng(seed)
    cells = [(a, b) for a in (1500, 9000) for b in (10, 40, 160)]
    a, b = (np.repeat([cell[k] for cell in cells], counts) for k in (0, 1))
    effect = 3.0 * (a == 9000) + 0.01 * b + interaction * ((a == 9000) & (b == 40))
    return 100.0 + effect + rng.normal(size=len(a)), a, b


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 1000),
    counts=st.lists(st.integers(1, 5), min_size=6, max_size=6).filter(lambda c: sum(c) > 8),
)
def test_against_statsmodels_balanced_or_not(seed, counts):
    y, a, b = runs(seed, counts)
    frame = pd.DataFrame({"y": y, "a": a, "b": b})
    expected = sm.stats.anova_lm(ols("y ~ C(a) * C(b)", frame).fit(), typ=2)
    found = analyse_variance(y, a, b, NAMES)
    np.testing.assert_allclose(
        [e.sum_of_squares for e in found], expected["sum_sq"], rtol=1e-6, atol=1e-9
    )
    assert [e.degrees_of_freedom for e in found] == list(expected["df"])
    np.testing.assert_allclose([e.f for e in found[:3]], expected["F"][:3], rtol=1e-6)
    np.testing.assert_allclose(
        [e.p_value for e in found[:3]], expected["PR(>F)"][:3], rtol=1e-6, atol=1e-12
    )


def test_the_variation_is_allocated_whole_where_cells_are_alike():
    found = analyse_variance(*runs(1), NAMES)
    assert [e.name for e in found] == [
        "mtu_bytes",
        "delay_us",
        "mtu_bytes × delay_us",
        "replicates",
    ]
    assert sum(e.share_percent for e in found) == pytest.approx(100.0)


def test_units_do_not_matter_to_shares():
    y, a, b = runs(2)
    plain, scaled = (analyse_variance(v, a, b, NAMES) for v in (y, 1e6 * y))
    for one, other in zip(plain, scaled, strict=True):
        assert one.share_percent == pytest.approx(other.share_percent)


def test_single_runs_have_no_test():
    found = analyse_variance(*runs(3, (1,) * 6), NAMES)
    assert all(e.f is None and e.p_value is None for e in found)
    assert found[-1].degrees_of_freedom == 0


def test_labels_may_be_words():
    y, a, b = runs(4)
    named = analyse_variance(y, np.where(a == 1500, "small", "jumbo"), b, NAMES)
    assert named[0].sum_of_squares == pytest.approx(
        analyse_variance(y, a, b, NAMES)[0].sum_of_squares
    )


@pytest.mark.parametrize(
    ("y", "a", "b", "words"),
    [
        ([1.0, 2.0], [1, 2], [1, 1], "delay_us has one level only"),
        (
            [1.0, 2.0, 3.0],
            [1, 2, 1],
            [1, 2, 2],
            "1 of the 4 combinations of",
        ),
        ([1.0, np.nan], [1, 2], [1, 2], "row 2 is not finite"),
        ([1.0, 2.0], [1], [1, 2], "arrays of one length"),
        ([5.0] * 4, [1, 1, 2, 2], [1, 2, 1, 2], "all values are alike"),
    ],
)
def test_what_cannot_be_analysed(y, a, b, words):
    with pytest.raises(ValueError, match=words):
        analyse_variance(y, a, b, NAMES)


@pytest.mark.parametrize("lost", [(), (3, 17), (0, 1, 2, 30, 31)])
def test_rows_that_are_alike_in_their_runs_count_as_often_as_they_are_there(lost):
    """Against least squares on all columns, with runs taken from some cells of some rows."""
    rng = np.random.default_rng(7)
    a, b = np.repeat(np.arange(12), 9), np.tile(np.arange(9), 12)
    times = np.full(len(a), 3)
    times[list(lost)] = [1 + cell % 2 for cell in lost]
    a, b = np.repeat(a, times), np.repeat(b, times)
    y = rng.normal(size=len(a)) + 0.1 * a - 0.3 * b
    found = analyse_variance(y, a, b, NAMES)

    def left(*factors):
        columns = np.hstack([np.eye(factor.max() + 1)[factor] for factor in factors])
        return np.sum((y - columns @ np.linalg.lstsq(columns, y, rcond=None)[0]) ** 2)

    expected = [left(b) - left(a, b), left(a) - left(a, b), left(a, b) - left(9 * a + b)]
    np.testing.assert_allclose([e.sum_of_squares for e in found[:3]], expected, rtol=1e-10)


def test_many_levels_take_little_memory():
    b, a = np.tile(np.arange(2), 40_000), np.repeat(np.arange(20_000), 4)
    y = b + np.random.default_rng(1).normal(size=len(a))
    found = analyse_variance(y, a, b, NAMES)
    assert found[1].sum_of_squares == pytest.approx(len(a) / 4, rel=0.05)
    with pytest.raises(ValueError, match="combinations"):
        analyse_variance(np.arange(50_000.0), np.arange(50_000), np.arange(50_000), NAMES)
