# SPDX-License-Identifier: Apache-2.0
"""The one way to the terminal: text of others can neither steer it nor begin a line on it.

What is printed is lines, and each ends here: within one, the end of a line is shown, as all is that
would steer. So what has several lines is several texts, never one with ends of lines in it; that of
an error is its arguments (`LinesError`).
"""

import io
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast

from coalescope_host.exit_statuses import PIPE_CLOSED

#: Controls but tab and the ends of lines, what changes the direction of text, and line separators.
_STEERING = re.compile(
    r"[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\r(?!\n)"
)

_STEERING_OR_END = re.compile(rf"{_STEERING.pattern}|[\r\n]")


class PipeClosed(Exception):  # noqa: N818  nothing went wrong
    """Who read what is printed has seen enough (… | head).

    It is no `OSError`, as that of a pipe to another program is.
    """


def shown(text: str) -> str:
    r"""Text with what would steer a terminal as `\uXXXX`: the same text in JSON."""
    return _STEERING.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def one_line(text: str) -> str:
    """The same of text that is one line, or a part of one: also of the ends of lines in it."""
    return _STEERING_OR_END.sub(_escaped, text)


def joined_lines(said: str) -> str:
    """What another program said in several lines, as a part of one."""
    return "; ".join(filter(None, (line.strip() for line in said.splitlines())))


class LinesError(Exception):
    """What went wrong, for people: a line in each argument. As text, all in one."""

    def __str__(self) -> str:
        return "; ".join(map(str, self.args))


def lines_of(error: BaseException) -> tuple[str, ...]:
    """What went wrong, in lines."""
    return error.args if isinstance(error, LinesError) else (in_words(error),)


def print_lines(stream: TextIO, lines: Iterable[str]) -> None:
    """Print each as one line, at once."""
    stream.writelines(f"{one_line(line)}\n" for line in lines)
    stream.flush()


def say(*lines: str) -> None:
    """Print lines on standard error."""
    print_lines(sys.stderr, lines)


def print_json(document: object) -> None:
    """Print a document on standard output; the ends of lines are JSON's own."""
    sys.stdout.write(f"{json.dumps(document, indent=2, ensure_ascii=False)}\n")
    sys.stdout.flush()


def show_steering() -> None:
    """From now on standard output and standard error take text as `shown` makes it.

    What is printed on one that the shell closed (>&-) goes nowhere. Colours of Python's own, in
    help and tracebacks, are left out: they would be shown, too.
    """
    os.environ["PYTHON_COLORS"] = "0"
    sys.stdout = _with_steering_shown(sys.stdout or io.StringIO())
    sys.stderr = _with_steering_shown(sys.stderr or io.StringIO())


def unfiltered(stream: TextIO) -> TextIO:
    """The stream as it was: for a program's own control sequences, never for text."""
    return stream.unfiltered if isinstance(stream, _Shown) else stream


def _with_steering_shown(stream: TextIO) -> TextIO:
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")  # a terminal without Greek letters is no reason
    return stream if isinstance(stream, _Shown) else cast("TextIO", _Shown(stream))


@contextmanager
def _until_closed() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise PipeClosed from None


def in_words(error: BaseException) -> str:
    """What went wrong; of a file, its name and the system's reason, without the error's number."""
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error) or type(error).__name__
    return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"


def end_quietly() -> int:
    """Have nothing more written, not even at exit; the status that a shell reports for SIGPIPE."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # a stream in memory has no descriptor
            os.dup2(nowhere, stream.fileno())
    return PIPE_CLOSED


class _Shown:
    """A stream that takes text as `shown` makes it, and is the stream below in all else.

    Writing raises `PipeClosed` where nobody reads any more.
    """

    def __init__(self, stream: TextIO) -> None:
        self.unfiltered = stream

    def write(self, text: str) -> int:
        with _until_closed():
            self.unfiltered.write(shown(text))
        return len(text)

    def flush(self) -> None:
        with _until_closed():
            self.unfiltered.flush()

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unfiltered, name)
