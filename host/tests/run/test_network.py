# SPDX-License-Identifier: Apache-2.0
"""The real command line on a veth pair in namespaces, the other end driven as a peer over ssh."""

import os
import random
import re
import signal
import time

import pytest
from coalescope_host.run_log import read
from timeouts import TIMEOUT_S, wait_until

from .hosts_on_a_cable import INTERFACE, WORKLOADS, Hosts, processes_with

pytestmark = [pytest.mark.network, pytest.mark.slow]


@pytest.mark.parametrize("version", [4, 6])
def test_a_sweep_with_a_peer_records_every_workload_at_every_mtu(
    hosts: Hosts, version: int
) -> None:
    if version == 6:
        hosts.use_ipv6()
    rr = '[workloads.rr]\nkind = "request-response"\n'
    hosts.plan('mtu_bytes = [1500, 4000]\nworkload = ["udp", "tcp", "rr"]', WORKLOADS + rr)
    done = hosts.sweep()
    assert done.returncode == 0, done.stderr
    assert hosts.done() == hosts.scheduled()
    for path in (hosts.out / "logs").glob("*.runlog"):
        log = read(path)
        assert log.complete
        mtu = log.header["factors"]["mtu_bytes"]
        assert mtu["requested"] == mtu["read_back"] == log.header["environment"]["mtu_bytes"]
        packets = log.streams[0].column("rx_packets")
        octets = log.streams[0].column("rx_bytes")
        if log.header["factors"]["workload"]["requested"] == "udp":
            mean = (octets[-1] - octets[0]) / (packets[-1] - packets[0])
            assert mean == pytest.approx(mtu["requested"] + 14, rel=0.05)
        assert log.result is not None
        (peer,) = log.header["environment"]["peers"]
        assert peer["address"] == hosts.peer_address
        assert peer["driver"] == "veth"
        assert peer["kernel_version"] == log.header["environment"]["kernel_version"]
        assert peer["offloads"]


def test_the_workload_runs_where_the_plan_says(hosts: Hosts) -> None:
    script = "nproc; exec ping -q -c 20 -i 0.05 {peer}"
    ping = f'[workloads.ping]\nkind = "command"\ncommand = ["sh", "-c", "{script}"]\ncpus = "0"\n'
    found = {}
    for folder, factor in (("option", "mtu_bytes = [1500]"), ("factor", 'workload_cpus = ["0-1"]')):
        hosts.plan(f'{factor}\nworkload = ["ping"]', ping)
        out = hosts.folder / folder
        done = hosts.sweep(str(hosts.folder / "plan.toml"), "--out", str(out))
        assert done.returncode == 0, done.stderr
        (log,) = map(read, (out / "logs").glob("*.runlog"))
        assert log.result is not None
        assert log.result is not None
        notes = log.header["environment"]["notes"]
        found[folder] = str(notes["workload_cpus"]), bytes(log.result.body)[:2]
    assert found == {"option": ("0", b"1\n"), "factor": ("0-1", b"2\n")}


def test_dry_run_names_the_changes_of_both_ends_and_makes_none(hosts: Hosts) -> None:
    hosts.plan('mtu_bytes = [1500, 4000]\nworkload = ["udp", "tcp"]')
    done = hosts.sweep(str(hosts.folder / "plan.toml"), "--dry-run", "--all")
    assert done.returncode == 0, done.stderr
    assert re.search(rf"^ +ip link set {INTERFACE} mtu 4000$", done.stdout, re.M)
    assert f"{hosts.lab.destination}: ip link set {INTERFACE} mtu 4000" in done.stdout
    assert not hosts.out.exists()


def test_killed_at_random_points_both_ends_are_put_back_and_the_plan_is_kept(hosts: Hosts) -> None:
    hosts.plan('mtu_bytes = [1500, 3000, 4000]\nworkload = ["udp", "tcp"]')
    before = hosts.settings()
    chance, state = random.Random(5), hosts.folder / "state"
    for _ in range(2):
        with hosts.start():
            time.sleep(chance.uniform(3, 6))
        # killed when it had said what to put back and nobody watched yet, it had changed nothing
        wait_until(lambda: not processes_with(str(state)), "whoever puts back does not end")
        wait_until(lambda: hosts.settings() == before, "not put back")
        assert hosts.sweep("--restore").returncode == 0
        assert not list(state.rglob("*.json")), "not said to be put back"
    folder = str(hosts.folder)
    wait_until(lambda: not processes_with(folder), "what the sweep started goes on without it")
    done = hosts.sweep()
    assert done.returncode == 0, done.stderr
    assert hosts.done() == hosts.scheduled()


def test_after_a_crash_that_left_nobody_restore_brings_this_host_back(hosts: Hosts) -> None:
    hosts.plan('mtu_bytes = [4000]\nworkload = ["udp", "tcp"]', duration_s=5)
    before = hosts.settings()
    with hosts.start():
        here = hosts.lab.here
        wait_until(lambda: hosts.settings()[here] != before[here], "nothing is changed")
        dead_men = processes_with(str(hosts.folder / "state"))
        assert dead_men
        for pid in dead_men:
            os.kill(pid, signal.SIGKILL)
    time.sleep(1)
    assert hosts.settings()[hosts.lab.here] != before[hosts.lab.here]
    done = hosts.sweep("--restore")
    assert done.returncode == 0, done.stderr
    assert f"{INTERFACE}: put back as it was" in done.stderr
    assert hosts.settings() == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_puts_both_ends_back(hosts: Hosts, number: signal.Signals) -> None:
    hosts.plan('mtu_bytes = [3000, 4000]\nworkload = ["udp", "tcp"]')
    before = hosts.settings()
    with hosts.start() as process:
        wait_until(hosts.done, "no run is done")
        process.send_signal(number)
        _, said = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 128 + number, said
    assert hosts.settings() == before


def test_a_peer_that_is_lost_is_connected_again(hosts: Hosts) -> None:
    hosts.plan('mtu_bytes = [1500, 3000, 4000]\nworkload = ["udp", "tcp"]')
    with hosts.start() as process:
        wait_until(hosts.done, "no run is done")
        agents = processes_with(str(hosts.programs / "python"))
        assert agents
        for pid in agents:
            os.kill(pid, signal.SIGKILL)
        _, said = process.communicate(timeout=3 * TIMEOUT_S)
    assert process.returncode == 0, said
    assert "failed, to be tried again" in said
    assert sorted(hosts.done()) == sorted(hosts.scheduled())
