# SPDX-License-Identifier: Apache-2.0
"""What the command line says otherwise than services is what services say."""

import ast
from collections.abc import Iterator
from pathlib import Path

import coalescope
import pytest
from coalescope.cli import shell_hints

SOURCE = Path(coalescope.__file__).parent
HINTS = Path(shell_hints.__file__)


def texts(path: Path) -> Iterator[str]:
    """Every text of a file, as it is shown: parts on several lines are one."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@pytest.fixture(scope="module")
def said() -> frozenset[str]:
    return frozenset(t for path in SOURCE.rglob("*.py") if path != HINTS for t in texts(path))


def test_every_phrase_is_said_somewhere(said: frozenset[str]) -> None:
    assert [words for words in shell_hints.WORDS if not any(words in text for text in said)] == []


def test_every_field_is_one_that_a_refusal_names(said: frozenset[str]) -> None:
    assert set(shell_hints.FLAGS) <= said


def test_no_advice_leaves_out_the_option_of_a_level(said: frozenset[str]) -> None:
    advice = [text for text in said if "with FACTOR=VALUE" in text]
    assert advice
    for text in advice:
        assert "with --where FACTOR=VALUE" in str(shell_hints.as_shell_hint(text))
