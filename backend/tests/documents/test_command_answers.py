# SPDX-License-Identifier: Apache-2.0
"""docs/command-answers.md names what prints JSON or works on a server, and no other command."""

import re
from collections.abc import Iterator
from pathlib import Path

from ..cli.conftest import parsers

TEXT = (Path(__file__).parents[3] / "docs/command-answers.md").read_text(encoding="utf-8")


def with_options(*options: str) -> set[str]:
    """The commands that take all of these."""
    return {
        command
        for command, parser in parsers().items()
        if all(option in parser._option_string_actions for option in options)
    }


def named(text: str) -> Iterator[str]:
    """The commands in a row: `jobs show`, `cancel` are two of `jobs`."""
    group = ""
    for typed in re.findall(r"`([a-z -]+)`", text):
        command = typed.partition(" --")[0]
        if " " in command:
            group = command.split()[0]
        elif f"{group} {command}" in parsers():
            command = f"{group} {command}"
        yield command


def test_each_command_that_prints_json_is_in_the_table() -> None:
    rows = TEXT.partition("| command | document |")[2].partition("\n\n")[0].splitlines()[2:]
    assert {name for row in rows for name in named(row.split("|")[1])} == with_options("--json")


def test_each_command_that_works_on_a_server_too_is_named() -> None:
    said = TEXT.partition("## On a server")[2].partition(" work on the local store")[0]
    local = with_options("--server", "--data")
    assert set(named(said)) == {command.split()[0] for command in local}
