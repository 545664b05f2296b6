# SPDX-License-Identifier: Apache-2.0
"""Percentiles from buckets against percentiles of the values themselves."""

import json
import math
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

HERE = Path(__file__).resolve().parent
SHARES = (0, 0.5, 0.9, 0.99, 0.999, 1)
WITHIN = 1 / 128
WHOLE = st.integers(0, 2**64 - 1) | st.integers(0, 300) | st.integers(10**3, 10**7)


@pytest.fixture(scope="module")
def summary(build):
    program = build / "check_histogram"
    source = [str(HERE / "check_histogram.c"), str(build / "histogram.o")]
    command = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-o", str(program), *source, "-lm"]
    subprocess.run(command, check=True)

    def summarise(values):
        done = subprocess.run(
            [str(program)],
            input="\n".join(map(str, values)),
            capture_output=True,
            check=True,
            text=True,
        )
        return json.loads(done.stdout)

    return summarise


def exact(values, share):
    """By nearest rank."""
    return sorted(values)[max(1, math.ceil(share * len(values))) - 1]


@settings(max_examples=150, deadline=None)
@given(values=st.lists(WHOLE, min_size=1, max_size=300))
def test_quantiles_are_within_a_hundredth_of_the_exact_ones(summary, values):
    found = summary(values)
    assert found["count"] == len(values)
    assert (found["minimum"], found["maximum"]) == (min(values), max(values))
    assert found["mean"] == pytest.approx(sum(values) / len(values), rel=1e-12)
    for share, quantile in zip(SHARES, found["quantiles"], strict=True):
        assert quantile == pytest.approx(exact(values, share), rel=WITHIN, abs=0)


def test_small_values_are_exact(summary):
    values = list(range(128))
    assert summary(values)["quantiles"] == [exact(values, share) for share in SHARES]


def test_buckets_cover_every_value_without_gaps(summary):
    found = summary([1])
    assert found["gaps"] == 0
    assert found["last"] == 2**64 - 1


def test_an_empty_histogram_says_nothing(summary):
    assert summary([]) == {
        "count": 0, "minimum": 0, "maximum": 0, "mean": 0, "gaps": 0, "last": 2**64 - 1,
        "quantiles": [0] * len(SHARES),
    }  # fmt: skip
