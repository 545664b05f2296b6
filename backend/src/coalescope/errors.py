# SPDX-License-Identifier: Apache-2.0
"""The one error type of the backend: what is wrong, where, and what to do. Standard library only.

How it becomes an answer is in `error_responses`; the page reads tables with these same errors.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from typing import Any

Where = Mapping[str, str | int | float | None]


@dataclass(frozen=True)
class Problem:
    """One fault: what, where, and what to do about it."""

    code: str
    message: str
    where: dict[str, str | int | float | None]
    advice: str | None


class CoalescopeError(Exception):
    """A failure with a reason that can be shown to the person who caused it.

    `status` is the HTTP status; the command line prints `message` and `advice`.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        where: Where | None = None,
        advice: str | None = None,
        status: int = 422,
        problems: Sequence[Problem] = (),
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.where = dict(where or {})
        self.advice = advice
        self.status = status
        self.problems = list(problems)
        if advice:
            self.add_note(advice)  # a traceback in a notebook ends with it

    def __reduce__(self) -> tuple[Any, ...]:
        """Come out of another process as it went in: `args` alone, the message, make no error."""
        return type(self), (self.code, self.message), self.__dict__

    def as_json(self) -> dict[str, Any]:
        """The error shape as plain data."""
        return {
            "error": {
                "code": self.code,
                "message": self.message,
                "where": self.where,
                "advice": self.advice,
                "problems": [asdict(problem) for problem in self.problems],
            }
        }


def did_you_mean(name: str, names: Iterable[str], *, prefix: str = "") -> str:
    """The start of advice that names what looks like `name`; nothing where nothing does.

    A prefix stands before all of them, and is not compared: by that much any two would look alike.
    """
    bare = dict.fromkeys(one.removeprefix(prefix) for one in names)
    near = get_close_matches(name.removeprefix(prefix), bare, n=3, cutoff=0.5)
    return perhaps(prefix + one for one in near)


def perhaps(names: Iterable[str]) -> str:
    """The start of advice that names these, each once; nothing where there are none."""
    meant = dict.fromkeys(names)
    return f"Did you mean {' or '.join(meant)}? " if meant else ""


def sentence(text: str, names: Iterable[str] = ()) -> str:
    """A reason as a sentence of its own. What begins with one of these names keeps it as it is."""
    if text.startswith(tuple(names)):
        return f"{text}."
    return f"{text[:1].upper()}{text[1:]}."


def not_found(what: str, name: str, advice: str) -> CoalescopeError:
    """Nothing of that name: `not_found("experiment", slug, …)`."""
    return CoalescopeError(
        "not_found",
        f"There is no {what} {name!r}.",
        where={what: name},
        advice=advice,
        status=404,
    )


def conflict(code: str, message: str, *, where: Where, advice: str) -> CoalescopeError:
    """The request contradicts what is stored."""
    return CoalescopeError(code, message, where=where, advice=advice, status=409)


def read_only() -> CoalescopeError:
    """The store was opened for reading only."""
    return CoalescopeError(
        "read_only",
        "This store is served read-only; nothing was changed.",
        advice="Use the server that may write to it, or start this one without --read-only.",
        status=503,
    )


def refused(problems: Sequence[Problem]) -> CoalescopeError:
    """An input with several faults: the first is the headline, all are listed."""
    first = problems[0]
    return CoalescopeError(
        first.code,
        first.message,
        where=first.where,
        advice=first.advice,
        problems=problems if len(problems) > 1 else (),
    )
