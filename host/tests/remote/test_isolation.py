# SPDX-License-Identifier: Apache-2.0
"""The Pythons that are started at a peer run no file of the folder that the login is in, nor any
that its environment names: somebody else may have put it there."""

import subprocess
import sys
from pathlib import Path

import pytest
from coalescope_host.plan.plan import PeerSpec
from coalescope_host.remote import connect

SPEC = PeerSpec(ssh="root@peer", address="192.0.2.7", python=sys.executable)
PLANTED = ("json", "pwd", "select", "shutil", "subprocess", "tempfile", "sitecustomize", "zipfile")


@pytest.fixture
def login(tmp_path: Path) -> Path:
    """A folder with modules that say that they were run, and go on as if nothing were."""
    login = tmp_path / "login"
    (login / "coalescope_host").mkdir(parents=True)
    witness = f"open({str(tmp_path / 'run')!r}, 'a').write(__name__ + chr(10))\n"
    for name in (*PLANTED, "coalescope_host/__init__"):
        (login / f"{name}.py").write_text(witness)
    return login


def run_there(tmp_path: Path) -> list[str]:
    """The planted modules that were run."""
    file = tmp_path / "run"
    return file.read_text().split() if file.exists() else []


@pytest.mark.parametrize("where", ["login folder", "PYTHONPATH"])
def test_nothing_that_is_planted_is_run(login: Path, tmp_path: Path, where: str) -> None:
    named = [f"PYTHONPATH={login}"] if where == "PYTHONPATH" else [f"--chdir={login}"]
    peer = connect(SPEC, ["env", *named, "sh", "-c"])
    assert peer.addresses()
    peer.close()
    assert run_there(tmp_path) == []


def test_a_python_that_is_not_told_to_runs_them(login: Path, tmp_path: Path) -> None:
    """Control: what is planted would be run."""
    program = [sys.executable, "-c", "import json, tempfile"]
    subprocess.run(program, cwd=login, check=False, capture_output=True)
    assert {"json", "tempfile"} & set(run_there(tmp_path))
