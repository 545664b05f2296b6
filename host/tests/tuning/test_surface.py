# SPDX-License-Identifier: Apache-2.0
"""The process over settings says what the server's does, which numpy and scipy compute."""

import math
import random

import numpy as np
import pytest
from coalescope_host.tuning.matrices import NotPositiveError, root_of, solved
from coalescope_host.tuning.positions import positions_of
from coalescope_host.tuning.surface import settle
from coalescope_models.inference.recommendation import neighbours


def test_a_root_and_what_it_solves_are_numpys() -> None:
    rng = np.random.default_rng(1)
    square = rng.normal(size=(9, 9))
    matrix = square @ square.T + np.eye(9)
    right = rng.normal(size=9)
    root = root_of(matrix.tolist())
    expected = np.linalg.cholesky(matrix)
    for k, row in enumerate(root):
        assert row == pytest.approx(expected[k, : k + 1].tolist())
    assert solved(root, right.tolist()) == pytest.approx(np.linalg.solve(expected, right).tolist())


def test_what_is_no_covariance_has_no_root() -> None:
    with pytest.raises(NotPositiveError):
        root_of([[1.0], [2.0, 1.0]])


def test_it_says_of_measured_settings_what_the_server_says() -> None:
    """Both shrink 16 noisy means towards a smooth surface; parameters are found in other ways."""
    chance = random.Random(3)
    cells = [{"mtu": m, "delay": d} for m in (1500, 3000, 4500, 9000) for d in (10, 40, 160, 640)]
    positions = positions_of(cells)
    truth = [math.log(1.0 + 4000.0 / c["mtu"] + 50.0 / c["delay"]) for c in cells]
    noise = 0.1
    means = [value + chance.gauss(0.0, noise) for value in truth]
    ours = settle({k: (mean, noise**2) for k, mean in enumerate(means)}, positions)
    table = np.array([position.numbers for position in positions])
    theirs = neighbours.settle(np.array(means), np.full(16, noise**2), table)
    assert ours.means == pytest.approx(theirs.means.tolist(), abs=0.5 * noise)

    def error(found: list[float]) -> float:
        return math.sqrt(sum((a - b) ** 2 for a, b in zip(found, truth, strict=True)) / 16)

    assert error(ours.means) < 0.8 * error(means)


def test_unmeasured_settings_are_known_less_the_further_they_lie() -> None:
    cells = [{"delay": d} for d in (10, 20, 40, 80, 160, 320)]
    positions = positions_of(cells)
    known = settle({0: (1.0, 1e-6), 1: (1.1, 1e-6), 2: (1.2, 1e-6)}, positions)
    spreads = [math.sqrt(sum(x * x for x in row)) for row in known.root]
    assert spreads[0] < spreads[3] < spreads[4] < spreads[5]


def test_settings_that_differ_in_a_word_say_nothing_of_each_other() -> None:
    cells = [{"delay": d, "mode": m} for m in ("a", "b") for d in (10, 20, 40)]
    positions = positions_of(cells)
    known = settle({0: (1.0, 1e-6), 1: (1.0, 1e-6), 2: (2.0, 1e-6), 3: (9.0, 1e-6)}, positions)
    other = settle({0: (1.0, 1e-6), 1: (1.0, 1e-6), 2: (2.0, 1e-6)}, positions)
    assert known.means[:3] == pytest.approx(other.means[:3], abs=1e-3)


def test_levels_of_0_have_a_place_on_a_logarithmic_scale() -> None:
    places = [p.numbers[0] for p in positions_of([{"delay": d} for d in (0, 10, 70)])]
    assert places == pytest.approx([0.0, math.log(2) / math.log(8), 1.0])
