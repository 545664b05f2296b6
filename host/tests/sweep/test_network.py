# SPDX-License-Identifier: Apache-2.0
"""The real command line on a veth pair in namespaces, the other end driven as a peer over ssh."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from coalescope_host.run_log import read
from coalescope_host.sweep.plan_file import load_plan
from coalescope_host.sweep.schedule import schedule

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "e2e" / "lab"))

from ssh_peer import INTERFACE, SshPeer  # noqa: E402

pytestmark = [pytest.mark.network, pytest.mark.slow]

WORKLOADS = """
[workloads.udp]
kind = "udp-fan-in"
rate_mbps = 50
[workloads.tcp]
kind = "tcp-fan-in"
"""


@dataclass
class Hosts:
    """Two hosts, a folder with a plan, and the programs on PATH."""

    lab: SshPeer
    folder: Path
    programs: Path

    @property
    def out(self) -> Path:
        return self.folder / "out"

    @property
    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "XDG_STATE_HOME": str(self.folder / "state"),
            "PATH": f"{self.programs}:{os.environ['PATH']}",
        }

    def plan(self, factors: str, workloads: str = WORKLOADS, **keys: object) -> None:
        usual = {
            "experiment": '"over-veth"',
            "interface": f'"{INTERFACE}"',
            "seed": 3,
            "replicates": 1,
            "duration_s": 0.5,
            "interval_ms": 10,
            "settle_s": 0.1,
            "pilot_s": 0,
            "source": '"proc"',
        }
        head = "\n".join(f"{name} = {value}" for name, value in {**usual, **keys}.items())
        peer = "\n".join(
            [
                "[[peers]]",
                f'ssh = "{self.lab.destination}"',
                f"ssh_options = {json.dumps(list(self.lab.ssh_options))}",
                f'interface = "{INTERFACE}"',
                f'address = "{self.lab.there_address}"',
                f'python = "{self.programs / "python"}"',  # the traffic tool is on its PATH
            ]
        )
        text = f"{head}\n[factors]\n{factors}\n{workloads}\n{peer}\n"
        (self.folder / "plan.toml").write_text(text)

    def command(self, *arguments: str) -> list[str]:
        plan, out = str(self.folder / "plan.toml"), str(self.out)
        tool = [sys.executable, "-m", "coalescope_host", "sweep"]
        inside = ["ip", "netns", "exec", self.lab.here]
        return [*inside, *tool, *(arguments or (plan, "--out", out))]

    @contextmanager
    def start(self) -> Iterator[subprocess.Popen[str]]:
        """A sweep that runs; killed at the end of the block if it still does."""
        process = subprocess.Popen(
            self.command(), env=self.environment, stderr=subprocess.PIPE, text=True
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()
            assert process.stderr is not None
            process.stderr.close()

    def sweep(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments),
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def settings(self) -> dict[str, Any]:
        """MTU, addresses, flags and offloads of both ends."""
        found = {}
        for side in (self.lab.here, self.lab.there):
            link = json.loads(self.lab.inside(side, "ip", "-j", "address", "show", INTERFACE))[0]
            addresses = [entry["local"] for entry in link["addr_info"] if entry["family"] == "inet"]
            offloads = self.lab.inside(side, "ethtool", "-k", INTERFACE)
            found[side] = (link["mtu"], sorted(link["flags"]), addresses, offloads)
        return found

    def done(self) -> list[str]:
        path = self.out / "journal.jsonl"
        if not path.exists():
            return []
        lines = [
            json.loads(line)
            for line in path.read_text().splitlines(keepends=True)
            if line.endswith("\n")
        ]
        return [line["id"] for line in lines if line.get("status") == "done"]

    def scheduled(self) -> list[str]:
        return [run.id for run in schedule(load_plan(self.folder / "plan.toml"), 3)]


@pytest.fixture(scope="module")
def lab() -> Iterator[SshPeer]:
    with SshPeer() as made:
        yield made


@pytest.fixture(scope="module")
def programs(logger: Path) -> Iterator[Path]:
    """Logger and traffic tool, where the user nobody can run them too."""
    folder = Path(f"/tmp/coalescope-programs-{os.getpid()}")
    subprocess.run(
        ["make", "-s", "-C", str(ROOT / "driver" / "traffic"), f"BUILD={folder}"], check=True
    )
    (folder / "coalescope-logger").write_bytes(logger.read_bytes())
    (folder / "python").write_text(f'#!/bin/sh\nPATH={folder}:$PATH exec {sys.executable} "$@"\n')
    for program in [folder, folder / "python", *folder.glob("coalescope-*")]:
        program.chmod(0o755)
    yield folder
    subprocess.run(["rm", "-r", str(folder)], check=True)


@pytest.fixture
def hosts(lab: SshPeer, programs: Path, tmp_path: Path) -> Iterator[Hosts]:
    made = Hosts(lab, tmp_path, programs)
    before = made.settings()
    yield made
    assert made.settings() == before


def processes_with(text: str) -> list[int]:
    """The processes that have this in their command line."""
    listed = subprocess.run(
        ["ps", "-eww", "-o", "pid=,args="], capture_output=True, text=True, check=True
    )
    return [int(line.split()[0]) for line in listed.stdout.splitlines() if text in line]


def test_a_sweep_with_a_peer_records_every_workload_at_every_mtu(hosts: Hosts) -> None:
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


def test_dry_run_names_the_changes_of_both_ends_and_makes_none(hosts: Hosts) -> None:
    hosts.plan('mtu_bytes = [1500, 4000]\nworkload = ["udp", "tcp"]')
    done = hosts.sweep(str(hosts.folder / "plan.toml"), "--dry-run")
    assert done.returncode == 0, done.stderr
    assert re.search(rf"^ +ip link set {INTERFACE} mtu 4000$", done.stdout, re.M)
    assert f"{hosts.lab.destination}: ip link set {INTERFACE} mtu 4000" in done.stdout
    assert not hosts.out.exists()


def test_killed_at_random_points_both_ends_are_put_back_and_the_plan_is_kept(hosts: Hosts) -> None:
    hosts.plan('mtu_bytes = [1500, 3000, 4000]\nworkload = ["udp", "tcp"]')
    before = hosts.settings()
    chance = random.Random(5)
    for _ in range(2):
        with hosts.start():
            time.sleep(chance.uniform(3, 6))
        end = time.monotonic() + 15
        while hosts.settings() != before or list((hosts.folder / "state").rglob("*.json")):
            assert time.monotonic() < end, "not put back"
            time.sleep(0.1)
    end = time.monotonic() + 15
    while processes_with(str(hosts.folder)):
        assert time.monotonic() < end, "something that the sweep started goes on without it"
        time.sleep(0.1)
    done = hosts.sweep()
    assert done.returncode == 0, done.stderr
    assert hosts.done() == hosts.scheduled()


def test_after_a_crash_that_left_nobody_restore_brings_this_host_back(hosts: Hosts) -> None:
    hosts.plan('mtu_bytes = [4000]\nworkload = ["udp", "tcp"]', duration_s=5)
    before = hosts.settings()
    with hosts.start():
        end = time.monotonic() + 30
        while hosts.settings()[hosts.lab.here] == before[hosts.lab.here]:
            assert time.monotonic() < end
            time.sleep(0.1)
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
        end = time.monotonic() + 30
        while not hosts.done():
            assert time.monotonic() < end
            time.sleep(0.05)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + number, said
    assert hosts.settings() == before


def test_a_peer_that_is_lost_is_connected_again(hosts: Hosts) -> None:
    hosts.plan('mtu_bytes = [1500, 3000, 4000]\nworkload = ["udp", "tcp"]')
    with hosts.start() as process:
        end = time.monotonic() + 30
        while not hosts.done():
            assert time.monotonic() < end
            time.sleep(0.05)
        agents = processes_with(str(hosts.programs / "python"))
        assert agents
        for pid in agents:
            os.kill(pid, signal.SIGKILL)
        _, said = process.communicate(timeout=90)
    assert process.returncode == 0, said
    assert "failed, to be tried again" in said
    assert sorted(hosts.done()) == sorted(hosts.scheduled())


def test_a_peer_that_cannot_be_reached_is_named_before_anything_is_changed(hosts: Hosts) -> None:
    hosts.plan('mtu_bytes = [1500]\nworkload = ["udp", "tcp"]')
    plan = hosts.folder / "plan.toml"
    plan.write_text(plan.read_text().replace(hosts.lab.destination, "root@10.213.1.99"))
    done = hosts.sweep()
    assert done.returncode == 1
    assert "10.213.1.99" in done.stderr
    assert hosts.done() == []


def test_a_black_hole_fails_the_runs_of_its_mtu_alone(hosts: Hosts) -> None:
    hosts.plan('mtu_bytes = [1500, 4000]\nworkload = ["udp", "tcp"]', retries=0)
    plan = hosts.folder / "plan.toml"  # without its interface the peer keeps an MTU of 1500
    lines = plan.read_text().splitlines(keepends=True)
    last = max(n for n, line in enumerate(lines) if line.startswith("interface = "))
    plan.write_text("".join(lines[:last] + lines[last + 1 :]))
    done = hosts.sweep()
    assert done.returncode == 1
    assert "2 of 4 runs done, 2 failed." in done.stderr
    assert "MTU 4000" in done.stderr
    assert "black hole" in done.stderr


def test_no_such_interface(hosts: Hosts) -> None:
    hosts.plan('mtu_bytes = [1500]\nworkload = ["udp", "tcp"]', interface='"nowhere0"')
    done = hosts.sweep()
    assert done.returncode == 1
    assert "nowhere0" in done.stderr


def test_a_value_that_the_device_refuses(hosts: Hosts) -> None:
    hosts.plan('mtu_bytes = [1500]\ndelay_us = [10]\nworkload = ["udp", "tcp"]', retries=0)
    done = hosts.sweep()
    assert done.returncode == 1
    assert "0 of 2 runs done, 2 failed." in done.stderr
    assert "delay_us" in done.stderr


def test_a_full_disk_fails_runs_and_restores(hosts: Hosts) -> None:
    small = hosts.folder / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(small)], check=True)
    try:
        hosts.plan('mtu_bytes = [1500, 4000]\nworkload = ["udp", "tcp"]', interval_ms=1, retries=0)
        done = hosts.sweep(str(hosts.folder / "plan.toml"), "--out", str(small / "out"))
    finally:
        subprocess.run(["umount", str(small)], check=True)
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
