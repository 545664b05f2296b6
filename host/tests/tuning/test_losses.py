# SPDX-License-Identifier: Apache-2.0
"""Which settings lose more than another."""

import random

import pytest
from coalescope_host.tuning.losses import KINDS, LOSSES, beyond, lossier, to_guard
from coalescope_models.vocabulary.quantity import QUANTITIES


def test_a_setting_that_loses_where_none_was_lost_is_lossier_by_any_number_of_runs() -> None:
    for n in (1, 2, 3, 10):
        assert lossier("drops", {"now": [0.0] * n, "far": [40_000.0] * n}, "now", 10) == {"far"}


def test_what_loses_much_now_and_then_is_not_excused_by_its_own_scatter() -> None:
    assert lossier("drops", {"now": [0.0, 0.0, 0.0], "far": [0.0, 0.0, 40_000.0]}, "now", 10)


def test_a_few_lost_by_chance_and_less_than_now_are_no_more() -> None:
    assert not lossier("drops", {"now": [1.0, 0.0, 0.0], "near": [0.0, 2.0, 1.0]}, "now", 10)
    assert not lossier("drops", {"now": [900.0] * 3, "less": [2.0] * 3}, "now", 10)
    assert not lossier("drops", {"now": [1000.0] * 3, "near": [1090.0] * 3}, "now", 10)
    assert lossier("drops", {"now": [1000.0] * 3, "far": [1300.0] * 3}, "now", 10)


def test_settings_that_lose_alike_are_seldom_called_lossier() -> None:
    """Retransmissions scatter more than single packets do."""
    chance = random.Random(1)

    def runs() -> list[float]:
        return [float(round(600 * chance.lognormvariate(0, 0.15))) for _ in range(5)]

    told = sum(
        bool(lossier("retransmitted_segments", {0: runs(), 1: runs()}, 0, 10)) for _ in range(500)
    )
    assert told <= 25


def test_a_share_is_told_in_thousandths() -> None:
    share = "datagram_loss_percent"
    assert not lossier(share, {0: [0.0] * 3, 1: [0.1] * 3}, 0, 10)
    assert lossier(share, {0: [0.0] * 3, 1: [0.3] * 3}, 0, 10)


def test_a_limit_on_a_loss_is_kept_surely() -> None:
    runs = {0: [0.0, 0.0], 1: [10.0, 12.0], 2: [0.0, 24.0]}
    assert beyond(runs, 15.0) == {2}
    assert beyond(runs, 0.0) == {1, 2}


def test_of_each_kind_one_is_guarded() -> None:
    assert to_guard(["socket_drops", "ring_drops", "drops", "throughput_mbps"]) == [
        "drops",
        "socket_drops",
    ]


@pytest.mark.parametrize("name", sorted(LOSSES))
def test_losses_are_the_glossarys(name: str) -> None:
    assert QUANTITIES[name].better == "less"


def test_every_loss_of_the_glossary_is_known() -> None:
    lost = {n for n, q in QUANTITIES.items() if q.role == "measure" and q.aim is None}
    named = {n for n in lost if "drops" in n or "lost" in n or "loss" in n or "retransmit" in n}
    assert named == set(LOSSES) == {name for kind in KINDS for name in kind}
