# SPDX-License-Identifier: Apache-2.0
"""The order in which measures are listed."""

from coalescope.glossary import menu
from coalescope_models.vocabulary.quantity import QUANTITIES

MEASURES = [name for name, quantity in QUANTITIES.items() if quantity.role == "measure"]


def test_what_is_placed_is_a_measure_and_stands_once() -> None:
    placed = [*menu.FIRST, *menu.RAW]
    assert sorted(placed) == sorted(set(placed))
    assert set(placed) <= set(MEASURES)


def test_what_is_looked_at_first_comes_before_the_glossary_and_own_measures_last() -> None:
    listed = sorted(["measure.own", *reversed(MEASURES)], key=menu.menu_order)
    rest = [name for name in MEASURES if name not in menu.FIRST]
    assert listed == [*menu.FIRST, *rest, "measure.own"]


def test_raw_are_counts_and_no_measure_of_a_machine() -> None:
    assert menu.is_raw("rx_bytes")
    assert not menu.is_raw("throughput_mbps")
    assert not menu.is_raw("measure.own")
