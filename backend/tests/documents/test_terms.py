# SPDX-License-Identifier: Apache-2.0
"""docs/terms.md holds: its terms are names in the code, and names that they replaced are not."""

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TERMS = ROOT / "docs" / "terms.md"
SOURCES = ("*.py", "*.ts", "*.tsx", "*.c", "*.h", "*.css")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def rows(text: str) -> list[tuple[list[str], list[str]]]:
    """Of each row of the tables: the terms, and the names that they replaced."""
    cells = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| `")]
    return [(re.findall("`([^`]+)`", row[0]), re.findall("`([^`]+)`", row[2])) for row in cells]


@cache
def names() -> frozenset[str]:
    """Every word of the sources but of this test."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", *SOURCES], cwd=ROOT, capture_output=True, text=True, check=True
    )
    files = [ROOT / name for name in listed.stdout.split("\0") if name]
    texts = [f.read_text("utf-8") for f in files if f.is_file() and f != Path(__file__).resolve()]
    return frozenset(name for text in texts for name in NAME.findall(text))


def missing(text: str, known: frozenset[str]) -> list[str]:
    return [term for terms, _ in rows(text) for term in terms if term not in known]


def come_back(text: str, known: frozenset[str]) -> list[str]:
    return [name for _, replaced in rows(text) for name in replaced if name in known]


def test_every_term_is_a_name_in_the_code() -> None:
    assert missing(TERMS.read_text("utf-8"), names()) == []


def test_no_replaced_name_has_come_back() -> None:
    assert come_back(TERMS.read_text("utf-8"), names()) == []


@pytest.mark.parametrize("check", [missing, come_back])
def test_a_wrong_row_is_found(check) -> None:
    """The control: a term that is nowhere, which replaced a name that is in use."""
    assert check("| `no_such_term` | What it is. | `ConcurrencyLimiter` |", names())
