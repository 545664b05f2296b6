# SPDX-License-Identifier: Apache-2.0
"""What is said to be typed next is found when it is typed."""

import sys
from pathlib import Path

import pytest
from coalescope_host.as_typed import as_typed
from coalescope_host.settings.restore_file import stale


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on the path, and empty."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("SUDO_UID", raising=False)
    return tmp_path


@pytest.mark.parametrize("called", [".venv/bin/coalescope-host", "./coalescope-host.pyz"])
def test_off_the_path_it_is_typed_as_it_was(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch, called: str
) -> None:
    monkeypatch.setattr(sys, "argv", [called])
    assert as_typed("upload lab") == f"{called} upload lab"
    assert stale(nowhere / "eth1.json").endswith(f"First: {called} sweep --restore")


def test_on_the_path_its_name_is_enough(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = nowhere / "coalescope-host"
    program.touch(mode=0o755)
    monkeypatch.setattr(sys, "argv", [str(program)])
    assert as_typed("upload lab") == "coalescope-host upload lab"


@pytest.mark.usefixtures("nowhere")
@pytest.mark.parametrize("called", ["-c", "/usr/lib/coalescope_host/__main__.py", ""])
def test_what_is_no_command_line_of_people_is_not_repeated(
    monkeypatch: pytest.MonkeyPatch, called: str
) -> None:
    monkeypatch.setattr(sys, "argv", [called])
    assert as_typed("upload lab") == "coalescope-host upload lab"


@pytest.mark.usefixtures("nowhere")
def test_what_sudo_started_it_starts_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUDO_UID", "1000")
    monkeypatch.setattr(sys, "argv", [".venv/bin/coalescope-host"])
    assert as_typed("sweep eth1").startswith("sudo .venv/bin/coalescope-host ")
