# SPDX-License-Identifier: Apache-2.0
"""Comparisons of sides whose runs share sessions: covered by cluster, or refused."""

import numpy as np
import pytest
from coalescope_models.inference.statistics import (
    SEQUENCE_NOT_KNOWN,
    SideRuns,
    Timeline,
    compare,
    judge,
    summarise,
)

CELLS = 12
SETS = 150


def side(effects, ratio, rng, per_session=1):
    """Runs of 12 settings, each so often in each session: values, settings, sessions."""
    sessions = np.repeat(np.arange(len(effects)), CELLS * per_session)
    cells = np.tile(np.arange(CELLS), len(effects) * per_session)
    off = 0.01 * rng.normal(size=len(cells)) + np.asarray(effects)[sessions]
    return ratio * (100.0 + cells) * (1.0 + off), cells, sessions


def compared(a, b, told=True):
    """The comparison of two sides, each (values, cells, sessions)."""
    runs = [SideRuns(values.tolist(), cells.tolist()) for values, cells, _ in (a, b)]
    labels = tuple(np.concatenate([a[2], b[2]]).tolist())
    judged = judge(*runs, Timeline(None, labels if len(set(labels)) > 1 else None, "session"))
    summaries = [
        {cell: summarise(values[cells == cell]) for cell in range(CELLS)}
        for values, cells, _ in (a, b)
    ]
    return compare(*summaries, judged.spread if told else None), judged.reason


def coverage(draw, told=True):
    """Shares of single intervals and of overall ones that cover the ratio 1.1."""
    rng = np.random.default_rng(3)
    cells, overall = [], []
    for _ in range(SETS):
        found, _ = compared(*draw(rng), told)
        cells += [d.ci95[0] <= 1.1 <= d.ci95[1] for d in found.cells.values()]
        overall.append(found.overall_ci95[0] <= 1.1 <= found.overall_ci95[1])
    return np.mean(cells), np.mean(overall)


def in_other_sessions(rng):
    a = side(0.03 * rng.normal(size=4), 1.0, rng, per_session=2)
    values, cells, sessions = side(0.03 * rng.normal(size=4), 1.1, rng, per_session=2)
    return a, (values, cells, sessions + 4)


def in_the_same_sessions(rng):
    shared = 0.03 * rng.normal(size=4)
    slower = shared + 0.01 * rng.normal(size=4)
    return side(shared, 1.0, rng), side(slower, 1.1, rng)


@pytest.mark.parametrize("draw", [in_other_sessions, in_the_same_sessions])
def test_intervals_by_session_cover_the_ratio(draw):
    cells, overall = coverage(draw)
    assert cells == pytest.approx(0.95, abs=0.03)
    assert overall == pytest.approx(0.95, abs=0.055)


def test_intervals_that_take_the_replicates_for_independent_do_not():
    """The control, as before."""
    _, overall = coverage(in_other_sessions, told=False)
    assert overall < 0.6


@pytest.mark.parametrize(("of_a", "of_b"), [(1, 1), (1, 3), (3, 1)])
def test_sides_of_one_session_each_are_refused(of_a, of_b):
    rng = np.random.default_rng(1)
    a = side([0.0] * of_a, 1.0, rng, 3)
    values, cells, sessions = side([0.0] * of_b, 1.1, rng, 3)
    found, reason = compared(a, (values, cells, sessions + of_a))
    assert "cannot be told from what differs between the sides" in reason
    assert found.overall_ci95 is None
    assert found.overall_ratio == pytest.approx(1.1, rel=0.02)
    for difference in found.cells.values():
        assert (difference.ci95, difference.p_value, difference.resolved) == (None, None, False)


def test_sides_of_one_session_are_compared_as_ever():
    rng = np.random.default_rng(1)
    a, b = side([0.0], 1.0, rng, 4), side([0.0], 1.1, rng, 4)
    found, reason = compared(a, b)
    assert reason == SEQUENCE_NOT_KNOWN
    assert found == compared(a, b, told=False)[0]


def test_a_drift_from_one_side_to_the_other_is_refused():
    rng = np.random.default_rng(2)
    cells = np.concatenate([rng.permutation(np.repeat(np.arange(CELLS), 6)) for _ in range(2)])
    values = 100.0 * (
        1.0 + 0.05 * np.linspace(0, 1, len(cells)) + 0.003 * rng.normal(size=len(cells))
    )
    half = len(cells) // 2
    a, b = (
        SideRuns(values[p].tolist(), cells[p].tolist()) for p in (slice(half), slice(half, None))
    )
    judged = judge(a, b, Timeline(tuple(range(len(cells))), None, None))
    assert "one side was recorded before the other" in judged.reason
    assert judged.spread.overall is None
    mixed = rng.permutation(len(cells))
    in_turns = judge(a, b, Timeline(tuple(mixed.tolist()), None, None))
    assert in_turns.reason is None


def test_sides_of_short_blocks_that_resemble_each_other_have_no_interval():
    """Each side's blocks in a row: what lasts from run to run lasts from block to block."""
    rng = np.random.default_rng(4)
    count = 8 * 15
    cells = np.concatenate([rng.permutation(8) for _ in range(30)]).tolist()
    labels = tuple(np.repeat(np.arange(30), 8).tolist())
    in_a_row = Timeline(tuple(range(2 * count)), labels, "block")
    off, fresh = np.zeros(2 * count), rng.normal(size=2 * count)
    for k in range(1, 2 * count):
        off[k] = 0.8 * off[k - 1] + 0.6 * fresh[k]

    def judged(deviations):
        values = 100.0 + np.array(cells) + deviations
        a, b = values[:count].tolist(), values[count:].tolist()
        return judge(SideRuns(a, cells[:count]), SideRuns(b, cells[count:]), in_a_row)

    alike = judged(off)
    assert "within blocks" in alike.reason
    assert (dict(alike.spread.cells), alike.spread.overall) == ({}, None)
    assert judged(fresh).spread.overall is not None
