# SPDX-License-Identifier: Apache-2.0
"""Tuning on the shipped emulated runs finds what the full grid finds, with a fifth of its runs."""

from collections.abc import Callable

import pytest
from coalescope_host.tuning.question import question_of
from emulated_grid import RUNS, Grid, Replayed, at_random, grids, replay

SEEDS = range(20)
MOST_LOSS_PERCENT = 3.0
SHARE = 0.2
ENOUGH = 18
QUESTIONS = [("udp", "cpu"), ("tcp", "cpu"), ("request_response", "p99")]


def found(
    tune: Callable[..., Replayed], grid: Grid, goal: str
) -> tuple[int, list[tuple[int, Replayed]]]:
    """How many seeds end near the best of the grid, and what came of each."""
    question = question_of(goal, ())
    outcomes = [(seed, tune(grid, question, seed, int(SHARE * grid.total))) for seed in SEEDS]
    assert all(outcome.runs <= SHARE * grid.total for _, outcome in outcomes)
    good = [
        seed
        for seed, outcome in outcomes
        if outcome.answer is not None
        and grid.loss_percent(question, outcome.answer) <= MOST_LOSS_PERCENT
    ]
    return len(good), outcomes


def test_the_grid_is_all_of_the_data_set() -> None:
    assert sum(grid.total for grid in grids().values()) == RUNS


@pytest.mark.parametrize(("workload", "goal"), QUESTIONS)
def test_within_three_percent_of_the_full_grid_with_a_fifth_of_its_runs(
    workload: str, goal: str
) -> None:
    good, outcomes = found(replay, grids()[workload], goal)
    assert good >= ENOUGH, outcomes


@pytest.mark.parametrize(("workload", "goal"), QUESTIONS)
def test_settings_at_random_are_not_enough(workload: str, goal: str) -> None:
    """The control: as many runs, the same rule, but nobody chose what to measure."""
    good, outcomes = found(at_random, grids()[workload], goal)
    assert good < ENOUGH, outcomes
