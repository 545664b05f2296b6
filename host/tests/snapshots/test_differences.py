# SPDX-License-Identifier: Apache-2.0
"""What differs between two surroundings, by name, and what is the same."""

from typing import Any

from coalescope_host.snapshots.differences import (
    Difference,
    can_be_compared,
    compare,
    lines,
)
from hypothesis import given
from hypothesis import strategies as st

FACTS = st.dictionaries(
    st.text("abc", min_size=1, max_size=3),
    st.recursive(
        st.none() | st.booleans() | st.integers(0, 3) | st.text("xy", max_size=2),
        lambda inner: (
            st.dictionaries(st.text("abc", min_size=1, max_size=2), inner, max_size=3)
            | st.lists(inner, max_size=2)
        ),
        max_leaves=8,
    ),
    max_size=5,
)


def test_each_fact_is_compared_by_its_name() -> None:
    before: dict[str, Any] = {
        "kernel_version": "6.12.1",
        "coalescing": {"rx_usecs": 3, "adaptive_rx": True},
        "idle_states": [{"name": "C1", "disabled": False}, {"name": "C6", "disabled": False}],
        "rps_cpus": {"0": "0"},
    }
    after = {
        "kernel_version": "6.18.2",
        "coalescing": {"rx_usecs": 50, "adaptive_rx": True},
        "idle_states": [{"name": "C6", "disabled": True}, {"name": "C1", "disabled": False}],
        "rps_cpus": {"0": "0"},
        "irqbalance": False,
    }
    found = compare(before, after)
    assert found.differences == [
        Difference("kernel_version", "6.12.1", "6.18.2"),
        Difference("coalescing.rx_usecs", 3, 50),
        Difference("idle_states.C6.disabled", False, True),
        Difference("irqbalance", None, False),
    ]
    assert found.same == 3
    said = list(lines(found, ("old", "new")))
    assert said[2].split() == ["coalescing.rx_usecs", "3", "50"]
    assert said[3].split() == ["idle_states.C6.disabled", "off", "on"]
    assert said[4].split() == ["irqbalance", "not", "known", "off"]
    assert said[-1] == "4 differ, 3 facts are the same."


def test_what_neither_tells_is_not_called_the_same() -> None:
    found = compare({"coalescing": None, "a": 1}, {"coalescing": None, "a": 1})
    assert (found.same, found.unknown) == (1, 1)
    assert "Not known of either: 1." in "".join(lines(found, ("x", "y")))
    found = compare({"coalescing": None}, {"coalescing": {"rx_usecs": 3}})
    assert [one.name for one in found.differences] == ["coalescing.rx_usecs"]
    assert (found.same, found.unknown) == (0, 0)


def test_a_number_is_not_a_truth() -> None:
    assert len(compare({"a": 1, "b": 0}, {"a": True, "b": False}).differences) == 2


def test_what_tells_of_the_recording_alone_is_left_out() -> None:
    assert not compare({"probe_cost": {"irq_ns": 1}}, {"probe_cost": {"irq_ns": 2}}).differences


def test_a_name_that_everything_else_stands_in_fills_no_memory() -> None:
    """Each fact's path begins with it: 400 kB became 1.2 GB."""
    environment = {"x" * 100_000: {f"a{number}": number for number in range(100)}}
    assert not can_be_compared(environment)
    assert can_be_compared({"coalescing": {f"a{number}": number for number in range(10_000)}})


def test_one_long_name_makes_no_other_row_longer() -> None:
    rows = list(lines(compare({"x" * 5000: 1, "mtu_bytes": 1500}, {}), ("old", "new")))
    assert [len(row) for row in rows[:3]] == [111, 5017, 117]


@given(FACTS, FACTS)
def test_nothing_differs_from_itself_and_both_ways_are_alike(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    assert not compare(before, before).differences
    there, back = compare(before, after), compare(after, before)
    assert {(one.name, repr(one.before), repr(one.after)) for one in there.differences} == {
        (one.name, repr(one.after), repr(one.before)) for one in back.differences
    }
    assert there.same == back.same
