# SPDX-License-Identifier: Apache-2.0
"""What a setting changes against another, with intervals."""

import math
import random

import numpy as np
import pytest
from coalescope_host.run.gains import gains
from coalescope_host.tuning.belief import Measured
from coalescope_models.vocabulary.quantity import QUANTITIES
from scipy import stats


def runs_of(setting: int, values: list[float], measure: str = "latency_p99_us") -> list[Measured]:
    return [Measured(setting, number, {measure: v}) for number, v in enumerate(values, 1)]


def test_a_change_has_welchs_interval() -> None:
    a, b = [100.0, 103.0, 98.0, 101.0], [80.0, 88.0, 84.0]
    (gain,) = gains([*runs_of(0, a), *runs_of(9, b)], 0, 9)
    expected = stats.ttest_ind(np.log(b), np.log(a), equal_var=False).confidence_interval()
    low, high = (100 * math.expm1(end) for end in expected)
    assert gain.ci95_percent is not None
    assert gain.ci95_percent[0] == pytest.approx(low, abs=3)
    assert gain.ci95_percent[0] <= low < high <= gain.ci95_percent[1], "degrees are rounded down"
    assert gain.change_percent == pytest.approx(100 * (stats.gmean(b) / stats.gmean(a) - 1))
    assert gain.verdict == "better"


def test_what_an_interval_does_not_tell_is_no_gain() -> None:
    (gain,) = gains([*runs_of(0, [100.0, 104.0]), *runs_of(1, [99.0, 103.0])], 0, 1)
    assert gain.verdict == "no difference shown"
    (gain,) = gains([*runs_of(0, [100.0]), *runs_of(1, [50.0, 51.0])], 0, 1)
    assert gain.ci95_percent is None
    assert gain.verdict == "no difference shown"


def test_more_of_a_throughput_is_better_and_of_a_cost_worse() -> None:
    for measure, verdict in (
        ("throughput_mbps", "better"),
        ("system_cpu_s_per_gb", "worse"),
        ("rx_interrupt_rate_hz", ""),
    ):
        a, b = runs_of(0, [10.0, 10.1, 9.9], measure), runs_of(1, [12.0, 12.1, 11.9], measure)
        (gain,) = gains([*a, *b], 0, 1)
        assert gain.verdict == verdict, measure


def test_what_is_better_is_so_in_the_glossary() -> None:
    shown = 0
    for name, quantity in QUANTITIES.items():
        a, b = runs_of(0, [10.0, 10.1, 9.9], name), runs_of(1, [12.0, 12.1, 11.9], name)
        for gain in gains([*a, *b], 0, 1):
            better = {"more": "better", "less": "worse"}.get(str(quantity.better))
            assert gain.verdict in ("", "no difference shown", better), name
            shown += 1
    assert shown > 5


def test_what_rounds_have_in_common_is_no_gain() -> None:
    """One setting was measured in early rounds, the other in late ones, of a host that drifts."""
    chance = random.Random(4)

    def value(number: int) -> float:
        return 100 * 1.05**number * math.exp(chance.gauss(0, 0.003))

    both = {number: [7] for number in range(1, 9)}
    for number in (1, 2, 3, 4):
        both[number].append(0)
    for number in (4, 5, 6, 7, 8):
        both[number].append(1)
    runs = [
        Measured(setting, number, {"latency_p99_us": value(number)})
        for number, settings in both.items()
        for setting in settings
    ]
    (gain,) = gains(runs, 0, 1)
    assert abs(gain.change_percent) < 2
    apart = [run for run in runs if run.setting != 7]
    (wrong,) = gains(apart, 0, 1)
    assert wrong.change_percent > 10, "the control: nothing ties the rounds together"


def test_what_is_lost_from_nothing_is_worse_and_told_by_both_values() -> None:
    a, b = runs_of(0, [0.0, 0.0, 0.0], "drops"), runs_of(1, [0.0, 39_000.0, 41_000.0], "drops")
    (gain,) = gains([*a, *b], 0, 1)
    assert (gain.before, gain.after, gain.change_percent) == (0.0, pytest.approx(80_000 / 3), None)
    assert gain.verdict == "worse"
    (gain,) = gains([*a, *b], 1, 0)
    assert (gain.change_percent, gain.verdict) == (-100.0, "better")
    (gain,) = gains([*a, *runs_of(1, [0.0, 1.0, 0.0], "drops")], 0, 1)
    assert gain.verdict == "no difference shown"
