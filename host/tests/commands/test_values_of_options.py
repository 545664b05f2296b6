# SPDX-License-Identifier: Apache-2.0
"""What is wrong with the value of an option is said before anything is looked at."""

import re
from contextlib import suppress

import pytest
from coalescope_host.command_line import main
from coalescope_host.tuning.question import QUANTITIES

NO_INTERFACE = "nosuch0"


@pytest.mark.parametrize("command", [("sweep",), ("tune", "--goal", "cpu")])
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--mtu", "abc"), "--mtu abc: must be a whole number"),
        (("--mtu", "1500,9"), "--mtu 9: must be a whole number"),
        (("--rx-usecs=soon",), "--rx-usecs soon: must be "),
        (("--gro", "perhaps"), "--gro perhaps: must be true or false"),
        (("--offload.gro", "2"), "--offload.gro 2: must be true or false"),
        (("--mtu", ","), "--mtu: has no level"),
        (("--mtu", "1500", "--duration", "0"), "--duration 0: must be a number from 0.01"),
        (("--mtu", "1500", "--experiment", "A b"), "--experiment A b: must be lower-case words"),
        (("--mtu", "1500", "--workload", "nfs"), "--workload nfs: must be of udp, tcp, rr"),
        (("--mtu", "1500", "--server", "lab"), "--server must be"),
    ],
)
def test_option_and_value_are_named_first(
    command: tuple[str, ...],
    arguments: tuple[str, ...],
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([command[0], NO_INTERFACE, *command[1:], *arguments, "--peer", "root@nowhere"]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("typed", [(), ("--goal",), ("--goal", "speed")])
def test_a_goal_that_is_missing_or_none_is_told_which_there_are(
    typed: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with suppress(SystemExit):
        main(["tune", NO_INTERFACE, *typed])
    said = capsys.readouterr().err
    assert all(re.search(rf"\b{re.escape(goal)}\b", said) for goal in QUANTITIES), said


def test_replicates_without_a_plan_are_at_least_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", NO_INTERFACE, "--mtu", "1500", "--replicates", "0"]) == 2
    assert "--replicates 0: " in capsys.readouterr().err
