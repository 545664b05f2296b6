# SPDX-License-Identifier: Apache-2.0
"""A NAPI thread is who polls, whatever anybody is called."""

from pathlib import Path

import pytest
from guest.machine import Guest
from guest.versions import VERSIONS

HERE = Path(__file__).parent

pytestmark = [pytest.mark.guest, pytest.mark.parametrize("kernel", VERSIONS, indirect=True)]


@pytest.fixture(scope="module")
def run(kernel, built, tmp_path_factory):
    guest = Guest(
        kernel=kernel,
        nics=("e1000e", "e1000e"),
        modules=("e1000e",),
        files={
            "/coalescope.ko": built.module,
            "/bin/snapshots": built.snapshots,
            "/named_like_a_thread.py": HERE / "named_like_a_thread.py",
        },
        command_line="ipv6.disable=1",
    )
    script = (HERE / "thread_identity.sh").read_text()
    return guest.run(script, tmp_path_factory.mktemp("thread-identity"), timeout_s=600)


@pytest.fixture
def difference(run, read_fields):
    def of(name):
        before, after = (read_fields(run.text(f"{when}-{name}")) for when in ("before", "after"))
        return {field: after[field] - before.get(field, 0) for field in after}

    return of


def test_a_thread_keeps_an_older_name_of_its_interface(run, difference):
    assert "napi/e1-" in run.text("names")
    assert "napi/renamed" not in run.text("names")
    counted = difference("thread")
    assert counted["rx_packets"] == 200
    assert counted["softirq_cycles"] > counted["polls"] * 1000, "the thread's cycles"


def test_a_task_that_has_the_name_of_a_thread_is_a_task(run, read_fields, difference):
    khz = read_fields(run.text("after-task"))["tsc_khz"]
    spent = float(run.text("spent")) * 1000 * khz
    counted = difference("task")
    assert counted["task_cycles"] > 0.9 * spent
    assert counted["softirq_cycles"] < 0.1 * spent
