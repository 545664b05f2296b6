# SPDX-License-Identifier: Apache-2.0
"""What is wrong on this host, or on the command line, is said before a peer is asked."""

import subprocess
from pathlib import Path

import pytest

from .hosts_on_a_cable import TOOL

PEER = ("--peer", "root@192.0.2.1", "--ssh-options=-o ConnectTimeout=1")


def ran(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [*TOOL, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.fault("B13")
@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("sweep", "lo", "--mtu", "1500"), 1, "lo is refused: lo is the loopback"),
        (("sweep", "lo", "--mtu", "1500", "--dry-run"), 1, "lo is refused: lo is the loopback"),
        (("sweep", "eht77", "--mtu", "1500", "--dry-run"), 2, "there is no interface eht77 here"),
        (("calibrate", "lo"), 1, "lo is refused: lo is the loopback"),
        (("calibrate", "eht77"), 2, "there is no interface eht77 here"),
    ],
)
def test_an_interface_is_looked_at_first(
    arguments: tuple[str, ...], status: int, said: str
) -> None:
    done = ran(*arguments, *PEER)
    assert said in done.stderr
    assert "192.0.2.1" not in done.stderr
    assert done.returncode == status


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (("sweep", "lo", "--dryrun"), "--dry-run"),
        (("sweep", "plan.toml", "--replicate", "2"), "--replicates"),
        (("demo", "--servr", "x"), "--server"),
        (("init", "lo", "--forec"), "--force"),
        (("check", "--jsn", "a"), "--json"),
    ],
)
def test_the_nearest_option_is_suggested(arguments: tuple[str, ...], meant: str) -> None:
    done = ran(*arguments)
    assert done.returncode == 2
    assert f"Did you mean {meant}?" in done.stderr


def test_the_nearest_command_is_suggested() -> None:
    mistyped, unknown = ran("swep", "eth1"), ran("frobnicate")
    assert (mistyped.returncode, unknown.returncode) == (2, 2)
    assert "there is no command swep. Did you mean sweep?" in mistyped.stderr
    assert "there is no command frobnicate. coalescope-host --help lists all." in unknown.stderr


def test_a_factor_is_not_taken_for_an_option() -> None:
    done = ran("sweep", "lo", "--yes-this-interface", "lo", "--really", "--mut", "1500")
    assert "Did you mean mtu?" in done.stderr


def test_init_without_a_peer_says_that_it_wrote_the_plan(tmp_path: Path) -> None:
    done = ran("init", "lo", folder=tmp_path)
    assert (tmp_path / "plan.toml").exists()
    assert "plan.toml is written, and lacks a peer" in done.stderr
