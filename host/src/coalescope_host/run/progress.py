# SPDX-License-Identifier: Apache-2.0
"""Says how far a sweep is: one line that is drawn anew on a terminal, plain lines elsewhere."""

import shutil
from typing import TextIO

from coalescope_host.terminal import one_line, print_lines, unfiltered

WIDTH = 24


class Progress:
    """How many runs are done, and how long the rest takes by what the last ones took."""

    def __init__(self, stream: TextIO, total: int, expected_s: float) -> None:
        self._stream = stream
        self._redraw = stream.isatty()
        self._total = total
        self._expected_s = expected_s
        self._took_s: list[float] = []
        self._done = 0
        self._failed = 0
        self._drawn = False

    def start(self, text: str) -> None:
        """A run begins."""
        if self._redraw:
            self._draw(text)

    def done(self, text: str, took_s: float) -> None:
        """A run succeeded."""
        self._done += 1
        self._took_s.append(took_s)
        if self._redraw:
            self._draw(text)
        else:
            self._line(f"{self._counts()}  {text}")

    def failed(self, text: str, reason: str, *, final: bool) -> None:
        """A run failed, for good or for now."""
        self._failed += final
        self._done += final
        self.say(f"{text}: {'failed' if final else 'failed, to be tried again'}: {reason}")

    def skip(self, runs: int) -> None:
        """So many runs failed before they began, which was said already."""
        self._failed += runs
        self._done += runs

    def say(self, text: str) -> None:
        """A line that stays."""
        self._clear()
        self._line(text)

    def close(self) -> None:
        """Leave the terminal's cursor on a new line."""
        if self._drawn:
            print_lines(self._stream, [""])
            self._drawn = False

    @property
    def runs_done(self) -> int:
        """How many succeeded."""
        return self._done - self._failed

    @property
    def runs_failed(self) -> int:
        """How many failed for good."""
        return self._failed

    @property
    def left_s(self) -> float:
        """Seconds that the rest takes, by the mean of the last twenty runs."""
        recent = self._took_s[-20:]
        each = sum(recent) / len(recent) if recent else self._expected_s
        return each * max(self._total - self._done, 0)

    def _counts(self) -> str:
        failures = f", {self._failed} failed" if self._failed else ""
        return f"{self._done}/{self._total}{failures}, {clock(self.left_s)} left"

    def _draw(self, text: str) -> None:
        filled = WIDTH * self._done // max(self._total, 1)
        line = f"[{'█' * filled}{'·' * (WIDTH - filled)}] {self._counts()}  {text}"
        self._clear()
        self._stream.write(one_line(line)[: shutil.get_terminal_size().columns - 1])
        self._stream.flush()
        self._drawn = True

    def _clear(self) -> None:
        if self._drawn:
            unfiltered(self._stream).write("\r\x1b[K")
            self._drawn = False

    def _line(self, text: str) -> None:
        print_lines(self._stream, [text])


def clock(seconds: float) -> str:
    """A time as h:mm:ss, or m:ss below an hour."""
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"
