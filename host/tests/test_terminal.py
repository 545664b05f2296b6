# SPDX-License-Identifier: Apache-2.0
"""What others wrote cannot steer the terminal that it is printed on, whatever prints it."""

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from coalescope_host.command_line import COMMANDS
from coalescope_host.run.progress import Progress
from coalescope_host.terminal import show_steering, shown

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp\rover"
STEERING = re.compile(r"[^\t\n\x20-\x7e\xa1-\u0600\u2010-\u2027\u2030-\u205e\u2190-\ufffd]")


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_no_command_prints_it_raw(command: str, tmp_path: Path) -> None:
    printed = ""
    for words in ([HOSTILE], [f"--{HOSTILE}"]):
        tool = [sys.executable, "-m", "coalescope_host", *filter(None, [command])]
        done = subprocess.run(
            [*tool, *words], capture_output=True, text=True, check=False, cwd=tmp_path
        )
        assert done.returncode
        printed += done.stdout + done.stderr
    assert "owned" in printed or "are required" in printed
    assert not STEERING.findall(printed)


def test_that_check_can_fail() -> None:
    assert STEERING.findall("\x1b[2J")
    assert not STEERING.findall("runs: µs, “quoted”, ±, ─█·, 日本")


def test_text_stays_the_same_text_in_json() -> None:
    document = json.dumps({"title": HOSTILE}, ensure_ascii=False)
    assert json.loads(shown(document)) == {"title": HOSTILE}
    assert shown("a\tb\r\nc\n") == "a\tb\r\nc\n"


def test_a_bar_is_drawn_and_what_a_peer_says_in_it_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", terminal)
    show_steering()
    show_steering()  # once is enough
    progress = Progress(sys.stderr, 2, expected_s=1.0)
    progress.start("run 1")
    progress.failed("run 1", HOSTILE, final=True)
    assert terminal.getvalue().count("\r\x1b[K") == 1
    assert terminal.getvalue().count("\x1b") == 1
    assert "\\u001b]0;owned\\u0007" in terminal.getvalue()
