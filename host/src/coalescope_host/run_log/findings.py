# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a log: raised at once, or gathered while it is read on."""

from .errors import Problem, RunLogError


class Findings:
    """Problems of one log. With `collect`, they are gathered; else the first error is raised."""

    def __init__(self, *, collect: bool) -> None:
        self._collect = collect
        self.problems: list[Problem] = []
        self.damaged = False

    def fail(self, problem: Problem) -> None:
        """Note an error. Raises RunLogError where errors are not collected."""
        if not self._collect:
            raise RunLogError(problem)
        self.damaged = True
        self.problems.append(problem)

    def remark(self, problem: Problem) -> None:
        """Note what does not keep the log from being read."""
        self.problems.append(problem)
