# SPDX-License-Identifier: Apache-2.0
"""What the documents say that a command takes is what its plan takes, as it is by default."""

from argparse import Namespace
from pathlib import Path

import pytest
from coalescope_host.command_line import parsers
from coalescope_host.commands.calibrate import calibration_document
from coalescope_host.commands.demo import demo_document
from coalescope_host.plan.plan import Plan
from coalescope_host.plan.plan_file import plan_of
from coalescope_host.plan.schedule import schedule
from coalescope_host.run.sweeping import run_s

MINUTE_S = 60.0


def typed(*words: str) -> Namespace:
    return parsers()[0].parse_args(words)


def planned_s(plan: Plan) -> float:
    """Of all runs, as a dry run says it, and of what is recorded without a workload."""
    return len(schedule(plan, 1)) * run_s(plan, None) + plan.replicates * plan.idle_s


@pytest.mark.parametrize("coalescing", [{"delay_us": 3}, {"delay_us": 3, "rx_frames": 0}])
def test_calibrate_takes_about_a_minute(coalescing: dict[str, object]) -> None:
    document = calibration_document(typed("calibrate", "eth9"), coalescing)
    assert MINUTE_S / 2 < planned_s(plan_of(Path("a test"), document)) < 1.25 * MINUTE_S


def test_the_demo_takes_less_than_two_minutes() -> None:
    plan = plan_of(Path("a test"), demo_document(typed("demo"), None))
    assert planned_s(plan) < 1.5 * MINUTE_S, "half a minute is left for what starts and ends it"
