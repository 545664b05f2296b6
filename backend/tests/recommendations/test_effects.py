# SPDX-License-Identifier: Apache-2.0
"""What the answer is said to change."""

from statistics import fmean

import numpy as np
import pytest
from coalescope.recommendations.effects import Effect, effects, entangled, intrusion, nearest
from coalescope.runs.records import RunValues, When
from coalescope_host.plan.factors import WAITS, WAITS_LESS, log_name
from coalescope_models.vocabulary.quantity import QUANTITIES, Better
from scipy.stats import t

SPEED: dict[str, Better | None] = {"throughput_mbps": "more"}


def told(first: list[float], second: list[float], better: Better | None = "less") -> Effect:
    """A measure of one's own at two settings."""
    values = [RunValues(0, {}, {"measure.own": v}) for v in first]
    values += [RunValues(1, {}, {"measure.own": v}) for v in second]
    (found,) = effects(values, 0, 1, {"measure.own": better})
    return found


def test_a_change_without_an_interval_is_neither_better_nor_worse() -> None:
    assert told([10.0], [13.0]).gain is None
    assert told([10.0, 14.0], [13.0, 12.0]).gain is None
    assert told([10.0, 10.1], [13.0, 13.1]).gain is False
    assert told([10.0, 10.1], [13.0, 13.1], "more").gain is True
    assert told([10.0, 10.1], [13.0, 13.1], None).gain is None


def test_what_comes_from_nothing_is_told_by_both_values() -> None:
    found = told([0.0, 0.0, 0.0], [40_000.0, 39_000.0, 41_000.0])
    assert (found.reference, found.answer, found.change) == (0.0, 40_000.0, 40_000.0)
    assert (found.change_percent, found.ci95_percent) == (None, None)
    assert found.gain is False
    assert told([0.0] * 3, [7.0] * 3).gain is False, "without any scatter"
    gone = told([40.0, 39.0, 41.0], [0.0, 0.0, 0.0])
    assert (gone.change_percent, gone.gain) == (-100.0, True)
    assert told([0.0, 0.0, 0.0], [0.0, 0.0, 0.0]).gain is None
    assert told([0.0, 1.0, 0.0], [1.0, 0.0, 2.0]).gain is None, "by chance"
    assert told([0.0], [40_000.0]).gain is None


def test_of_many_measures_that_did_not_change_hardly_any_is_better_or_worse() -> None:
    """Nothing differs: 5 % of the answers name a change, and of each alone at 5 %, nearly all."""
    names = [n for n, q in QUANTITIES.items() if q.role == "measure" and q.better][:20]
    assert len(names) == 20
    rng = np.random.default_rng(2)
    named = alone = 0
    for _ in range(100):
        values = 100.0 + rng.normal(size=(2, 5, len(names)))
        found = effects(
            [
                RunValues(cell, {}, dict(zip(names, row, strict=True)), When(r, None, None))
                for cell, own in enumerate(values.tolist())
                for r, row in enumerate(own)
            ],
            0,
            1,
            {name: QUANTITIES[name].better for name in names},
        )
        named += any(e.gain is not None for e in found)
        alone += any(e.ci95_percent[0] > 0 or e.ci95_percent[1] < 0 for e in found)
    assert named <= 12, "5 % of 100, and three deviations"
    assert alone > 40


def runs(*, blocks: bool, in_a_row: bool = False) -> list[RunValues]:
    """12 settings of 6 runs; with blocks, the runs of a block share what it adds."""
    rng = np.random.default_rng(3)
    places = [(c, r) for r in range(6) for c in rng.permutation(12)]
    if in_a_row:
        places.sort()
    shift = 0.1 * rng.normal(size=3) if blocks else np.zeros(3)
    return [
        RunValues(
            int(cell),
            {"delay_us": int(cell)},
            {"throughput_mbps": 100.0 * (1 + 0.05 * cell + 0.02 * rng.normal() + shift[r // 2])},
            When(r, order, f"day {r // 2}" if blocks else None),
        )
        for order, (cell, r) in enumerate(places)
    ]


def test_an_effect_within_blocks_is_known_by_what_it_is_in_each() -> None:
    (found,) = effects(runs(blocks=True), 0, 1, SPEED)
    assert "3 blocks" in str(found.reason)
    assert found.ci95_percent is not None
    own = {c: [r for r in runs(blocks=True) if r.cell_id == c] for c in (0, 1)}
    means = [
        [
            fmean(r.values["throughput_mbps"] for r in own[c] if r.when.block == f"day {b}")
            for c in own
        ]
        for b in range(3)
    ]
    ratios = np.log([b / a for a, b in means])
    half = t.ppf(0.975, 2) * np.std(ratios, ddof=1) / np.sqrt(3)
    assert np.log1p(found.ci95_percent[1] / 100) == pytest.approx(
        np.log1p(found.change_percent / 100) + half
    )


def test_an_effect_of_runs_in_a_row_has_no_interval() -> None:
    """The control: the same runs, in rounds of no order."""
    (found,) = effects(runs(blocks=False, in_a_row=True), 0, 11, SPEED)
    assert (found.ci95_percent, found.gain) == (None, None)
    assert "one after another" in str(found.reason)
    (twin,) = effects(runs(blocks=False), 0, 11, SPEED)
    assert (twin.gain, twin.reason) == (True, None)


def test_what_never_varies_alone() -> None:
    def setting(mtu: int, delay: int) -> dict[str, int]:
        return {"mtu_bytes": mtu, "delay_us": delay, "streams": 1}

    diagonal = [setting(1500, 960), setting(3000, 800), setting(4500, 480)]
    assert entangled(diagonal) in ("delay_us", "mtu_bytes")
    assert entangled([*diagonal, setting(6000, 480)]) == "delay_us"
    assert entangled([*diagonal, setting(1500, 480)]) is None
    assert entangled([setting(1500, 10), setting(1500, 20)]) is None, "one factor is alone"


def test_the_order_of_settings_is_that_of_their_levels_and_not_of_their_runs() -> None:
    """Factors that no list names count as well: nothing hangs on which was measured first."""
    levels = [(1500, 200_000), (1500, 1_000_000), (9000, 0), (1500, 0)]
    for rotation in range(len(levels)):
        order = levels[rotation:] + levels[:rotation]
        settings = {
            place: {"mtu_bytes": mtu, "factor.gro_flush_timeout_ns": timeout}
            for place, (mtu, timeout) in enumerate(order)
        }
        assert settings[nearest(settings, {})] == {
            "mtu_bytes": 1500,
            "factor.gro_flush_timeout_ns": 0,
        }
    own = {k: {"mtu_bytes": 1500, "factor.own": level} for k, level in enumerate(("on", "off"))}
    assert nearest(own, {}) == 1
    assert nearest(own, {"factor.own": "on"}) == 0


def test_the_values_of_an_effect_have_the_intervals_of_their_own_means() -> None:
    (found,) = effects(runs(blocks=False), 0, 11, SPEED)
    own = [r.values["throughput_mbps"] for r in runs(blocks=False) if r.cell_id == 11]
    half = t.ppf(0.975, len(own) - 1) * np.std(own, ddof=1) / np.sqrt(len(own))
    assert found.answer_ci95 == pytest.approx((found.answer - half, found.answer + half))
    assert effects(runs(blocks=False, in_a_row=True), 0, 11, SPEED)[0].answer_ci95 is None


def test_of_settings_that_are_alike_the_shorter_wait_is_the_lesser():
    """Of rates the higher one; and none at all before any."""
    rates = [{"moderation_rate_hz": rate} for rate in (1000, 8000, 4000)]
    assert nearest(dict(enumerate(rates)), {}) == 1
    assert nearest(dict(enumerate([*rates, {"moderation_rate_hz": 0}])), {}) == 3
    frames = [{"factor.rx_frames": n, "mtu_bytes": mtu} for n, mtu in ((8, 1500), (1, 9000))]
    assert nearest(dict(enumerate(frames)), {}) == 1


@pytest.mark.parametrize("wait", [name for row in WAITS for name in row if name != "adaptive_rx"])
def test_each_wait_decides_before_the_mtu(wait: str) -> None:
    low, high = (20, 10) if wait in WAITS_LESS else (10, 20)
    settings = {
        "short": {log_name(wait): low, "mtu_bytes": 9000},
        "long": {log_name(wait): high, "mtu_bytes": 1500},
    }
    assert nearest(settings, {}) == "short"


def test_of_as_many_changes_the_nearer_level_is_the_lesser() -> None:
    delays = {k: {"delay_us": d} for k, d in enumerate((0, 10, 40, 80, 640))}
    assert nearest(delays, {"delay_us": 160}) == 3
    assert nearest(delays, {"delay_us": 12}) == 1
    order = sorted(delays, key=lambda k: intrusion(delays[k], {"delay_us": 160}))
    assert [delays[k]["delay_us"] for k in order] == [80, 40, 640, 10, 0]
    apart = {0: {"delay_us": 11, "mtu_bytes": 1400}, 1: {"delay_us": 640, "mtu_bytes": 1500}}
    assert nearest(apart, {"delay_us": 10, "mtu_bytes": 1500}) == 1, "one change is less than two"
