# SPDX-License-Identifier: Apache-2.0
"""Runs in their sequence, and what was recorded together."""

from coalescope_models.inference.statistics import timeline

HOUR_S = 3600.0
NOT_KNOWN = [None] * 4


def test_the_sequence_is_that_of_the_orders_whatever_the_clocks_say():
    found = timeline([4, 3, 2, 1], NOT_KNOWN, NOT_KNOWN, [10.0, 20.0, 40.0, 30.0])
    assert found.positions == (3, 2, 1, 0)


def test_without_orders_it_is_that_of_the_times():
    times = [10.0, 20.0, 40.0, 30.0]
    assert timeline(NOT_KNOWN, NOT_KNOWN, NOT_KNOWN, times).positions == (0, 1, 3, 2)
    some = [1, None, 3, 4]
    assert timeline(some, NOT_KNOWN, NOT_KNOWN, times).positions == (0, 1, 3, 2)


def test_orders_decide_where_times_are_equal_or_missing():
    assert timeline([2, 1, 3, 4], NOT_KNOWN, NOT_KNOWN, [0.0] * 4).positions == (1, 0, 2, 3)
    some = [None, 1.0, 2.0, 3.0]
    assert timeline([2, 1, 3, 4], NOT_KNOWN, NOT_KNOWN, some).positions == (1, 0, 2, 3)
    twice = [1, 2, 2, 1]
    assert timeline(twice, NOT_KNOWN, NOT_KNOWN, [0.0, 1.0, 1.0, 1.0]).positions is None
    assert timeline(twice, NOT_KNOWN, NOT_KNOWN, [0.0, 1.0, 2.0, 2.0]).positions == (0, 1, 3, 2)


def test_two_sweeps_that_number_their_runs_alike_have_a_sequence_by_time_only():
    orders = [1, 2, 1, 2]
    times = [0.0, 1.0, 2.0, 3.0]
    assert timeline(orders, NOT_KNOWN, NOT_KNOWN, times).positions == (0, 1, 2, 3)
    assert timeline(orders, NOT_KNOWN, NOT_KNOWN, NOT_KNOWN).positions is None


def test_orders_hold_within_a_session_only():
    """A sweep of the next day comes after the first, whatever numbers its runs have."""
    times = [0.0, 10.0, 86400.0, 86410.0]
    assert timeline([5, 6, 1, 2], NOT_KNOWN, NOT_KNOWN, times).positions == (0, 1, 2, 3)
    one_session = [0.0, 10.0, 20.0, 30.0]
    assert timeline([5, 6, 1, 2], NOT_KNOWN, NOT_KNOWN, one_session).positions == (2, 3, 0, 1)


def test_a_night_parts_sessions_and_a_pause_does_not():
    night = [0.0, HOUR_S, 20 * HOUR_S, 21 * HOUR_S]
    found = timeline(NOT_KNOWN, NOT_KNOWN, NOT_KNOWN, night)
    assert (found.kind, found.clusters) == ("session", (0, 0, 1, 1))
    pause = [0.0, HOUR_S, 4 * HOUR_S, 5 * HOUR_S]
    assert timeline(NOT_KNOWN, NOT_KNOWN, NOT_KNOWN, pause).kind is None


def test_blocks_that_a_table_names_come_first():
    times = [0.0, 20 * HOUR_S, 40 * HOUR_S, 60 * HOUR_S]
    found = timeline(NOT_KNOWN, ["a", "a", "b", "b"], NOT_KNOWN, times)
    assert (found.kind, found.clusters) == ("block", ("a", "a", "b", "b"))
    assert timeline(NOT_KNOWN, ["a", "a", "b", None], NOT_KNOWN, NOT_KNOWN).kind is None
    assert timeline(NOT_KNOWN, ["a"] * 4, NOT_KNOWN, NOT_KNOWN).kind is None


def test_blocks_are_apart_where_no_session_has_two():
    blocks = ["a", "a", "b", "b"]
    nights = [0.0, 20 * HOUR_S, 40 * HOUR_S, 60 * HOUR_S]
    assert timeline(NOT_KNOWN, blocks, NOT_KNOWN, nights).apart
    one_night = [0.0, HOUR_S, 2 * HOUR_S, 60 * HOUR_S]
    assert not timeline(NOT_KNOWN, blocks, NOT_KNOWN, one_night).apart
    assert not timeline([1, 2, 3, 4], blocks, NOT_KNOWN, NOT_KNOWN).apart


def test_replicates_are_rounds_where_one_follows_the_other():
    found = timeline([1, 2, 3, 4], NOT_KNOWN, [1, 1, 2, 2], NOT_KNOWN)
    assert (found.kind, found.clusters) == ("round", (1, 1, 2, 2))
    assert timeline([1, 2, 3, 4], NOT_KNOWN, [1, 2, 1, 2], NOT_KNOWN).kind is None
    assert timeline(NOT_KNOWN, NOT_KNOWN, [1, 1, 2, 2], NOT_KNOWN).kind is None
