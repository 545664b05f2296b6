# SPDX-License-Identifier: Apache-2.0
"""What workloads and servers say neither steers a sweep's terminal nor begins a line on it."""

import shlex

from ..hostile_texts import HOSTILE, hostile_server, steers
from .conftest import TRAFFIC, Files

SAID = shlex.quote(HOSTILE)


def test_a_sweep_whose_workload_and_server_are_hostile(files: Files) -> None:
    fails = files.workload("fails", ["sh", "-c", f"printf %s {SAID} >&2; exit 1"])
    files.plan(
        'mtu_bytes = [1500]\nworkload = ["udp", "fails"]',
        files.traffic() + fails,
        replicates=1,
        retries=1,
    )
    with hostile_server() as url:
        done = files.sweep("--server", url)
    assert done.returncode == 1
    for said in (
        "failed, to be tried again: ",
        "Why runs failed:",
        "  not taken: logs/",
    ):
        assert said in done.stderr
    assert done.stderr.count("FORGED") >= 4
    assert not steers(done.stdout + done.stderr), done.stderr


def test_a_pilot_and_a_journal_that_are_hostile(files: Files) -> None:
    files.plan(
        'workload = ["udp"]',
        files.workload("udp", ["sh", "-c", f"{shlex.join(TRAFFIC)}; printf %s {SAID} >&2; exit 1"]),
        pilot_s=0.1,
    )
    done = files.sweep()
    assert done.returncode == 1
    assert "workload udp does not work: " in done.stderr
    assert "FORGED" in done.stderr
    assert not steers(done.stdout + done.stderr), done.stderr
    files.journal.write_text(f"{HOSTILE}\n")
    assert not steers(files.sweep().stderr)
