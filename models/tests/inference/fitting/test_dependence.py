# SPDX-License-Identifier: Apache-2.0
"""Fits of replicates that depend on when they were recorded: intervals by cluster, or none."""

import numpy as np
import pytest
from coalescope_models.inference.fitting import fit_linear, fit_nonlinear
from coalescope_models.inference.fitting.dependence import in_view_of
from coalescope_models.inference.statistics import SEQUENCE_NOT_KNOWN, Timeline, t_quantile

TRUTH = {"alpha": 0.813, "beta": 0.266, "gamma": 1.11}
BLOCKS = 4


def measured(nfs_table, shifts, seed=1):
    """The 27 settings of 2005, each once in each block; CPU time off by a share in each block."""
    counts = np.tile(np.column_stack(list(nfs_table.values())[:3]), (len(shifts), 1))
    blocks = np.repeat(np.arange(len(shifts)), 27)
    off = np.asarray(shifts)[blocks] + 0.003 * np.random.default_rng(seed).normal(size=len(blocks))
    response = counts @ list(TRUTH.values()) * (1.0 + off)
    table = dict(zip(nfs_table, [*counts.T, response], strict=True))
    return table, np.tile(np.arange(27), len(shifts)), blocks


def fit(nfs_table, shifts, kind="block", method="ols"):
    table, cells, blocks = measured(nfs_table, shifts)
    when = Timeline(tuple(range(len(cells))), tuple(map(int, blocks)), kind)
    return fit_linear(
        "cpu-overhead", table, method, cells=cells, when=when, resamples=200, rng=1
    ), (table, cells, blocks)


def test_blocks_that_differ_widen_the_intervals_to_t_over_their_estimates(nfs_table):
    shifts = [0.03, -0.03, 0.01, -0.01]
    result, (table, cells, blocks) = fit(nfs_table, shifts)
    alone = [
        fit_linear(
            "cpu-overhead",
            {name: column[blocks == own] for name, column in table.items()},
            "ols",
            cells=cells[blocks == own],
            resamples=0,
        ).estimates["alpha"].value
        for own in range(BLOCKS)
    ]  # fmt: skip
    low, high = result.estimates["alpha"].ci95
    half = t_quantile(0.975, BLOCKS - 1) * np.std(alone, ddof=1) / np.sqrt(BLOCKS)
    assert (high - low) / 2.0 == pytest.approx(half, rel=0.02)
    assert low < TRUTH["alpha"] < high
    assert result.bootstrap.unit == "clusters"
    assert result.independence.verdict == "by_cluster"
    assert result.message == (
        f"{result.independence.reason} Of 4 blocks a drift cannot be told from what differs "
        "between them: if there is one, the intervals cover more than 95 %."
    )


def test_a_drift_of_the_blocks_is_no_scatter_of_theirs(nfs_table):
    """How often such intervals cover the truth is simulated among the scenarios."""
    result, (table, cells, blocks) = fit(nfs_table, np.linspace(-0.03, 0.03, 8))
    assert "The blocks drift by +6.0 % from the first to the last" in result.message
    steady = fit(nfs_table, [0.0] * 8)[0].estimates["alpha"]
    found = result.estimates["alpha"]
    assert found.ci95[1] - found.ci95[0] < 1.5 * (steady.ci95[1] - steady.ci95[0])
    without_places = Timeline(None, tuple(map(int, blocks)), "block")
    wide = fit_linear(
        "cpu-overhead", table, "ols", cells=cells, when=without_places, resamples=200, rng=1
    ).estimates["alpha"]  # fmt: skip
    assert wide.ci95[1] - wide.ci95[0] > 5.0 * (found.ci95[1] - found.ci95[0])


def test_that_nothing_is_known_of_the_sequence_is_said_where_there_are_intervals(nfs_table):
    table, cells, _ = measured(nfs_table, [0.0] * BLOCKS)
    nothing = Timeline(None, None, None)
    for resamples, said in ((200, True), (0, False)):
        result = fit_linear(
            "cpu-overhead", table, "ols", cells=cells, when=nothing, resamples=resamples, rng=1
        )
        assert (SEQUENCE_NOT_KNOWN in (result.message or "")) == said
        assert result.independence.reason == SEQUENCE_NOT_KNOWN


def test_rounds_that_do_not_differ_leave_the_intervals_as_they_are(nfs_table):
    result, (table, cells, _) = fit(nfs_table, [0.0] * BLOCKS, "round")
    without = fit_linear("cpu-overhead", table, "ols", cells=cells, resamples=200, rng=1)
    assert result.estimates == without.estimates
    assert result.independence.verdict == "none_found"
    assert without.independence is None


def test_replicates_in_a_row_have_values_and_no_intervals(nfs_table):
    table, cells, _ = measured(nfs_table, [0.0] * BLOCKS)
    order = np.argsort(cells, kind="stable")
    rows = {name: column[order] for name, column in table.items()}
    when = Timeline(tuple(range(len(cells))), None, None)
    result = fit_linear(
        "cpu-overhead", rows, "ols", cells=cells[order], when=when, resamples=200, rng=1
    )
    for name, own in result.estimates.items():
        assert own.value == pytest.approx(TRUTH[name], rel=0.1)
        assert (own.ci95, own.standard_error, own.ci95_if_model_holds) == (None, None, None)
    assert result.covariance is None
    assert "one after another" in result.message


def test_two_blocks_of_which_one_cannot_be_fitted_alone_have_no_intervals(nfs_table):
    """Whitening needs replicates, and without one of two blocks there are none."""
    result, _ = fit(nfs_table, [0.01, -0.01], method="whitened")
    assert result.estimates["alpha"].ci95 is None
    assert "the rest does not determine the parameters" in result.message


def test_of_a_rejected_model_the_wider_interval_counts(nfs_table):
    table, cells, blocks = measured(nfs_table, [0.002, -0.002, 0.001, -0.001])
    table["system_cpu_jiffies"] = table["system_cpu_jiffies"] * (1.0 + 0.05 * np.sin(cells))
    when = Timeline(tuple(range(len(cells))), tuple(map(int, blocks)), "block")
    question = {"cells": cells, "resamples": 200, "rng": 1}
    result = fit_linear("cpu-overhead", table, "ols", when=when, **question)
    alone = fit_linear("cpu-overhead", table, "ols", **question)
    assert result.diagnostics.lack_of_fit.rejected
    for name, own in result.estimates.items():
        assert own.ci95 is None
        wide, narrow = own.ci95_if_independent, alone.estimates[name].ci95_if_independent
        assert wide[0] <= narrow[0]
        assert wide[1] >= narrow[1]
        assert own.ci95_if_model_holds is not None


def test_of_a_rejected_model_with_an_outlier_intervals_by_cluster_keep_the_misfit(nfs_table):
    """The interval of a model that holds is spoiled, and absent, before blocks are looked at."""
    table, cells, blocks = measured(nfs_table, [0.002, -0.002, 0.001, -0.001])
    table["system_cpu_jiffies"] = table["system_cpu_jiffies"] * (1.0 + 0.05 * np.sin(cells))
    table["system_cpu_jiffies"][40] *= 1.06
    when = Timeline(tuple(range(len(cells))), tuple(map(int, blocks)), "block")
    question = {"cells": cells, "resamples": 200, "rng": 1}
    result = fit_linear("cpu-overhead", table, "ols", when=when, **question)
    alone = fit_linear("cpu-overhead", table, "ols", **question)
    assert result.bootstrap.unit == "clusters"
    for name, own in result.estimates.items():
        assert own.ci95_if_model_holds is None
        assert own.ci95 is None
        wide, narrow = own.ci95_if_independent, alone.estimates[name].ci95_if_independent
        assert wide[0] <= narrow[0]
        assert wide[1] >= narrow[1]


def test_many_clusters_are_left_out_some_at_once(nfs_table):
    table, cells, _ = measured(nfs_table, [0.0] * 70)
    asked = []

    def refit(rows):
        asked.append(len(rows))
        return fit_linear(
            "cpu-overhead",
            {name: column[rows] for name, column in table.items()},
            "ols",
            cells=cells[rows],
            resamples=0,
        )

    whole = fit_linear("cpu-overhead", table, "ols", cells=cells, resamples=50, rng=1)
    when = Timeline(None, tuple(np.repeat(np.arange(70), 27).tolist()), "block")
    values = table["system_cpu_jiffies"].tolist()
    bounds = dict.fromkeys(TRUTH, (0.0, np.inf))
    in_view_of(when, whole, values, cells.tolist(), refit, bounds)
    assert asked == [67 * 27] * 23 + [69 * 27]


def test_nonlinear_fits_follow_the_same_rule():
    delay = np.tile(np.array([10.0, 40.0, 80.0, 160.0, 320.0, 640.0]), BLOCKS)
    blocks = np.repeat(np.arange(BLOCKS), 6)
    cells = np.tile(np.arange(6), BLOCKS)
    rng = np.random.default_rng(4)
    shift = np.array([0.05, -0.05, 0.02, -0.02])[blocks]
    exact = 5.0 + 0.02 * delay
    table = {
        "delay_us": delay,
        "mtu_bytes": np.full(len(delay), 1500.0),
        "throughput_mbps": exact,
    }
    model = "request-response"
    fitted = fit_nonlinear(model, table, "throughput_mbps", ["idle_us"], cells=cells, resamples=0)
    truth = np.array([residual.predicted for residual in fitted.residuals])[cells]
    table["throughput_mbps"] = truth * (1.0 + shift + 0.002 * rng.normal(size=len(delay)))
    question = {"cells": cells, "resamples": 200, "rng": 1}
    when = Timeline(tuple(range(len(delay))), tuple(map(int, blocks)), "block")
    result = fit_nonlinear(model, table, "throughput_mbps", ["idle_us"], when=when, **question)
    alone = fit_nonlinear(model, table, "throughput_mbps", ["idle_us"], **question)
    wide, narrow = result.estimates["idle_us"].ci95_if_independent, alone.estimates["idle_us"].ci95
    assert wide[1] - wide[0] > 1.5 * (narrow[1] - narrow[0])
    assert result.independence.verdict == "too_few_clusters"
    row = Timeline(tuple(np.argsort(np.argsort(cells, kind="stable")).tolist()), None, None)
    refused = fit_nonlinear(model, table, "throughput_mbps", ["idle_us"], when=row, **question)
    assert refused.estimates["idle_us"].ci95 is None
    assert refused.estimates["idle_us"].ci95_if_independent is None


def says_of_intervals(result):
    """A word of intervals other than that there are none."""
    said = (result.message or "").replace("no interval is given", "").replace("No intervals:", "")
    return "interval" in said


@pytest.mark.parametrize("verdict", ["too_few", "by_cluster"])
def test_nothing_is_said_of_intervals_that_were_not_asked_for(nfs_table, verdict):
    """Neither that they hold, if, nor what they are made of; with resamples, it is."""
    table, cells, blocks = measured(nfs_table, [0.0] * BLOCKS)
    few = verdict == "too_few"
    rows = np.flatnonzero(cells % 3 == 0) if few else np.arange(len(cells))
    clusters = None if few else tuple(map(int, blocks))
    when = Timeline(tuple(range(len(rows))), clusters, None if few else "block")
    columns = {name: column[rows] for name, column in table.items()}
    question = {"cells": cells[rows], "when": when, "rng": 1}
    none, some = (
        fit_linear("cpu-overhead", columns, "ols", resamples=resamples, **question)
        for resamples in (0, 200)
    )
    assert none.independence.verdict == some.independence.verdict == verdict
    assert says_of_intervals(some)
    assert not says_of_intervals(none), none.message


@pytest.mark.parametrize("method", ["ols", "robust"])
def test_what_was_said_of_intervals_goes_where_they_go(nfs_table, method):
    """That they include the misfit, and what outliers do to them, of replicates in a row."""
    table, cells, _ = measured(nfs_table, [0.0] * BLOCKS)
    off = 1.0 + 0.05 * np.sin(cells) + 0.07 * (np.arange(len(cells)) == 40)
    table["system_cpu_jiffies"] = table["system_cpu_jiffies"] * off
    order = np.argsort(cells, kind="stable")
    rows = {name: column[order] for name, column in table.items()}
    when = Timeline(tuple(range(len(cells))), None, None)
    question = {"cells": cells[order], "resamples": 400, "rng": 1}
    told = fit_linear("cpu-overhead", rows, method, **question)
    assert says_of_intervals(told)
    assert told.estimates["alpha"].ci95_if_independent is not None
    withheld = fit_linear("cpu-overhead", rows, method, when=when, **question)
    assert "reject the model" in withheld.message
    assert "does not belong" in withheld.message or method == "robust"
    assert not says_of_intervals(withheld), withheld.message


def test_one_resample_gives_a_rejected_nonlinear_fit_intervals_without_a_word_that_none_are():
    delay = np.repeat([10.0, 40.0, 80.0, 160.0, 320.0, 640.0], 3)
    noise = 0.001 * np.random.default_rng(2).normal(size=len(delay))
    table = {
        "delay_us": delay,
        "mtu_bytes": np.full(len(delay), 1500.0),
        "throughput_mbps": (5.0 + 0.02 * delay) * (1.0 + noise),
    }
    result = fit_nonlinear(
        "request-response", table, "throughput_mbps", ["idle_us"], cells=delay, resamples=1, rng=1
    )
    assert result.diagnostics.lack_of_fit.rejected
    assert result.estimates["idle_us"].ci95_if_independent is not None
    assert "No intervals" not in result.message
