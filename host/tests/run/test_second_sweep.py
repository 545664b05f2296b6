# SPDX-License-Identifier: Apache-2.0
"""A second sweep of an interface: refused at once, unless the first is being put back."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from coalescope_host.plan.plan import Plan
from coalescope_host.plan.plan_file import load_plan
from coalescope_host.protocols import SweepError
from coalescope_host.run import factory
from coalescope_host.settings import restore_file

PLAN = """
experiment = "second"
interface = "eth9"
duration_s = 1
[factors]
mtu_bytes = [1500]
[workloads.udp]
kind = "udp-fan-in"
"""


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    """Of an interface whose state is on disk, as while a sweep changes it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    restore_file.write(restore_file.file_of("eth9"), {"interface": "eth9"})
    (tmp_path / "plan.toml").write_text(PLAN)
    return load_plan(tmp_path / "plan.toml")


def while_it_waits(monkeypatch: pytest.MonkeyPatch, then: Callable[[], None]) -> list[float]:
    """How long it waited, each time, while `then` happens."""
    waited: list[float] = []

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        then()

    monkeypatch.setattr(time, "sleep", sleep)
    return waited


def test_below_a_sweep_that_runs_it_is_refused_at_once(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = while_it_waits(monkeypatch, lambda: None)
    held = restore_file.lock(restore_file.file_of("eth9"))
    words = rf"eth9: a sweep is changing it now \(process {os.getpid()}\); start this when"
    with pytest.raises(SweepError, match=words), factory.bench_to_read(plan, lambda: None):
        pass
    os.close(held)
    assert waited == []


def test_while_it_is_put_back_it_waits(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    path = restore_file.file_of("eth9")
    held = restore_file.lock(path, restores=True)

    def is_put_back() -> None:
        restore_file.remove(path)
        os.close(held)

    waited = while_it_waits(monkeypatch, is_put_back)
    with factory.bench_to_read(plan, lambda: None) as bench:
        assert bench.host.problems({})  # there is no such interface
    assert len(waited) == 1
