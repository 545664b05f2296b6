# SPDX-License-Identifier: Apache-2.0
import pytest
from coalescope_models.pages.bundle import bundle
from coalescope_models.vocabulary.following import DELAYS, FOLLOWING, delay_us
from coalescope_models.vocabulary.quantity import ACROSS, QUANTITIES


def test_every_factor_across_asks_for_a_delay_and_no_other_does():
    assert tuple(DELAYS) == ACROSS
    assert all(power in (1, -1) for _, power in DELAYS.values())


@pytest.mark.parametrize(
    ("factors", "delay"),
    [
        ({"delay_us": 40}, 40.0),
        ({"delay_ticks": 40}, 40.96),
        ({"delay_us": 5.0, "delay_ticks": 40}, 5.0),
        ({"delay_us": "adaptive", "delay_ticks": 10}, 10.24),
        ({"moderation_rate_hz": 8000}, None),
        ({}, None),
    ],
)
def test_the_timer_that_levels_ask_for(factors, delay):
    assert delay_us(factors) == delay


def test_what_follows_is_in_the_glossary_and_is_what_the_page_is_told():
    assert all(QUANTITIES.keys() >= {name, *needed} for name, (needed, _) in FOLLOWING.items())
    told = bundle()
    assert told["following"].keys() == FOLLOWING.keys()
    assert told["delays"].keys() == DELAYS.keys()


def test_values_that_follow():
    found = {"delay_ticks": 40, "delay_us": 50, "mean_packet_bytes": 750, "mtu_bytes": 1500}
    found |= {"rx_bytes": 2e6, "rx_packets": 3e3, "rx_interrupts": 500}
    follows = {n: how(*(found[each] for each in needed)) for n, (needed, how) in FOLLOWING.items()}
    assert follows == {
        "delay_us": 40.96,
        "moderation_rate_hz": 20_000,
        "frame_bytes": 750,
        "rx_megabytes": 2,
        "rx_kilopackets": 3,
        "rx_kilointerrupts": 0.5,
        "packet_fill": 0.5,
    }
    assert FOLLOWING["moderation_rate_hz"][1](0) is None
