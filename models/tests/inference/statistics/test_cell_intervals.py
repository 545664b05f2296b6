# SPDX-License-Identifier: Apache-2.0
"""Intervals of cells' means cover the truth, or are absent with the reason; each with a control."""

import importlib

import numpy as np
import pytest
from coalescope_models.inference.statistics import (
    Timeline,
    cell_intervals,
    cluster_drift,
    summarise,
)

judging = importlib.import_module("coalescope_models.inference.statistics.independence")
CELLS = 24


def rounds(replicates, rng):
    """Cells and rounds of a sweep in random order."""
    cells = np.concatenate([rng.permutation(CELLS) for _ in range(replicates)])
    return cells, np.repeat(np.arange(replicates), CELLS)


def alike(count, rng):
    """AR(1) 0.8, of standard deviation 1."""
    fresh = rng.normal(size=count)
    found = np.empty(count)
    last = fresh[0]
    for k in range(count):
        found[k] = last = 0.8 * last + 0.6 * fresh[k]
    return found


def plain(replicates, rng):
    cells, own = rounds(replicates, rng)
    return cells, own, rng.normal(size=len(cells)), "round"


def sessions(replicates, rng):
    """So many sessions, in each of which each setting was measured three times."""
    cells, own = rounds(3 * replicates, rng)
    own = own // 3
    return (
        cells,
        own,
        rng.normal(size=len(cells)) + 1.5 * rng.normal(size=replicates)[own],
        "session",
    )


def in_a_row(replicates, rng):
    cells = np.repeat(np.arange(CELLS), replicates)
    return cells, None, alike(len(cells), rng), None


def neighbours(replicates, rng):
    cells = rng.permutation(np.repeat(np.arange(CELLS), replicates))
    return cells, None, alike(len(cells), rng), None


def coverage(scenario, replicates, sets, *, told=True, settings=CELLS):
    """Share of cells whose interval holds the true mean, and share of sets without intervals."""
    rng = np.random.default_rng(1)
    held = given = refused = 0
    for _ in range(sets):
        cells, own, noise, kind = scenario(replicates, rng)
        values = 100.0 + noise
        labels = None if own is None else tuple(own.tolist())
        when = Timeline(tuple(range(len(cells))), labels, kind)
        found = cell_intervals(values.tolist(), cells.tolist(), when) if told else None
        if found is not None and found.independence.verdict == "refused":
            assert found.independence.reason
            assert set(found.instead.values()) == {None}
            refused += 1
            continue
        for cell in range(settings):
            independent = summarise(values[cells == cell].tolist()).ci95
            low, high = found.instead.get(cell, independent) if found else independent
            held += low <= 100.0 <= high
            given += 1
    return held / max(given, 1), refused / sets


@pytest.mark.parametrize("replicates", [2, 3, 5])
@pytest.mark.parametrize("scenario", [plain, sessions])
def test_intervals_of_cells_cover_the_truth(scenario, replicates):
    share, refused = coverage(scenario, replicates, 150)
    # cells of one set share what its sessions have in common: their number does not count in full
    assert share == pytest.approx(0.95, abs=0.012 if scenario is plain else 0.04)
    assert refused < 0.05


@pytest.mark.parametrize("scenario", [in_a_row, neighbours])
def test_runs_that_depend_on_their_neighbours_carry_no_interval(scenario):
    _, refused = coverage(scenario, 5, 60)
    assert refused >= 0.95


@pytest.mark.parametrize("scenario", [sessions, in_a_row])
def test_taken_for_independent_they_miss_the_truth(scenario):
    """The control: what the store kept before."""
    share, _ = coverage(scenario, 5, 60, told=False)
    assert share < 0.9


def short_rounds(replicates, rng):
    cells = np.concatenate([rng.permutation(6) for _ in range(replicates)])
    own = np.repeat(np.arange(replicates), 6)
    return cells, own, alike(len(cells), rng), "round"


def test_short_rounds_whose_runs_depend_on_their_neighbours_carry_no_interval(monkeypatch):
    _, refused = coverage(short_rounds, 10, 100, settings=6)
    assert refused >= 0.95
    monkeypatch.setattr(judging, "_SHORT_ROUND", 0)
    share, refused = coverage(short_rounds, 10, 100, settings=6)
    assert share < 0.9
    assert refused < 0.1


def short_blocks(replicates, rng):
    cells, own, noise, _ = short_rounds(replicates, rng)
    return cells, own, noise, "block"


def test_short_blocks_that_resemble_each_other_carry_no_interval(monkeypatch):
    _, refused = coverage(short_blocks, 20, 60, settings=6)
    assert refused >= 0.9

    def independent(found, _runs, shared):
        return judging._judged(found, "by_cluster", shared)

    monkeypatch.setattr(judging, "_successive", independent)
    share, refused = coverage(short_blocks, 20, 60, settings=6)
    assert share < 0.9
    assert refused == 0.0


def test_a_drift_over_blocks_of_one_order_is_in_their_scatter():
    def drifting(replicates, rng):
        own, cells = np.divmod(np.arange(CELLS * replicates), CELLS)
        return (
            cells,
            own,
            rng.normal(size=len(cells)) + 3.0 * np.linspace(-1, 1, len(cells)),
            "block",
        )

    for replicates in (2, 3, 5):
        share, _ = coverage(drifting, replicates, 100)
        assert share > 0.93


def test_single_runs_of_a_refused_measure_have_no_interval_either():
    cells = [*np.repeat(np.arange(12), 3).tolist(), "once"]
    values = (100.0 + alike(len(cells), np.random.default_rng(2))).tolist()
    found = cell_intervals(values, cells, Timeline(tuple(range(len(cells))), None, None))
    assert found.independence.verdict == "refused"
    assert found.instead == dict.fromkeys(cells)


def drifting_blocks(replicates, rng):
    """Each setting once in each block, in random order; the blocks drift by six deviations."""
    cells, own = rounds(replicates, rng)
    return (
        cells,
        own,
        rng.normal(size=len(cells)) + 6.0 * np.linspace(-0.5, 0.5, len(cells)),
        "block",
    )


@pytest.mark.parametrize("replicates", [5, 8])
def test_a_drift_over_blocks_is_taken_out(replicates, monkeypatch):
    share, refused = coverage(drifting_blocks, replicates, 100)
    assert share == pytest.approx(0.95, abs=0.03)
    assert refused < 0.1
    # the control: as it was, with the drift in the scatter of the blocks
    monkeypatch.setattr(cluster_drift, "drift_of_clusters", lambda *_: (0.0, 1.0))
    share, _ = coverage(drifting_blocks, replicates, 100)
    assert share > 0.99


@pytest.mark.parametrize(
    ("blocks", "in_order", "said"),
    [
        (3, False, "Of 3 blocks a drift cannot be told from what differs between them"),
        (5, False, "what counts is how they scatter about that line"),
        (5, True, "each had the settings in the same order: the intervals cover more than 95 %"),
    ],
)
def test_it_is_said_what_a_drift_over_blocks_does(blocks, in_order, said):
    rng = np.random.default_rng(1)
    cells, own, noise, _ = drifting_blocks(blocks, rng)
    cells = np.tile(np.arange(CELLS), blocks) if in_order else cells
    when = Timeline(tuple(range(len(cells))), tuple(own.tolist()), "block")
    found = cell_intervals((100.0 + noise).tolist(), cells.tolist(), when)
    assert said in found.independence.reason
    assert None not in found.instead.values()
