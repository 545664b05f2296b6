# SPDX-License-Identifier: Apache-2.0
"""Processes that the server starts run no file of the folder, and know no secret."""

import subprocess
from pathlib import Path

import pytest
from coalescope.untrusted.processes import plain_environment, python


def said_by(code: str) -> str:
    return subprocess.run(
        python(code), capture_output=True, text=True, check=True, env=plain_environment()
    ).stdout


def test_files_of_the_folder_are_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pickle.py").write_text("raise SystemExit('not this one')")
    monkeypatch.chdir(tmp_path)
    assert said_by("import pickle; print('here')") == "here\n"


def test_it_is_given_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COALESCOPE_TOKEN", "secret")
    assert "secret" not in said_by("import os; print(dict(os.environ))")
