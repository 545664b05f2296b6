# SPDX-License-Identifier: Apache-2.0
"""How far a sweep is, on a terminal and elsewhere."""

import io

import pytest
from coalescope_host.run.progress import Progress, clock


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_says_how_much_is_done_and_how_long_the_rest_takes() -> None:
    terminal = Terminal()
    progress = Progress(terminal, 4, expected_s=100.0)
    progress.start("run 1")
    assert terminal.getvalue().endswith(f"[{'·' * 24}] 0/4, 6:40 left  run 1")
    progress.done("run 1", took_s=60.0)
    progress.done("run 2", took_s=120.0)
    assert terminal.getvalue().endswith(f"[{'█' * 12}{'·' * 12}] 2/4, 3:00 left  run 2")
    assert terminal.getvalue().count("\r\x1b[K") == 2, "one line, drawn anew"
    progress.close()
    assert terminal.getvalue().endswith("\n")


def test_elsewhere_each_run_has_a_line() -> None:
    file = io.StringIO()
    progress = Progress(file, 3, expected_s=10.0)
    progress.start("run 1")
    progress.done("run 1", took_s=20.0)
    progress.failed("run 2", "no answer", final=False)
    progress.failed("run 2", "no answer", final=True)
    progress.close()
    assert file.getvalue().splitlines() == [
        "1/3, 0:40 left  run 1",
        "run 2: failed, to be tried again: no answer",
        "run 2: failed: no answer",
    ]
    assert (progress.runs_done, progress.runs_failed, progress.left_s) == (1, 1, 20.0)


def test_a_failure_stands_above_the_bar() -> None:
    terminal = Terminal()
    progress = Progress(terminal, 2, expected_s=10.0)
    progress.start("run 1")
    progress.failed("run 1", "no answer", final=True)
    progress.start("run 2")
    shown = terminal.getvalue().rpartition("\x1b[K")[2]
    bar = "█" * 12 + "·" * 12
    assert shown == f"run 1: failed: no answer\n[{bar}] 1/2, 1 failed, 0:10 left  run 2"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (59.4, "0:59"), (3599.6, "1:00:00"), (90061, "25:01:01")]
)
def test_times(seconds: float, text: str) -> None:
    assert clock(seconds) == text
