# SPDX-License-Identifier: Apache-2.0
"""The manual pages tell each command and each of its options, in mdoc that a formatter takes."""

import runpy
import shutil
import subprocess
from argparse import SUPPRESS
from pathlib import Path

import pytest
from coalescope_host.command_line import parsers

PROGRAM = Path(__file__).parents[1] / "man_pages.py"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("man")
    runpy.run_path(str(PROGRAM))["main"](made)
    return made


def test_each_command_has_a_page_with_all_its_options(folder: Path) -> None:
    _, commands = parsers()
    assert {page.name for page in folder.iterdir()} == {
        "coalescope-host.1",
        *(f"coalescope-host-{word}.1" for word in commands),
    }
    for word, command in commands.items():
        page = (folder / f"coalescope-host-{word}.1").read_text().replace("\\-", "-")
        items = [line for line in page.splitlines() if line.startswith(".It ")]
        shown = [a for a in command._actions if a.help != SUPPRESS and a.dest != "help"]
        for option in (name for action in shown for name in action.option_strings):
            assert any(option in item for item in items), (word, option)
        assert "%(" not in page
        status = page.partition(".Sh EXIT STATUS\n")[2].partition("\n.Sh")[0]
        assert f"Exit status: {status}" == command.epilog


@pytest.mark.skipif(not shutil.which("mandoc"), reason="mandoc is not installed")
def test_a_formatter_finds_no_fault_in_them(folder: Path) -> None:
    done = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "error", *sorted(folder.iterdir())],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout + done.stderr == ""
