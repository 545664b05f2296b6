# SPDX-License-Identifier: Apache-2.0
"""The two factors that a picture spans where nobody says."""

from typing import Any

import pytest
from coalescope.experiments.axes import choose_axes, openers, spanned
from coalescope.experiments.description import default_view
from coalescope.experiments.records import CellRecord, ExperimentRecord, SummaryRecord

DELAYS, MTUS, WORDS = [10, 20, 40], [1500, 9000], ["tcp", "udp"]


@pytest.mark.parametrize(
    ("levels", "axes"),
    [
        ({"mtu_bytes": MTUS, "delay_us": DELAYS}, ("delay_us", "mtu_bytes")),
        ({"delay_us": [40], "delay_ticks": DELAYS}, ("delay_ticks", None)),
        # with one level, too, before what varies
        ({"mtu_bytes": [1500], "delay_us": [40], "streams": [1, 2]}, ("delay_us", "mtu_bytes")),
        ({"mtu_bytes": MTUS, "streams": [1], "cpus": [1, 2]}, ("cpus", "mtu_bytes")),
        ({"cpus": [1, 2], "streams": [1, 2, 4]}, ("streams", "cpus")),
        # numbers before words of more levels
        ({"workload": ["a", "b", "c"], "streams": [1, 2]}, ("streams", "workload")),
        # one factor alone runs across
        ({"mtu_bytes": MTUS, "workload": ["tcp"]}, ("mtu_bytes", None)),
        ({"workload": WORDS}, ("workload", None)),
        ({"streams": [1]}, ("streams", None)),
    ],
)
def test_nobody_says(levels: Any, axes: tuple[str, str | None]) -> None:
    assert choose_axes(levels) == axes


def test_what_was_asked_for_stands() -> None:
    levels = {"mtu_bytes": MTUS, "delay_us": DELAYS, "workload": WORDS}
    assert choose_axes(levels, x="mtu_bytes") == ("mtu_bytes", "delay_us")
    assert choose_axes(levels, y="delay_us") == ("mtu_bytes", "delay_us")
    assert choose_axes(levels, "workload", "mtu_bytes") == ("workload", "mtu_bytes")
    assert choose_axes({"mtu_bytes": MTUS, "workload": ["tcp"]}, y="mtu_bytes") == (
        "workload",
        "mtu_bytes",
    )


@pytest.mark.parametrize(
    ("levels", "able"),
    [
        ({"delay_us": DELAYS, "workload": WORDS}, ["delay_us"]),
        ({"delay_us": [40], "workload": WORDS}, ["delay_us"]),
        ({"delay_us": [40], "factor.aspm": ["off", "on"]}, ["factor.aspm"]),
        ({"delay_us": [40], "factor.aspm": ["on"]}, ["delay_us"]),
        ({"workload": WORDS}, ["workload"]),
    ],
)
def test_words_are_opened_over_where_somebody_chooses_them(levels: Any, able: list[str]) -> None:
    assert [*openers(levels, lambda name: name == "factor.aspm")] == able


def test_a_picture_without_a_model_needs_several_levels() -> None:
    levels = {"delay_us": [40], "mtu_bytes": MTUS}
    assert spanned(("delay_us", "mtu_bytes"), levels) == ("mtu_bytes", None)
    assert spanned(("mtu_bytes", "delay_us"), levels) == ("mtu_bytes", None)
    assert spanned(("delay_us", None), levels) == ("delay_us", None)


def test_a_view_says_the_axis_of_one_level_that_the_page_draws() -> None:
    summary = SummaryRecord(1, 1.0, None, None)
    record = ExperimentRecord(1, "x", "X", "", "measured", {}, 1, "", "")
    cells = [
        CellRecord(
            n, {"mtu_bytes": 1500, "delay_us": delay, "streams": n % 2}, 1, 0, {"m": summary}
        )
        for n, delay in enumerate(DELAYS)
    ]
    view = default_view(record, cells)
    assert view is not None
    assert (view.x, view.y) == ("delay_us", "mtu_bytes")
    assert view.where == {"streams": 0}
