# SPDX-License-Identifier: Apache-2.0
"""The offset of two clocks, from round trips with any delays."""

from coalescope_host.remote.clock import estimate, measure
from hypothesis import given
from hypothesis import strategies as st

DELAY_NS = st.integers(0, 10**8)


@given(
    offset_ns=st.integers(-(10**15), 10**15),
    start_ns=st.integers(0, 10**15),
    delays=st.lists(st.tuples(DELAY_NS, DELAY_NS), min_size=1, max_size=20),
)
def test_the_true_offset_is_within_the_uncertainty(
    offset_ns: int, start_ns: int, delays: list[tuple[int, int]]
) -> None:
    trips = []
    for there_ns, back_ns in delays:
        at_peer_ns = start_ns + there_ns
        trips.append((start_ns, at_peer_ns + offset_ns, at_peer_ns + back_ns))
        start_ns = at_peer_ns + back_ns
    found = estimate(trips)
    assert abs(found.offset_ns - offset_ns) <= found.uncertainty_ns + 1
    assert found.uncertainty_ns <= min(sum(both) for both in delays) / 2 + 1


def test_the_quickest_round_trip_is_taken() -> None:
    clock = iter([0, 1000, 2000, 2010, 3000, 3500])
    theirs = iter([600, 2105, 3400])
    found = measure(lambda: next(theirs), lambda: next(clock), trips=3)
    assert found.offset_ns == 100
    assert found.uncertainty_ns == 5
