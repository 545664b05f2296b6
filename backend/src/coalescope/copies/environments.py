# SPDX-License-Identifier: Apache-2.0
"""What each run of an experiment was recorded with, in one file of a copy.

Runs differ in few facts: each fact's values are written once, and for each run which one it had.
"""

from collections.abc import Mapping
from typing import Any

from coalescope.runs.environments import Facts

Json = Mapping[str, Any]


class EnvironmentTable:
    """Filled run by run."""

    def __init__(self) -> None:
        self._runs: list[str] = []
        self._recorded: list[bool] = []
        self._places: dict[str, dict[str, int]] = {}
        self._of: dict[str, list[int | None]] = {}

    def add(self, run: str, environment: Json) -> None:
        """Take what GET /api/runs/<run>/environment answers."""
        before = len(self._runs)
        self._runs.append(run)
        self._recorded.append(environment["recorded"] > 0)
        for fact in environment["facts"]:
            name, value = fact["name"], fact["values"][0]["value"]
            places = self._places.setdefault(name, {})
            of = self._of.setdefault(name, [])
            of += [None] * (before - len(of))
            of.append(places.setdefault(value, len(places)))

    def as_json(self) -> Json:
        """What `facts_by_run` reads."""
        return {
            "runs": self._runs,
            "recorded": self._recorded,
            "facts": [
                {"name": name, "values": [*places], "of": self._of[name]}
                for name, places in self._places.items()
            ],
        }


def facts_by_run(kept: Json) -> dict[str, Facts | None]:
    """The facts of each run; None where its environment is not known."""
    found: list[dict[str, str]] = [{} for _ in kept["runs"]]
    for fact in kept["facts"]:
        # runs after the last one that has it are not in its list
        for facts, place in zip(found, fact["of"], strict=False):
            if place is not None:
                facts[fact["name"]] = fact["values"][place]
    return {
        run: facts if recorded else None
        for run, recorded, facts in zip(kept["runs"], kept["recorded"], found, strict=True)
    }
