# SPDX-License-Identifier: Apache-2.0
"""Builds the traffic tool once for each session."""

import os
import socket
import subprocess
from pathlib import Path

import pytest

TRAFFIC = Path(__file__).resolve().parents[1]


def make(directory, *variables):
    done = subprocess.run(
        ["make", "-s", "-C", str(TRAFFIC), f"BUILD={directory}", *variables],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return directory


@pytest.fixture
def make_in():
    """Builds the tool in a directory, with these variables of the Makefile."""
    return make


@pytest.fixture(scope="session")
def build(tmp_path_factory):
    """Directory with the built tool and its object files."""
    return make(tmp_path_factory.mktemp("build"))


@pytest.fixture(scope="session")
def traffic(build):
    return str(build / "coalescope-traffic")


@pytest.fixture
def port():
    """The first of 8 ports on which nobody listens, neither over UDP nor over TCP."""
    for first in range(21000 + os.getpid() % 500 * 8, 30000, 8):  # another worker's are elsewhere
        taken = []
        try:
            for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
                for number in range(first, first + 8):
                    taken.append(socket.socket(socket.AF_INET, kind))
                    taken[-1].bind(("", number))
        except OSError:
            continue
        finally:
            for one in taken:
                one.close()
        return first
    pytest.fail("no free ports")
