# SPDX-License-Identifier: Apache-2.0
"""What may be chosen is one thing, and what all settings tell of each another."""

import numpy as np
import pytest
from coalescope_models.inference.recommendation import (
    Aim,
    Constraint,
    RecommendationError,
    recommend,
)

DELAYS = (0, 10, 25, 50, 100)
CELLS = [(mtu, delay) for mtu in (1500, 4000, 9000) for delay in DELAYS]
FAST, CHEAP = Aim("speed", "more"), Aim("cpu", "less")


def runs(seed: int, n: int = 4, noise: float = 0.02) -> tuple[dict[str, np.ndarray], list]:
    """A smooth host: CPU falls with MTU and delay, the speed a little with the delay."""
    rng = np.random.default_rng(seed)
    cells = [cell for cell in CELLS for _ in range(n)]
    mtu, delay = np.array(cells, dtype=float).T
    cpu = (4.0 + 6e4 / mtu) * (1.0 + 20.0 / (10.0 + delay))
    speed = 1000.0 * (1.0 - delay / 2000.0)
    chance = np.exp(noise * rng.normal(size=(2, len(cells))))
    return {"cpu": cpu * chance[0], "speed": speed * chance[1]}, cells


def up_to(delay: int) -> list[tuple[int, int]]:
    return [cell for cell in CELLS if cell[1] <= delay]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("aim", [FAST, CHEAP])
def test_what_may_be_set_may_be_set_under_a_stricter_limit_too(seed: int, aim: Aim) -> None:
    table, cells = runs(seed)
    bound = Constraint("speed", "at least", 900.0)
    looser = None
    for limit in reversed(DELAYS[1:]):
        found = recommend(table, cells, [aim], [bound], among=up_to(limit), position=lambda c: c)
        assert {c.cell for c in found.candidates} == set(up_to(limit))
        if looser is not None:
            assert set(looser) & set(up_to(limit)) <= set(found.choices)
        looser = found.choices


def test_others_tell_how_runs_scatter() -> None:
    """Two runs of each of two settings hardly tell it."""
    both = [(9000, 50), (9000, 100)]
    with_others = alone = 0
    for seed in range(10):
        table, cells = runs(seed, n=2, noise=0.01)
        rows = [k for k, cell in enumerate(cells) if cell in both]
        own = {name: values[rows] for name, values in table.items()}
        found = recommend(table, cells, [CHEAP], among=both, position=lambda c: c)
        with_others += found.answer == (9000, 100)
        alone += recommend(own, [cells[k] for k in rows], [CHEAP]).answer == (9000, 100)
    assert with_others >= 9
    assert alone < 8


def test_the_best_is_that_of_the_settings_to_choose_from() -> None:
    """Nobody is held to a speed that may not be set."""
    speeds = {0: 800.0, 10: 1000.0, 25: 1001.0, 50: 1300.0}
    rng = np.random.default_rng(1)
    cells = [delay for delay in speeds for _ in range(8)]
    table = {
        "speed": np.array([speeds[c] for c in cells]) * np.exp(0.001 * rng.normal(size=len(cells))),
        "cpu": np.array([50.0 - c / 10.0 for c in cells]),
    }
    within = [Constraint("speed", "within", 1.0, "more")]
    found = recommend(table, cells, [CHEAP], within, among=[0, 10, 25])
    assert (found.answer, found.best) == (25, 25)
    assert {c.cell: c.allowed for c in found.candidates} == {25: True, 10: True, 0: False}


def test_what_is_set_now_need_not_be_one_of_them() -> None:
    table, cells = runs(1, noise=0.001)
    bound = [Constraint("speed", "within current", 1.0, "more")]
    for now, expected in (((9000, 100), (9000, 25)), ((9000, 0), (9000, 10))):
        found = recommend(table, cells, [CHEAP], bound, among=up_to(25), current=now)
        assert found.best == expected


def test_one_setting_to_choose_from_is_no_choice() -> None:
    table, cells = runs(1)
    with pytest.raises(RecommendationError, match="leaves no choice"):
        recommend(table, cells, [FAST], among=CELLS[:1])


def host(cpu: dict[int, float], noise: dict[int, float], n: dict[int, int], seed: int) -> tuple:
    """Runs at some delays, each with its own scatter and number."""
    rng = np.random.default_rng(seed)
    cells = [delay for delay in cpu for _ in range(n[delay])]
    values = [cpu[c] * np.exp(noise[c] * rng.normal()) for c in cells]
    return {"cpu": np.array(values)}, cells


def test_what_scatters_beyond_as_an_overloaded_host_does_hides_nothing() -> None:
    cpu = {0: 60.0, 25: 50.0, 50: 40.0, 100: 30.0, 200: 25.0}
    noise = {0: 0.005, 25: 0.005, 50: 0.005, 100: 0.3, 200: 0.3}
    for seed in range(10):
        table, cells = host(cpu, noise, dict.fromkeys(cpu, 3), seed)
        assert recommend(table, cells, [CHEAP], among=[0, 25, 50]).answer == 50


def test_what_hardly_scatters_beyond_makes_single_runs_no_surer() -> None:
    cpu = dict.fromkeys((0, 25, 50, 100, 200, 400), 50.0)
    noise = {0: 0.1, 25: 0.1, 50: 0.1, 100: 0.002, 200: 0.002, 400: 0.002}
    runs = {0: 1, 25: 1, 50: 1, 100: 4, 200: 4, 400: 4}
    table, cells = host(cpu, noise, runs, 1)
    found = recommend(table, cells, [CHEAP], among=[0, 25, 50])
    assert {c.surely_allowed for c in found.candidates} == {None}
    table, cells = host(cpu, noise, {**runs, 0: 3, 25: 3, 50: 3}, 1)
    assert recommend(table, cells, [CHEAP], among=[0, 25, 50]).answer is None


def test_a_setting_without_a_place_stands_alone() -> None:
    """Adaptive moderation has no delay: the others tell of each other all the same."""
    table, cells = runs(1)
    adaptive = [(mtu, None) for mtu in (1500, 4000, 9000) for _ in range(4)]
    more = {name: np.concatenate([values, values[:12]]) for name, values in table.items()}

    def place(cell):
        return None if cell[1] is None else cell

    bound = [Constraint("speed", "at least", 900.0)]
    found = [
        recommend(each, [*cells, *others], [FAST], bound, among=CELLS, position=place)
        for each, others in ((table, []), (more, adaptive))
    ]
    assert found[0].answer is not None
    assert found[1].choices == found[0].choices
