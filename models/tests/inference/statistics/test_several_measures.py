# SPDX-License-Identifier: Apache-2.0
"""Several measures of one comparison: a false alarm of any is as rare as it is said to be."""

import numpy as np
import pytest
from coalescope_models.inference.statistics import (
    beyond,
    compare,
    from_moments,
    holm,
    holm_levels,
    summarise,
)
from hypothesis import given
from hypothesis import strategies as st

MEASURES, CELLS, RUNS, BUILDS = 4, 2, 5, 2000
THOUSANDTHS = st.integers(0, 1000).map(lambda count: count / 1000)


def compared(rng, shared, factor=1.0):
    """A measure of two sides; `shared` is the noise that all measures of a run have in common."""
    own = 0.02 * (rng.standard_normal(shared.shape) + shared) / np.sqrt(1 + bool(shared.any()))
    sides = 100.0 * np.exp(own) * np.array([1.0, factor])[:, None, None]
    a, b = ({n: summarise(cell) for n, cell in enumerate(side)} for side in sides)
    return compare(a, b)


def false_alarms(rng, together):
    """The share of builds that changed nothing in which some measure is called worse."""
    by_holm = alone = 0
    for _ in range(BUILDS):
        shape = (2, CELLS, RUNS)
        shared = rng.standard_normal(shape) if together else np.zeros(shape)
        p = {
            name: beyond(compared(rng, shared), 1.0, above=True).p_value for name in range(MEASURES)
        }
        by_holm += min(holm(p).values()) < 0.05
        alone += min(p.values()) < 0.05
    return by_holm / BUILDS, alone / BUILDS


@pytest.mark.slow
@pytest.mark.parametrize("together", [False, True], ids=["independent", "of the same runs"])
def test_builds_that_changed_nothing_fail_as_seldom_as_it_is_said(together):
    by_holm, alone = false_alarms(np.random.default_rng(20), together)
    assert by_holm <= 0.05
    assert alone > 0.08, "each at 5 % by itself is not enough"


def test_below_five_per_cent_is_where_the_interval_is_beyond():
    rng = np.random.default_rng(3)
    none = np.zeros((2, CELLS, RUNS))
    seen = set()
    for factor in np.linspace(0.95, 1.05, 41):
        found = compared(rng, none, factor)
        for limit in (0.98, 1.0, 1.02):
            above, below = (beyond(found, limit, above=side) for side in (True, False))
            low, high = found.overall_ci95
            assert (above.overall < 0.05) == (low > limit)
            assert (below.overall < 0.05) == (high < limit)
            for name, cell in found.cells.items():
                low, high = cell.simultaneous_ci95
                assert (above.cells[name] < 0.05) == (low > limit)
                assert (below.cells[name] < 0.05) == (high < limit)
                seen.add((low > limit, high < limit))
    assert len(seen) == 3


def test_what_has_no_interval_is_not_known():
    single = {"x": summarise([10.0])}
    found = beyond(compare(single, {"x": summarise([20.0])}), 1.0, above=True)
    assert (found.overall, found.cells, found.p_value) == (None, {"x": None}, 1.0)


def test_without_deviations_a_ratio_is_beyond_or_it_is_not():
    a, b = {"x": from_moments(3, 10.0, 0.0)}, {"x": from_moments(3, 11.0, 0.0)}
    assert beyond(compare(a, b), 1.0, above=True).p_value == 0.0
    assert beyond(compare(a, b), 1.1, above=False).p_value == 1.0
    assert beyond(compare(a, b), -1.0, above=False).p_value == 1.0


@given(st.dictionaries(st.integers(), THOUSANDTHS, min_size=1, max_size=9))
def test_what_holm_calls_small_is_below_its_own_level(p_values):
    levels, adjusted = holm_levels(p_values, 0.05), holm(p_values)
    for name, p in p_values.items():
        assert (p < levels[name]) == (adjusted[name] < 0.05)
