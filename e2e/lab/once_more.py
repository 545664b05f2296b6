# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin: which failures were disturbed, so that these alone are worth a second run.

A test is disturbed if others used more of a CPU than `disturbance` allows from its beginning to
its failure, or while a fixture was set up that it shares with other tests. Others are processes
outside of the test run: its workers, and what they began, do not disturb each other, unless
`--workers-disturb` says that each is one that the others are measured beside. Where all that
failed was disturbed, `--list-disturbed FILE` has the tests listed there, a line each, and
the status is `DISTURBED`: `pytest -n 0 @FILE` runs them once more, alone. One failure that nothing
disturbed leaves the status at 1.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from disturbance import Watch

#: EX_TEMPFAIL of sysexits.h: it may be tried again.
DISTURBED = 75

WATCH = pytest.StashKey[Watch]()
SHARED = pytest.StashKey[dict[str, str]]()
RUN = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("once more")
    group.addoption(
        "--list-disturbed",
        metavar="FILE",
        help="where to list what failed, and exit with 75, if others disturbed all of it",
    )
    group.addoption(
        "--workers-disturb",
        action="store_true",
        help="what other workers use of the CPUs disturbs a test too",
    )


def pytest_configure(config: pytest.Config) -> None:
    is_worker = hasattr(config, "workerinput")
    together = is_worker and not config.getoption("--workers-disturb")
    config.stash[RUN] = os.getppid() if together else os.getpid()
    if not is_worker:
        listed = config.getoption("--list-disturbed")
        config.pluginmanager.register(Failures(Path(listed) if listed else None), "failures")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    item.stash[WATCH] = Watch(item.config.stash[RUN])
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, Any, Any]:
    if fixturedef.scope == "function":
        return (yield)
    watch = Watch(request.config.stash[RUN])
    try:
        return (yield)
    finally:
        made = request.node.stash.setdefault(SHARED, {})
        made[fixturedef.argname] = watch.said()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        report.disturbance = disturbance_of(item)
    return report


def disturbance_of(item: pytest.Item) -> str:
    """What disturbed a test so far, or what it shares with others; nothing where nothing did."""
    if said := item.stash[WATCH].said():
        return f"while {said}"
    names: list[str] = getattr(item, "fixturenames", [])
    for node in item.listchain():
        for name, said in node.stash.get(SHARED, {}).items():
            if said and name in names:
                return f"after {said} while {name} was set up"
    return ""


class Failures:
    """What failed in all workers: disturbed, with what, and undisturbed."""

    def __init__(self, listed: Path | None) -> None:
        self._list = listed
        self._disturbed: dict[str, str] = {}
        self._undisturbed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            if said := getattr(report, "disturbance", ""):
                self._disturbed.setdefault(report.nodeid, said)
            else:
                self._undisturbed.add(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._undisturbed.add(report.nodeid)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if self._list and exitstatus == pytest.ExitCode.TESTS_FAILED and self._all_disturbed:
            self._list.parent.mkdir(parents=True, exist_ok=True)
            self._list.write_text("".join(f"{test}\n" for test in self._disturbed), "utf-8")
            session.exitstatus = DISTURBED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self._disturbed:
            return
        terminalreporter.section("failed while disturbed")
        then = self._then()
        for test, said in self._disturbed.items():
            terminalreporter.write_line(f"{test} failed {said}{then}")

    @property
    def _all_disturbed(self) -> bool:
        return bool(self._disturbed) and not self._undisturbed

    def _then(self) -> str:
        if not self._list:
            return ""
        if self._undisturbed:
            return ": not once more, as others failed undisturbed"
        return ": once more, alone"
