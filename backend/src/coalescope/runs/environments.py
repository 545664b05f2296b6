# SPDX-License-Identifier: Apache-2.0
"""What runs were recorded with, fact by fact, however many runs there are.

Standard library only: a copy without a server works it out with this too (copies).
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Facts = Mapping[str, str]

MOST_FACTS = 1000
MOST_VALUES = 8
_LONGEST = 500


def describe_environments(found: Iterable[tuple[Facts | None, int]]) -> dict[str, Any]:
    """Each fact with the values it had and in how many runs, as the API shows it (EnvironmentOut).

    `found` holds the facts of environments and of how many runs each is the one; None: of runs
    whose environment is not known.
    """
    runs = recorded = 0
    values: dict[str, Counter[str]] = {}
    for facts, count in found:
        runs += count
        if facts is None:
            continue
        recorded += count
        for name, value in facts.items():
            if name in values or len(values) < MOST_FACTS:
                values.setdefault(name, Counter())[value] += count
    return {
        "runs": runs,
        "recorded": recorded,
        "facts": [_fact(name, counted, recorded) for name, counted in values.items()],
    }


def _fact(name: str, counted: Counter[str], recorded: int) -> dict[str, Any]:
    # of values in as many runs the order is that of the text, whoever counts them
    shown = sorted(counted.items(), key=lambda each: (-each[1], each[0]))[:MOST_VALUES]
    listed: list[dict[str, Any]] = [{"value": value, "runs": runs} for value, runs in shown]
    missing = recorded - counted.total()
    if missing > 0:
        listed.append({"value": None, "runs": missing})
    return {"name": name, "values": listed, "more": len(counted) - len(shown)}


def facts_of(environment: Mapping[str, Any] | None) -> Facts | None:
    """An environment as facts: members of objects are facts of their own."""
    return None if environment is None else dict(_facts(environment))


def _facts(environment: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    for name, value in environment.items():
        path = f"{above}{name}"[:_LONGEST]
        if isinstance(value, Mapping) and value:
            yield from _facts(value, f"{path}.")
        else:
            yield path, _text(value)[:_LONGEST]


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and all(isinstance(each, str | int | float) for each in value):
        return " ".join(map(str, value))
    return "not known" if value is None else json.dumps(value, ensure_ascii=False)
