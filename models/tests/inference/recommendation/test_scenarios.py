# SPDX-License-Identifier: Apache-2.0
"""Answers about hosts whose best setting is known: 12 shapes, and two with settings just beyond the
guard; 4 noises, 2 to 10 replicates."""

import logging
import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from coalescope_models.inference.recommendation import Aim, Constraint, Recommendation, recommend

_LOG = logging.getLogger(__name__)
MTUS = (1500.0, 3000.0, 4500.0, 6000.0, 9000.0)
DELAYS = (10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 640.0, 1280.0)
MTU, DELAY = (axis.ravel() for axis in np.meshgrid(MTUS, DELAYS, indexing="ij"))
GUARD_PERCENT = 1.0
CPU = [Aim("cpu", "less")]
GUARD = [Constraint("speed", "within", GUARD_PERCENT, "more")]


def cost(gamma: float = 1.1, beta: float = 0.27) -> np.ndarray:
    """CPU time per byte by the cost model: bytes, packets, interrupts."""
    packets = 1e6 / (MTU - 52.0)
    return 100.0 + beta * packets + gamma * packets / np.maximum(1.0, DELAY / (MTU / 125.0))


def capped(speed: np.ndarray) -> np.ndarray:
    return np.minimum(speed, 1000.0)


NOTHING = np.zeros_like(MTU)
#: CPU time per byte and throughput of each setting.
SHAPES: dict[str, tuple[np.ndarray, np.ndarray]] = {
    "line rate everywhere": (cost(), NOTHING + 1000.0),
    "nothing matters": (NOTHING + 100.0, NOTHING + 1000.0),
    "falls beyond 320": (cost(), capped(1000.0 * (320.0 / DELAY) ** 0.4)),
    "request and response": (cost(), 200.0 / (1.0 + DELAY / 300.0)),
    "slow at small MTU": (cost(), 800.0 + 200.0 * np.log(MTU / 1500.0) / np.log(6.0)),
    "a ring overflows": (cost(), np.where(DELAY * 9000.0 / MTU > 2000.0, 600.0, 1000.0)),
    "a window is filled": (cost(), capped(64.0 * 8000.0 / (100.0 + DELAY))),
    "dearest in the middle": (
        cost() * (1.0 + 0.2 * np.exp(-(np.log(DELAY / 80.0) ** 2))),
        NOTHING + 1000.0,
    ),
    "cheapest in the middle": (
        100.0 + 20.0 * np.log(DELAY / 80.0) ** 2 + 1e5 / MTU,
        NOTHING + 1000.0,
    ),
    "interrupts cost nothing": (cost(gamma=0.0), capped(1000.0 * (640.0 / DELAY) ** 0.2)),
    "packets cost nothing": (cost(beta=0.0), NOTHING + 1000.0),
    "jumbo frames are slow": (cost(), np.where(MTU > 4500.0, 850.0, 1000.0)),
}


#: Settings that cost least are this much slower than the guard allows.
NEAR_PERCENT = (1.2, 1.5)
NEAR = {
    f"{percent} % slower beyond 160": (
        cost(),
        np.where(DELAY > 160.0, 1000.0 - 10.0 * percent, 1000.0),
    )
    for percent in NEAR_PERCENT
}
ALL = {**SHAPES, **NEAR}


def measured(shape: str, noise: float, n: int, rng: np.random.Generator) -> Recommendation:
    cells = np.repeat(np.arange(len(MTU)), n)
    table = {
        name: truth[cells] * np.exp(noise * rng.normal(size=len(cells)))
        for name, truth in zip(("cpu", "speed"), ALL[shape], strict=True)
    }
    return recommend(
        table,
        cells.tolist(),
        CPU,
        GUARD,
        intrusion=lambda k: (DELAY[k], MTU[k]),
        position=lambda k: (math.log(DELAY[k]), math.log(MTU[k])),
        rng=int(rng.integers(2**31)),
    )


def judge(shape: str, chosen: int) -> tuple[bool, float]:
    """Whether the setting breaks the guard, and what it loses against the best that keeps it."""
    cpu, speed = ALL[shape]
    kept = speed >= speed.max() * (1.0 - GUARD_PERCENT / 100.0) * (1.0 - 1e-12)
    return not kept[chosen], cpu[chosen] / cpu[kept].min() - 1.0


def tell(
    cases: product, choose: Callable[[Recommendation], int | None], seed: int = 1
) -> tuple[int, int, int]:
    """How many answers there are, how many break the guard, how many lose more than two percent."""
    rng = np.random.default_rng(seed)
    told = [
        judge(shape, chosen)
        for shape, noise, n in cases
        if (chosen := choose(measured(shape, noise, n, rng))) is not None
    ]
    broken = sum(breaks for breaks, _ in told)
    return len(told), broken, sum(loss > 0.0201 and not breaks for breaks, loss in told)


def test_answers_keep_the_guard_and_come_near_the_best() -> None:
    cases = product(SHAPES, (0.003, 0.01), (3, 10))
    told, broken, far = tell(cases, lambda found: found.answer)
    assert told >= 20, "an answer that is never given is none"
    assert broken == 0
    assert far <= 1


def test_that_test_can_fail() -> None:
    """The old rule: the best mean, and no guard."""
    cases = product(SHAPES, (0.003, 0.01), (3, 10))
    told, broken, _ = tell(
        cases, lambda found: min(found.candidates, key=lambda c: c.means["cpu"]).cell
    )
    assert broken > 0.2 * told


@pytest.mark.parametrize("shape", NEAR)
def test_a_setting_just_beyond_the_guard_is_not_set(shape: str) -> None:
    told, broken, _ = tell(product([shape], (0.003, 0.01), (3, 10)), lambda found: found.answer)
    assert told >= 1
    assert broken == 0


#: Shapes that a smooth surface does not follow: of each, some settings are far slower.
EDGES = ("falls beyond 320", "a ring overflows", "a window is filled", "jumbo frames are slow")


def test_an_edge_does_not_hide_the_answer() -> None:
    told, broken, far = tell(product(EDGES, [0.01], [10, 10]), lambda found: found.answer)
    assert told >= 7
    assert broken == far == 0


def test_what_surely_keeps_the_guard_keeps_it() -> None:
    """What is said of settings with 99 % and with 95 % is true of that many, or more."""
    rng = np.random.default_rng(3)
    sure, near = [], []
    shapes = [*NEAR, "falls beyond 320", "nothing matters"]
    for shape, noise, n in product(shapes, (0.003, 0.01), (3, 10)):
        found = measured(shape, noise, n, rng)
        sure += [not judge(shape, c.cell)[0] for c in found.candidates if c.surely_allowed]
        near += [judge(shape, cell)[1] <= 0.0201 for cell in found.choices]
    assert len(sure) >= 100
    assert np.mean(sure) >= 0.99
    assert len(near) >= 10
    assert np.mean(near) >= 0.95


@pytest.mark.parametrize(("noise", "n", "least"), [(0.03, 20, 8), (0.06, 40, 2)])
def test_much_noise_is_answered_by_many_runs(noise: float, n: int, least: int) -> None:
    """Of 24 sets 15 and 6 had an answer when this was written: refusing always is no answer."""
    told, broken, _ = tell(product(SHAPES, [noise], [n] * 2), lambda found: found.answer)
    assert told >= least
    assert broken == 0


#: Share of the sets with an answer that is demanded, well below what was measured (docs/soak.md);
#: of other noises and numbers too few were answered to demand any.
LEAST_SHARE = {
    (0.003, 2): 0.6,
    (0.003, 3): 0.7,
    (0.003, 5): 0.7,
    (0.003, 10): 0.7,
    (0.01, 2): 0.08,
    (0.01, 3): 0.25,
    (0.01, 5): 0.4,
    (0.01, 10): 0.5,
    (0.03, 10): 0.1,
}


@pytest.mark.soak
@pytest.mark.parametrize("noise", [0.003, 0.01, 0.03, 0.06])
@pytest.mark.parametrize("n", [2, 3, 5, 10])
def test_every_noise_and_number_of_runs(noise: float, n: int) -> None:
    cases = product(ALL, [noise], [n] * 25)
    told, broken, far = tell(cases, lambda found: found.answer, seed=int(1e4 * noise) + n)
    _LOG.info("%.1f %%, n = %d: %d answers, %d broke it, %d far", 1e2 * noise, n, told, broken, far)
    assert told >= LEAST_SHARE.get((noise, n), 0.0) * len(ALL) * 25
    assert broken <= math.ceil(0.01 * told)
    assert noise > 0.01 or far <= math.ceil(0.05 * told)
