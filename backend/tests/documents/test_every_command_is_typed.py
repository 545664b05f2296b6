# SPDX-License-Identifier: Apache-2.0
"""Each fence of commands, or of Python, in a manual is run by one test, which says so by taking it.

Which they are is derived from the tests' calls of `fence` and `fences` in `e2e/lab/manuals.py`.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from manuals import fence, fences

from .test_documents import DOCUMENTS, FILES, ROOT

#: The kinds of fences that are run.
RUN = ("sh", "python")
#: What only the reader's own machine can show, by its first words.
NOT_TYPED = {
    "docs/docker.md": {
        "docker buildx": "asks the registry that the images come from; the tests pull none",
    },
    "docs/kernel-module.md": {
        "dkms generate_mok": "a person confirms the key to the firmware after a restart",
    },
}


def calls(source: str) -> Iterator[tuple[str, list[str]]]:
    """The calls of these functions with words as arguments alone."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            words = [word.value for word in node.args if isinstance(word, ast.Constant)]
            if len(words) == len(node.args):
                yield node.func.id, words


def taken(source: str) -> list[tuple[str, str]]:
    """Document and text of each fence that a test's source takes."""
    found = []
    for function, words in calls(source):
        if function == "fence":
            found.append((words[0], fence(*words)))
        elif function == "fences" and (len(words) == 1 or words[1] in RUN):
            found += [(words[0], text) for text in fences(*words)]
        elif function == "fences_of_all_kinds":
            found += run_of(words[0])
    return found


def sources_of_tests() -> Iterator[Path]:
    yield from (path for path in FILES if "tests" in path.parts and path.suffix == ".py")


def run_of(document: str) -> list[tuple[str, str]]:
    """Its fences of the kinds that are run."""
    return [(document, text) for kind in RUN for text in fences(document, kind)]


def named(documents: list[tuple[str, str]]) -> list[str]:
    return sorted(f"{document}: {text.splitlines()[0]}" for document, text in documents)


def test_each_fence_of_commands_is_typed_by_one_test() -> None:
    texts = [
        text
        for path in sources_of_tests()
        if "manuals" in (text := path.read_text(encoding="utf-8"))
    ]
    typed = [one for text in texts for one in taken(text)]
    typed += [(name, fence(name, words)) for name, left in NOT_TYPED.items() for words in left]
    names = [str(path.relative_to(ROOT)) for path in DOCUMENTS]
    shown = [one for name in names for one in run_of(name)]
    assert len(shown) > 70
    assert named(list((Counter(shown) - Counter(typed)).elements())) == [], "nobody types these"
    assert named(list((Counter(typed) - Counter(shown)).elements())) == [], "typed twice"


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ('fences("docs/store.md")', 5),
        ('fence("docs/store.md", "coalescope verify")', 1),
        ('fences("docs/tidy-csv.md", "csv")', 0),
        ('fences("docs/workshop.md", "python")', 1),
        ('fence(document, "coalescope verify")', 0),
        ("def fence(): pass", 0),
    ],
)
def test_what_is_taken_is_seen(source: str, count: int) -> None:
    assert len(taken(source)) == count
