# SPDX-License-Identifier: Apache-2.0
"""The logger and the checks judge levels of each form alike, also what nobody should write."""

import json
import subprocess
from pathlib import Path

import pytest
from coalescope_host.run_log.in_force import not_in_force
from coalescope_host.run_log.recorded_settings import RECORDED, Form

LOGGER = Path(__file__).resolve().parents[1]

STATES = [{"name": "POLL", "disabled": False}, {"name": "C1", "disabled": None}, {"disabled": True}]
PROFILE = [{"usecs": 1, "packets": 256}, {"usecs": 8, "packets": 128, "completions": 4}]
LONG = [{"usecs": 1, "packets": 2**32, "completions": 2**32}] * 40

#: By a factor's name: what the environment has, and levels.
JUDGED = {
    "factor.tcp_data_split": ([0, 1, 2, 3], ["auto", "off", "on", "maybe"]),
    "factor.irq_cpus": (
        ["0-3,8", "0", "", "8191", "3-1", "8192", "x", 7],
        ["0-3,8", "0,1,2,3,8", "0", "none", "8191", "8192", "3-1", "0-", ",", "0-99999999999999"],
    ),
    "factor.rps_cpus": (
        ["f", "F", "00000001,0000000f", "0", "", "g", "1" * 2048, 7],
        ["0-3", "0-3,32", "none", "0", "3", "x"],
    ),
    "factor.dim_profile_rx": (
        [PROFILE, PROFILE[:1], [], LONG, 7],
        ["1,256,n_8,128,4", "1,256,n", "1,256,n_8,128,n", "x"],
    ),
    "factor.rss_queues": (
        [
            {"0": 64, "1": 64},
            {"0": 64, "1": 63},
            {"0": 64, "1": 62},
            {"1": 64, "2": 64},
            {"0": 128},
            7,
        ],
        ["1", "2", "4"],
    ),
    "factor.governor": (
        [{"performance": 4}, {"performance": 3, "powersave": 1}, {"perf": 1}, 7],
        ["performance", "powersave", "perf"],
    ),
    "factor.deepest_idle_state": ([STATES, STATES[::-1], [{}], 7], ["0", "1", "2", "9", "x"]),
}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """Under the sanitizers: a byte too far ends it."""
    out = tmp_path_factory.mktemp("levels") / "level_forms_agree"
    flags = ["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-g"]
    sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    sources = ["tests/level_forms_agree.c", "level_forms.c", "json_path.c", "text.c"]
    command = ["cc", *flags, *sanitizers, "-I.", "-I../include", *sources, "-o", str(out)]
    subprocess.run(command, cwd=LOGGER, check=True)
    return str(out)


def environment_with(path, value):
    """Where a row's path leads to one value."""
    for name in reversed(path.split("/")):
        value = {"0" if name == "*" else name: value}
    return value


def read_as(level):
    """A level of the command line, as the log has it."""
    return int(level) if level.isdecimal() else level


@pytest.mark.parametrize("factor", JUDGED)
def test_levels_of_each_form_are_judged_alike(program, factor):
    row = RECORDED[factor]
    number = list(Form).index(row.form)
    values, levels = JUDGED[factor]
    verdicts = set()
    for value in values:
        for level in levels:
            command = [program, str(number), level, json.dumps(value)]
            by_logger = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            environment = environment_with(row.paths[0], value)
            differs = any(not_in_force(environment, {factor: read_as(level)}, "measured"))
            assert by_logger == ("differ\n" if differs else "agree\n"), (value, level)
            verdicts.add(by_logger)
    assert len(verdicts) == 2


def test_each_form_is_judged():
    assert {RECORDED[factor].form for factor in JUDGED} == set(Form) - {Form.PLAIN}
