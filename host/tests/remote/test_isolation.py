# SPDX-License-Identifier: Apache-2.0
"""The Pythons that are started at a peer run no file of the folder that the login is in, nor any
that its environment names: somebody else may have put it there."""

import importlib.util
import py_compile
import subprocess
import sys
from pathlib import Path

import pytest
from coalescope_host.plan.plan import PeerSpec
from coalescope_host.remote import connect

#: Without the virtual environment of the tests, which leaves out the packages of a user.
PYTHON = sys._base_executable  # type: ignore[attr-defined]
SPEC = PeerSpec(ssh="root@peer", address="192.0.2.7", python=PYTHON)
PLANTED = ("json", "pwd", "select", "shutil", "subprocess", "tempfile", "sitecustomize", "zipfile")
IMPORTS = "import json, tempfile"


@pytest.fixture
def login(tmp_path: Path) -> Path:
    """A folder with modules that say that they were run, and go on as if nothing were."""
    login = tmp_path / "login"
    (login / "coalescope_host").mkdir(parents=True)
    witness = f"open({str(tmp_path / 'run')!r}, 'a').write(__name__ + chr(10))\n"
    for name in (*PLANTED, "coalescope_host/__init__"):
        (login / f"{name}.py").write_text(witness)
    major, minor = sys.version_info[:2]
    user = login / "lib" / f"python{major}.{minor}" / "site-packages"
    user.mkdir(parents=True)
    (user / "usercustomize.py").write_text(witness)
    compiled_anew(login, "tempfile", witness)
    return login


def compiled_anew(folder: Path, name: str, content: str) -> None:
    """Have a module that is not the one that was compiled where the folder has what is compiled."""
    before, sys.pycache_prefix = sys.pycache_prefix, str(folder)
    try:
        found = importlib.util.find_spec(name)
        assert found is not None
        assert found.origin is not None
        path = importlib.util.cache_from_source(found.origin)
    finally:
        sys.pycache_prefix = before
    (folder / "another.py").write_text(content)
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(folder / "another.py"), path, invalidation_mode=unchecked)


def run_there(tmp_path: Path) -> list[str]:
    """The planted modules that were run."""
    file = tmp_path / "run"
    return file.read_text().split() if file.exists() else []


WHERE = ("login folder", "PYTHONPATH", "PYTHONUSERBASE", "PYTHONPYCACHEPREFIX")


def environment(login: Path, where: str) -> list[str]:
    """What env makes of a command line whose Python is to run what is planted."""
    return ["env", f"--chdir={login}" if where == "login folder" else f"{where}={login}"]


@pytest.mark.parametrize("where", WHERE)
def test_nothing_that_is_planted_is_run(login: Path, tmp_path: Path, where: str) -> None:
    peer = connect(SPEC, [*environment(login, where), "sh", "-c"])
    assert peer.addresses()
    peer.close()
    assert run_there(tmp_path) == []


@pytest.mark.parametrize("where", WHERE)
def test_a_python_that_is_not_told_to_runs_them(login: Path, tmp_path: Path, where: str) -> None:
    """Control: what is planted would be run."""
    program = [*environment(login, where), PYTHON, "-c", IMPORTS]
    subprocess.run(program, check=False, capture_output=True)
    assert {"json", "tempfile", "usercustomize"} & set(run_there(tmp_path))


@pytest.mark.parametrize("name", ["PYTHONHOME", "PYTHONINSPECT", "PYTHONSTARTUP"])
def test_the_environment_does_not_change_how_it_runs(
    login: Path, tmp_path: Path, name: str
) -> None:
    peer = connect(SPEC, ["env", f"{name}={login / 'json.py'}", "sh", "-c"])
    assert peer.addresses()
    peer.close()
    assert run_there(tmp_path) == []
