# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin: how often each test was measured again, also where it held in the end."""

import pytest
from timeouts import AGAIN


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    ended = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    repeats = {
        report.nodeid: times
        for report in ended
        if (times := sum(line.startswith(AGAIN) for line in report.capstdout.splitlines()))
    }
    if repeats:
        terminalreporter.section(AGAIN)
    for name, times in repeats.items():
        terminalreporter.line(f"{name}: {times} {'time' if times == 1 else 'times'}")
