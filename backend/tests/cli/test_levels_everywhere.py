# SPDX-License-Identifier: Apache-2.0
"""What reads the runs of an experiment takes levels: each address and command, or it says why."""

import json
import re
from pathlib import Path
from typing import Any

from .conftest import parsers

DOCUMENT = json.loads((Path(__file__).parents[3] / "docs" / "openapi.json").read_text())
OF_ONE = "/api/experiments/{slug}"
#: Addresses of an experiment that take no levels, and why.
OF_ALL_RUNS = {
    ("get", OF_ONE): "what the experiment is: its factors, with all levels to choose from",
    ("patch", OF_ONE): "changes what it is called",
    ("delete", OF_ONE): "is of the experiment as a whole",
    ("post", f"{OF_ONE}/restoration"): "is of the experiment as a whole",
    ("get", f"{OF_ONE}/sweeps"): "sweeps on their way: what will be recorded",
    ("get", f"{OF_ONE}/events"): "says that something changed",
}
#: Commands with an EXPERIMENT that take no levels, and why.
COMMANDS_OF_ALL_RUNS = {
    "experiments rename": "changes what it is called",
    "experiments describe": "changes what it is called",
    "experiments delete": "is of the experiment as a whole",
    "experiments restore": "is of the experiment as a whole",
}


def mentions_where(schema: Any) -> bool:
    text, seen = json.dumps(schema), set()
    while '"where"' not in text:
        names = set(re.findall(r"#/components/schemas/(\w+)", text)) - seen
        if not names:
            return False
        seen |= names
        text = json.dumps([DOCUMENT["components"]["schemas"][name] for name in sorted(names)])
    return True


def takes_levels(route: Any) -> bool:
    named = any(each["name"] == "where" for each in route.get("parameters", []))
    return named or mentions_where(route.get("requestBody", {}))


def test_each_address_of_an_experiment_takes_levels_or_says_why_not() -> None:
    routes = {
        (method, path): takes_levels(route)
        for path, methods in DOCUMENT["paths"].items()
        if path.startswith(OF_ONE)
        for method, route in methods.items()
    }
    assert {name for name, takes in routes.items() if not takes} == OF_ALL_RUNS.keys()
    assert routes["get", f"{OF_ONE}/export"], "control"


def test_each_command_of_an_experiment_takes_levels_or_says_why_not() -> None:
    found = {
        name: any("--where" in action.option_strings for action in parser._actions)
        for name, parser in parsers().items()
        if any(action.metavar == "EXPERIMENT" for action in parser._actions)
    }
    assert {name for name, takes in found.items() if not takes} == COMMANDS_OF_ALL_RUNS.keys()
    assert found["export"], "control"
