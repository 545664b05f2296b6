# SPDX-License-Identifier: Apache-2.0
"""Rules that the page plays packet by packet: both must tell of every packet at the same moment.

The page's test of its rules reads `rules.json`. After a change of the rules,
`python -m models.tests.phenomena.test_shared_rules` writes it anew.
"""

import json
import math
from pathlib import Path

import numpy as np
from coalescope_models.catalogue import MODELS, evaluate

from .test_coalescing import gathered, throttled
from .test_idle_states import interrupts
from .test_ping_pong import throttled as round_trip
from .test_ping_pong import ticking
from .test_software_deferral import Deferral

GOLDEN = Path(__file__).with_name("rules.json")
PACKETS = 60
BEFORE = np.array([-1e9])  # the interrupt before the first packet is long past


def made():
    rng = np.random.default_rng(2005)
    # no timer runs any more when the first packet comes
    arrivals = 1e3 + np.cumsum(rng.exponential(12.0, PACKETS))
    rows = arrivals[None, :]
    found = {"arrivals_us": arrivals.tolist()}
    found["throttled"] = [
        {"delay_us": delay, "told_us": throttled(rows, delay, BEFORE)[0].tolist()}
        for delay in (5.0, 40.0, 150.0)
    ]
    found["gathered"] = [
        {
            "delay_us": delay,
            "rx_frames": frames,
            "told_us": gathered(rows, delay, BEFORE, frames or math.inf)[0].tolist(),
        }
        for delay, frames in ((40.0, None), (40.0, 1), (40.0, 3), (150.0, 8))
    ]
    found["deferred"] = []
    for timeout, deferrals, cost in ((20.0, 0, 0.0), (20.0, 2, 0.0), (8.0, 3, 0.0), (8.0, 2, 6.0)):
        run = Deferral(rows, timeout, deferrals, cost)
        found["deferred"].append(
            {
                "timeout_us": timeout,
                "deferrals": deferrals,
                "packet_cost_us": cost,
                "told_us": run.told[0].tolist(),
                "started_us": run.started[0].tolist(),
                "by": run.by[0].tolist(),
            }
        )
    found["woken"] = [
        {
            "delay_us": delay,
            "busy_us": busy,
            "interrupts": [
                [t_us, len(brought)]
                for t_us, brought, _, _ in interrupts(
                    arrivals.tolist(), delay, lambda *_, own=busy: own
                )
            ],
        }
        for delay, busy in ((0.0, 30.0), (50.0, 10.0))
    ]
    found["round_trips"] = [
        {
            "delay_us": delay,
            "base_latency_us": base,
            "latency_us": round_trip(base, delay),
            "shared_interrupt_latency_us": round_trip(base, delay, 0.01 * min(base, delay)),
            "ticking_latency_us": ticking(base, delay),
        }
        for base, delay in ((57.0, 20.0), (57.0, 40.0), (57.0, 100.0))
    ]
    return found


def test_the_page_repeats_these_rules():
    assert json.loads(GOLDEN.read_text()) == made()


def test_they_tell_the_rules_apart():
    now = made()
    for rule in ("throttled", "gathered", "deferred"):
        told = [case["told_us"] for case in now[rule]]
        assert all(a != b for k, a in enumerate(told) for b in told[k + 1 :])


def test_the_round_trips_are_those_of_the_model():
    """The file holds what the formulas say, not only what two programs have in common."""
    for case in made()["round_trips"]:
        values = {name: case[name] for name in ("delay_us", "base_latency_us")}
        said = evaluate(MODELS["ping-pong-throttle"], values)
        assert abs(said["latency_us"] / case["latency_us"] - 1.0) < 0.01


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(made()) + "\n")
