# SPDX-License-Identifier: Apache-2.0
"""The manual pages tell each command and each of its options, in mdoc that a formatter takes."""

import runpy
import shutil
import subprocess
from argparse import SUPPRESS
from pathlib import Path
from typing import Any

import pytest
from coalescope_host.command_line import parsers

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "host" / "man_pages.py"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("man")
    runpy.run_path(str(PROGRAM))["main"](made)
    return made


def test_each_command_has_a_page_with_all_its_options(folder: Path) -> None:
    _, commands = parsers()
    assert {str(page.relative_to(folder)) for page in folder.rglob("*.[0-9]")} == {
        "man1/coalescope-host.1",
        *(f"man1/coalescope-host-{word}.1" for word in commands),
        "man5/coalescope-host-plan.5",
    }
    for word, command in commands.items():
        page = (folder / "man1" / f"coalescope-host-{word}.1").read_text().replace("\\-", "-")
        items = [line for line in page.splitlines() if line.startswith(".It ")]
        shown = [a for a in command._actions if a.help != SUPPRESS and a.dest != "help"]
        for option in (name for action in shown for name in action.option_strings):
            assert any(option in item for item in items), (word, option)
        assert "%(" not in page


@pytest.mark.skipif(not shutil.which("mandoc"), reason="mandoc is not installed")
def test_a_formatter_finds_no_fault_in_them(folder: Path) -> None:
    done = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "error", *sorted(folder.rglob("*.[0-9]"))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout + done.stderr == ""


@pytest.mark.parametrize(
    ("package", "hook"), [("host", "ManualPages"), ("backend", "AllInside")], ids=["alone", "all"]
)
def test_a_wheel_brings_them_all_to_where_man_looks(
    monkeypatch: pytest.MonkeyPatch, folder: Path, package: str, hook: str
) -> None:
    """The wheel itself is built and installed in e2e/tests/test_installed.py."""
    monkeypatch.setenv("COALESCOPE_WHEEL_WITHOUT_PAGE", "1")
    root = ROOT / package
    made = runpy.run_path(str(root / "hatch_build.py"))[hook](str(root), {}, None, None, "", "")
    brought: dict[str, Any] = {"shared_data": {}, "force_include": {}}
    made.initialize("standard", brought)
    try:
        found = {
            str(Path(place, page.relative_to(source)))
            for source, place in brought["shared_data"].items()
            for page in Path(source).rglob("*.[0-9]")
        }
    finally:
        made.finalize("standard", brought, "")
    assert "share/man/man5/coalescope-host-plan.5" in found
    assert found == {f"share/man/{page.relative_to(folder)}" for page in folder.rglob("*.[0-9]")}
