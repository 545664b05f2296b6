# SPDX-License-Identifier: Apache-2.0
"""Whatever docs/security.md says is protected names the tests that show it, and they are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
DOCUMENT = (ROOT / "docs/security.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """What stands under that heading."""
    found = re.search(rf"^## {title}$(.*?)(?=^## |\Z)", DOCUMENT, re.DOTALL | re.MULTILINE)
    assert found is not None, title
    return found[1]


def rows(title: str) -> list[list[str]]:
    """The rows of a section's table, without its head."""
    lines = [line for line in section(title).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


SHOWN = {label: re.findall(r"\]\(\.\./(\S+?)\)", files) for label, files in rows("Shown by")}


def test_each_claim_has_a_row_and_each_row_is_of_a_claim() -> None:
    against = {who for who, *_ in rows("Against whom")}
    how = set(re.findall(r"^- \*\*(.+?)\*\*", section("How"), re.MULTILINE))
    assert against and how
    assert set(SHOWN) == against | how
    assert len(rows("Shown by")) == len(SHOWN)


@pytest.mark.parametrize("label", SHOWN)
def test_it_names_files_that_have_tests(label: str) -> None:
    assert SHOWN[label]
    for name in SHOWN[label]:
        assert re.search(r"^\s*def test_", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)


def test_each_test_of_access_is_named() -> None:
    """Of the folder that is about nothing else."""
    folder = ROOT / "backend/tests/web/security"
    own = {str(file.relative_to(ROOT)) for file in folder.glob("test_*.py")}
    assert own and own <= {name for names in SHOWN.values() for name in names}
