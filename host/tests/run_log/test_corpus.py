# SPDX-License-Identifier: Apache-2.0
"""What fuzzing found reaches most of the reader's branches, and raises its error alone."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from coalescope_host.run_log.blocks import Blocks

HERE = Path(__file__).resolve().parent
FUZZ = runpy.run_path(str(HERE / "fuzz_reader.py"))
BRANCHES = runpy.run_path(str(HERE / "branches.py"))["Branches"]


# What is missing are devices and pipes in place of files, and what Python itself would have to do
# wrong: iterate over nothing, or raise what nobody raises.
REACHED = 0.95


def test_the_corpus_reaches_most_branches():
    branches = BRANCHES.of_the_reader()
    with branches.watched():
        for data in FUZZ["corpus"]().values():
            FUZZ["try_reading"](data)
    assert branches.share() >= REACHED
    fewer = BRANCHES.of_the_reader()
    with fewer.watched():
        FUZZ["try_reading"](next(iter(FUZZ["corpus"]().values())))
    assert fewer.share() < 0.5, "control: one log does not"


def test_a_reader_that_checks_less_is_caught(monkeypatch):
    """Control: a reader that believes what blocks say of themselves is brought down."""
    monkeypatch.setattr(Blocks, "_implausible", lambda *_: None)

    def failures():
        for data in FUZZ["corpus"]().values():
            try:
                FUZZ["try_reading"](data)
            except Exception as error:
                yield error

    assert next(failures(), None) is not None


@pytest.mark.soak
def test_an_hour_of_fuzzing(tmp_path):
    pytest.importorskip("atheris")
    for name, data in FUZZ["corpus"]().items():
        (tmp_path / name).write_bytes(data)
    seconds = os.environ.get("FUZZ_SECONDS", "3600")
    command = [sys.executable, str(HERE / "fuzz_reader.py"), str(tmp_path)]
    command += [f"-max_total_time={seconds}", f"-artifact_prefix={tmp_path}/"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-4000:]
    print(ended.stderr.splitlines()[-1])  # noqa: T201
