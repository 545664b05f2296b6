# SPDX-License-Identifier: Apache-2.0
"""Tests that are repeated are repeated for a reason that they name."""

from types import SimpleNamespace

import patience
import pytest


@pytest.fixture
def failing():
    """A test that fails the first two times; how often it ran."""
    runs = []

    @patience.measured_again
    def measured() -> None:
        runs.append(1)
        assert len(runs) > 2

    return measured, runs


def others(say):
    """A watch that says this."""
    return lambda: SimpleNamespace(said=lambda: say)


def test_a_failure_on_a_quiet_machine_is_one(failing, monkeypatch):
    measured, runs = failing
    monkeypatch.setattr(patience, "Watch", others(""))
    with pytest.raises(AssertionError):
        measured()
    assert len(runs) == 1


def test_it_is_measured_again_where_others_used_the_cpus(failing, monkeypatch, capsys):
    measured, runs = failing
    monkeypatch.setattr(patience, "Watch", others("other processes used 143 % of a CPU"))
    measured()
    assert len(runs) == 3
    assert "measured again, as other processes used 143 % of a CPU" in capsys.readouterr().out


def test_what_was_disturbed_each_time_is_a_failure_that_names_it():
    with pytest.raises(AssertionError, match="the last: 9"):
        patience.undisturbed(iter(range(10)).__next__, str)
    assert (
        patience.undisturbed(iter((1, 2, 0)).__next__, lambda found: "" if not found else "x") == 0
    )
