# SPDX-License-Identifier: Apache-2.0
"""What `make serve` needs and says, and where it listens: as typed, else as the settings say."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]


def served_by(*typed: str, **environment: str) -> str:
    """The command that `make serve` would end in."""
    done = subprocess.run(
        ["make", "-n", "serve", *typed],
        cwd=CHECKOUT,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return " ".join(done.stdout.splitlines()[-1].split())


@pytest.mark.fault("A13")
def test_the_environment_chooses_no_address() -> None:
    bare = served_by(HOST="x86_64-conda-linux-gnu", PORT="1", COALESCOPE_PORT="8011")
    assert bare == "exec .venv/bin/coalescope serve"


@pytest.mark.fault("A13")
def test_what_is_typed_chooses_it() -> None:
    typed = served_by("HOST=::1", "PORT=8011", HOST="other")
    assert typed == "exec .venv/bin/coalescope serve --host ::1 --port 8011"


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder of programs for a PATH: a shell, and what tests put into it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "cc", "as", "ld"):
        (folder / name).symlink_to(str(shutil.which(name)))
    return folder


def put(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def lacking(programs: Path, *parts: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", CHECKOUT / "prerequisites.sh", *parts],
        env={"PATH": str(programs), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.fault("H1")
def test_all_that_is_missing_is_said_at_once(programs: Path) -> None:
    done = lacking(programs, "python", "node", "compiler", CC="no-such-compiler")
    assert done.returncode == 1
    assert "python3 is not found" in done.stderr
    assert "no-such-compiler" in done.stderr
    packages = "python3 python3-venv nodejs npm gcc libc6-dev"
    assert done.stderr.endswith(f"On Debian:\n  sudo apt-get install {packages}\n")


@pytest.mark.fault("H1")
def test_what_is_too_old_is_named_with_its_version(programs: Path) -> None:
    put(programs, "node", "echo v18.20.4")
    put(programs, "npm", "")
    put(programs, "old-python", 'case "$1" in -c) exit 1;; *) echo Python 3.9.2;; esac')
    done = lacking(programs, "python", "node", PYTHON="old-python")
    assert done.returncode == 1
    assert "old-python is Python 3.9.2" in done.stderr
    assert "node is v18.20.4" in done.stderr
    assert "apt-get" not in done.stderr  # it has nothing newer


@pytest.mark.fault("H1")
def test_python_without_venv_names_its_package(programs: Path) -> None:
    put(programs, "python3", 'case "$2" in *ensurepip*) exit 1;; esac')
    done = lacking(programs, "python")
    assert done.returncode == 1
    assert done.stderr.endswith("sudo apt-get install python3-venv\n")


def test_nothing_is_said_where_nothing_is_missing(programs: Path) -> None:
    put(programs, "node", "echo v20.0.0")
    put(programs, "npm", "")
    done = lacking(programs, "python", "node", "compiler", PYTHON=sys.executable)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.fault("H2")
def test_an_environment_that_was_left_half_made_is_made_again(tmp_path: Path) -> None:
    """As Debian leaves one where python3-venv is missing."""
    half = tmp_path / "venv"
    (half / "bin").mkdir(parents=True)
    (half / "bin" / "python").symlink_to(sys.executable)
    command = ["make", "-s", f"VENV={half}", f"PYTHON={sys.executable}", f"{half}/bin/pip"]
    subprocess.run(command, cwd=CHECKOUT, check=True, capture_output=True)
    subprocess.run([half / "bin" / "pip", "--version"], check=True, capture_output=True)


@pytest.mark.fault("D4")
def test_a_step_says_what_it_said_only_if_it_fails(tmp_path: Path) -> None:
    makefile = tmp_path / "Makefile"
    makefile.write_text(
        f"include {CHECKOUT}/Makefile\n"
        "fine:\n\t@$(call quietly,echo a warning)\n"
        "wrong:\n\t@$(call quietly,echo a reason && false)\n"
    )
    run = ["make", "-s", "-C", str(CHECKOUT), "-f", str(makefile)]
    # Without what a make above hands down: below another make it names the folders that it enters.
    alone = {"PATH": os.environ["PATH"]}
    fine = subprocess.run([*run, "fine"], env=alone, capture_output=True, text=True, check=False)
    wrong = subprocess.run([*run, "wrong"], env=alone, capture_output=True, text=True, check=False)
    assert (fine.returncode, fine.stdout, fine.stderr) == (0, "", "")
    assert wrong.returncode
    assert "a reason" in wrong.stderr
