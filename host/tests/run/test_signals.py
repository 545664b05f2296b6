# SPDX-License-Identifier: Apache-2.0
"""A signal that comes while a line is printed ends the sweep, and breaks nothing."""

import io
import signal
import sys

import pytest
from coalescope_host.run.signals import Interrupted, interruptible
from coalescope_host.terminal import say


class Interrupting(io.StringIO):
    """A stream that Ctrl-C meets in the middle of each write, and that takes one at a time."""

    busy = False

    def write(self, text: str) -> int:
        if self.busy:
            raise RuntimeError("reentrant call")
        self.busy = True
        signal.raise_signal(signal.SIGINT)
        self.busy = False
        return super().write(text)


def test_ctrl_c_in_the_middle_of_a_line_only_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Interrupting()
    monkeypatch.setattr(sys, "stderr", stream)
    with interruptible() as interruption:
        say("1/6, 0:28 left")
        for _ in range(2):
            with pytest.raises(Interrupted):
                interruption.check()
    assert stream.getvalue() == "1/6, 0:28 left\n\nEnding, and putting everything back.\n"
