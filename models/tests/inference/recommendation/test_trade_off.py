# SPDX-License-Identifier: Apache-2.0
"""The balance of two aims: the knee of the curve between their best settings."""

import numpy as np
import pytest
from coalescope_models.inference.recommendation import (
    Aim,
    Constraint,
    RecommendationError,
    recommend,
)
from hypothesis import given
from hypothesis import strategies as st

AIMS = [Aim("throughput_mbps", "more"), Aim("cpu_s_per_gb", "less")]


def balance(settings, n=1, noise=0.0, aims=AIMS, **more):
    """Of settings given as {cell: (throughput, cost)}."""
    rng = np.random.default_rng(1)
    cells = [cell for cell in settings for _ in range(n)]
    values = np.array([settings[cell] for cell in cells], dtype=float)
    values *= np.exp(noise * rng.normal(size=values.shape))
    table = {"throughput_mbps": values[:, 0], "cpu_s_per_gb": values[:, 1]}
    return recommend(table, cells, aims, goal="balance", **more)


def furthest_from_the_chord(settings):
    """Distance from the line between the best of each aim, where both ways count as one."""
    points = np.array(list(settings.values()), dtype=float) * [1.0, -1.0]
    a = points[np.lexsort((points[:, 1], points[:, 0]))[-1]]
    b = points[np.lexsort((points[:, 0], points[:, 1]))[-1]]
    scaled = (points - [b[0], a[1]]) / [a[0] - b[0], b[1] - a[1]]
    # of a line from (1, 0) to (0, 1)
    return list(settings)[int(((scaled.sum(axis=1) - 1.0) / np.sqrt(2.0)).argmax())]


NFS = {10: (198, 15.6), 40: (200, 13.2), 100: (183, 12.0), 320: (133, 11.0), 640: (95, 11.0)}


def test_the_balance_is_the_knee():
    found = balance(NFS)
    assert found.best == 100 == furthest_from_the_chord(NFS)
    # the curve goes from 40 to 320, for 640 is no cheaper: shares (50/67 + 1.2/2.2)/2
    share = {c.cell: (1 - c.loss_percent / 100) for c in found.candidates}
    assert share[40] == share[320] == pytest.approx(0.5 / ((50 / 67 + 1.2 / 2.2) / 2))
    assert found.note is None


@given(
    st.lists(
        st.tuples(st.integers(1, 999), st.integers(1, 999)), min_size=3, max_size=12, unique=True
    )
)
def test_the_balance_is_always_furthest_from_the_chord(points):
    settings = dict(enumerate(points))
    found = balance(settings)
    if found.note is not None:  # one setting is best in both
        assert len(found.frontier) == 1
        return
    loss = {c.cell: c.loss_percent for c in found.candidates}
    assert loss[furthest_from_the_chord(settings)] == pytest.approx(0.0, abs=1e-6)
    assert found.best in found.frontier


@given(
    scales=st.tuples(st.floats(1e-3, 1e3), st.floats(1e-3, 1e3)),
    offsets=st.tuples(st.floats(0.0, 1e3), st.floats(0.0, 1e3)),
)
def test_units_and_what_every_setting_has_in_common_do_not_matter(scales, offsets):
    moved = {
        cell: tuple(s * (v + o) for v, s, o in zip(own, scales, offsets, strict=True))
        for cell, own in NFS.items()
    }
    assert balance(moved).best == balance(NFS).best


def test_a_weighed_trade_differs_where_one_aim_has_little_to_give():
    """CPU that can fall by 2 % counts as much in a balance as throughput that can fall by half."""
    settings = {1: (200, 10.2), 2: (180, 10.01), 3: (100, 10.0)}
    assert balance(settings).best == 2
    table = {"throughput_mbps": [200.0, 180, 100], "cpu_s_per_gb": [10.2, 10.01, 10.0]}
    assert recommend(table, [1, 2, 3], AIMS).best == 1


def test_where_one_setting_is_best_in_both_there_is_nothing_to_balance():
    found = balance({1: (200, 10), 2: (180, 11), 3: (100, 12)})
    assert found.best == 1
    assert "nothing to balance" in found.note
    assert [c.loss_percent for c in found.candidates][1] == pytest.approx(100 * (1 - 0.9 * 10 / 11))


def test_five_percent_of_a_balance_do_not_matter_and_two_of_a_measure():
    flat = {1: (200, 15.0), 2: (191, 12.7), 3: (180, 12.0), 4: (120, 11.0)}
    loss = {c.cell: c.loss_percent for c in balance(flat).candidates}
    assert balance(flat).best == 3
    assert 1.0 < loss[2] < 5.0 < loss[4]
    assert set(balance(flat).good_enough) == {2, 3}
    assert balance(flat, tolerance=0.01).good_enough == [3]
    best_in_both = {1: (200, 10), 2: (199, 10.25)}
    assert (balance(flat).tolerance, balance(best_in_both).tolerance) == (0.05, 0.02)


def test_limits_move_the_ends():
    found = balance(NFS, constraints=[Constraint("throughput_mbps", "at least", 150.0)])
    assert found.best in (40, 100)
    assert not next(c for c in found.candidates if c.cell == 320).allowed
    none = balance(NFS, constraints=[Constraint("throughput_mbps", "at least", 1e3)])
    assert none.best is None
    assert none.note is None


def test_the_ends_are_drawn_with_the_rest():
    """The knee is told from settings far from it, and its neighbours are as likely as they are."""
    found = balance(NFS, n=8, noise=0.003)
    assert found.best == 100
    assert all(c.resolved for c in found.candidates[1:])
    flat = {1: (200, 15.0), 2: (180, 13.0), 3: (160, 12.0), 4: (140, 11.2), 5: (120, 11.0)}
    found = balance(flat, n=4, noise=0.02)
    near = [c for c in found.candidates if not c.resolved and c.cell != found.best]
    assert near
    assert any(c.runs_to_resolve is not None for c in near)


def test_draws_in_which_nothing_is_allowed_tell_nothing_apart():
    bound = Constraint("throughput_mbps", "at least", 199.9)
    found = balance(NFS, n=5, noise=0.01, constraints=[bound])
    assert not any(c.surely_allowed for c in found.candidates)
    assert not any(c.resolved for c in found.candidates[1:] if c.allowed)


@pytest.mark.parametrize(
    ("aims", "words"),
    [
        (AIMS[:1], "between two aims, not 1"),
        ([AIMS[0], Aim("cpu_s_per_gb", "less", 2.0)], "takes no weights"),
    ],
)
def test_what_cannot_be_balanced(aims, words):
    with pytest.raises(RecommendationError, match=words):
        balance(NFS, aims=aims)
