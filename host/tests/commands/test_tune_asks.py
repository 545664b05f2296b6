# SPDX-License-Identifier: Apache-2.0
"""A tuning for a cost asks how long a packet may wait, before it measures."""

import pytest
from coalescope_host.commands.ending import UsageError
from coalescope_host.commands.tune import _ask_for_a_limit
from coalescope_host.plan.factors import Levels
from coalescope_host.tuning.question import question_of


def cells(workload: str) -> list[Levels]:
    return [{"delay_us": delay, "workload": workload} for delay in (0, 20, 320)]


def test_it_asks_where_no_run_will_tell_a_latency() -> None:
    for goal in ("cpu", "energy"):
        with pytest.raises(UsageError, match=r"--under delay=… \(320 is the longest here\)"):
            _ask_for_a_limit(question_of(goal, ()), cells("tcp"))


def test_it_does_not_where_a_run_or_the_question_tells() -> None:
    _ask_for_a_limit(question_of("cpu", ()), cells("rr"))
    _ask_for_a_limit(question_of("cpu", ["delay=100us"]), cells("tcp"))
    _ask_for_a_limit(question_of("cpu", (), any_wait=True), cells("tcp"))
    _ask_for_a_limit(question_of("throughput", ()), cells("tcp"))
