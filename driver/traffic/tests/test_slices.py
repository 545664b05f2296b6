# SPDX-License-Identifier: Apache-2.0
"""Latencies of each slice of time, and of a part of the time as a reader of logs has them."""

import json
import math
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from coalescope_host.run_log import latencies_of
from hypothesis import example, given, settings
from hypothesis import strategies as st

HERE = Path(__file__).resolve().parent
ORIGIN_NS = 1000
SLICES = 64
FIRST_NS = 50_000_000
WITHIN = 1 / 128
REQUESTS = st.tuples(st.integers(ORIGIN_NS, 10**11), st.integers(1, 10**9))


@pytest.fixture(scope="module")
def reported(build):
    program = build / "check_slices"
    objects = sorted(str(each) for each in build.glob("*.o") if each.name != "main.o")
    command = ["gcc", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-o", program]
    subprocess.run(
        [*command, str(HERE / "check_slices.c"), *objects, "-pthread", "-lm"], check=True
    )

    def report(requests):
        text = "\n".join(f"{time} {latency}" for time, latency in requests)
        done = subprocess.run([program], input=text, capture_output=True, check=True, text=True)
        return json.loads(done.stdout)

    return report


def exact(values, share):
    """By nearest rank."""
    return sorted(values)[max(1, math.ceil(share * len(values))) - 1]


@settings(max_examples=60, deadline=None)
@given(st.lists(REQUESTS, min_size=1, max_size=60))
@example([(ORIGIN_NS + SLICES * FIRST_NS - 1, 7), (ORIGIN_NS, 9)])
@example([(ORIGIN_NS + SLICES * FIRST_NS, 7), (ORIGIN_NS, 9)])
def test_each_request_is_in_its_slice(reported, requests):
    found = reported(requests)
    slices, all_counts = found["latency_slices"], found["histogram"]["counts"]
    length_ns = slices["interval_ns"]
    longest = max(time - ORIGIN_NS for time, _ in requests)
    assert length_ns == FIRST_NS or longest >= length_ns // 2 * SLICES
    assert slices["t_start_monotonic_ns"] == ORIGIN_NS
    expected = Counter((time - ORIGIN_NS) // length_ns for time, _ in requests)
    assert [sum(each) for each in slices["counts"]] == [
        expected[i] for i in range(max(expected) + 1)
    ]
    together = Counter()
    for places, counts in zip(slices["buckets"], slices["counts"], strict=True):
        together.update(dict(zip(places, counts, strict=True)))
    assert [together[place] for place in range(len(all_counts))] == all_counts


@settings(max_examples=60, deadline=None)
@given(st.lists(REQUESTS, min_size=1, max_size=200), st.integers(0, 63), st.integers(1, 64))
def test_latencies_of_a_part_are_those_of_its_requests(reported, requests, first, count):
    found = reported(requests)
    length_ns = found["latency_slices"]["interval_ns"]
    start_ns = ORIGIN_NS + first * length_ns
    end_ns = start_ns + count * length_ns
    ended_ns = max(time for time, _ in requests) + 1
    span = {"t_start_monotonic_ns": ORIGIN_NS, "t_end_monotonic_ns": ended_ns}
    said = latencies_of({**found, **span}).between(start_ns, end_ns)
    inside = [latency for time, latency in requests if start_ns <= time < end_ns]
    if start_ns == ORIGIN_NS and end_ns >= ended_ns:
        assert said == latencies_of(found).of_all
    elif not inside:
        assert not {"p99", "max"} & said.keys()
    else:
        assert said["max"] == max(inside) / 1e3
        assert said["mean"] == pytest.approx(sum(inside) / len(inside) / 1e3)
        for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999)):
            assert said[name] == pytest.approx(exact(inside, share) / 1e3, rel=WITHIN)
