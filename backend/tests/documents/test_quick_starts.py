# SPDX-License-Identifier: Apache-2.0
"""The quick starts, typed as they stand there: every command works, and prints what is shown."""

import sys
from pathlib import Path

import pytest
from manuals import ROOT, fences_of_all_kinds

from .conftest import Reader

pytestmark = pytest.mark.folder_stack

PAGES = sorted((ROOT / "docs" / "quickstart").glob("*.md"))
FENCES = {
    "administrator": fences_of_all_kinds("docs/quickstart/administrator.md"),
    "driver-developer": fences_of_all_kinds("docs/quickstart/driver-developer.md"),
    "researcher": fences_of_all_kinds("docs/quickstart/researcher.md"),
    "teacher": fences_of_all_kinds("docs/quickstart/teacher.md"),
}
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)


def test_there_is_one_for_each_reader() -> None:
    assert [page.stem for page in PAGES] == list(FENCES)


@pytest.mark.fault("D7")
@pytest.mark.parametrize("reader", ["run hosts", "write drivers", "teach"])
def test_the_readme_has_a_paragraph_for_each_reader(reader: str) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    paragraph = text.partition(f"**You {reader}?**")[2].partition("\n- **")[0]
    assert "coalescope" in paragraph or "docs/" in paragraph


@each_page
def test_every_command_works_and_prints_what_is_shown(page: Path, reader: Reader) -> None:
    fences = FENCES[page.stem]
    printed = ""
    for kind, text in fences:
        if kind == "text":
            assert text in printed
        else:
            assert kind in ("sh", "python")
            printed = reader.type(text) if kind == "sh" else reader.run(sys.executable, "-c", text)
    assert len(fences) >= 4


@each_page
def test_it_is_short(page: Path) -> None:
    lines = page.read_text(encoding="utf-8").splitlines()
    assert len(lines) < 90
    assert max(len(line) for line in lines) <= 100
