# SPDX-License-Identifier: Apache-2.0
import math

import pytest
from coalescope_models.inference.statistics import from_moments, plan_replicates, summarise
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats


@given(sd=st.floats(0.01, 50.0), width=st.floats(0.005, 0.5))
def test_the_smallest_number_that_is_narrow_enough(sd, width):
    plan = plan_replicates({1: from_moments(3, 100.0, sd)}, width)[1]

    def half(n):
        return stats.t.ppf(0.975, n - 1) * sd / 100.0 / math.sqrt(n)

    if plan.needed < 10_000:
        assert half(plan.needed) <= width * (1 + 1e-9)
    if plan.needed > 3:
        assert half(plan.needed - 1) > width * (1 - 1e-9)
    assert plan.more == max(plan.needed - 3, 0)


def test_the_most_needy_cell_comes_first():
    cells = {"calm": from_moments(5, 100.0, 1.0), "wild": from_moments(5, 100.0, 20.0)}
    plans = plan_replicates(cells, 0.02)
    assert list(plans) == ["wild", "calm"]
    assert plans["calm"].more == 0
    assert plans["wild"].more > 300


def test_a_single_run_borrows_the_spread_of_the_others():
    cells = {1: from_moments(11, 100.0, 3.0), 2: from_moments(6, 10.0, 0.6), 3: summarise([50.0])}
    plan = plan_replicates(cells, 0.03)[3]
    pooled = math.sqrt((10 * 0.03**2 + 5 * 0.06**2) / 15)
    twin = plan_replicates({1: from_moments(2, 1.0, pooled)}, 0.03)[1]
    assert plan.borrowed
    assert plan.needed == twin.needed
    assert plan.relative_half_width is None


@pytest.mark.parametrize(
    ("cells", "width", "words"),
    [
        ({1: summarise([1.0])}, 0.05, "no cell has two replicates"),
        ({1: from_moments(10, 1.0, None)}, 0.05, "came without their deviation"),
        ({1: summarise([1.0, 2.0])}, 0.0, "must be positive"),
        ({1: summarise([-1.0, 1.0])}, 0.1, "not zero"),
    ],
)
def test_what_cannot_be_planned(cells, width, words):
    with pytest.raises(ValueError, match=words):
        plan_replicates(cells, width)
