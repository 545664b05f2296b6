# SPDX-License-Identifier: Apache-2.0
"""The references of commands, API and client have all that the code has, and no more."""

import json
import re
import sys
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from pathlib import Path

import coalescope
import pytest
from coalescope.cli.parser import build_parser
from coalescope_host.command_line import parsers

sys.path.insert(0, str(Path(__file__).parents[3] / "docs"))
import api_pages
import client_page
import command_pages

API = json.loads((Path(__file__).parents[3] / "docs/openapi.json").read_text())


@pytest.fixture(scope="module")
def commands() -> dict[Path, str]:
    return command_pages.pages()


def taken(parser: ArgumentParser, name: str) -> Iterator[tuple[str, set[str]]]:
    """Each command with its options."""
    shown = (action for action in parser._actions if action.help != "==SUPPRESS==")
    yield name, {option for action in shown for option in action.option_strings}
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for word, below in action.choices.items():
                yield from taken(below, f"{name}-{word}")


@pytest.mark.parametrize("parser", [build_parser(), parsers()[0]], ids=lambda each: each.prog)
def test_each_command_has_a_page_with_its_options(
    commands: dict[Path, str], parser: ArgumentParser
) -> None:
    for name, options in taken(parser, parser.prog):
        text = commands[Path(f"commands/{name}.md")].replace("&#45;", "-")
        listed = set() if name == parser.prog else options - {"-h", "--help"}
        assert [option for option in listed if option not in text] == []
        assert f"\n{name}\n" in commands[Path("commands/index.md")]


def test_the_programs_in_c_and_the_plan_have_pages(commands: dict[Path, str]) -> None:
    names = {path.stem for path in commands}
    assert names >= {"coalescope-logger", "coalescope-traffic", "coalescope-host-plan"}
    assert all(text.startswith(f"# {path.stem}\n") or path.stem == "index"
               for path, text in commands.items())  # fmt: skip


def test_each_operation_stands_on_the_page_of_its_part() -> None:
    pages = api_pages.pages()
    for path, methods in API["paths"].items():
        for method, operation in methods.items():
            for tag in operation["tags"]:
                text = pages[Path(f"api/{tag}.md")]
                assert f"\n`{method.upper()} {path}`\n" in text
                names = [each["name"] for each in operation.get("parameters", [])]
                assert [name for name in names if f"| `{name}` |" not in text] == []
    assert {path.stem for path in pages} == {
        *(tag["name"] for tag in API["tags"]), "index", "schemas",
    }  # fmt: skip


def test_each_schema_is_described_with_its_fields() -> None:
    sections = re.split(r"^## ", api_pages.pages()[Path("api/schemas.md")], flags=re.MULTILINE)[1:]
    described = {section.partition("\n")[0]: section for section in sections}
    assert set(described) == set(API["components"]["schemas"])
    for name, schema in API["components"]["schemas"].items():
        fields = schema.get("properties", {})
        assert [field for field in fields if f"| `{field}` |" not in described[name]] == []


def test_all_that_the_client_offers_is_described() -> None:
    (text,) = client_page.pages().values()
    for name in coalescope.__all__:
        assert f"\n## cs.{name}\n" in text
    for name in ("Experiment.fit", "Experiment.where"):
        assert f"\n### {name}()\n" in text
    for name in ("Experiment.runs", "Fit.residuals"):
        assert f"\n### {name}\n" in text
    assert "self" not in re.findall(r"\w+", " ".join(re.findall(r"```python\n(.*?)\n", text)))
