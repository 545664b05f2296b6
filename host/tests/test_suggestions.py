# SPDX-License-Identifier: Apache-2.0
"""Who misspells what is there is told what was probably meant."""

import subprocess
import sys

import pytest

TOOL = [sys.executable, "-m", "coalescope_host"]
SWEEP = ("sweep", "lo", "--peer", "root@192.0.2.1", "--mtu", "1500")
TUNE = ("tune", "lo", "--peer", "root@192.0.2.1", "--goal")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (("sweep", "loo", *SWEEP[2:]), "lo"),
        ((*SWEEP[:-2], "--mut", "1500"), "mtu"),
        ((*SWEEP, "--workload", "tpc"), "tcp"),
        (("tune", "loo", *TUNE[2:], "cpu"), "lo"),
        ((*TUNE, "thruput"), "throughput"),
        ((*TUNE, "cpu", "--under", "thruput=900Mb/s"), "throughput"),
        ((*TUNE, "cpu", "--under", "throughput=900Mbs"), "Mb/s"),
        ((*TUNE, "cpu", "--workload", "tpc"), "tcp"),
        (("calibrate", "loo"), "lo"),
        (("init", "loo"), "lo"),
    ],
)
def test_what_was_meant_is_said(typed: tuple[str, ...], meant: str) -> None:
    done = subprocess.run([*TOOL, *typed], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    suggested = done.stderr.partition("Did you mean ")[2].partition("?")[0]
    assert meant in suggested.split(" or ")
