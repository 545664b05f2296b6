# SPDX-License-Identifier: Apache-2.0
"""Counts of intervals, however long it takes."""

import json
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

HERE = Path(__file__).resolve().parent
ORIGIN_NS = 1000
INTERVALS = 4096
TENTH_NS = 10**8


@pytest.fixture(scope="module")
def counted(build):
    program = build / "check_series"
    source = [str(HERE / "check_series.c"), str(build / "series.o")]
    command = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-o", str(program), *source]
    subprocess.run(command, check=True)

    def count(times):
        text = "\n".join(map(str, times))
        done = subprocess.run([program], input=text, capture_output=True, check=True, text=True)
        return json.loads(done.stdout)

    return count


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 10**13) | st.integers(0, 10**10), max_size=50))
@example([ORIGIN_NS + TENTH_NS * INTERVALS - 1, ORIGIN_NS])
@example([ORIGIN_NS + TENTH_NS * INTERVALS, ORIGIN_NS])
def test_each_time_is_counted_in_its_interval(counted, times):
    found = counted(times)
    interval_ns = found["interval_ns"]
    longest = max([time - ORIGIN_NS for time in times], default=0)
    assert interval_ns == TENTH_NS or longest >= interval_ns // 2 * INTERVALS
    expected = Counter(max(time - ORIGIN_NS, 0) // interval_ns for time in times)
    assert Counter({i: count for i, count in enumerate(found["counts"]) if count}) == expected
