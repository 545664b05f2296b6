# SPDX-License-Identifier: Apache-2.0
"""The help of each command."""

import subprocess
import sys
from argparse import SUPPRESS
from pathlib import Path

import pytest
from coalescope_host.command_line import COMMANDS, parsers

TOOL = [sys.executable, "-m", "coalescope_host"]


@pytest.mark.parametrize("command", COMMANDS)
def test_each_option_is_explained(command: str) -> None:
    for action in parsers()[1][command]._actions:
        assert action.help, action.dest
        if action.help is not SUPPRESS:
            assert not action.help.endswith("."), action.help


def test_capitals_stay() -> None:
    assert "driver, kernel, CPUs." in parsers()[1]["snapshot"].format_help()


@pytest.mark.parametrize(
    ("command", "name"), [("sweep", "HOST-INTERFACE"), ("tune", "HOST-INTERFACE-tune-GOAL")]
)
def test_the_name_that_an_experiment_has_by_default_is_that_of_the_command(
    command: str, name: str
) -> None:
    (option,) = (a for a in parsers()[1][command]._actions if a.dest == "experiment")
    assert option.help == f"name of the experiment (default: {name})"


def test_output_may_be_closed(tmp_path: Path) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f"{sys.executable} -m coalescope_host check --help >&-"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_full_disk_behind_the_output(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*TOOL, "check", "absent.runlog", "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            cwd=tmp_path,
        )
    assert done.returncode == 1
    assert done.stderr.endswith("coalescope-host: No space left on device\n")
    assert "Traceback" not in done.stderr
