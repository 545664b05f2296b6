# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from coalescope_models.inference.statistics import outliers
from hypothesis import given
from hypothesis import strategies as st

# Rosner's own example: 54 values, three outliers at 5 % (NIST/SEMATECH e-Handbook, 1.3.5.17.3)
ROSNER = [
    *[-0.25, 0.68, 0.94, 1.15, 1.20, 1.26, 1.26, 1.34, 1.38, 1.43, 1.49, 1.49, 1.55, 1.56, 1.58],
    *[1.65, 1.69, 1.70, 1.76, 1.77, 1.81, 1.91, 1.94, 1.96, 1.99, 2.06, 2.09, 2.10, 2.14, 2.15],
    *[2.23, 2.24, 2.26, 2.35, 2.37, 2.40, 2.47, 2.54, 2.62, 2.64, 2.90, 2.92, 2.92, 2.93, 3.21],
    *[3.26, 3.30, 3.59, 3.68, 4.30, 4.64, 5.34, 5.42, 6.01],
]


def test_rosners_example():
    assert outliers(ROSNER, 0.05) == (51, 52, 53)


def test_a_pair_does_not_hide_each_other():
    values = [10.0, 10.1, 9.9, 10.05, 9.95, 10.02, 9.98, 10.03, 30.0, 30.5]
    assert outliers(values) == (8, 9)


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 99.0], [1.0, 1.0, 99.0], [5.0] * 10])
def test_what_cannot_show_an_outlier(values):
    assert outliers(values) == ()


def test_replicates_that_differ_by_rounding_are_alike():
    assert outliers([0.1 + 0.2, 0.3, 0.3, 0.3, 0.3]) == ()


@pytest.mark.parametrize("n", [4, 5, 10, 30])
def test_normal_replicates_are_flagged_as_seldom_as_promised(n):
    rng = np.random.default_rng(n)
    flagged = sum(bool(outliers(rng.normal(size=n))) for _ in range(2000))
    assert flagged / 2000 < 0.02


@given(
    values=st.lists(st.floats(1.0, 2.0), min_size=4, max_size=12),
    scale=st.floats(1e-3, 1e3),
    shift=st.floats(-10.0, 10.0),
)
def test_units_and_order_do_not_matter(values, scale, shift):
    rounded = [round(value, 3) for value in values]
    found = outliers(rounded)
    assert {rounded[i] for i in outliers([v * scale for v in rounded])} == {
        rounded[i] for i in found
    }
    backwards = outliers(rounded[::-1])
    assert sorted(rounded[::-1][i] for i in backwards) == sorted(rounded[i] for i in found)
    assert max(found, default=0) < len(values)
