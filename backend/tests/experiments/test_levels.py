# SPDX-License-Identifier: Apache-2.0
"""Which cells are chosen by FACTOR=VALUE."""

import pytest
from coalescope.errors import CoalescopeError
from coalescope.experiments.levels import factor_levels, in_words, matches, parse_where

SETTINGS = [
    {"mtu_bytes": mtu, "workload": workload, "factor.cable": cable}
    for mtu in (1500, 9000)
    for workload in ("udp", "tcp")
    for cable in ("cat 6, blue", "cat 6", "blue")
]
LEVELS = factor_levels(SETTINGS)


def chosen(*pairs: tuple[str, str]) -> list[dict[str, object]]:
    where = parse_where(pairs, LEVELS)
    return [dict(factors) for factors in SETTINGS if matches(factors, where)]


@pytest.mark.fault("A14")
def test_a_factor_that_is_given_twice_means_either_level() -> None:
    assert len(chosen(("workload", "udp"))) == 6
    assert len(chosen(("workload", "udp"), ("workload", "tcp"))) == 12
    assert len(chosen(("workload", "udp"), ("workload", "udp"))) == 6
    assert len(chosen(("workload", "udp"), ("workload", "tcp"), ("mtu_bytes", "1500"))) == 6


@pytest.mark.fault("A14")
def test_a_list_with_commas_means_any_of_them() -> None:
    assert chosen(("mtu_bytes", "1500, 9000")) == SETTINGS
    assert parse_where([("mtu_bytes", "1500,9000")], LEVELS) == {"mtu_bytes": [1500, 9000]}
    assert parse_where([("mtu_bytes", "1500")], LEVELS) == {"mtu_bytes": 1500}


def test_a_comma_within_a_level_belongs_to_it() -> None:
    assert {factors["factor.cable"] for factors in chosen(("factor.cable", "cat 6, blue"))} == {
        "cat 6, blue"
    }
    found = chosen(("factor.cable", "cat 6,blue"))
    assert {factors["factor.cable"] for factors in found} == {"cat 6", "blue"}


def test_each_of_several_levels_must_be_possible() -> None:
    with pytest.raises(CoalescopeError, match="'jumbo' is not"):
        parse_where([("mtu_bytes", "1500,jumbo")], LEVELS)


def test_a_choice_in_words_can_be_given_again() -> None:
    where = parse_where([("mtu_bytes", "1500,9000"), ("workload", "udp")], LEVELS)
    assert parse_where([(n, str(v)) for n, v in in_words(where).items()], LEVELS) == where
