# SPDX-License-Identifier: Apache-2.0
"""Replays that the page's own simulation repeats: both must agree on every interrupt, exactly.

The page's test of its simulation reads `replays.json`. Run this file to write it anew after a
change of the rules.
"""

import json
import random
from pathlib import Path

from coalescope_models.phenomena.interrupts import EVERY_PACKET, THROTTLE
from coalescope_models.phenomena.policies import Costs, Fixed, Phase, arrivals, replay

GOLDEN = Path(__file__).with_name("replays.json")
COSTS = Costs(interrupt_us=0.0, packet_us=0.0)
PHASES = {
    "evenly spaced": [Phase(600.0, 80_000.0, 1518)],
    "at random": [Phase(800.0, 60_000.0, 1518, random=True)],
    "a lull, then a rush": [
        Phase(1000.0, 3_000.0, 1518, random=True),
        Phase(300.0, 150_000.0, 1518),
    ],
}


class Recorded(Fixed):
    """A fixed interval that remembers its interrupts."""

    def __init__(self, interval_us):
        super().__init__(interval_us)
        object.__setattr__(self, "seen", [])

    def after(self, interrupt):
        self.seen.append([interrupt.t_us, interrupt.packets])
        return super().after(interrupt)


def made():
    cases = []
    for name, phases in PHASES.items():
        packets = list(arrivals(phases, random.Random(2005)))
        for kind, interval in ((EVERY_PACKET, 0.0), (THROTTLE, 40.96), (THROTTLE, 125.0)):
            policy = Recorded(interval)
            run = replay(policy, packets, COSTS)
            cases.append(
                {
                    "name": name,
                    "moderation_kind": kind,
                    "delay_us": interval,
                    "arrivals_us": [packet.t_us for packet in packets],
                    "interrupts": policy.seen,
                    "mean_wait_us": run.mean_wait_us,
                }
            )
    return cases


def test_the_page_repeats_these_replays():
    assert json.loads(GOLDEN.read_text()) == made()


def test_they_tell_the_rules_apart():
    for kinds in zip(*[iter(made())] * 3, strict=True):
        assert len({len(case["interrupts"]) for case in kinds}) == 3


if __name__ == "__main__":
    rows = ",\n".join(json.dumps(case) for case in made())
    GOLDEN.write_text(f"[\n{rows}\n]\n")
