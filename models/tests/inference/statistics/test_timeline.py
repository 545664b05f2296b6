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
    assert timeline([1, 6, 1, 2], NOT_KNOWN, NOT_KNOWN, times).positions == (0, 1, 2, 3)
    one_session = [0.0, 10.0, 20.0, 30.0]
    assert timeline([5, 6, 1, 2], NOT_KNOWN, NOT_KNOWN, one_session).positions == (2, 3, 0, 1)


def test_numbers_against_the_clock_leave_the_sequence_unknown():
    """A clock that is set back within a sweep, or two sweeps: nothing tells which."""
    set_back = [86400.0, 86410.0, 0.0, 10.0]
    found = timeline([1, 2, 3, 4], NOT_KNOWN, NOT_KNOWN, set_back)
    assert (found.positions, found.kind, found.apart) == (None, "session", False)
    blocks = timeline([1, 2, 3, 4], ["a", "a", "b", "b"], NOT_KNOWN, set_back)
    assert (blocks.positions, blocks.kind, blocks.apart) == (None, "block", False)
    forward = timeline([1, 2, 3, 4], NOT_KNOWN, NOT_KNOWN, [0.0, 10.0, 86400.0, 86410.0])
    assert (forward.positions, forward.apart) == ((0, 1, 2, 3), True)


def test_so_does_a_clock_set_back_beside_a_sweep_of_another_day():
    orders = [1, 2, 3, 4, 1, 2, 3, 4]
    times = [86400.0, 86410.0, 0.0, 10.0, 172800.0, 172810.0, 172820.0, 172830.0]
    assert timeline(orders, [None] * 8, [None] * 8, times).positions is None


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


def test_of_two_tables_a_clock_set_back_in_one_leaves_the_sequence_unknown():
    """Orders do not compare between tables, and within one they tell of its clock."""
    tables, nothing = ["a"] * 4 + ["b"] * 4, [None] * 8
    orders = [1, 2, 3, 4] * 2
    in_time = [0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0]
    found = timeline(orders, nothing, [1] * 4 + [2] * 4, in_time, tables)
    assert (found.positions, found.kind, found.contradicted) == (tuple(range(8)), None, False)
    an_hour = [0.0, 10.0, 20.0, 30.0, 3640.0, 3650.0, 60.0, 70.0]
    found = timeline(orders, nothing, nothing, an_hour, tables)
    assert (found.positions, found.contradicted) == (None, True)
    a_day = [0.0, 10.0, 20.0, 30.0, 172800.0, 172810.0, 86400.0, 86410.0]
    found = timeline(orders, nothing, nothing, a_day, tables)
    assert (found.positions, found.kind, found.apart) == (None, "session", False)


def test_of_two_tables_blocks_of_one_name_are_two():
    blocks, nothing = ["x", "x", "y", "y"] * 2, [None] * 8
    found = timeline(nothing, blocks, nothing, nothing, ["a"] * 4 + ["b"] * 4)
    assert len(set(found.clusters)) == 4


def test_two_sweeps_of_a_table_that_number_alike_do_not_contradict_its_clock():
    tables, nothing = ["a"] * 2 + ["b"] * 4, [None] * 6
    times = [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]
    found = timeline([1, 2, 1, 2, 1, 2], nothing, nothing, times, tables)
    assert found.positions == (0, 1, 2, 3, 4, 5)
