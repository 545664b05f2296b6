# SPDX-License-Identifier: Apache-2.0
"""Tuning by the real command line on a veth pair in namespaces, its peer over ssh: both ends are as
they were, whatever ends it."""

import os
import random
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from coalescope_host.plan.plan import PeerSpec
from coalescope_host.remote import connect
from coalescope_host.run.bench import Bench
from coalescope_host.run.factory import FAILURES
from coalescope_host.run.way_back import commands_to, read_before, way_back
from coalescope_host.settings.guard import Guard
from coalescope_host.settings.host import open_host
from timeouts import TIMEOUT_S, wait_until

from .hosts_on_a_cable import INTERFACE, TOOL, Hosts, processes_with

pytestmark = [pytest.mark.network, pytest.mark.slow]

CANDIDATES = ("--mtu", "1500,3000,4000", "--gro", "on,off", "--duration", "0.3")


def command(hosts: Hosts, *arguments: str) -> list[str]:
    options = shlex.join(hosts.lab.ssh_options)
    peer = ["--peer", hosts.lab.destination, f"--ssh-options={options}"]
    inside = ["ip", "netns", "exec", hosts.lab.here]
    return [*inside, *TOOL, "tune", INTERFACE, "--goal", "throughput", *peer, *arguments]


def tune(hosts: Hosts, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(hosts, *arguments),
        env=hosts.environment,
        cwd=hosts.folder,
        capture_output=True,
        text=True,
        timeout=3 * TIMEOUT_S,
        check=False,
    )


@contextmanager
def tuning(hosts: Hosts, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """One that runs; killed at the end of the block if it still does."""
    process = subprocess.Popen(
        command(hosts, *arguments),
        env=hosts.environment,
        cwd=hosts.folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_it_measures_answers_and_leaves_both_ends_as_they_were(hosts: Hosts) -> None:
    done = tune(hosts, *CANDIDATES, "--budget", "8", "--out", str(hosts.out))
    assert done.returncode in (0, 1), done.stderr
    assert "most throughput, losses within 10 % of now, latency within 10 % of now: " in done.stderr
    assert "among 6 settings of mtu_bytes, offload.gro." in done.stderr
    assert done.stdout.startswith("Asked: most throughput (throughput_mbps), losses within 10 %")
    assert 2 <= len(hosts.done()) <= 8
    assert {e["requested"]["mtu_bytes"] for e in hosts.entries()} >= {1500, 4000}
    of_now = [
        e
        for e in hosts.entries()
        if (e["requested"]["mtu_bytes"], e["requested"]["offload.gro"]) == (1500, False)
    ]
    assert of_now, "what is set now is measured, although nobody named it"


def test_a_device_without_delays_needs_candidates(hosts: Hosts) -> None:
    done = tune(hosts)
    assert done.returncode == 2
    assert "its driver (veth) has no delay that can be set" in done.stderr


def killed(hosts: Hosts, number: int, after_runs: int, moment_s: float) -> bool:
    """End one so long after so many of its runs; both ends are as before. Whether it had changed
    them."""
    before, state = hosts.settings(), hosts.folder / "state"
    out = hosts.folder / f"out-{number}"

    def done() -> bool:
        return len(list(out.glob("logs/*.runlog"))) >= after_runs

    with tuning(hosts, *CANDIDATES, "--out", str(out)) as process:
        wait_until(lambda: done() or process.poll() is not None, "no run is done")
        time.sleep(moment_s)
        assert process.poll() is None, "it should last longer"
        changed = hosts.settings() != before
    wait_until(lambda: hosts.settings() == before, f"not put back: {after_runs}, {moment_s:.2f} s")
    wait_until(lambda: not list(state.rglob("*.json")), "not said to be put back")
    wait_until(lambda: not processes_with(str(out)), "what it started goes on without it")
    wait_until(lambda: not hosts.lab.visitors(), "what it started on the peer goes on without it")
    assert hosts.settings() == before
    return changed


def test_killed_at_two_random_instants_both_ends_are_put_back(hosts: Hosts) -> None:
    chance = random.Random()
    killed(hosts, 0, 0, chance.uniform(0.5, 4))
    killed(hosts, 1, 1, chance.uniform(0, 2))


@pytest.mark.soak
def test_killed_at_twenty_random_instants_both_ends_are_put_back(hosts: Hosts) -> None:
    chance = random.Random()
    changed = [
        killed(hosts, number, chance.randint(0, 8), chance.uniform(0.3, 4)) for number in range(20)
    ]
    assert sum(changed) >= 5, "it was killed while settings were other ones"


def test_its_commands_lead_to_an_answer_and_back_at_both_ends(hosts: Hosts) -> None:
    lab, answer = hosts.lab, {"mtu_bytes": 4000, "offload.gro": True}
    lab.inside(lab.there, "ip", "link", "set", INTERFACE, "mtu", "2000")
    before = hosts.settings()
    options = lab.ssh_options_from_outside
    spec = PeerSpec(lab.destination, hosts.peer_address, INTERFACE, options, sys.executable)
    here, peer = open_host(INTERFACE, netns=lab.here), connect(spec)
    bench = Bench(
        **{"host": here, "peers": [peer], "guard": Guard(INTERFACE), "logger": ""},
        **dict.fromkeys(("prepare", "verify_mtu", "effective_delay_us", "recover")),
        **{"check": lambda: None, "failures": FAILURES},
    )
    state = here.save()
    try:
        found = read_before(bench, ["mtu_bytes", "offload.gro", "workload"])
        back = way_back(bench, answer, found)
        here.restore(state)
        to_set = commands_to(bench, answer, found)
    finally:
        peer.close()
    assert hosts.settings() == before
    assert back.lacking == []
    subprocess.run(["sh", "-ec", "\n".join(to_set)], check=True)
    assert [hosts.settings()[side][0] for side in (lab.here, lab.there)] == [4000, 4000]
    subprocess.run(["sh", "-ec", "\n".join(back.commands)], check=True)
    assert hosts.settings() == before
    lab.inside(lab.there, "ip", "link", "set", INTERFACE, "mtu", "1500")


TRIAL = """
import sys, time
from contextlib import nullcontext
from coalescope_host.run.bench import Bench
from coalescope_host.run.factory import FAILURES
from coalescope_host.run.trial import try_out
from coalescope_host.settings.guard import Guard
from coalescope_host.settings.host import open_host

def nobody(alive):
    print("set", flush=True)
    while True:
        alive()
        time.sleep(0.05)

bench = Bench(
    host=open_host(sys.argv[1]), peers=(), guard=Guard(sys.argv[1], hang_s=60.0), prepare=None,
    verify_mtu=None, effective_delay_us=None, logger="", recover=None, check=lambda: None,
    failures=FAILURES,
)
try_out(bench, {"mtu_bytes": 4000, "offload.gro": True}, nobody)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_an_answer_on_trial_is_put_back_when_its_process_dies(
    hosts: Hosts, number: signal.Signals
) -> None:
    before = hosts.settings()
    process = subprocess.Popen(
        ["ip", "netns", "exec", hosts.lab.here, TOOL[0], "-c", TRIAL, INTERFACE],
        env=hosts.environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "set\n"
    assert hosts.settings() != before
    os.kill(process.pid, number)
    process.communicate()
    wait_until(lambda: hosts.settings() == before, "not put back")
