# SPDX-License-Identifier: Apache-2.0
"""The one way to the terminal: text of others cannot steer it, whoever prints it."""

import re
import sys
from collections.abc import Iterable
from typing import Any, TextIO, cast

#: Controls but tab and the ends of lines, what changes the direction of text, and line separators.
_STEERING = re.compile(
    r"[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\r(?!\n)"
)


def shown(text: str) -> str:
    r"""Text with what would steer a terminal as `\uXXXX`: the same text in JSON."""
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def show_steering() -> None:
    """From now on standard output and standard error take text as `shown` makes it."""
    sys.stdout = _with_steering_shown(sys.stdout)
    sys.stderr = _with_steering_shown(sys.stderr)


def unfiltered(stream: TextIO) -> TextIO:
    """The stream as it was: for a program's own control sequences, never for text."""
    return stream.unfiltered if isinstance(stream, _Shown) else stream


def _with_steering_shown(stream: TextIO) -> TextIO:
    return stream if isinstance(stream, _Shown) else cast("TextIO", _Shown(stream))


class _Shown:
    """A stream that takes text as `shown` makes it, and is the stream below in all else."""

    def __init__(self, stream: TextIO) -> None:
        self.unfiltered = stream

    def write(self, text: str) -> int:
        self.unfiltered.write(shown(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unfiltered, name)
