# SPDX-License-Identifier: Apache-2.0
"""Runs that do not belong with the others of their cell, also where cells have few."""

import numpy as np
import pytest
from coalescope_models.inference.fitting.points import Groups
from coalescope_models.inference.fitting.robust import outlying

CELLS = 40


def deviations(replicates, seed, scale=None):
    rng = np.random.default_rng(seed)
    cells = np.repeat(np.arange(CELLS), replicates)
    spread = np.full(CELLS, 0.02) if scale is None else scale
    return spread[cells] * rng.normal(size=len(cells)), Groups.by_label(cells)


@pytest.mark.parametrize("replicates", [2, 3, 5, 10])
def test_a_run_half_as_large_again_is_named(replicates):
    for seed in range(10):
        off, cells = deviations(replicates, seed)
        off[3 * replicates + 1] += 0.5
        off[3 * replicates : 4 * replicates] /= 1.0 + 0.5 / replicates  # of a mean that it moves
        assert outlying(off, cells).tolist() == [3 * replicates + 1]


@pytest.mark.parametrize(("replicates", "off"), [(5, 2), (7, 3), (10, 4)])
def test_runs_that_hide_each_other_in_a_cell_are_named(replicates, off):
    """As many as can be less than half of it."""
    for seed in range(10):
        found, cells = deviations(replicates, seed)
        found[:off] += 0.5
        found[:replicates] /= 1.0 + 0.5 * off / replicates  # of a mean that they move
        assert outlying(found, cells).size > 0


@pytest.mark.parametrize("far", [(0.5, 0.5), (0.5, 0.8), (0.5, 0.5, 0.5)])
def test_half_of_the_runs_of_a_cell_are_named_by_the_spread_of_the_others(far):
    """A cell alone cannot tell two of four."""
    for seed in range(10):
        found, cells = deviations(2 * len(far), seed)
        found[: len(far)] += far
        assert outlying(found, cells).tolist() == list(range(len(far)))


@pytest.mark.parametrize(("far", "least"), [((0.5, 0.5), 8), ((0.5, 0.5, 0.5), 8), ((0.5, 0.8), 0)])
def test_where_the_model_misses_the_cell_halves_that_are_alike_are_named(far, least):
    """Of halves that are not, the cell may as well be a noisy one."""
    named = 0
    for seed in range(10):
        found, cells = deviations(2 * len(far), seed)
        found[: 2 * len(far)] += 0.3
        found[: len(far)] += far
        named += outlying(found, cells).tolist() == list(range(len(far)))
    assert named >= least
    assert least or not named


@pytest.mark.parametrize("replicates", [4, 5, 6, 7])
def test_a_noisy_cell_is_seldom_taken_for_one_with_outliers(replicates):
    """Of the runs of one cell, 25 times as noisy as the others, none lies apart from most."""
    named = 0
    for seed in range(100):
        scale = np.where(np.arange(CELLS) == 7, 0.5, 0.02)
        named += len(outlying(*deviations(replicates, seed, scale))) > 0
    assert named <= 20


@pytest.mark.parametrize("replicates", [2, 3, 4, 5, 6, 10])
def test_normal_runs_are_hardly_ever_named(replicates):
    named = sum(len(outlying(*deviations(replicates, seed))) > 0 for seed in range(100))
    assert named <= 5


def test_cells_that_are_noisier_than_others_are_seldom_taken_for_outliers():
    rng = np.random.default_rng(1)
    named = 0
    for seed in range(100):
        scale = 0.02 * 2.0 ** rng.uniform(-2.0, 2.0, CELLS)
        named += len(outlying(*deviations(3, seed, scale))) > 0
    assert named <= 30


def test_single_runs_are_never_named():
    off, cells = deviations(1, 1)
    assert outlying(off * 100.0, cells).size == 0
