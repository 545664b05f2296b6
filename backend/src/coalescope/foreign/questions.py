# SPDX-License-Identifier: Apache-2.0
"""What cannot be known from the files: it is asked."""

from collections.abc import Iterable, Iterator, Sequence

from coalescope.errors import Problem
from coalescope.foreign.given import DELAYS, MTU, WORKLOAD


class Asked(Exception):  # noqa: N818  a question, not an error of the program
    """What cannot be known from the files, and how to say it."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__()
        self.problems = problems


def question(message: str, name: str, value: str, files: Iterable[str]) -> Problem:
    """What has to be said, as a problem; `value` is an example."""
    where: dict[str, str | int | float | None] = {"file": ", ".join(files), "field": name}
    return Problem("setting_missing", message, where, f"Say it: --set {name}={value}")


def missing_settings(known: set[str], files: Sequence[str], *, alone: bool) -> Iterator[Problem]:
    """What makes a cell; `alone`: no tool made the run, so of its traffic nothing is known."""
    if not alone and WORKLOAD not in known:
        message = f"{files[0]} does not say what made its traffic (if nobody knows: =unknown)."
        yield question(message, WORKLOAD, "tcp", files)
    if MTU not in known:
        yield question(
            f"No file says the MTU that {files[0]} was measured with (if nobody knows it: "
            f"{MTU}=unknown).",
            MTU,
            "1500",
            files,
        )
    if known.isdisjoint(DELAYS):
        yield question(
            f"No file says the interrupt delay that {files[0]} was measured with (if nobody knows "
            "it: delay_us=unknown; if it was adaptive: delay_control=adaptive).",
            "delay_us",
            "0",
            files,
        )
