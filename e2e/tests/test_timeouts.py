# SPDX-License-Identifier: Apache-2.0
"""Tests that are repeated are repeated for a reason that they name."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import timeouts

ROOT = Path(__file__).parents[2]


@pytest.fixture
def failing():
    """A test that fails the first two times; how often it ran."""
    runs = []

    @timeouts.retried_if_disturbed
    def measured() -> None:
        runs.append(1)
        assert len(runs) > 2

    return measured, runs


def others(say):
    """A watch that says this."""
    return lambda: SimpleNamespace(said=lambda: say)


def test_a_failure_on_a_quiet_machine_is_one(failing, monkeypatch):
    measured, runs = failing
    monkeypatch.setattr(timeouts, "Watch", others(""))
    with pytest.raises(AssertionError):
        measured()
    assert len(runs) == 1


def test_it_is_measured_again_where_others_used_the_cpus(failing, monkeypatch, capsys):
    measured, runs = failing
    monkeypatch.setattr(timeouts, "Watch", others("other processes used 143 % of a CPU"))
    measured()
    assert len(runs) == 3
    assert "measured again, as other processes used 143 % of a CPU" in capsys.readouterr().out


def test_what_was_disturbed_each_time_is_a_failure_that_names_it(capsys):
    with pytest.raises(AssertionError, match="the last: 9"):
        timeouts.undisturbed(iter(range(10)).__next__, str)
    assert (
        timeouts.undisturbed(iter((1, 2, 0)).__next__, lambda found: "" if not found else "x") == 0
    )
    capsys.readouterr()  # these are no repeats of its own


def test_what_may_not_be_disturbed_often_fails_sooner(capsys):
    measured = iter(range(1, 10))
    with pytest.raises(AssertionError, match="in each of 4 measurements; the last: 4"):
        timeouts.undisturbed(measured.__next__, str, 4)
    assert next(measured) == 5
    assert capsys.readouterr().out.count("measured again") == 4


def test_how_often_it_was_measured_again_is_said_of_what_held(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "e2e/lab"))
    monkeypatch.setenv("PYTEST_ADDOPTS", "-q -p repeats")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeini("[pytest]\n")
    pytester.makepyfile(
        test_it="""
        from timeouts import undisturbed

        def test_held():
            assert undisturbed(iter((2, 1, 0)).__next__, lambda n: "lost" * n) == 0

        def test_quiet():
            assert undisturbed(lambda: 0, lambda _: "") == 0
    """
    )
    done = pytester.runpytest_subprocess()
    assert done.ret == 0
    assert "test_it.py::test_held: 2 times" in done.outlines
    assert not any("test_quiet" in line for line in done.outlines)
