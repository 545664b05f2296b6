# SPDX-License-Identifier: Apache-2.0
"""A sweep from the command line, and a plan that `init` writes, over a real ssh to a peer."""

import shlex
import subprocess
from collections.abc import Sequence

import pytest
from coalescope_host.plan.plan_file import load_plan
from manuals import fence

from .hosts_on_a_cable import INTERFACE, TOOL, Hosts

BY_NAMES, INIT = fence("docs/sweep.md", "sudo coalescope-host sweep eth1").splitlines()

pytestmark = [pytest.mark.network, pytest.mark.slow]


def ran(
    hosts: Hosts, *arguments: str, through: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["ip", "netns", "exec", hosts.lab.here, *through, *TOOL, *arguments],
        env=hosts.environment,
        cwd=hosts.folder,
        capture_output=True,
        text=True,
        check=False,
    )


def to_peer(hosts: Hosts) -> list[str]:
    options = shlex.join(hosts.lab.ssh_options)
    return ["--peer", hosts.lab.destination, f"--ssh-options={options}"]


@pytest.mark.fault("C3")
def test_factors_by_the_names_of_the_field(hosts: Hosts) -> None:
    done = hosts.type(f"{BY_NAMES} --duration 0.3 --replicates 1 --out out")
    assert done.returncode == 0, done.stderr
    assert "4 of 4 runs done, 0 failed." in done.stderr
    levels = [(e["requested"]["mtu_bytes"], e["requested"]["offload.gro"]) for e in hosts.entries()]
    assert sorted(levels) == [(1500, False), (1500, True), (9000, False), (9000, True)]
    rows = [line.split()[:2] for line in done.stdout.splitlines() if line.strip()[:4].isdigit()]
    assert rows == [["1500", "on"], ["1500", "off"], ["9000", "on"], ["9000", "off"]]


@pytest.mark.fault("C3")
def test_init_finds_the_peers_end_of_the_link_and_writes_a_plan_that_can_be_done(
    hosts: Hosts,
) -> None:
    done = hosts.type(INIT)
    assert done.returncode == 0, done.stderr
    plan = load_plan(hosts.folder / "plan.toml")
    (peer,) = plan.peers
    assert (peer.address, peer.interface) == (hosts.lab.there_address, INTERFACE)
    assert "delay_us" not in plan.factors, "a veth has none"
    dry = ran(hosts, "sweep", "plan.toml", "--dry-run")
    assert dry.returncode == 0, dry.stdout
    again = ran(hosts, "init", INTERFACE)
    assert again.returncode == 2
    assert "is there already" in again.stderr


@pytest.mark.parametrize(
    "words",
    [("sweep", "--mtu", "1500,9000"), ("tune", "--goal", "cpu", "--gro", "on"), ("calibrate",)],
)
def test_without_root_sudo_is_asked_for_before_a_peer_is(
    hosts: Hosts, words: tuple[str, ...]
) -> None:
    """Whose ssh cannot reach it would set that right for nothing: under sudo it is root's."""
    command, *options = words
    less = ("setpriv", "--bounding-set=-net_admin", "--inh-caps=-net_admin")
    done = ran(hosts, command, INTERFACE, *options, "--peer", "root@192.0.2.255", through=less)
    assert done.returncode == 1
    assert "which needs root: run it with sudo" in done.stderr


def test_an_interface_that_is_down_is_said_to_be(hosts: Hosts) -> None:
    assert ran(hosts, "init", INTERFACE, *to_peer(hosts)).returncode == 0
    hosts.lab.inside(hosts.lab.here, "ip", "link", "set", INTERFACE, "down")
    try:
        dry = ran(hosts, "sweep", "plan.toml", "--dry-run")
        again = ran(hosts, "init", INTERFACE, "--force")
    finally:
        hosts.lab.inside(hosts.lab.here, "ip", "link", "set", INTERFACE, "up")
    assert dry.returncode == 1
    assert f"cannot be done: {INTERFACE} is down: `ip link set {INTERFACE} up`" in dry.stdout
    assert f"Note: {INTERFACE} is down" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--mtu", "1500", "9000"], "levels are joined by commas, as in --mtu 1500,9000"),
        (["--irq-delay", "5"], "docs/settings.md lists all"),
        (["--mut", "1500"], "Did you mean mtu?"),
        (["--mtu", "1500"], "who sends?"),
        ([], "what is to be varied"),
        (["--mtu", "1500", "--workload", "nfs"], "must be of udp, tcp, rr"),
    ],
)
def test_what_is_missing_or_wrong_is_said(hosts: Hosts, arguments: list[str], reason: str) -> None:
    done = ran(hosts, "sweep", INTERFACE, *arguments)
    assert done.returncode == 2
    assert reason in done.stderr
