# SPDX-License-Identifier: Apache-2.0
"""What is stored cannot make every reader pay: lists are bounded, their cost linear."""

import json
import sys
from collections.abc import Callable
from itertools import product
from types import FrameType
from typing import Any

from coalescope.experiments.description import describe_experiment, summarise_experiment
from coalescope.experiments.levels import factor_names, in_order, level_order
from coalescope.experiments.records import CellRecord, ExperimentRecord, Factors, SummaryRecord
from coalescope.untrusted import bounds
from coalescope_models.vocabulary.quantity import QUANTITIES

SUMMARY = SummaryRecord(1, 0.0, None, None)
RECORD = ExperimentRecord(1, "x", "X", "", "measured", {}, 1, "", "")


def cells(settings: list[Factors]) -> list[CellRecord]:
    return [
        CellRecord(number, one, 1, 0, {"drops": SUMMARY}) for number, one in enumerate(settings)
    ]


class Level(int):
    """A level whose comparisons are calls."""

    def __eq__(self, other: object) -> bool:
        return int(self) == other

    def __lt__(self, other: int) -> bool:
        return int(self) < other

    def __hash__(self) -> int:
        return hash(int(self))


def calls(do: Callable[..., Any], *given: Any) -> int:
    """How many it makes, of C too: the same each time, whatever else the machine does."""
    made = 0

    def count(_frame: FrameType, event: str, _called: object) -> None:
        nonlocal made
        made += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        do(*given)
    finally:
        sys.setprofile(before)
    return made


def test_the_list_names_some_of_many_levels_and_says_how_many_there_are() -> None:
    many = [{"delay_us": n, "mtu_bytes": n} for n in range(2_000)]
    listed = summarise_experiment(RECORD, cells(many))
    for factor in listed["factors"]:
        assert factor["levels"] == list(range(bounds.LISTED_LEVELS))
        assert factor["level_count"] == 2_000
    rows = listed["glance"][0]["rows"]
    assert (len(rows), len(rows[0])) == (bounds.GLANCE_ROWS, bounds.GLANCE_ACROSS)
    assert (rows[0][0], rows[-1][-1]) == (0.0, 0.0), "from the first level to the last"
    whole = describe_experiment(RECORD, cells(many))
    assert all(len(factor["levels"]) == 2_000 for factor in whole["factors"])


def test_few_levels_are_all_in_the_list_and_the_picture() -> None:
    few = [{"delay_us": x, "mtu_bytes": y} for x, y in product(range(9), range(3))]
    listed = summarise_experiment(RECORD, cells(few))
    assert [factor["level_count"] for factor in listed["factors"]] == [3, 9]
    rows = listed["glance"][0]["rows"]
    assert (len(rows), len(rows[0])) == (3, 9)


def test_the_list_names_some_of_many_measures_and_factors_and_says_how_many_there_are() -> None:
    """Of twenty tables in one experiment, with names of their own as long as names can be."""
    name = "{}" + "n" * 90
    found = {f"measure.{name.format(n)}": SUMMARY for n in range(2_000)}
    factors = {f"factor.{name.format(n)}": f"{n:03}" + "l" * 197 for n in range(2_000)}
    many = [CellRecord(1, {}, 1, 0, found), *cells([{name: factors[name]} for name in factors])]
    listed = summarise_experiment(RECORD, many)
    assert (listed["measure_count"], listed["factor_count"]) == (2_001, 2_000)
    assert listed["measures"] == ["drops", *sorted(found)][: bounds.LISTED_MEASURES]
    assert len(listed["factors"]) == bounds.FACTORS
    assert len(json.dumps(listed)) < 120_000
    whole = describe_experiment(RECORD, many)
    assert (len(whole["measures"]), len(whole["factors"])) == (2_001, 2_000)


def test_long_levels_are_fewer() -> None:
    texts = [{"factor.a": f"{n:03}" + "l" * 197} for n in range(100)]
    (factor,) = summarise_experiment(RECORD, cells(texts))["factors"]
    assert factor["levels"] == [each["factor.a"] for each in texts[:5]]
    assert factor["level_count"] == 100


def test_all_measures_of_the_glossary_are_in_the_list() -> None:
    """So that only experiments with many of their own are left to be asked about theirs."""
    known = {name for name, quantity in QUANTITIES.items() if quantity.role == "measure"}
    of_its_own = {f"measure.{n}" for n in range(20_000)}
    cell = CellRecord(1, {"mtu_bytes": 1500}, 1, 0, dict.fromkeys(known | of_its_own, SUMMARY))
    assert known < set(summarise_experiment(RECORD, [cell])["measures"])


def test_few_measures_and_factors_are_all_in_the_list() -> None:
    listed = summarise_experiment(RECORD, cells([{"delay_us": 1, "mtu_bytes": 1500}]))
    assert (listed["measures"], listed["measure_count"]) == (["drops"], 1)
    assert (len(listed["factors"]), listed["factor_count"]) == (2, 2)


def test_designed_cells_are_a_number_that_readers_have_exactly() -> None:
    wide = [{f"factor.c{i}": x for i in range(200)} for x in range(2)]
    assert summarise_experiment(RECORD, cells(wide))["designed_cells"] == 2**53


def test_cost_grows_with_the_cells_not_with_their_square() -> None:
    """Settings that each have levels of their own, in a factor that is held in the first view."""

    def diagonal(count: int) -> list[CellRecord]:
        names = ("delay_us", "mtu_bytes", "factor.a", "factor.b")
        return cells([dict.fromkeys(names, Level(n)) for n in range(count)])

    few, many = diagonal(300), diagonal(3_000)
    for do in (summarise_experiment, describe_experiment):
        assert calls(do, RECORD, many) < 20 * calls(do, RECORD, few)


def test_a_square_would_be_seen() -> None:
    """Control."""

    def compared(levels: list[Level]) -> int:
        return sum(level in levels[:at] for at, level in enumerate(levels))

    few, many = ([Level(n) for n in range(count)] for count in (30, 300))
    assert calls(compared, many) > 20 * calls(compared, few)


def test_cells_with_factors_of_their_own_are_ordered_at_the_cost_of_what_they_have() -> None:
    def own(count: int) -> list[CellRecord]:
        return cells([{f"factor.c{n}": Level(1)} for n in range(count)])

    assert calls(in_order, own(3_000)) < 20 * calls(in_order, own(300))


def test_their_order_is_that_of_all_levels_with_what_is_absent_first() -> None:
    levels = (None, 2, 1, "a")
    settings: list[Factors] = [
        {name: level for name, level in zip("abc", each, strict=True) if level is not None}
        for each in product(levels, repeat=3)
    ]
    found = in_order(cells(settings[::-1]))
    names = factor_names(found)
    keys = [[level_order(cell.factors.get(name)) for name in names] for cell in found]
    assert keys == sorted(keys)
