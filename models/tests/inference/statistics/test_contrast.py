# SPDX-License-Identifier: Apache-2.0
"""Comparisons of sides whose runs share sessions: covered by cluster, or refused."""

import numpy as np
import pytest
from coalescope_models.inference.statistics import (
    SEQUENCE_NOT_KNOWN,
    SideRuns,
    Timeline,
    compare,
    contrast,
    independence,
    judge,
    summarise,
    timeline,
)
from scipy.stats import t

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


@pytest.mark.parametrize("rounds", [1, 2, 6])
def test_sides_of_one_session_one_after_the_other_say_what_the_order_hides(rounds):
    """Their intervals stay; in turns nothing is said."""
    rng = np.random.default_rng(4)
    per_side = [np.concatenate([rng.permutation(CELLS) for _ in range(rounds)]) for _ in range(2)]
    a, b = (
        SideRuns((100.0 + 0.3 * rng.normal(size=len(cells))).tolist(), cells.tolist())
        for cells in per_side
    )
    count = CELLS * rounds
    after = judge(a, b, Timeline(tuple(range(2 * count)), None, None))
    assert "one session: a drift that these runs do not show would be in the ratio" in after.reason
    assert after.spread is None
    alternate = (*range(0, 2 * count, 2), *range(1, 2 * count, 2))
    assert judge(a, b, Timeline(alternate, None, None)).reason is None


def test_single_runs_in_an_order_that_nobody_recorded_say_so():
    a, b = SideRuns([100.0, 101.0], [0, 1]), SideRuns([110.0, 112.0], [0, 1])
    judged = judge(a, b, timeline([None] * 4, [None] * 4, [None] * 4, [None] * 4))
    assert "do not say in which order" in judged.reason
    assert judged.spread is None
    in_turns = timeline([1, 4, 2, 3], [None] * 4, [None] * 4, [None] * 4)
    assert judge(a, b, in_turns).reason is None


def test_sessions_of_a_clock_that_may_have_been_set_back_are_not_said_to_be_in_order():
    """Four sessions by the clock, of one numbering: B only seems to come first."""
    rng = np.random.default_rng(4)
    cells = np.concatenate([rng.permutation(CELLS) for _ in range(4)]).tolist()
    values = (100.0 + 0.3 * rng.normal(size=4 * CELLS)).tolist()
    half = 2 * CELLS
    days = np.repeat([2, 3, 0, 1], CELLS) * 86400.0 + np.arange(4 * CELLS)
    nothing = [None] * (4 * CELLS)
    when = timeline([*range(1, 4 * CELLS + 1)], nothing, nothing, days.tolist())
    a, b = SideRuns(values[:half], cells[:half]), SideRuns(values[half:], cells[half:])
    judged = judge(a, b, when)
    assert "order of the sessions is not known" in judged.reason
    assert "before the other" not in judged.reason
    found = independence(values, cells, when)
    assert found.verdict == "by_cluster"
    assert "their order is not known. The numbers (order) and the clock" in found.reason


def test_few_settings_one_side_after_the_other_are_refused_and_say_so():
    rng = np.random.default_rng(5)
    cells = np.concatenate([rng.permutation(np.repeat([0, 1], 10)) for _ in range(2)])
    values = (100.0 + 0.3 * rng.normal(size=40)).tolist()
    a, b = (SideRuns(values[own], cells[own].tolist()) for own in (slice(20), slice(20, None)))
    judged = judge(a, b, Timeline(tuple(range(40)), None, None))
    assert judged.spread.overall is None
    assert judged.reason.endswith("too: record both sides in turns.")


def test_sides_of_short_blocks_that_resemble_each_other_have_no_interval():
    """Each side's blocks in a row: what lasts from run to run lasts from block to block."""
    rng = np.random.default_rng(4)
    count = 8 * 15
    cells = np.concatenate([rng.permutation(8) for _ in range(30)]).tolist()
    labels = tuple(np.repeat(np.arange(30), 8).tolist())
    # in a row within each side, whose blocks take turns
    places = np.arange(count) + 8 * (np.arange(count) // 8)
    in_turns = Timeline((*places.tolist(), *(places + 8).tolist()), labels, "block")
    off, fresh = np.zeros(2 * count), rng.normal(size=2 * count)
    for k in range(1, 2 * count):
        off[k] = 0.8 * off[k - 1] + 0.6 * fresh[k]

    def judged(deviations):
        values = 100.0 + np.array(cells) + deviations
        a, b = values[:count].tolist(), values[count:].tolist()
        return judge(SideRuns(a, cells[:count]), SideRuns(b, cells[count:]), in_turns)

    alike = judged(off)
    assert "within blocks" in alike.reason
    assert (dict(alike.spread.cells), alike.spread.overall) == ({}, None)
    assert judged(fresh).spread.overall is not None


def in_blocks(of_a, of_b, drift, rng, effect=0.0):
    """Twelve settings in each block of each side, in random order; B is 1.1 of A. 1 % of noise."""
    rows = [
        (side, cell, block)
        for block in sorted({*of_a, *of_b})
        for side, cell in rng.permutation(
            [(s, c) for s, own in enumerate((of_a, of_b)) if block in own for c in range(CELLS)]
        ).tolist()
    ]
    effects = effect * rng.normal(size=max(*of_a, *of_b) + 1)
    off = drift * np.linspace(-0.5, 0.5, len(rows)) + 0.01 * rng.normal(size=len(rows))
    sides, labels, positions = ([], []), ([], []), ([], [])
    for place, (one, cell, block) in enumerate(rows):
        level = (100.0 + cell) * (1.1 if one else 1.0)
        sides[one].append((level * (1.0 + off[place] + effects[block]), cell))
        labels[one].append(block)
        positions[one].append(place)
    runs = [SideRuns([v for v, _ in own], [c for _, c in own]) for own in sides]
    return runs, (*positions[0], *positions[1]), (*labels[0], *labels[1])


def ratios_of(runs, judged):
    of_cells = [
        {
            c: summarise([v for v, own in zip(r.values, r.cells, strict=True) if own == c])
            for c in range(CELLS)
        }
        for r in runs
    ]
    return compare(*of_cells, judged.spread)


def share_covered(of_a, of_b, drift, kind, *, effect=0.0, sets=100):
    """Of the overall intervals, and of the sets how many have none; with what was said."""
    rng = np.random.default_rng(5)
    held, refused, said = [], 0, set()
    for _ in range(sets):
        runs, positions, labels = in_blocks(of_a, of_b, drift, rng, effect)
        judged = judge(*runs, Timeline(positions, labels, kind, apart=kind == "session"))
        said.add(judged.reason)
        found = ratios_of(runs, judged).overall_ci95
        if found is None:
            refused += 1
        else:
            held.append(found[0] <= 1.1 <= found[1])
    return (float(np.mean(held)) if held else None), refused / sets, said


FIRST, LAST, EVEN, ODD = range(5), range(5, 10), range(0, 10, 2), range(1, 10, 2)


@pytest.mark.parametrize(("kind", "drift"), [("block", 0.06), ("block", 0.0), ("session", 0.06)])
def test_a_drift_over_clusters_from_one_side_to_the_other_is_refused(kind, drift):
    """Blocks of one sequence do not tell it, whatever they show; sessions that show it do not."""
    _, refused, said = share_covered(FIRST, LAST, drift, kind, sets=30)
    assert refused == 1.0
    assert all("recorded before the other" in reason for reason in said)


def test_by_their_clusters_alone_such_sides_are_called_different():
    """The control, as before: the ratio holds the drift, and the scatter of the blocks does not."""
    rng = np.random.default_rng(5)
    missed = []
    for _ in range(30):
        runs, positions, labels = in_blocks(FIRST, LAST, 0.06, rng)
        spread = contrast._spread(*runs, labels)
        low, high = ratios_of(runs, contrast.Judged(None, spread)).overall_ci95
        missed.append(not low <= 1.1 <= high)
        assert positions == tuple(range(len(positions)))
    assert np.mean(missed) > 0.9


def test_sessions_one_side_after_the_other_say_so():
    held, refused, said = share_covered(FIRST, LAST, 0.0, "session", effect=0.03)
    assert refused < 0.05
    assert held == pytest.approx(0.95, abs=0.06)
    assert any("which they do not show, would be in the ratio" in reason for reason in said)


def test_sides_in_turns_have_a_drift_in_their_scatter():
    held, refused, said = share_covered(EVEN, ODD, 0.06, "block")
    assert refused < 0.05
    assert held >= 0.95
    assert any("which is in their scatter" in reason for reason in said)


def test_sides_in_the_same_blocks_have_the_drift_taken_out():
    held, refused, said = share_covered(FIRST, FIRST, 0.06, "block", effect=0.03, sets=200)
    assert refused == 0.0
    assert held == pytest.approx(0.95, abs=0.04)
    assert said == {"The intervals are made of the 5 blocks of the runs."}


@pytest.mark.parametrize("of_b", [range(1, 6), range(2, 5)])
def test_sides_that_share_some_of_their_blocks_are_refused(of_b):
    held, refused, said = share_covered(FIRST, of_b, 0.0, "block", effect=0.03, sets=20)
    assert (held, refused) == (None, 1.0)
    assert all("cannot be told from what differs between the sides" in reason for reason in said)


@pytest.mark.parametrize("of_b", [range(1, 6), range(2, 5)])
def test_the_blocks_that_they_share_do_not_tell_what_the_others_do(of_b):
    """The control, as before: intervals by the shared blocks, of a ratio of all."""
    rng, missed = np.random.default_rng(6), []
    for _ in range(100):
        (a, b), _, labels = in_blocks(FIRST, of_b, 0.0, rng, 0.03)
        of_a, of_b_ = (
            [
                np.log([v for v, g in zip(own.values, when, strict=True) if g == block]).mean()
                for block in of_b
                if block in FIRST
            ]
            for own, when in ((a, labels[: len(a.values)]), (b, labels[len(a.values) :]))
        )
        ratios = np.subtract(of_b_, of_a)
        half = t.ppf(0.975, len(ratios) - 1) * ratios.std(ddof=1) / np.sqrt(len(ratios))
        found = np.log(ratios_of([a, b], contrast.Judged(None, None)).overall_ratio)
        missed.append(abs(found - np.log(1.1)) > half)
    assert np.mean(missed) > 0.2


def test_a_setting_that_one_side_lacks_in_a_block_has_no_interval_of_its_own():
    rng = np.random.default_rng(7)
    runs, positions, labels = in_blocks(FIRST, FIRST, 0.0, rng, 0.03)
    lost = len(runs[0].cells) + runs[1].cells.index(4)
    kept = [k for k in range(len(labels)) if k != lost]
    b = [k - len(runs[0].cells) for k in kept if k >= len(runs[0].cells)]
    less = [runs[0], SideRuns([runs[1].values[k] for k in b], [runs[1].cells[k] for k in b])]
    judged = judge(*less, Timeline(positions, labels, "block").of(kept))
    assert "has no interval of its own" in judged.reason
    found = ratios_of(less, judged)
    assert [c for c, own in found.cells.items() if own.ci95 is None] == [4]
    assert found.overall_ci95 is not None
