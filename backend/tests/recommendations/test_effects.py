# SPDX-License-Identifier: Apache-2.0
"""What the answer is said to change."""

from coalescope.recommendations.effects import _gain


def test_a_change_without_an_interval_is_neither_better_nor_worse() -> None:
    assert _gain("throughput_mbps", 1.3, None) is None
    assert _gain("throughput_mbps", 1.3, (0.9, 1.8)) is None
    assert _gain("throughput_mbps", 1.3, (1.2, 1.4)) is True
    assert _gain("traffic_cpu_s_per_gb", 1.3, (1.2, 1.4)) is False
