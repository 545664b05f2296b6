# SPDX-License-Identifier: Apache-2.0
"""Sweeps between two namespaces whose peer goes mad under way: both ends are as before, nothing
runs on, and what is said of it is a sentence."""

import logging
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from timeouts import TIMEOUT_S, wait_until

from .hosts_on_a_cable import INTERFACE, Hosts

pytestmark = [pytest.mark.network, pytest.mark.slow]

FUZZED = Path(__file__).parents[1] / "remote" / "fuzzed_peer.py"
IN_HASTE = (sys.executable, str(Path(__file__).with_name("sweep_in_haste.py")))
HONEST, OFTEN = 3, 0.1
"""Of an agent's answers: so many are its own, then this share is changed."""
STATE = """
ip -json -details address
ip route show table all
ip -6 route show table all
for what in k c g l a; do ethtool -$what {interface} 2>&1; done
cd /sys/class/net/{interface}
grep -s . threaded gro_flush_timeout napi_defer_hard_irqs tx_queue_len queues/*/*_cpus
sysctl -a --pattern '^net\\.' 2>/dev/null | grep -v 'conntrack_count\\|conntrack_buckets'
"""
"""All that a sweep may change of a host, and more."""


def state(hosts: Hosts) -> dict[str, list[str]]:
    """The whole of both ends."""
    said = STATE.format(interface=INTERFACE)
    sides = (hosts.lab.here, hosts.lab.there)
    return {side: hosts.lab.inside(side, "sh", "-c", said).splitlines() for side in sides}


def processes(hosts: Hosts) -> set[int]:
    """All that run at either end, of whatever session."""
    asked = [["ip", "netns", "pids", side] for side in (hosts.lab.here, hosts.lab.there)]
    said = [subprocess.run(a, capture_output=True, text=True, check=True).stdout for a in asked]
    return {int(pid) for pid in " ".join(said).split()}


def files_of_sweeps(hosts: Hosts) -> list[Path]:
    """What sweeps keep while they are under way: agents, and ways back."""
    states = [*hosts.folder.glob("state/**/*"), *hosts.lab.folder.glob("state/**/*")]
    agents = (hosts.programs / "tmp").iterdir()
    return sorted([*agents, *(path for path in states if path.suffix == ".json")])


def fuzzed(hosts: Hosts, seed: int) -> tuple[subprocess.CompletedProcess[bytes], str]:
    """A sweep whose ssh is the fuzzer before ssh; what was noted of each answer."""
    programs, notes = hosts.folder / "ssh-first", hosts.folder / "notes"
    programs.mkdir(exist_ok=True)
    notes.write_text("")
    words = (sys.executable, "-S", FUZZED, seed, HONEST, OFTEN, shutil.which("ssh"))
    script = f'#!/bin/sh\nFUZZED_NOTES={notes} exec {shlex.join(map(str, words))} "$@"\n'
    (programs / "ssh").write_text(script)
    (programs / "ssh").chmod(0o755)
    done = subprocess.run(
        hosts.command(tool=IN_HASTE),
        env={**hosts.environment, "PATH": f"{programs}:{hosts.environment['PATH']}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=5 * TIMEOUT_S,
        check=False,
        start_new_session=True,
    )
    return done, notes.read_text()


@pytest.mark.parametrize(
    ("sweeps", "replicates"),
    [(4, 1), pytest.param(20, 2, marks=[pytest.mark.soak, pytest.mark.timeout(0)])],
)
def test_a_peer_that_goes_mad_in_mid_sweep_leaves_nothing(
    hosts: Hosts, sweeps: int, replicates: int
) -> None:
    hosts.plan('mtu_bytes = [1500, 3000]\nworkload = ["udp", "tcp"]', replicates=replicates)
    before, ran, kept = state(hosts), processes(hosts), files_of_sweeps(hosts)
    noted: Counter[str] = Counter()
    ended: Counter[str] = Counter()
    for seed in range(sweeps):
        done, notes = fuzzed(hosts, seed)
        noted.update(notes)
        said = (done.stdout + done.stderr).decode()
        assert done.returncode in (0, 1), said
        assert "Traceback" not in said, said
        assert not re.search(r"^\w+(Error|Exception)\b", said, re.M), said
        assert all(sign == "\n" or sign.isprintable() for sign in said), said
        assert not re.search(r"^\s*FORGED", said, re.M), said
        wait_until(lambda: processes(hosts) <= ran, f"a process goes on: {seed=}\n{said}")
        assert state(hosts) == before, said
        assert files_of_sweeps(hosts) == kept, said
        ended.update(entry["status"] for entry in hosts.entries())
        shutil.rmtree(hosts.out)
    answers = noted["."] + noted["!"]
    logging.info("%d answers, %d changed; runs: %s", answers, noted["!"], dict(ended))
    assert answers >= 20 * sweeps
    assert noted["!"] >= sweeps
    assert ended["done"], "no run lived through it"
    assert ended["failed"], "no run was lost to what was changed"
