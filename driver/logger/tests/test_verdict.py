# SPDX-License-Identifier: Apache-2.0
"""At its end the logger says what was lost in the window, and whether others were at work."""

import json
import re
import subprocess
import sys

import pytest
from coalescope_host.run_log import check, read
from timeouts import TIMEOUT_S

from .test_surroundings import FULL

pytestmark = pytest.mark.network
# no sample between the first and the last, so that none meets a file that is being written
OPTIONS = ("-e", "verdict", "-t", "60s", "--source", "proc", "--start", "now", "--json")


def recorded(logger, path, command, *before):
    words = [*before, logger, "-i", "lo", "-o", path, *OPTIONS, "--", *command]
    return subprocess.run(
        [*map(str, words)], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )


def doubts(done):
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)["doubts"]
    assert all(done.stderr.count(sentence) == 1 for sentence in said)
    return said


@pytest.mark.fault("A4")
def test_losses_are_said_once_with_their_number(logger, namespaces, tmp_path):
    path = tmp_path / "a.runlog"
    inside = ("ip", "netns", "exec", namespaces[0])
    said = doubts(recorded(logger, path, [sys.executable, "-c", FULL], *inside))
    lost = 600 - sum(json.loads(bytes(read(path).result.body)).values())
    assert [s for s in said if "datagrams" in s] == [
        f"in the window {lost} datagrams found no room in their socket: "
        "give it a larger buffer, or a faster reader"
    ]


def test_what_was_not_lost_is_not_said(logger, namespaces, tmp_path):
    inside = ("ip", "netns", "exec", namespaces[0])
    said = doubts(recorded(logger, tmp_path / "a.runlog", ["sleep", "0.2"], *inside))
    assert not [sentence for sentence in said if sentence.startswith("in the window")]


@pytest.mark.fault("A1")
@pytest.mark.parametrize(("ticks", "told"), [(150, True), (5, False)])
def test_others_at_work_are_said(logger, tmp_path, ticks, told):
    """A second, in which the host has worked for so many ticks and the command for none."""
    stat = tmp_path / "stat"
    stat.write_text("cpu  1000 0 1000 9000 0 0 0 0 0 0\n", encoding="ascii")
    inside = f'mount --bind {stat} /proc/stat; ip link set lo up; exec "$@"'
    over = ("unshare", "--mount", "--net", "sh", "-ec", inside, "sh")
    work = f"sleep 1; echo 'cpu  {1000 + ticks} 0 1000 9000 0 0 0 0 0 0' > {stat}"
    done = recorded(logger, tmp_path / "a.runlog", ["sh", "-c", work], *over)
    said = doubts(done)
    assert len(said) == told
    listed = [doubt.code for doubt in check(tmp_path / "a.runlog").doubts]
    assert listed.count("others_were_busy") == told, "the store and check have the same bound"
    if told:
        window = json.loads(done.stdout)["window"]
        elapsed = window["t_end_monotonic_ns"] - window["t_start_monotonic_ns"]
        own = window["advances"]["workload_cpu_ns"]
        percent = int(re.search(r"at least (\d+) % of a CPU", said[0])[1])
        assert percent == pytest.approx(100 * (ticks * 1e7 - own) / elapsed, abs=1)


@pytest.mark.fault("I11")
@pytest.mark.parametrize(("interrupts", "told"), [(0, True), (1, False)])
def test_packets_that_no_interrupt_brought_are_said(logger, tmp_path, interrupts, told):
    """An interface with a line of its own, of which three packets make no interrupt."""
    table, line = tmp_path / "interrupts", tmp_path / "irq" / "50"
    table.write_text("           CPU0\n 50:          7  lo-rx-0\n", encoding="ascii")
    line.mkdir(parents=True)
    (line / "per_cpu_count").write_text("7\n", encoding="ascii")
    mounts = f"mount --bind {tmp_path}/irq /sys/kernel/irq; mount --bind {table} /proc/interrupts"
    inside = f'{mounts}; ip link set lo up; exec "$@"'
    over = ("unshare", "--mount", "--net", "sh", "-ec", inside, "sh")
    count = f"echo {7 + interrupts} > {line}/per_cpu_count"
    work = f"ping -q -c3 -i0.05 127.0.0.1 >&2; {count}"
    said = doubts(recorded(logger, tmp_path / "a.runlog", ["sh", "-c", work], *over))
    assert any("packets came and no interrupt" in sentence for sentence in said) == told


@pytest.mark.fault("C8")
def test_the_summary_is_what_the_log_holds(logger, tmp_path):
    path = tmp_path / "a.runlog"
    done = recorded(logger, path, [sys.executable, "-c", FULL])
    summary = json.loads(done.stdout)
    log = read(path)
    start, end = log.window
    advances = {
        field.name: (column := log.streams[0].column(field.name))[-1] - column[0]
        for field in log.fields
        if field.kind == "counter"
    }
    assert summary == {
        "log": str(path),
        "ended": "command",
        "fine": True,
        "missed_ticks": log.footer["missed_ticks"],
        "window": {
            "t_start_monotonic_ns": start,
            "t_end_monotonic_ns": end,
            "advances": advances,
        },
        "doubts": summary["doubts"],
    }


def test_a_run_that_went_wrong_has_a_summary_too(logger, tmp_path):
    done = recorded(logger, tmp_path / "a.runlog", ["false"])
    assert done.returncode == 1
    assert json.loads(done.stdout)["fine"] is False
