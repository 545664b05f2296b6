# SPDX-License-Identifier: Apache-2.0
"""The faults of a table: all that are found, up to a bound."""

from coalescope.errors import Problem
from coalescope.untrusted.bounds import LEVEL_CHARACTERS

MAX_PROBLEMS = 20
#: What to do with a table that is too large.
SPLIT_IT = "Split it into several files with the same header."


class EnoughFaults(Exception):  # noqa: N818  the collected outcome, not an error of its own
    """Enough faults have been found."""


class Faults:
    """Faults of one file, up to MAX_PROBLEMS."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def add(
        self,
        code: str,
        message: str,
        advice: str,
        row: int,
        column: str | None = None,
        value: str | None = None,
    ) -> None:
        """Note a fault at its place."""
        where: dict[str, str | int | float | None] = {"row": row}
        if column is not None:
            where["column"] = column
        if value is not None:
            where["value"] = value[:LEVEL_CHARACTERS]
        self.keep(Problem(code=code, message=message, where=where, advice=advice))

    def keep(self, problem: Problem) -> None:
        """Note a fault. Errors: EnoughFaults with the last that is kept."""
        self.problems.append(problem)
        if len(self.problems) >= MAX_PROBLEMS:
            raise EnoughFaults
