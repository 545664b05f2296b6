# SPDX-License-Identifier: Apache-2.0
"""What the command line says otherwise than services is what services say."""

import argparse
import ast
from collections.abc import Iterator
from pathlib import Path

import coalescope
import pytest
from coalescope.app import create_app
from coalescope.cli import shell_hints
from coalescope.cli.parser import build_parser

SOURCE = Path(coalescope.__file__).parent
HINTS = Path(shell_hints.__file__)


def texts(path: Path) -> Iterator[str]:
    """Every text of a file, as it is shown: parts on several lines are one."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def named_fields(path: Path) -> Iterator[str]:
    """The fields that refusals of a file name."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Dict):
            named = zip(node.keys, node.values, strict=True)
            yield from (
                value.value
                for key, value in named
                if isinstance(key, ast.Constant) and key.value == "field"
                if isinstance(value, ast.Constant)
            )


def requested(document: object, schemas: dict[str, object], seen: set[str]) -> Iterator[str]:
    """The properties of a request's body, at any depth."""
    if isinstance(document, dict):
        yield from document.get("properties", {})
        name = str(document.get("$ref", "")).rpartition("/")[2]
        if name and name not in seen:
            seen.add(name)
            yield from requested(schemas[name], schemas, seen)
    below = document.values() if isinstance(document, dict) else document
    if isinstance(document, dict | list):
        for each in below:
            yield from requested(each, schemas, seen)


def typed(parser: argparse.ArgumentParser) -> Iterator[str]:
    """What can be typed, as the program calls it: arguments and options of all commands."""
    for action in parser._actions:
        yield action.dest
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from typed(below)


@pytest.fixture(scope="module")
def said() -> frozenset[str]:
    return frozenset(t for path in SOURCE.rglob("*.py") if path != HINTS for t in texts(path))


def test_every_phrase_is_said_somewhere(said: frozenset[str]) -> None:
    assert [words for words in shell_hints.WORDS if not any(words in text for text in said)] == []


def test_every_field_is_one_that_a_refusal_names(said: frozenset[str]) -> None:
    assert set(shell_hints.FLAGS) <= said


def test_every_field_that_a_refusal_names_can_be_typed() -> None:
    document = create_app().openapi()
    schemas, seen = document["components"]["schemas"], set[str]()
    bodies = [
        way["requestBody"]
        for ways in document["paths"].values()
        for way in ways.values()
        if "requestBody" in way
    ]
    fields = set(requested(bodies, schemas, seen))
    refused = {name for path in SOURCE.rglob("*.py") for name in named_fields(path)} & fields
    assert len(refused) > 15
    no_option = refused - set(shell_hints.FLAGS) - set(typed(build_parser()))
    assert no_option == {"path"}  # of a shared link, which only the page makes


def test_no_advice_leaves_out_the_option_of_a_level(said: frozenset[str]) -> None:
    advice = [text for text in said if "with FACTOR=VALUE" in text]
    assert advice
    for text in advice:
        assert "with --where FACTOR=VALUE" in str(shell_hints.as_shell_hint(text))
