# SPDX-License-Identifier: Apache-2.0
"""What total least squares says of its own errors, beside how far it is off in simulations."""

from functools import partial

import numpy as np
import pytest
from coalescope_models.inference.fitting.estimators import (
    Moments,
    total_least_squares,
    whitened_total_least_squares,
)
from coalescope_models.inference.fitting.plane import relative_errors_of_plane
from coalescope_models.inference.fitting.points import Groups, normalised, pooled_noise

from .test_identifiability import NEAR, TRUTH, replicates

COSTS = np.array(list(TRUTH.values()))


def simulated(method, *, noise, miscounted, mtus, sets=100):
    """Estimates over the truth, and what is said of their errors, [sets, p] each."""
    rng = np.random.default_rng(8)
    found, errors, displaced = [], [], []
    for _ in range(sets):
        table, labels = replicates(rng, mtus, noise=noise, miscounted=miscounted)
        rows, cells = np.column_stack(list(table.values())), Groups.by_label(labels)
        within, _ = pooled_noise(rows, cells)
        whitens = method == "whitened"
        estimate = (
            partial(whitened_total_least_squares, noise=within) if whitens else total_least_squares
        )
        weights = cells.sizes.astype(float) if whitens else None
        points = normalised(cells.means(rows))
        found.append(estimate(Moments.of_sets(points[None], weights))[0] / COSTS)
        said = relative_errors_of_plane(
            rows, cells, estimate, within, weights, allows_for_noise=whitens
        )
        errors.append(said[0] * np.abs(found[-1]))
        displaced.append(said[1] * np.abs(found[-1]))
    return np.array(found), np.array(errors), np.array(displaced)


@pytest.mark.parametrize("mtus", [NEAR, (1500, 4500)])
@pytest.mark.parametrize(("method", "miscounted"), [("whitened", 0.005), ("paper-tls", 0.001)])
def test_errors_are_as_large_as_estimates_scatter(method, miscounted, mtus):
    found, errors, _ = simulated(method, noise=0.002, miscounted=miscounted, mtus=mtus)
    scatter = found.std(axis=0)
    np.testing.assert_allclose(np.sqrt(np.mean(errors**2, axis=0)), scatter, rtol=0.35)


def test_the_noise_of_counts_displaces_by_as_much_as_is_said():
    found, _, displaced = simulated("paper-tls", noise=0.0, miscounted=0.005, mtus=NEAR)
    alpha, beta = np.abs(np.median(found, axis=0) - 1.0)[:2]
    assert beta > 4 * found.std(axis=0)[1] / np.sqrt(len(found)), "control: it is no chance"
    assert np.median(displaced, axis=0)[:2] == pytest.approx([alpha, beta], rel=0.35)


def test_whitening_is_not_displaced():
    found, errors, displaced = simulated("whitened", noise=0.0, miscounted=0.005, mtus=NEAR)
    assert not displaced.any()
    off = np.abs(found.mean(axis=0) - 1.0)
    assert (off < 3 * np.median(errors, axis=0) / np.sqrt(len(found))).all()
