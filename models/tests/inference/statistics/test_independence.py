# SPDX-License-Identifier: Apache-2.0
"""What the sequence of runs says about their replicates; each finding beside a good twin."""

from dataclasses import replace

import numpy as np
import pytest
from coalescope_models.inference.statistics import (
    SEQUENCE_NOT_KNOWN,
    Timeline,
    independence,
    timeline,
)
from coalescope_models.inference.statistics.independence import _SHORT_ROUND, _shown, whole
from coalescope_models.inference.statistics.sequence import can_be_alike, what_is_left

CELLS = 30


def rounds(replicates, seed):
    """Cells and rounds of a sweep, in its order."""
    rng = np.random.default_rng(seed)
    cells = np.concatenate([rng.permutation(CELLS) for _ in range(replicates)])
    return cells, np.repeat(np.arange(replicates), CELLS)


def sweep(deviations, cells, clusters=None, kind="round"):
    """Judge runs that were recorded in the order of these arrays."""
    when = Timeline(
        tuple(range(len(cells))),
        None if clusters is None else tuple(map(int, clusters)),
        None if clusters is None else kind,
    )
    values = (100.0 + cells) * (1.0 + deviations)
    return independence(values.tolist(), cells.tolist(), when)


def noise(count, seed=1):
    return 0.01 * np.random.default_rng(seed).normal(size=count)


def alike(count, seed=1):
    """Noise in which each run takes 0.8 of the one before it."""
    fresh, found = noise(count, seed), np.zeros(count)
    for k in range(count):
        found[k] = 0.8 * found[k - 1] + 0.6 * fresh[k] if k else fresh[k]
    return found


def test_independent_runs_of_a_sweep_are_found_so():
    cells, own = rounds(4, 2)
    found = sweep(noise(len(cells)), cells, own)
    assert (found.verdict, found.reason, found.clusters) == ("none_found", None, 4)


@pytest.mark.parametrize("replicates", [2, 5])
def test_rounds_that_differ_make_intervals_by_round(replicates):
    cells, own = rounds(replicates, 3)
    shift = np.where(own % 2, 0.02, -0.02)
    found = sweep(noise(len(cells)) + shift, cells, own)
    assert found.verdict == "by_cluster"
    assert f"the intervals are made of the {replicates} rounds" in found.reason


def test_blocks_and_sessions_always_count():
    cells, own = rounds(4, 2)
    assert sweep(noise(len(cells)), cells, own, "block").verdict == "by_cluster"
    assert "four hours" not in sweep(noise(len(cells)), cells, own, "block").reason
    said = sweep(noise(len(cells)), cells, own, "session").reason
    assert "4 sessions" in said
    assert "more than four hours from others by their clocks" in said


def test_settings_that_have_a_block_of_their_own_are_refused():
    cells = np.repeat(np.arange(CELLS), 4)
    found = sweep(noise(len(cells)), cells, cells % 3, "block")
    assert (found.verdict, found.reason[:49]) == (
        "refused",
        "Not every setting was measured in every block, so",
    )


def test_a_drift_is_found_and_a_random_order_bears_it():
    rng = np.random.default_rng(5)
    cells = rng.permutation(np.repeat(np.arange(CELLS), 4))
    drift = 0.05 * np.linspace(-0.5, 0.5, len(cells))
    found = sweep(noise(len(cells)) + drift, cells)
    assert found.verdict == "none_found"
    assert found.drift_percent == pytest.approx(5.0, abs=1.0)
    assert "their order was random" in found.reason
    assert sweep(noise(len(cells)), cells).reason is None


def test_a_drift_is_refused_where_each_round_has_one_order():
    cells, own = np.tile(np.arange(CELLS), 4), np.repeat(np.arange(4), CELLS)
    drift = 0.05 * np.linspace(-0.5, 0.5, len(cells))
    found = sweep(noise(len(cells)) + drift, cells, own)
    assert found.verdict == "refused"
    assert "in the same order" in found.reason
    assert sweep(noise(len(cells)), cells, own).verdict == "none_found"


@pytest.mark.parametrize("replicates", [2, 10])
def test_replicates_in_a_row_are_refused_whatever_they_show(replicates):
    cells = np.repeat(np.arange(CELLS), replicates)
    found = sweep(noise(len(cells)), cells)
    assert found.verdict == "refused"
    assert "one after another" in found.reason


def test_few_settings_in_a_random_order_are_hardly_ever_taken_for_a_row():
    refused = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        cells = rng.permutation(np.repeat(np.arange(4), 2))
        refused += sweep(noise(len(cells), seed), cells).verdict == "refused"
    assert refused <= 20
    in_a_row = np.repeat(np.arange(4), 2)
    assert sweep(noise(8), in_a_row).verdict == "refused"


def test_runs_that_resemble_the_ones_before_them_are_refused():
    rng = np.random.default_rng(6)
    cells = rng.permutation(np.repeat(np.arange(CELLS), 5))
    found = sweep(alike(len(cells)), cells)
    assert found.verdict == "refused"
    assert found.autocorrelation > 0.3  # deviations from cells' means are less alike than 0.8
    assert sweep(rng.permutation(alike(len(cells))), cells).verdict == "none_found"


def test_few_runs_are_not_taken_for_independent():
    few = np.array([0, 1, 2, 2, 1, 0, 1, 0, 2])
    found = sweep(noise(len(few)), few)
    assert found.verdict == "too_few"
    assert found.reason.startswith("9 replicated runs are too few to show whether a run resembles")
    many = np.random.default_rng(1).permutation(np.repeat(np.arange(3), 20))
    assert sweep(noise(len(many)), many).verdict == "none_found"


def test_short_rounds_of_runs_that_resemble_each_other_are_refused():
    rng = np.random.default_rng(5)
    cells = np.concatenate([rng.permutation(6) for _ in range(20)])
    found = sweep(alike(len(cells)), cells, np.repeat(np.arange(20), 6))
    assert found.verdict == "refused"
    assert "rounds of 6 runs are so short that they may resemble each other" in found.reason
    long_ones = rounds(4, 5)
    assert sweep(alike(4 * CELLS), *long_ones).verdict == "by_cluster"


def short_blocks(count, settings=9, seed=5):
    """Blocks in a row, each with every setting once in an order of its own."""
    rng = np.random.default_rng(seed)
    cells = np.concatenate([rng.permutation(settings) for _ in range(count)])
    return cells, np.repeat(np.arange(count), settings)


def test_short_blocks_of_runs_that_resemble_each_other_are_refused():
    cells, own = short_blocks(15)
    found = sweep(alike(len(cells)), cells, own, "block")
    assert found.verdict == "refused"
    assert found.reason.startswith("Runs resemble the ones before them within blocks (auto")
    assert "blocks of 9 runs are so short that they may resemble each other" in found.reason


def test_what_blocks_share_is_no_sign_that_they_resemble_each_other():
    cells, own = short_blocks(15)
    effect = 0.05 * np.random.default_rng(3).normal(size=15)
    found = sweep(noise(len(cells)) + effect[own], cells, own, "block")
    assert found.verdict == "by_cluster"
    assert found.reason.endswith("the intervals are made of the 15 blocks.")


def test_blocks_too_short_to_show_it_are_said_to_be_so():
    cells, own = short_blocks(30, settings=3)
    found = sweep(noise(len(cells)), cells, own, "block")
    assert found.verdict == "too_few_clusters"
    assert (found.by_cluster, found.doubtful) == (True, True)
    assert "of 3 runs, are too few or too short to show whether a block resembles" in found.reason


def test_blocks_whose_means_follow_each_other_are_refused():
    cells, own = short_blocks(40, settings=3)
    slow = 0.03 * np.sin(2.0 * np.pi * np.arange(40) / 20.0)
    found = sweep(noise(len(cells)) + slow[own], cells, own, "block")
    assert found.verdict == "refused"
    assert found.reason.startswith("Blocks resemble the ones before them")


def test_blocks_that_pauses_part_or_whose_order_is_not_known_are_taken_for_independent():
    cells, own = short_blocks(15)
    values = ((100.0 + cells) * (1.0 + alike(len(cells)))).tolist()
    labels = tuple(own.tolist())
    parted = Timeline(tuple(range(len(cells))), labels, "block", apart=True)
    assert independence(values, cells.tolist(), parted).verdict == "by_cluster"
    found = independence(values, cells.tolist(), Timeline(None, labels, "block"))
    assert found.verdict == "by_cluster"
    assert found.reason.endswith("are taken for independent: their order is not known.")


@pytest.mark.parametrize(("replicates", "verdict"), [(5, "by_cluster"), (1, "refused")])
def test_a_clock_that_was_set_back_within_a_sweep_is_said(replicates, verdict):
    """Two sessions by the clock that are one: halves of a sweep, crossed by its settings or not."""
    settings = np.random.default_rng(8).permutation(np.repeat(np.arange(40), replicates))
    cells = np.tile(settings, 2) if replicates > 1 else np.repeat(settings, 2)
    moments = 60.0 * np.arange(len(cells))
    moments[len(cells) // 2 :] -= moments[-1] + 5 * 3600.0
    nothing = [None] * len(cells)
    values = (100.0 + cells + noise(len(cells))).tolist()
    said = []
    for seconds in (moments, np.sort(moments)):
        when = timeline([*range(len(cells))], nothing, nothing, seconds.tolist())
        found = independence(values, cells.tolist(), when)
        assert found.verdict == verdict
        said.append("contradict each other, as where a host's clock was set back." in found.reason)
    assert said == [True, False]


def test_rounds_are_short_while_their_means_correlate_by_a_fifth():
    def correlation(size):
        places = np.arange(2 * size)
        covariance = 0.8 ** np.abs(places[:, None] - places)
        return covariance[:size, size:].mean() / covariance[:size, :size].mean()

    assert correlation(_SHORT_ROUND) <= 0.2 < correlation(_SHORT_ROUND - 1)


def test_runs_that_swing_are_not_said_to_resemble_each_other():
    rng = np.random.default_rng(6)
    cells = rng.permutation(np.repeat(np.arange(CELLS), 5))
    swinging = np.resize([0.0, 1.0], len(cells)) + 0.1 * rng.normal(size=len(cells))
    found = sweep(swinging, cells)
    assert found.verdict == "refused"
    assert "Runs swing from one to the next (autocorrelation −0." in found.reason


def test_what_a_model_leaves_shows_dependence_where_two_replicates_hardly_do():
    """24 settings of two runs: too few for their deviations alone."""
    found = {True: 0, False: 0}
    chance = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        cells = rng.permutation(np.repeat(np.arange(24), 2)).tolist()
        when = Timeline(tuple(range(48)), None, None)
        for explained in found:
            judged = independence((1 + alike(48, seed)).tolist(), cells, when, explained=explained)
            found[explained] += judged.verdict == "refused"
        free = independence((1 + noise(48, seed)).tolist(), cells, when, explained=True)
        chance += free.verdict == "refused"
    assert found[True] >= 55
    assert found[False] < 40
    assert chance <= 8


@pytest.mark.parametrize("runs", [45, 60, 120, 400])
def test_what_leaves_an_autocorrelation_of_0_8_possible(runs):
    """In 0.3 % of such sequences it is taken for impossible; of long independent ones, in all."""

    def possible(sequence):
        level, _ = what_is_left(sequence.tolist(), range(runs))
        return can_be_alike(level, runs)

    sequences = 400 if runs < 400 else 100
    burn = 50  # `alike` begins with a run that resembles none
    found = sum(possible(alike(runs + burn, seed)[burn:]) for seed in range(sequences))
    assert found >= 0.99 * sequences
    independent = sum(possible(noise(runs, seed)) for seed in range(sequences))
    assert independent <= (0.05 * sequences if runs < 60 else 0.01 * sequences)


def test_what_is_not_known_is_said_to_be_so():
    cells = np.repeat(np.arange(CELLS), 2)
    nothing = Timeline(None, None, None)
    values = (1.0 + noise(len(cells))).tolist()
    found = independence(values, cells.tolist(), nothing)
    assert (found.verdict, found.reason) == ("not_known", SEQUENCE_NOT_KNOWN)
    single = np.arange(CELLS)
    assert independence(values[:CELLS], single.tolist(), nothing) is None


def test_false_alarms_are_as_rare_as_promised():
    found = []
    for seed in range(200):
        cells, own = rounds(3, seed)
        found.append(sweep(noise(len(cells), seed), cells, own).verdict != "none_found")
    assert sum(found) <= 6  # 1 % for all tests together: 2 are expected


def test_the_tests_of_one_measure_are_judged_together():
    """Of three tests, one with p = 0.005 alone is no finding; with p = 0.003 it is."""
    cells, own = rounds(4, 2)
    alone = sweep(noise(len(cells)), cells, own)
    shown = {p: _shown(replace(alone, drift_p_value=p), None, 0.01) for p in (0.005, 0.003)}
    assert shown == {0.005: set(), 0.003: {"drift"}}


@pytest.mark.parametrize(
    ("percent", "said"), [(-160.3, "−160"), (0.52, "+0.52"), (-12.4, "−12"), (7.06, "+7.1")]
)
def test_a_drift_is_said_in_plain_digits(percent: float, said: str):
    assert whole(percent) == said
