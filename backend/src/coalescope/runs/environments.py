# SPDX-License-Identifier: Apache-2.0
"""What runs were recorded with, fact by fact, however many runs there are. Pure."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from coalescope.runs.schemas import EnvironmentOut, FactOut, FactValueOut

MOST_FACTS = 1000
MOST_VALUES = 8
_LONGEST = 500


def environment_out(found: Iterable[tuple[Mapping[str, Any] | None, int]]) -> EnvironmentOut:
    """Each fact with the values it had and in how many runs; members of objects are facts.

    `found` holds environments and of how many runs each is the one.
    """
    runs = recorded = 0
    values: dict[str, Counter[str]] = {}
    for environment, count in found:
        runs += count
        if environment is None:
            continue
        recorded += count
        for name, value in _facts(environment):
            if name in values or len(values) < MOST_FACTS:
                values.setdefault(name, Counter())[value] += count
    return EnvironmentOut(
        runs=runs,
        recorded=recorded,
        facts=[_fact(name, counted, recorded) for name, counted in values.items()],
    )


def _fact(name: str, counted: Counter[str], recorded: int) -> FactOut:
    shown = counted.most_common(MOST_VALUES)
    listed = [FactValueOut(value=value, runs=runs) for value, runs in shown]
    missing = recorded - counted.total()
    if missing > 0:
        listed.append(FactValueOut(value=None, runs=missing))
    return FactOut(name=name, values=listed, more=len(counted) - len(shown))


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
