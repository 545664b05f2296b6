# SPDX-License-Identifier: Apache-2.0
"""Where packets were lost, from a log's counters."""

import pytest
from coalescope_host.run_log import losses


@pytest.mark.parametrize(
    ("counts", "drops"),
    [
        ({"rx_missed_errors": 7, "rx_fifo_errors": 7}, 7),
        ({"rx_missed_errors": 0, "rx_fifo_errors": 5}, 5),
        ({"rx_missed_errors": 4}, 4),
        ({"rx_dropped": 3}, None),
    ],
)
def test_one_loss_in_two_counters_is_one(counts: dict[str, int], drops: int | None) -> None:
    assert losses(counts).get("ring_drops") == drops
