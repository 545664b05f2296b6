# SPDX-License-Identifier: Apache-2.0
"""Profiles of DIM for one traffic."""

import random
from itertools import pairwise

import pytest
from coalescope_models.phenomena.policies import (
    DIM_RX_COMPLETIONS,
    DIM_RX_EVENTS,
    Costs,
    Dim,
    Phase,
    Policy,
    Run,
    arrivals,
    cheapest_profile,
    profiles_to,
    replay,
)


@pytest.mark.parametrize("longest_us", [0.0, 1.0, 4.0, 9.0, 14.3, 64.0, 250.0, 10_000.0])
def test_levels_are_five_whole_microseconds_that_rise_to_the_end(longest_us: float) -> None:
    for profile in profiles_to(longest_us):
        assert len(profile) == 5
        assert profile[0] >= 0
        assert all(a < b for a, b in pairwise(profile))
        assert profile[-1] == max(round(longest_us), 4)


def test_the_cheapest_suits_a_fast_stream_that_the_shipped_ones_make_wait() -> None:
    packets = list(arrivals([Phase(50_000.0, 200_000.0, 1518)], random.Random(1)))

    def play(policy: Policy) -> Run:
        return replay(policy, packets, Costs(3.0, 1.5))

    def price(run: Run) -> float:
        return run.cpu_us_per_packet + 0.1 * run.mean_wait_us

    found = cheapest_profile(play, price, (8.0, 14.3, 128.0))
    own = price(play(Dim(found)))
    assert found[-1] < 64
    for shipped in (DIM_RX_EVENTS, DIM_RX_COMPLETIONS):
        assert own < 0.8 * price(play(Dim(shipped)))
